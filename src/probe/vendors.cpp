#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.hpp"
#include "base/text.hpp"
#include "probe/probe.hpp"
#include "probe/vendor_child.hpp"
#include "probe/vendor_text.hpp"

namespace gpuready::probe {

namespace {

/// More than the facts of a hundred GPUs; a child that says more is not ours.
constexpr std::size_t most_answer_bytes = std::size_t{4} << 20U;

/// The last line that the child wrote to standard error, for the reason of its end.
std::string last_words(const host::CommandResult& result) {
  const std::vector<std::string> lines = base::split_lines(base::trim(result.errors));
  constexpr std::size_t most = 200;
  return lines.empty() ? std::string() : "; " + base::printable(lines.back().substr(0, most));
}

Missing why_no_answer(const host::CommandResult& result, const host::Command& command) {
  std::string detail = host::describe(result, command) + last_words(result);
  switch (result.end) {
    case host::End::timed_out:
      return {Absence::timed_out, std::move(detail), {}};
    case host::End::signalled:
      return {Absence::crashed, std::move(detail), result.code};
    case host::End::not_started:
      return {Absence::not_tested, std::move(detail), result.code};
    case host::End::exited:
      break;
  }
  return {Absence::unreadable, std::move(detail), result.code};
}

/// The last line that is whole: the final answer, or what was known before the child's end.
std::string_view last_whole_line(std::string_view output, bool ended_well) {
  if (!ended_well) output = output.substr(0, output.rfind('\n') + 1);
  while (!output.empty() && output.back() == '\n') output.remove_suffix(1);
  const std::size_t before = output.rfind('\n');
  return before == std::string_view::npos ? output : output.substr(before + 1);
}

/// Gives this reason to every fact that the child's answer doesn't hold.
template <base::HasFields T>
void fill_pending(T& part, const Missing& why) {
  T::fields(part, [&](std::string_view, auto& field, Unit, std::string_view) {
    using Field = std::remove_cvref_t<decltype(field)>;
    if constexpr (base::IsFact<Field>::value) {
      if (field.absent_for(Absence::not_tested) && field.missing().detail.empty()) field = why;
    } else if constexpr (base::IsVector<Field>::value) {
      for (auto& item : field) fill_pending(item, why);
    }
  });
}

/// Fills `part` from the child's {"answer": ..., "sources": ...}, or with the reason why not.
template <base::HasFields T>
void read_answer(const host::CommandResult& result, const host::Command& command, T& part) {
  const bool ended_well =
      result.end == host::End::exited && (result.code == 0 || !result.output.empty());
  const std::string_view line = last_whole_line(result.output, ended_well);
  if (!ended_well && line.empty()) {
    set_all_absent(part, why_no_answer(result, command));
    return;
  }
  const auto refuse = [&](const std::string& why) {
    part = T{};
    set_all_absent(part,
                   {Absence::unreadable, "the child's answer: " + why + last_words(result), {}});
  };
  const Result<base::Json> json = base::parse_json(line);
  if (!json) return refuse(json.error().text);
  if (!json->is_object() || !json->contains("answer")) return refuse("no \"answer\" in it");
  const base::Json none = base::Json::object();
  const auto sources = json->find("sources");
  base::JsonReader reader(sources != json->end() ? *sources : none);
  if (!reader.read(json->at("answer"), part)) return refuse(reader.error());
  // An older version's recording lacks what is asked since.
  fill_pending(part, ended_well ? Missing{Absence::not_tested, "not in the recorded answer", {}}
                                : why_no_answer(result, command));
}

host::Command child(host::Host& host, const ProbeOptions& options, const std::string& what) {
  host::Command command;
  command.argv = {host.self(), "__probe", what};
  command.deadline = options.deadline;
  command.max_output_bytes = most_answer_bytes;
  return command;
}

}  // namespace

void probe_vendors(host::Host& host, const ProbeOptions& options, Machine& machine) {
  const bool asleep = !options.wake && all_nvidia_gpus_asleep(machine.pci);
  const Missing why{Absence::not_tested,
                    asleep ? "the GPU is asleep and was not woken" : "it was not asked for",
                    {}};
  OpenClAnswer opencl;
  set_all_absent(machine.driver.nvml, why);
  set_all_absent(machine.driver.cuda, why);
  set_all_absent(opencl, why);

  std::vector<host::Command> commands;
  std::vector<std::string> asked;
  for (const auto& [wanted, what] :
       {std::pair{options.nvml, "nvml"}, {options.cuda, "cuda"}, {options.opencl, "opencl"}})
    if (wanted && !asleep) commands.push_back(child(host, options, what)), asked.push_back(what);

  const std::vector<host::CommandResult> results = host.run_all(commands);
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (asked[i] == "nvml") read_answer(results[i], commands[i], machine.driver.nvml);
    if (asked[i] == "cuda") read_answer(results[i], commands[i], machine.driver.cuda);
    if (asked[i] == "opencl") read_answer(results[i], commands[i], opencl);
  }
  machine.opencl_loader = std::move(opencl.loader);
  machine.opencl = std::move(opencl.devices);
}

}  // namespace gpuready::probe
