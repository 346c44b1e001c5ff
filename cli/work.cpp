#include "work.hpp"

#include "exit_codes.hpp"

namespace gpuready::cli {

int fail(int code, const std::string& text) {
  complain(text);
  return code;
}

int print_answer(const std::string& text, int code) {
  constexpr int broken_pipe = 32;  // EPIPE
  const auto printed = print(text);
  if (printed) return code;
  if (printed.error().code == broken_pipe) return exit_signal_base + 13;  // as if SIGPIPE had come
  return fail(exit_outside_failed, "cannot write the answer: " + printed.error().text);
}

int show(const Work& work, const Run& run, View view, int code) {
  return print_answer(work.common.json ? show_json(run, view) : show_text(run, view, work.style),
                      code);
}

ProgressSink sink(ProgressBar& bar, const Style& style) {
  return [&bar, style](double done, const Message& what) {
    bar.show(done, message_text(style, what.key, what.args));
  };
}

void judge(Run& run) {
  run.doctor = diagnose(run.machine);
  run.device = choose_device(run.machine, run.doctor);
  run.torch_device = choose_torch_device(run.machine, run.doctor);
}

int code_of(Answer answer) {
  switch (answer) {
    case Answer::yes:
      return exit_yes;
    case Answer::no:
      return exit_no;
    case Answer::undecided:
      return exit_undecided;
    case Answer::wrong_product:
      return exit_wrong_product;
    case Answer::unreadable_input:
      return exit_usage;
    case Answer::outside_failed:
      return exit_outside_failed;
  }
  return exit_bug;
}

}  // namespace gpuready::cli
