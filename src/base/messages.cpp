#include "base/messages.hpp"

#include <cstdint>
#include <cstring>

#include "base/embedded.hpp"
#include "base/format.hpp"
#include "base/text.hpp"

namespace gpuready::base {

namespace {

/// A little-endian 32-bit number of the MO file, or nothing past its end.
bool read_u32(std::string_view mo, std::size_t at, std::uint32_t& out) {
  if (at + 4 > mo.size()) return false;
  std::memcpy(&out, mo.data() + at, 4);
  return true;
}

/// Entry `index` of the string table that starts at `table`.
bool read_string(std::string_view mo, std::uint32_t table, std::uint32_t index,
                 std::string_view& out) {
  std::uint32_t length = 0, offset = 0;
  const std::size_t at = table + std::size_t{8} * index;
  if (!read_u32(mo, at, length) || !read_u32(mo, at + 4, offset)) return false;
  if (std::size_t{offset} + length > mo.size()) return false;
  out = mo.substr(offset, length);
  return true;
}

/// Of the English text and the pairs of a code and a text behind it, the one in that language.
std::string finished(const std::vector<std::string>& args, std::string_view code) {
  for (std::size_t at = 1; at + 1 < args.size(); at += 2)
    if (args[at] == code) return printable(args[at + 1]);
  return args.empty() ? "" : printable(args[0]);
}

}  // namespace

Result<Messages> Messages::from_mo(std::string_view mo) {
  constexpr std::uint32_t magic = 0x950412DE;  // GNU gettext manual, "The Format of GNU MO Files"
  constexpr char context_end = '\x04';
  std::uint32_t found = 0, count = 0, originals = 0, translations = 0;
  if (!read_u32(mo, 0, found) || found != magic || !read_u32(mo, 8, count) ||
      !read_u32(mo, 12, originals) || !read_u32(mo, 16, translations))
    return failure("not a compiled message catalogue");
  Messages messages;
  for (std::uint32_t i = 0; i < count; ++i) {
    std::string_view original, text;
    if (!read_string(mo, originals, i, original) || !read_string(mo, translations, i, text))
      return failure("the message catalogue is cut short");
    const std::size_t end = original.find(context_end);
    if (end == std::string_view::npos) continue;  // the header
    messages.entries_[std::string(original.substr(0, end))] =
        Entry{std::string(original.substr(end + 1)), std::string(text)};
  }
  return messages;
}

const Messages& Messages::language(std::string_view code) {
  static const std::map<std::string, Messages, std::less<>> all = [] {
    std::map<std::string, Messages, std::less<>> loaded;
    for (const std::string& name : languages()) {
      auto messages = from_mo(embedded_file("po/" + name + ".mo"));
      loaded[name] = messages ? *messages : Messages{};
      loaded[name].code_ = name;
    }
    // A text without a translation is better read in English than not at all.
    for (auto& [name, messages] : loaded)
      messages.entries_.insert(loaded["en"].entries_.begin(), loaded["en"].entries_.end());
    return loaded;
  }();
  const auto it = all.find(code);
  return it != all.end() ? it->second : all.find("en")->second;
}

std::vector<std::string> Messages::languages() {
  std::vector<std::string> codes;
  for (const EmbeddedFile& file : embedded_files()) {
    if (starts_with(file.name, "po/") && ends_with(file.name, ".mo"))
      codes.emplace_back(file.name.substr(3, file.name.size() - 6));
  }
  return codes;
}

std::string Messages::text(const Message& message) const {
  if (message.key.empty()) return finished(message.args, code_);
  return text(message.key, message.args);
}

std::string Messages::text(std::string_view key, std::vector<std::string> args) const {
  const auto it = entries_.find(key);
  if (it == entries_.end()) return "[" + printable(key) + "]";
  fmt::dynamic_format_arg_store<fmt::format_context> store;
  for (const std::string& arg : args) store.push_back(printable(arg));
  try {
    return fmt::vformat(it->second.text, store);
  } catch (const fmt::format_error&) {
    return "[" + printable(key) + "]";
  }
}

bool Messages::has(std::string_view key) const { return entries_.find(key) != entries_.end(); }

std::vector<std::string> Messages::keys() const {
  std::vector<std::string> keys;
  for (const auto& [key, entry] : entries_) keys.push_back(key);
  return keys;
}

std::string_view Messages::raw(std::string_view key) const {
  const auto it = entries_.find(key);
  return it == entries_.end() ? std::string_view() : std::string_view(it->second.text);
}

std::string_view Messages::english(std::string_view key) const {
  const auto it = entries_.find(key);
  return it == entries_.end() ? std::string_view() : std::string_view(it->second.english);
}

Message put_around(std::string_view key, const Message& text, std::vector<std::string> more) {
  more.insert(more.begin(), "");
  const auto say = [&](std::string_view code, const std::string& inner) {
    more.front() = inner;
    return Messages::language(code).text(key, more);
  };
  Message all{"", {}};
  if (!text.args.empty()) all.args.push_back(say("en", text.args.front()));
  for (std::size_t at = 1; at + 1 < text.args.size(); at += 2) {
    all.args.push_back(text.args[at]);
    all.args.push_back(say(text.args[at], text.args[at + 1]));
  }
  return all;
}

std::string language_from_locale(std::string_view locale) {
  const std::string code = lower(locale.substr(0, locale.find_first_of("_.@-")));
  for (const std::string& name : Messages::languages())
    if (name == code) return name;
  return "en";
}

}  // namespace gpuready::base
