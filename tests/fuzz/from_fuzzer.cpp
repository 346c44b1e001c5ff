/// Bytes as the file of --from: parsed, probed, climbed, judged by every rule and shown in every
/// view. No input may crash, hang, take much memory or reach the terminal raw.

#include "api/input.hpp"
#include "api/recorded_session.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "gpuready/gpuready.hpp"
#include "tests/fuzz/entry.hpp"
#include "tests/fuzz/json_mutator.hpp"

namespace gpuready {
namespace {

Run answer_of(Session& session) {
  Run run = session.new_run("run");
  run.machine = session.facts(true);
  run.doctor = diagnose(run.machine);
  run.device = choose_device(run.machine, run.doctor);
  run.torch_device = choose_torch_device(run.machine, run.doctor);
  const auto bench = session.bench(run.machine, run.doctor, {}, {});
  if (bench) run.bench = bench->bench;
  const auto fit = session.fit(run.machine);
  const auto next = session.next(run.machine, run.doctor, run.torch_device, run.bench);
  if (fit) run.fit = *fit;
  if (next) run.next = *next;
  return run;
}

void show(const Run& run) {
  for (const View view : {View::page, View::facts, View::doctor, View::device, View::bench,
                          View::lesson, View::setup}) {
    const std::string text = show_text(run, view, {}), json = show_json(run, view);
    fuzz::require(!fuzz::steers_a_terminal(text), "no text steers the terminal", text);
    fuzz::require(!fuzz::steers_a_terminal(json), "no JSON steers the terminal", json);
    fuzz::require(base::parse_json(json).has_value(), "the answer is JSON", json);
  }
}

}  // namespace
}  // namespace gpuready

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto input = gpuready::api::input_from({reinterpret_cast<const char*>(data), size});
  if (!input) {
    gpuready::fuzz::require(!gpuready::fuzz::steers_a_terminal(input.error().text),
                            "no error steers the terminal", input.error().text);
    return 0;
  }
  const auto session = gpuready::api::recorded_session(*input);
  gpuready::fuzz::require(session.has_value(), "the compiled-in tables load", "");
  gpuready::show(gpuready::answer_of(**session));
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  return gpuready::fuzz::mutate_json(data, size, most, seed);
}
