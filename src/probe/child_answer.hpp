#pragma once
/// Reads what a child answered: {"answer": ..., "sources": ...} as the last whole line, or the
/// reason why there is none.

#include <string>
#include <string_view>
#include <type_traits>

#include "base/json.hpp"
#include "host/host.hpp"
#include "probe/vendor_text.hpp"

namespace gpuready::probe {

/// The last line that the child wrote to standard error, for the reason of its end.
std::string last_words(const host::CommandResult& result);
/// The absence of what a child did not answer, from how it ended.
Missing why_no_answer(const host::CommandResult& result, const host::Command& command);
/// The last line that is whole: the final answer, or what was known before the child's end.
std::string_view last_whole_line(std::string_view output, bool ended_well);

/// Gives this reason to every fact that an answer doesn't hold.
template <base::HasFields T>
void fill_pending(T& part, const Missing& why) {
  T::fields(part, [&](std::string_view, auto& field, Unit, std::string_view) {
    using Field = std::remove_cvref_t<decltype(field)>;
    if constexpr (base::IsFact<Field>::value) {
      if (field.absent_for(Absence::not_tested) && field.missing().detail.empty()) field = why;
    } else if constexpr (base::IsVector<Field>::value) {
      if constexpr (base::HasFields<typename Field::value_type>)
        for (auto& item : field) fill_pending(item, why);
    }
  });
}

/// Fills `part` from the line; the error says what is wrong with it.
template <base::HasFields T>
Result<bool> read_answer_line(std::string_view line, T& part) {
  const Result<base::Json> json = base::parse_json(line);
  if (!json) return failure(json.error().text);
  if (!json->is_object() || !json->contains("answer")) return failure("no \"answer\" in it");
  const base::Json none = base::Json::object();
  const auto sources = json->find("sources");
  base::JsonReader reader(sources != json->end() ? *sources : none);
  if (!reader.read(json->at("answer"), part)) return failure(reader.error());
  return true;
}

/// Fills `part` from the child's last whole line, or with the reason why not.
template <base::HasFields T>
void read_answer(const host::CommandResult& result, const host::Command& command, T& part) {
  const bool ended_well =
      result.end == host::End::exited && (result.code == 0 || !result.output.empty());
  const std::string_view line = last_whole_line(result.output, ended_well);
  if (!ended_well && line.empty()) {
    set_all_absent(part, why_no_answer(result, command));
    return;
  }
  if (const auto read = read_answer_line(line, part); !read) {
    part = T{};
    set_all_absent(
        part,
        {Absence::unreadable, "the child's answer: " + read.error().text + last_words(result), {}});
    return;
  }
  // An older version's recording lacks what is asked since.
  fill_pending(part, ended_well ? Missing{Absence::not_tested, "not in the recorded answer", {}}
                                : why_no_answer(result, command));
}

}  // namespace gpuready::probe
