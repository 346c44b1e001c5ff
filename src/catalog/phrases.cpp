#include "catalog/phrases.hpp"

#include <cstddef>
#include <optional>
#include <utility>

#include "base/embedded.hpp"
#include "base/text.hpp"

namespace gpuready::catalog {

namespace {

constexpr std::size_t mark_size = 3;  // "{0}"

/// Where the next {0}, {1}, ... begins; the text's end where none follows.
std::size_t next_mark(std::string_view text, std::size_t from) {
  for (std::size_t at = from; at + mark_size <= text.size(); ++at)
    if (text[at] == '{' && text[at + 2] == '}' && base::to_integer(text.substr(at + 1, 1)))
      return at;
  return text.size();
}

/// What stands for each mark where `text` has the form of `pattern`; none of it is empty.
std::optional<std::vector<std::string>> varying_parts(std::string_view pattern,
                                                      std::string_view text) {
  std::size_t mark = next_mark(pattern, 0);
  if (!base::starts_with(text, pattern.substr(0, mark))) return {};
  std::vector<std::string> parts;
  std::size_t at = mark;
  while (mark < pattern.size()) {
    const std::size_t literal = mark + mark_size;
    mark = next_mark(pattern, literal);
    const std::string_view words = pattern.substr(literal, mark - literal);
    const bool last = mark == pattern.size();
    if (last && !base::ends_with(text, words)) return {};
    const std::size_t end = last ? text.size() - words.size() : text.find(words, at + 1);
    if (end == std::string_view::npos || end <= at) return {};
    parts.emplace_back(text.substr(at, end - at));
    if (at == 0 && base::contains(parts.front(), " ")) return {};
    at = end + words.size();
  }
  if (at != text.size()) return {};
  return parts;
}

std::string put_in(std::string_view pattern, const std::vector<std::string>& parts) {
  std::string out;
  for (std::size_t at = 0; at < pattern.size();) {
    const std::size_t mark = next_mark(pattern, at);
    out += pattern.substr(at, mark - at);
    if (mark == pattern.size()) break;
    const auto number = static_cast<std::size_t>(pattern[mark + 1] - '0');
    if (number < parts.size()) out += parts[number];
    at = mark + mark_size;
  }
  return out;
}

/// Marks alone would fit everything.
bool has_words(std::string_view pattern) {
  std::size_t marks = 0;
  for (std::size_t at = next_mark(pattern, 0); at < pattern.size();
       at = next_mark(pattern, at + mark_size))
    ++marks;
  return pattern.size() > marks * mark_size;
}

Phrase read_phrase(Cells& cells) {
  Phrase phrase;
  phrase.english = cells.text("english"), phrase.translation = cells.text("translation");
  phrase.source = cells.text("source"), phrase.as_of = cells.text("as_of");
  if (!has_words(phrase.english)) cells.wrong("english", "words");
  return phrase;
}

}  // namespace

Result<PhraseBook> load_phrases(const Override& replaced) {
  constexpr std::string_view data = "data/", front = "data/rules/", back = "/phrases.csv";
  PhraseBook book;
  for (const base::EmbeddedFile& file : base::embedded_files()) {
    if (!base::starts_with(file.name, front) || !base::ends_with(file.name, back)) continue;
    const std::string name(file.name.substr(data.size()));
    auto phrases = read_table<Phrase>(name, replaced, read_phrase);
    if (!phrases) return tl::unexpected(phrases.error());
    const std::size_t length = file.name.size() - front.size() - back.size();
    book.emplace(file.name.substr(front.size(), length), std::move(*phrases));
  }
  return book;
}

std::string translate_phrase(const PhraseBook& book, std::string_view language,
                             const std::string& phrase) {
  const auto phrases = book.find(language);
  if (phrases == book.end()) return phrase;
  for (const Phrase& one : phrases->second) {
    const auto parts = varying_parts(one.english, phrase);
    if (!parts) continue;
    return put_in(one.translation, *parts);
  }
  return phrase;
}

}  // namespace gpuready::catalog
