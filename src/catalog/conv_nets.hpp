#pragma once
/// data/conv_nets.csv: what convolution nets keep of an image for the backward pass.

#include <string>
#include <string_view>
#include <vector>

#include "catalog/rows.hpp"
#include "gpuready/result.hpp"

namespace gpuready::catalog {

struct ConvNet {
  std::string name;
  double kept_elements = 0;  ///< of one image of `pixels` x `pixels`
  double pixels = 0;
  std::string source, as_of;
};

/// The error names the file, the record and the column.
Result<std::vector<ConvNet>> load_conv_nets(const Override& replaced);
/// Elements that the compiled-in net of this name keeps of one image; 0: not in the table.
double kept_elements(std::string_view name);

}  // namespace gpuready::catalog
