#pragma once
/// Texts for people. The keys are the msgctxt of po/<language>.po; msgfmt checks and compiles
/// these files, the build embeds the result, and this reads it (the MO format of GNU gettext).

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "gpuready/message.hpp"
#include "gpuready/result.hpp"

namespace gpuready::base {

class Messages {
 public:
  /// Reads a compiled catalogue.
  static Result<Messages> from_mo(std::string_view mo);
  /// The embedded catalogue of a language ("en"); English where one, or a text of it, is lacking.
  static const Messages& language(std::string_view code);
  /// Codes of the embedded languages.
  static std::vector<std::string> languages();

  /// The text of a key, its {0}, {1}, ... filled in with what is printable of the values. An
  /// unknown key shows itself in brackets; an empty key shows a finished text: its first argument,
  /// which is English, or of the arguments that follow (a language's code, the text in it, and so
  /// on) the one in this language. A text read back from JSON has the first alone.
  [[nodiscard]] std::string text(const Message& message) const;
  [[nodiscard]] std::string text(std::string_view key, std::vector<std::string> args = {}) const;
  [[nodiscard]] bool has(std::string_view key) const;
  [[nodiscard]] std::vector<std::string> keys() const;
  /// The text as it stands in the file, with its placeholders.
  [[nodiscard]] std::string_view raw(std::string_view key) const;
  /// The English text that the entry translates (msgid).
  [[nodiscard]] std::string_view english(std::string_view key) const;

 private:
  struct Entry {
    std::string english, text;
  };
  std::string code_ = "en";
  std::map<std::string, Entry, std::less<>> entries_;
};

/// A sentence around a finished text (a Message without key), which takes the place of {0}; `more`
/// are its further values. The result is a finished text in the same languages.
Message put_around(std::string_view key, const Message& text, std::vector<std::string> more = {});

/// "zh" from "zh_CN.UTF-8", "en" from "C"; the code of an embedded language, or "en".
std::string language_from_locale(std::string_view locale);

}  // namespace gpuready::base
