#include "catalog/conv_nets.hpp"

namespace gpuready::catalog {

namespace {

ConvNet read_net(Cells& cells) {
  ConvNet net;
  net.name = cells.text("name");
  net.kept_elements = cells.number("kept_elements"), net.pixels = cells.number("pixels");
  net.source = cells.text("source"), net.as_of = cells.text("as_of");
  return net;
}

}  // namespace

Result<std::vector<ConvNet>> load_conv_nets(const Override& replaced) {
  return read_table<ConvNet>("conv_nets.csv", replaced, read_net);
}

double kept_elements(std::string_view name) {
  static const auto table = load_conv_nets(Override{}).value_or(std::vector<ConvNet>());
  for (const ConvNet& net : table)
    if (net.name == name) return net.kept_elements;
  return 0;
}

}  // namespace gpuready::catalog
