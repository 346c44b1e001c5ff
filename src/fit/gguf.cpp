#include "fit/gguf.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/format.hpp"
#include "base/text.hpp"
#include "fit/byte_cursor.hpp"
#include "fit/gguf_header.hpp"
#include "fit/gguf_names.hpp"
#include "fit/gguf_shape.hpp"
#include "fit/weight_groups.hpp"

namespace gpuready::fit {

namespace {

/// More than any split that is published.
constexpr std::int64_t most_shards = 10000;

std::string file_name(std::string_view path) {
  return std::string(path.substr(path.find_last_of('/') + 1));
}

/// Whether a header is that of shard `i` of `count`; the error says what it is.
Result<void> check_shard(const GgufHeader& header, std::size_t i, std::size_t count) {
  const std::int64_t number = header.integer("split.no").value_or(-1);
  const std::int64_t of = header.integer("split.count").value_or(-1);
  if (number == static_cast<std::int64_t>(i) && of == static_cast<std::int64_t>(count)) return {};
  return failure(base::format("{}: split.no {} of split.count {}, expected {} of {}", header.file,
                              number, of, i, count));
}

Result<void> append(GgufHeader& first, GgufHeader shard) {
  constexpr std::size_t most_tensors = 1000000;
  if (first.tensors.size() + shard.tensors.size() > most_tensors)
    return failure(shard.file + ": more than a million tensors in all shards");
  std::ranges::move(shard.tensors, std::back_inserter(first.tensors));
  if (__builtin_add_overflow(first.file_bytes, shard.file_bytes, &first.file_bytes))
    return failure(shard.file + ": shards of more bytes than 64 bits count");
  return {};
}

Result<void> check_sum(const GgufHeader& all) {
  std::vector<std::string_view> names;
  names.reserve(all.tensors.size());
  for (const GgufTensor& tensor : all.tensors) names.push_back(tensor.name);
  std::ranges::sort(names);
  const auto twice = std::ranges::adjacent_find(names);
  if (twice != names.end())
    return failure(all.file + ": the tensor " + in_quotes(*twice) + " is in two shards");
  const auto told = all.integer("split.tensors.count");
  if (told && *told != static_cast<std::int64_t>(names.size()))
    return failure(base::format("{}: {} tensors in all shards, expected {} (split.tensors.count)",
                                all.file, names.size(), *told));
  return {};
}

/// The header of the first shard, with the tensors of all.
Result<GgufHeader> read_shards(const std::string& file, std::int64_t count,
                               const OpenSibling& open) {
  const std::vector<std::string> names = gguf_shards(file_name(file));
  if (static_cast<std::int64_t>(names.size()) != count)
    return failure(
        base::format("{}: one of {} shards, expected a name that ends in "
                     "-00001-of-{:05}.gguf",
                     base::printable(file), count, count));
  GgufHeader all;
  for (std::size_t i = 0; i < names.size(); ++i) {
    auto source = open(names[i]);
    if (!source)
      return failure(
          base::format("shard {} of {} is missing: {}", i + 1, names.size(), source.error().text),
          source.error().code);
    auto header = read_gguf_header(**source);
    if (!header) return header;
    if (const auto good = check_shard(*header, i, names.size()); !good)
      return tl::unexpected(good.error());
    if (i == 0) {
      all = std::move(*header);
    } else if (const auto good = append(all, std::move(*header)); !good) {
      return tl::unexpected(good.error());
    }
  }
  if (const auto good = check_sum(all); !good) return tl::unexpected(good.error());
  return all;
}

Result<std::vector<WeightGroup>> group(const GgufHeader& header, const Architecture& shape,
                                       std::string& main_dtype) {
  WeightGroups groups;
  // Where the shape has no layers (towers, diffusion), no block is one for multi-token prediction.
  const std::int64_t layers =
      shape.layers.empty() ? INT64_MAX : static_cast<std::int64_t>(shape.layers.size());
  for (const GgufTensor& tensor : header.tensors) {
    const bool is_vector = tensor.shape.size() < 2;
    Place place = shape.kind == ModelKind::vision ? Place{Role::tower, -1, false}
                                                  : gguf_place(tensor.name, layers, is_vector);
    if (shape.layers.empty()) place.layer = -1;
    WeightGroup one;
    one.tensors = 1;
    one.elements = one.parameters = tensor.elements;
    one.bytes = tensor.bytes;
    if (const auto good = groups.add(place, tensor.type.name, one); !good)
      return failure(header.file + ": " + good.error().text);
  }
  main_dtype = groups.main_dtype();
  return groups.groups();
}

/// The project's words for types that are not ggml's alone.
std::string plain_dtype(std::string_view type) {
  const std::string name = base::lower(type);
  if (name == "f32" || name == "f16") return "fp" + name.substr(1);
  return name == "bf16" ? name : std::string(type);
}

Result<Model> model_of(const GgufHeader& header) {
  Model model;
  model.source = Source::file_header, model.gguf = true;
  model.where = header.file;
  model.file_bytes = header.file_bytes;
  model.name = base::printable(header.text("general.name"));
  if (model.name.empty()) model.name = file_name(header.file);
  if (header.text("general.type") == "adapter")
    return failure(header.file + ": an adapter (LoRA), expected a model; name its base model");
  auto shape = shape_of_gguf(header, model.doubts);
  if (!shape) return tl::unexpected(shape.error());
  model.shape = std::move(*shape);
  auto weights = group(header, model.shape, model.native_dtype);
  if (!weights) return tl::unexpected(weights.error());
  model.weights = std::move(*weights);
  const std::string_view mix = ggml_file_type(header.integer("general.file_type").value_or(-1));
  model.native_dtype = plain_dtype(mix.empty() ? std::string_view(model.native_dtype) : mix);
  count_parameters(model);
  return model;
}

}  // namespace

std::vector<std::string> gguf_shards(const std::string& name) {
  // -00001-of-00003.gguf, as gguf-split of llama.cpp writes it.
  constexpr std::size_t digits = 5, tail = digits + 4 + digits + 5;
  if (name.size() < tail + 1) return {};
  const std::string_view end = std::string_view(name).substr(name.size() - tail);
  const auto is_number = [](std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
  };
  const std::string_view number = end.substr(0, digits), of = end.substr(digits + 4, digits);
  if (name[name.size() - tail - 1] != '-' || end.substr(digits, 4) != "-of-" ||
      !base::ends_with(end, ".gguf") || !is_number(number) || !is_number(of))
    return {};
  const std::int64_t count = base::to_integer(of).value_or(0);
  if (count < 1 || count > most_shards) return {};
  std::vector<std::string> names;
  const std::string start = name.substr(0, name.size() - tail);
  for (std::int64_t i = 1; i <= count; ++i)
    names.push_back(base::format("{}{:05}-of-{:05}.gguf", start, i, count));
  return names;
}

Result<Model> read_gguf(ByteSource& file, const OpenSibling& open) {
  auto header = read_gguf_header(file);
  if (!header) return tl::unexpected(header.error());
  const std::int64_t shards = header->integer("split.count").value_or(1);
  if (shards > 1) {
    if (shards > most_shards)
      return failure(header->file + ": split.count is " + std::to_string(shards) +
                     ", expected at most " + std::to_string(most_shards));
    header = read_shards(file.name(), shards, open);
    if (!header) return tl::unexpected(header.error());
  }
  return model_of(*header);
}

}  // namespace gpuready::fit
