#include "catalog/pipelines.hpp"

#include <algorithm>

namespace gpuready::catalog {

namespace {

std::int64_t maybe_integer(Cells& cells, const std::string& column, std::int64_t otherwise) {
  return cells.maybe(column).empty() ? otherwise : cells.integer(column);
}

PipelinePart read_part(Cells& cells) {
  PipelinePart part;
  part.models = cells.text("models"), part.component = cells.text("component");
  part.role = cells.text("role");
  if (part.role != "unet" && part.role != "dit" && part.role != "text" && part.role != "vae")
    cells.wrong("role", "unet, dit, text or vae");
  part.parameters = maybe_integer(cells, "parameters", 0);
  part.embedding_parameters = maybe_integer(cells, "embedding_parameters", 0);
  part.wide_parameters = maybe_integer(cells, "wide_parameters", 0);
  part.pixels_per_token = maybe_integer(cells, "pixels_per_token", 0);
  part.heads = maybe_integer(cells, "heads", 0),
  part.guidance = maybe_integer(cells, "guidance", 1);
  part.text_tokens = maybe_integer(cells, "text_tokens", 0);
  part.frames = maybe_integer(cells, "frames", 1);
  part.source = cells.text("source"), part.as_of = cells.text("as_of");
  return part;
}

}  // namespace

Result<std::vector<PipelinePart>> load_pipelines(const Override& replaced) {
  return read_table<PipelinePart>("pipelines.csv", replaced, read_part);
}

std::vector<PipelinePart> pipeline_of(std::string_view denoiser) {
  static const auto table = load_pipelines(Override{}).value_or(std::vector<PipelinePart>());
  std::vector<PipelinePart> out;
  std::copy_if(table.begin(), table.end(), std::back_inserter(out),
               [&](const PipelinePart& part) { return denoiser.starts_with(part.models); });
  return out;
}

}  // namespace gpuready::catalog
