#include "fit/resolve.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.hpp"
#include "fit/model_name.hpp"

namespace gpuready::fit {

namespace {

using Rows = std::vector<const catalog::Model*>;
using Words = std::vector<std::string>;

/// The row's name and its Hub id, taken apart the same way as what the user said.
struct Known {
  const catalog::Model* row;
  ModelName by_name, by_id;
};

std::vector<Known> take_rows_apart(const std::vector<catalog::Model>& models) {
  std::vector<Known> known;
  known.reserve(models.size());
  for (const catalog::Model& row : models)
    known.push_back({&row, take_apart(row.name), take_apart(row.hf_id)});
  return known;
}

Rows exact_rows(const std::vector<catalog::Model>& models, const std::string& wanted) {
  Rows rows;
  for (const catalog::Model& row : models)
    if (base::lower(row.name) == wanted || base::lower(row.hf_id) == wanted) rows.push_back(&row);
  return rows;
}

Rows rows_with_words(const std::vector<Known>& known, const Words& wanted) {
  Rows rows;
  for (const Known& one : known)
    if (one.by_name.words == wanted || one.by_id.words == wanted) rows.push_back(one.row);
  return rows;
}

Rows siblings(const std::vector<Known>& known, const Words& wanted) {
  Rows rows;
  for (const Known& one : known)
    if (without_sibling_words(one.by_name.words) == wanted ||
        without_sibling_words(one.by_id.words) == wanted)
      rows.push_back(one.row);
  return rows;
}

bool has(const Words& words, const std::string& word) {
  return std::ranges::find(words, word) != words.end();
}

/// Words that both have; a word that begins the other's counts a half ("qwen" and "qwen2.5").
double closeness(const Known& one, const Words& wanted) {
  double shared = 0;
  for (const std::string& word : wanted) {
    if (has(one.by_name.words, word) || has(one.by_id.words, word)) {
      shared += 1;
    } else if (word.size() >= 3 && std::ranges::any_of(one.by_name.words, [&](const auto& own) {
                 return own.starts_with(word) || word.starts_with(own);
               })) {
      shared += 0.5;
    }
  }
  return shared / static_cast<double>(std::max(wanted.size(), one.by_name.words.size()));
}

std::string near_names(const std::vector<Known>& known, const Words& wanted) {
  constexpr std::size_t most = 6;
  constexpr double far = 0.2;
  std::vector<std::pair<double, std::string>> near;
  for (const Known& one : known)
    if (const double close = closeness(one, wanted); close > far)
      near.emplace_back(-close, one.row->name);
  std::ranges::sort(near);
  std::string text;
  for (std::size_t i = 0; i < near.size() && i < most; ++i)
    text += (i == 0 ? "" : ", ") + near[i].second;
  return text;
}

tl::unexpected<Error> not_found(const std::vector<Known>& known, std::string_view name,
                                const Words& wanted) {
  const std::string near = near_names(known, wanted);
  const std::string what = "\"" + std::string(name) + "\" is not in the catalogue";
  return failure(near.empty() ? what + ": give a Hub id, a folder or a file"
                              : what + "; near it: " + near);
}

tl::unexpected<Error> ambiguous(std::string_view name, const Rows& rows) {
  constexpr std::size_t most = 8;
  std::string text = "\"" + std::string(name) + "\" may be several models: ";
  for (std::size_t i = 0; i < rows.size() && i < most; ++i)
    text += (i == 0 ? "" : ", ") + rows[i]->name;
  return failure(text);
}

bool is_size(const std::string& word) {
  constexpr std::array<std::string_view, 10> sizes{"tiny",  "mini",  "small", "base", "medium",
                                                   "large", "giant", "huge",  "xl",   "xxl"};
  return std::ranges::find(sizes, word) != sizes.end();
}

/// The rows whose name goes on with a size after these words: of Whisper, "base" is one.
Rows sizes_of(const std::vector<Known>& known, const Words& wanted) {
  Rows rows;
  for (const Known& one : known) {
    const Words& own = one.by_id.words;
    if (own.size() > wanted.size() && is_size(own[wanted.size()]) &&
        std::equal(wanted.begin(), wanted.end(), own.begin()))
      rows.push_back(one.row);
  }
  return rows;
}

/// A format that we do not estimate is counted in a type of as many bits, where the name says them.
Result<void> add_format(const ModelName& asked, std::string_view name, Resolved& out) {
  if (asked.format.empty()) return {};
  if (asked.dtype.empty() && !asked.four_bits)
    return failure(
        "\"" + std::string(name) + "\": the format " + asked.format +
        " is not estimated, and the name does not say how many bits; name the original, " +
        out.row->name + ", with --dtype");
  if (asked.dtype.empty())
    out.doubts.push_back({"fit.resolved.format", {asked.format, out.row->hf_id}});
  else
    out.doubts.push_back({"fit.resolved.format-as", {asked.format, out.row->hf_id, asked.dtype}});
  return {};
}

bool is_copy(std::string_view name, const catalog::Model& row) {
  const std::size_t slash = name.rfind('/');
  return slash != std::string_view::npos && base::lower(name) != base::lower(row.hf_id);
}

Result<Resolved> resolved(const catalog::Model& row, std::string_view name,
                          const ModelName& asked) {
  Resolved out{&row, asked.dtype, {}};
  if (const auto good = add_format(asked, name, out); !good) return tl::unexpected(good.error());
  if (is_copy(name, row))
    out.doubts.push_back({"fit.resolved.copy", {std::string(name), row.hf_id}});
  if (asked.dynamic) out.doubts.push_back({"fit.resolved.dynamic", {asked.dtype}});
  return out;
}

}  // namespace

Result<Resolved> resolve_model(const std::vector<catalog::Model>& models, std::string_view name) {
  const std::string_view asked_for = base::trim(name);
  const Rows exact = exact_rows(models, base::lower(asked_for));
  if (exact.size() == 1) return Resolved{exact.front(), {}, {}};
  if (exact.size() > 1) return ambiguous(asked_for, exact);

  const ModelName asked = take_apart(asked_for);
  const std::vector<Known> known = take_rows_apart(models);
  if (asked.words.empty()) return not_found(known, asked_for, asked.words);
  const Rows same = rows_with_words(known, asked.words);
  if (same.size() > 1) return ambiguous(asked_for, same);
  if (same.size() == 1) return resolved(*same.front(), asked_for, asked);

  const Rows kin = siblings(known, without_sibling_words(asked.words));
  if (kin.size() > 1) return ambiguous(asked_for, kin);
  if (kin.empty()) return not_found(known, asked_for, asked.words);
  if (const Rows sizes = sizes_of(known, asked.words); sizes.size() > 1)
    return ambiguous(asked_for, sizes);
  auto out = resolved(*kin.front(), asked_for, asked);
  if (!out) return out;
  std::erase_if(out->doubts, [](const Message& m) { return m.key == "fit.resolved.copy"; });
  out->doubts.push_back({"fit.resolved.sibling", {std::string(asked_for), kin.front()->name}});
  return out;
}

}  // namespace gpuready::fit
