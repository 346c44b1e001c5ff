#include "fit/gguf_header.hpp"

#include <algorithm>
#include <bit>

#include "base/text.hpp"
#include "fit/byte_cursor.hpp"

namespace gpuready::fit {

namespace {

/// Far above any honest file (the vocabulary is its largest part, some 10 MiB).
constexpr std::int64_t most_header_bytes = std::int64_t{512} << 20U;
/// Most that a honest file has are some thousands of tensors and some hundreds of keys.
constexpr std::int64_t most_tensors = 1000000, most_keys = 65536;
/// A key has at most 65535 bytes (gguf.md); names of tensors at most 64 in ggml.
constexpr std::int64_t most_key_bytes = 65535, most_name_bytes = 255;
constexpr std::int64_t most_text_bytes = 256;
/// Numbers that are kept of one list, and of all: lists that the shape needs have one for each
/// layer.
constexpr std::int64_t most_numbers = 4096, most_numbers_together = 1000000;
/// Fewest bytes of a key with its value, and of a tensor's entry.
constexpr std::int64_t least_key_bytes = 8 + 1 + 4 + 1, least_tensor_bytes = 8 + 1 + 4 + 4 + 8;

enum Type : std::uint32_t { u8, i8, u16, i16, u32, i32, f32, boolean, text, list, u64, i64, f64 };

/// Bytes of a number of this type; 0: it is no number.
int width_of(std::uint32_t type) {
  switch (type) {
    case u8:
    case i8:
    case boolean:
      return 1;
    case u16:
    case i16:
      return 2;
    case u32:
    case i32:
    case f32:
      return 4;
    case u64:
    case i64:
    case f64:
      return 8;
    default:
      return 0;
  }
}

bool is_real(std::uint32_t type) { return type == f32 || type == f64; }

std::int64_t as_integer(std::uint32_t type, std::uint64_t raw) {
  switch (type) {
    case i8:
      return static_cast<std::int8_t>(raw);
    case i16:
      return static_cast<std::int16_t>(raw);
    case i32:
      return static_cast<std::int32_t>(raw);
    case boolean:
      return raw != 0 ? 1 : 0;
    default:
      return static_cast<std::int64_t>(raw);
  }
}

class Reader {
 public:
  Reader(ByteSource& source, std::int64_t size) : in_(source, size, most_header_bytes) {
    out_.file = base::printable(source.name());
    out_.file_bytes = size;
  }

  Result<GgufHeader> read() {
    read_start();
    for (std::int64_t i = 0; i < keys_ && in_.ok(); ++i) read_key();
    take_alignment();
    out_.tensors.reserve(static_cast<std::size_t>(std::min<std::int64_t>(count_, 4096)));
    for (std::int64_t i = 0; i < count_ && in_.ok(); ++i) read_tensor();
    if (in_.ok()) place_data();
    if (!in_.ok()) return failure(in_.fault());
    return std::move(out_);
  }

 private:
  void read_start() {
    read_magic();
    read_version();
    count_ = read_count("tensors", most_tensors, least_tensor_bytes);
    keys_ = read_count("metadata keys", most_keys, least_key_bytes);
  }

  void read_magic() {
    const std::string_view magic = in_.take(4, "the first four bytes");
    if (!in_.ok() || magic == "GGUF") return;
    if (magic == "vers")
      return in_.fail("a pointer of Git LFS, not the file itself; fetch it with git lfs pull", 0);
    for (const std::string_view old : {"lmgg", "fmgg", "tjgg", "algg"})
      if (magic == old)
        return in_.fail("a model of before GGUF (2023); expected GGUF: convert it anew", 0);
    in_.fail("begins with " + in_quotes(magic) + ", expected GGUF", 0);
  }

  void read_version() {
    const std::int64_t place = in_.position();
    out_.version = static_cast<std::uint32_t>(in_.number(4, "the version"));
    if (!in_.ok() || out_.version == 2 || out_.version == 3) return;
    if (out_.version == 1)
      return in_.fail("GGUF version 1, expected 2 or 3; convert it with a current llama.cpp",
                      place);
    if (out_.version != 0 && (out_.version & 0xFFFFU) == 0)
      return in_.fail("a GGUF for big-endian machines, expected little endian", place);
    in_.fail("GGUF version " + std::to_string(out_.version) + ", expected 2 or 3", place);
  }

  std::int64_t read_count(const std::string& what, std::int64_t most, std::int64_t least_bytes) {
    const std::int64_t place = in_.position();
    const std::uint64_t count = in_.number(8, "the number of " + what);
    const std::int64_t left = (in_.file_size() - in_.position()) / least_bytes;
    if (count > static_cast<std::uint64_t>(std::min(most, std::max<std::int64_t>(left, 0)))) {
      in_.fail(std::to_string(count) + " " + what + ", expected at most " +
                   std::to_string(std::min(most, left)) + " in a file of this size",
               place);
      return 0;
    }
    return static_cast<std::int64_t>(count);
  }

  /// A length in front of bytes.
  std::int64_t read_length(std::string_view what) {
    const std::int64_t place = in_.position();
    const std::uint64_t length = in_.number(8, what);
    if (length <= static_cast<std::uint64_t>(in_.file_size()))
      return static_cast<std::int64_t>(length);
    in_.fail(std::string(what) + " of " + std::to_string(length) + " bytes, more than the file has",
             place);
    return 0;
  }

  std::string read_name(std::string_view what, std::int64_t most) {
    const std::int64_t place = in_.position();
    const std::int64_t length = read_length(what);
    if (length > most || length == 0) {
      in_.fail(std::string(what) + " of " + std::to_string(length) + " bytes, expected 1 to " +
                   std::to_string(most),
               place);
      return {};
    }
    std::string name(in_.take(length, what));
    if (in_.ok() && !is_utf8(name)) in_.fail(std::string(what) + " that is not UTF-8", place);
    return name;
  }

  void read_key() {
    const std::int64_t place = in_.position();
    std::string key = read_name("the name of a key", most_key_bytes);
    const auto type = static_cast<std::uint32_t>(in_.number(4, "the type of a value"));
    GgufValue value = read_value(key, type);
    if (!in_.ok()) return;
    const auto [it, is_new] = out_.metadata.try_emplace(std::move(key), std::move(value));
    if (!is_new) in_.fail("the key " + in_quotes(it->first) + " for the second time", place);
  }

  GgufValue read_value(const std::string& key, std::uint32_t type) {
    GgufValue value;
    if (const int width = width_of(type); width > 0) {
      set_number(value, type, in_.number(width, "the value of a key"));
    } else if (type == text) {
      value.kind = GgufValue::Kind::text;
      const std::int64_t length = read_length("a text");
      if (length <= most_text_bytes)
        value.text = in_.take(length, "a text");
      else
        in_.skip(length, "a text");
    } else if (type == list) {
      read_list(key, value);
    } else {
      in_.fail("the key " + in_quotes(key) + " has a value of type " + std::to_string(type) +
               ", expected 0 to 12");
    }
    return value;
  }

  static void set_number(GgufValue& value, std::uint32_t type, std::uint64_t raw) {
    const bool large = type == u64 && raw > static_cast<std::uint64_t>(INT64_MAX);
    value.kind = is_real(type) || large ? GgufValue::Kind::real
                 : type == boolean      ? GgufValue::Kind::boolean
                                        : GgufValue::Kind::integer;
    if (type == f32) value.real = std::bit_cast<float>(static_cast<std::uint32_t>(raw));
    if (type == f64) value.real = std::bit_cast<double>(raw);
    if (large) value.real = static_cast<double>(raw);
    if (!is_real(type) && !large) value.integer = as_integer(type, raw);
  }

  void read_list(const std::string& key, GgufValue& value) {
    value.kind = GgufValue::Kind::list;
    const std::int64_t place = in_.position();
    const auto type = static_cast<std::uint32_t>(in_.number(4, "the type of a list"));
    const std::uint64_t count = in_.number(8, "the length of a list");
    const int width = width_of(type);
    const auto least = static_cast<std::uint64_t>(type == text ? 8 : std::max(width, 1));
    if (in_.ok() && width == 0 && type != text)
      return in_.fail("the key " + in_quotes(key) + " has a list of type " + std::to_string(type) +
                          ", expected numbers or texts",
                      place);
    if (count > static_cast<std::uint64_t>(in_.file_size()) / least)
      return in_.fail("the key " + in_quotes(key) + " has a list of " + std::to_string(count) +
                          " values, more than the file holds",
                      place);
    value.count = static_cast<std::int64_t>(count);
    if (type == text)
      for (std::int64_t i = 0; i < value.count && in_.ok(); ++i)
        in_.skip(read_length("a text of a list"), "a text of a list");
    else if (is_real(type) || value.count > most_numbers ||
             (kept_ += value.count) > most_numbers_together)
      in_.skip(value.count * width, "a list");
    else
      for (std::int64_t i = 0; i < value.count && in_.ok(); ++i)
        value.numbers.push_back(as_integer(type, in_.number(width, "a list")));
  }

  void take_alignment() {
    const GgufValue* value = out_.find("general.alignment");
    if (value == nullptr || !in_.ok()) return;
    constexpr std::int64_t most = std::int64_t{1} << 30U;
    const std::int64_t alignment = value->integer;
    if (value->kind != GgufValue::Kind::integer || alignment <= 0 || alignment > most ||
        !std::has_single_bit(static_cast<std::uint64_t>(alignment)))
      return in_.fail("general.alignment is " + std::to_string(alignment) +
                      ", expected a power of two");
    out_.alignment = alignment;
  }

  void read_tensor() {
    const std::int64_t place = in_.position();
    GgufTensor tensor;
    tensor.name = read_name("the name of a tensor", most_name_bytes);
    read_shape(tensor, place);
    const auto id = static_cast<std::uint32_t>(in_.number(4, "the type of a tensor"));
    const std::uint64_t offset = in_.number(8, "the offset of a tensor");
    if (!in_.ok()) return;
    const auto wrong = [&](const std::string& what) {
      in_.fail("tensor " + in_quotes(tensor.name) + ": " + what, place);
    };
    const auto type = ggml_type(id);
    if (!type) return wrong(type.error().text);
    tensor.type = *type;
    const auto bytes =
        ggml_bytes(*type, tensor.shape.empty() ? 1 : tensor.shape[0], tensor.elements);
    if (!bytes) return wrong(bytes.error().text);
    tensor.bytes = *bytes;
    if (offset % static_cast<std::uint64_t>(out_.alignment) != 0)
      return wrong("offset " + std::to_string(offset) + ", expected a multiple of " +
                   std::to_string(out_.alignment));
    if (offset > static_cast<std::uint64_t>(in_.file_size()))
      return wrong("offset " + std::to_string(offset) + " in a file of " +
                   std::to_string(in_.file_size()) + " bytes; is the download complete?");
    tensor.offset = static_cast<std::int64_t>(offset);
    out_.tensors.push_back(std::move(tensor));
  }

  void read_shape(GgufTensor& tensor, std::int64_t place) {
    const std::uint64_t dimensions = in_.number(4, "the shape of a tensor");
    constexpr std::uint64_t most_dimensions = 4;  // GGML_MAX_DIMS
    if (dimensions > most_dimensions)
      return in_.fail("tensor " + in_quotes(tensor.name) + " has " + std::to_string(dimensions) +
                          " dimensions, expected at most 4",
                      place);
    tensor.elements = 1;
    for (std::uint64_t i = 0; i < dimensions && in_.ok(); ++i) {
      const std::uint64_t length = in_.number(8, "the shape of a tensor");
      const bool fits = length <= static_cast<std::uint64_t>(INT64_MAX) &&
                        !__builtin_mul_overflow(tensor.elements, static_cast<std::int64_t>(length),
                                                &tensor.elements);
      if (in_.ok() && (!fits || length == 0))
        return in_.fail("tensor " + in_quotes(tensor.name) + ": dimension " + std::to_string(i) +
                            " is " + std::to_string(length) +
                            ", expected 1 or more, and 64 bits to hold the product",
                        place);
      tensor.shape.push_back(static_cast<std::int64_t>(length));
    }
  }

  /// After the header, padded, comes the data.
  void place_data() {
    const std::int64_t end = in_.position();
    out_.data_start = (end + out_.alignment - 1) / out_.alignment * out_.alignment;
    check_names();
    check_places();
  }

  void check_names() {
    std::vector<std::string_view> names;
    names.reserve(out_.tensors.size());
    for (const GgufTensor& tensor : out_.tensors) names.push_back(tensor.name);
    std::ranges::sort(names);
    const auto twice = std::ranges::adjacent_find(names);
    if (twice != names.end()) in_.fail("the tensor " + in_quotes(*twice) + " for the second time");
  }

  void check_places() {
    std::vector<const GgufTensor*> order;
    order.reserve(out_.tensors.size());
    for (const GgufTensor& tensor : out_.tensors) order.push_back(&tensor);
    std::ranges::sort(order, {}, &GgufTensor::offset);
    std::int64_t end = 0;
    const GgufTensor* before = nullptr;
    for (const GgufTensor* tensor : order) {
      const std::int64_t place = out_.data_start + tensor->offset;
      if (tensor->offset < end)
        return in_.fail(
            "tensor " + in_quotes(tensor->name) + " lies on tensor " + in_quotes(before->name),
            place);
      // Offsets are at most the file's size, and data_start too: the sums do not overflow.
      if (tensor->bytes > in_.file_size() - place)
        return in_.fail("tensor " + in_quotes(tensor->name) + " takes " +
                            std::to_string(tensor->bytes) + " bytes, but the file has only " +
                            std::to_string(in_.file_size()) + "; is the download complete?",
                        place);
      end = tensor->offset + tensor->bytes;
      before = tensor;
    }
  }

  ByteCursor in_;
  GgufHeader out_;
  std::int64_t count_ = 0, keys_ = 0, kept_ = 0;
};

}  // namespace

const GgufValue* GgufHeader::find(std::string_view key) const {
  const auto it = metadata.find(key);
  return it == metadata.end() ? nullptr : &it->second;
}

std::optional<std::int64_t> GgufHeader::integer(std::string_view key) const {
  const GgufValue* value = find(key);
  if (value == nullptr ||
      (value->kind != GgufValue::Kind::integer && value->kind != GgufValue::Kind::boolean))
    return {};
  return value->integer;
}

std::string GgufHeader::text(std::string_view key) const {
  const GgufValue* value = find(key);
  return value == nullptr ? std::string() : value->text;
}

Result<GgufHeader> read_gguf_header(ByteSource& source) {
  const auto size = source.size();
  if (!size) return tl::unexpected(size.error());
  return Reader(source, *size).read();
}

}  // namespace gpuready::fit
