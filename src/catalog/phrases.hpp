#pragma once
/// Phrases of ours that stand inside a text as values ("at an unknown time"), in other languages:
/// data/rules/<language>/phrases.csv. What a machine or another program says is never translated.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/rows.hpp"
#include "gpuready/result.hpp"

namespace gpuready::catalog {

/// {0}, {1}, ... stand for what varies, in `english` in this order; at its start for one word, so
/// that no other program's sentence is taken for ours.
struct Phrase {
  std::string english, translation;
  std::string source;  ///< the file that says the English phrase
  std::string as_of;
};

/// By language; of two rows that fit, the first counts.
using PhraseBook = std::map<std::string, std::vector<Phrase>, std::less<>>;

/// The compiled-in phrases, or the user's in their place; the error names the file and the record.
Result<PhraseBook> load_phrases(const Override& replaced);
/// The phrase in another language; itself where the book has none.
std::string translate_phrase(const PhraseBook& book, std::string_view language,
                             const std::string& phrase);

}  // namespace gpuready::catalog
