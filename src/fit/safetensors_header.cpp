#include "fit/safetensors_header.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "base/format.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "fit/byte_cursor.hpp"

namespace gpuready::fit {

namespace {

using base::Json;

/// The format's own limit.
constexpr std::int64_t most_header_bytes = 100000000;
/// What is read at once: most headers are shorter, so that a remote file takes one request.
constexpr std::int64_t first_piece = std::int64_t{256} << 10U;

struct Dtype {
  std::string_view name;
  std::int64_t bits;
};

// huggingface/safetensors safetensors/src/tensor.rs.
constexpr std::array dtypes{
    Dtype{"BOOL", 8},    Dtype{"F4", 4},          Dtype{"F6_E2M3", 6},     Dtype{"F6_E3M2", 6},
    Dtype{"U8", 8},      Dtype{"I8", 8},          Dtype{"F8_E5M2", 8},     Dtype{"F8_E4M3", 8},
    Dtype{"F8_E8M0", 8}, Dtype{"F8_E4M3FNUZ", 8}, Dtype{"F8_E5M2FNUZ", 8}, Dtype{"I16", 16},
    Dtype{"U16", 16},    Dtype{"F16", 16},        Dtype{"BF16", 16},       Dtype{"I32", 32},
    Dtype{"U32", 32},    Dtype{"F32", 32},        Dtype{"C64", 64},        Dtype{"F64", 64},
    Dtype{"I64", 64},    Dtype{"U64", 64}};

std::int64_t little_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    value |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[i])) << (8U * i);
  return value > static_cast<std::uint64_t>(INT64_MAX) ? INT64_MAX
                                                       : static_cast<std::int64_t>(value);
}

/// A whole number that is not negative.
bool whole(const Json& json, std::int64_t& out) {
  if (!json.is_number_unsigned()) return false;
  const auto value = json.get<std::uint64_t>();
  out = static_cast<std::int64_t>(value);
  return value <= static_cast<std::uint64_t>(INT64_MAX);
}

/// `member` of a tensor's entry; null where there is none.
const Json& member(const Json& entry, const char* name) {
  static const Json none;
  const auto it = entry.find(name);
  return it == entry.end() ? none : *it;
}

/// Faults are without the file and the tensor.
Result<void> read_shape(const Json& json, SafetensorsTensor& tensor) {
  if (!json.is_array()) return failure("no list 'shape'");
  tensor.elements = 1;
  for (const Json& item : json) {
    std::int64_t side = 0;
    if (!whole(item, side))
      return failure("a 'shape' with " + in_quotes(base::dump_json(item, false)) +
                     ", expected whole numbers");
    if (__builtin_mul_overflow(tensor.elements, side, &tensor.elements))
      return failure("a 'shape' of more elements than 64 bits count");
    tensor.shape.push_back(side);
  }
  return {};
}

Result<void> read_range(const Json& json, std::int64_t data_bytes, SafetensorsTensor& tensor) {
  std::int64_t begin = 0, end = 0;
  if (!json.is_array() || json.size() != 2 || !whole(json[0], begin) || !whole(json[1], end) ||
      begin > end)
    return failure("no 'data_offsets' of begin and end");
  if (end > data_bytes)
    return failure(
        base::format("bytes {} to {} of the {} that the file has after its header; is "
                     "the download complete?",
                     begin, end, data_bytes));
  tensor.offset = begin;
  tensor.bytes = end - begin;
  return {};
}

Result<void> check_bytes(const std::string& dtype, const SafetensorsTensor& tensor) {
  const std::int64_t bits = safetensors_bits(dtype);
  if (bits == 0) return failure("unknown type " + in_quotes(dtype));
  std::int64_t all = 0;
  if (__builtin_mul_overflow(tensor.elements, bits, &all) || all % 8 != 0 ||
      all / 8 != tensor.bytes)
    return failure(
        base::format("{} bytes for {} elements of {} bits", tensor.bytes, tensor.elements, bits));
  return {};
}

Result<SafetensorsTensor> read_tensor(const std::string& name, const Json& entry,
                                      std::int64_t data_bytes) {
  SafetensorsTensor tensor;
  tensor.name = name;
  if (!entry.is_object()) return failure("no object");
  const Json& type = member(entry, "dtype");
  if (!type.is_string()) return failure("no 'dtype'");
  const auto dtype = type.get<std::string>();
  tensor.dtype = base::lower(dtype);
  for (auto good : {read_shape(member(entry, "shape"), tensor),
                    read_range(member(entry, "data_offsets"), data_bytes, tensor)})
    if (!good) return tl::unexpected(good.error());
  if (const auto good = check_bytes(dtype, tensor); !good) return tl::unexpected(good.error());
  return tensor;
}

/// The format wants the data filled from its first byte to its last.
Result<void> check_places(const SafetensorsHeader& header) {
  std::vector<const SafetensorsTensor*> order;
  order.reserve(header.tensors.size());
  for (const SafetensorsTensor& tensor : header.tensors) order.push_back(&tensor);
  std::ranges::sort(order, {}, [](const auto* t) { return std::pair(t->offset, t->bytes); });
  std::int64_t end = 0;
  for (const SafetensorsTensor* tensor : order) {
    if (tensor->offset != end)
      return failure(
          base::format("{}: tensor {} begins at byte {} of the data, expected {} ({})", header.file,
                       in_quotes(tensor->name), tensor->offset, end,
                       tensor->offset < end ? "it lies on another" : "a hole before it"));
    end += tensor->bytes;
  }
  if (end == header.file_bytes - header.data_start) return {};
  return failure(base::format("{}: {} bytes of data, expected the {} of its tensors", header.file,
                              header.file_bytes - header.data_start, end));
}

/// The text of the header.
Result<std::string> read_text(ByteSource& source, const std::string& file, std::int64_t size) {
  auto text = source.read(0, std::min(size, first_piece));
  if (!text) return text;
  constexpr std::int64_t length_bytes = 8;
  if (text->size() < static_cast<std::size_t>(length_bytes))
    return failure(file + ": " + std::to_string(size) + " bytes, expected a safetensors header");
  if (base::starts_with(*text, "version https://git-lfs"))
    return failure(file +
                   ": a pointer of Git LFS, not the file itself; fetch it with git lfs pull");
  const std::int64_t length = little_endian(text->substr(0, 8));
  if (length > most_header_bytes || length > size - length_bytes || length < 2)
    return failure(
        base::format("{}: a header of {} bytes in a file of {}, expected a safetensors "
                     "file (a header of 100 MB at most)",
                     file, length, size));
  const std::int64_t held = static_cast<std::int64_t>(text->size()) - length_bytes;
  text->erase(0, 8);
  if (held < length) {
    const auto rest = source.read(length_bytes + held, length - held);
    if (!rest) return rest;
    *text += *rest;
  }
  text->resize(static_cast<std::size_t>(length));
  if (text->front() != '{')
    return failure(file + ": the header begins with " + in_quotes(text->substr(0, 4)) +
                   ", expected '{', at byte 8");
  return text;
}

bool is_plain_name(std::string_view name) {
  return !name.empty() && name != "." && name != ".." &&
         name.find_first_of(std::string_view("/\\:\0", 4)) == std::string_view::npos;
}

}  // namespace

std::int64_t safetensors_bits(std::string_view dtype) {
  const auto found = std::ranges::find(dtypes, dtype, &Dtype::name);
  return found == dtypes.end() ? 0 : found->bits;
}

Result<SafetensorsHeader> read_safetensors_header(ByteSource& source) {
  SafetensorsHeader header;
  header.file = base::printable(source.name());
  const auto size = source.size();
  if (!size) return tl::unexpected(size.error());
  header.file_bytes = *size;
  const auto text = read_text(source, header.file, *size);
  if (!text) return tl::unexpected(text.error());
  header.data_start = 8 + static_cast<std::int64_t>(text->size());
  const auto json = base::parse_json(*text);
  if (!json) return failure(header.file + ": the header is " + base::printable(json.error().text));
  if (!json->is_object()) return failure(header.file + ": the header is no JSON object");
  for (const auto& [name, entry] : json->items()) {
    if (name == "__metadata__") continue;
    auto tensor = read_tensor(name, entry, *size - header.data_start);
    if (!tensor)
      return failure(header.file + ": tensor " + in_quotes(name) + ": " + tensor.error().text);
    header.tensors.push_back(std::move(*tensor));
  }
  if (const auto good = check_places(header); !good) return tl::unexpected(good.error());
  return header;
}

Result<SafetensorsIndex> read_safetensors_index(std::string_view text, const std::string& file) {
  const auto json = base::parse_json(text);
  if (!json) return failure(file + ": " + base::printable(json.error().text));
  const Json none;
  const Json& map = json->is_object() ? member(*json, "weight_map") : none;
  if (!map.is_object() || map.empty())
    return failure(file + ": no object 'weight_map', expected one in an index of safetensors");
  SafetensorsIndex index;
  std::set<std::string> files;
  for (const auto& [name, shard] : map.items()) {
    const std::string value = shard.is_string() ? shard.get<std::string>() : "";
    if (!is_plain_name(value))
      return failure(file + ": tensor " + in_quotes(name) + " is in file " + in_quotes(value) +
                     ", expected the name of a file beside it");
    index.weight_map.emplace(name, value);
    files.insert(value);
  }
  index.files.assign(files.begin(), files.end());
  return index;
}

Result<void> check_index(const SafetensorsIndex& index,
                         const std::vector<SafetensorsHeader>& shards) {
  std::set<std::pair<std::string_view, std::string_view>> present;
  for (std::size_t i = 0; i < shards.size() && i < index.files.size(); ++i)
    for (const SafetensorsTensor& tensor : shards[i].tensors)
      present.emplace(index.files[i], tensor.name);
  for (const auto& [name, file] : index.weight_map)
    if (!present.contains({file, name}))
      return failure("the index says that tensor " + in_quotes(name) + " is in " + in_quotes(file) +
                     ", but it is not");
  return {};
}

}  // namespace gpuready::fit
