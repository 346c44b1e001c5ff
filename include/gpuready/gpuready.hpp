#pragma once
/// The façade: what the command line and other programs call. It wires the stages together and
/// prints nothing.

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpuready/compare.hpp"
#include "gpuready/fit.hpp"
#include "gpuready/fit_list.hpp"
#include "gpuready/oom.hpp"
#include "gpuready/result.hpp"
#include "gpuready/run.hpp"

namespace gpuready {

/// Part done (0 to 1) and what is being done, for a progress bar.
using ProgressSink = std::function<void(double done, const Message& what)>;

/// What a benchmark is for: some products, or one of the modes with its own choice of them.
enum class BenchMode { products, lesson, quick, standard, peak, claims };

struct BenchRequest {
  BenchMode mode = BenchMode::products;
  /// cpu, cuda[:i], opencl[:i], or all: every GPU, alone and at once; empty: the CPU and the best
  /// GPU
  std::string device;
  std::string backend;  ///< openblas, cublaslt, cublas, clblast; empty: the best
  std::vector<Shape> shapes{{5000, 5000, 5000}};
  std::vector<std::string> dtypes{"fp32"};  ///< fp64, fp32, tf32, bf16, fp16, fp16-acc16, fp8, int8
  std::string data = "uniform";             ///< uniform, normal, zeros, ones
  bool products = true;                     ///< measure products
  bool bandwidth = false;                   ///< measure memory and the link to the GPU
  std::int64_t threads = 0;                 ///< 0: the usable physical cores
  double max_time_s = 6.0;                  ///< of the timed section of each case
  double total_time_s = 0;                  ///< of the whole run, hard; 0: not limited
  /// Every CPU library, the fastest one with one and with all threads, and what the user's settings
  /// cost; otherwise the fastest library alone.
  bool every_cpu_library = false;
  bool strict = false;  ///< what did not converge is undecided
  bool torch = false;   ///< the same products through the user's PyTorch, too
  bool cold = false;    ///< empty the cache before each product: another metric
  bool shapes_are_chosen = false, dtypes_are_chosen = false;  ///< by the user, not by a mode
  std::function<void(const Case&)> on_case;  ///< called as each case is done; may be empty
  std::function<void(const Message&)> tell;  ///< what is known before the start; may be empty
  std::function<bool()> stopped;             ///< whether to end now; may be empty
};

/// How sure an answer is: the exit codes of the contract follow from it.
enum class Answer { yes, no, undecided, wrong_product, unreadable_input, outside_failed };

struct BenchAnswer {
  Bench bench;
  Answer answer = Answer::yes;
};

/// How a command of an install plan ended.
struct CommandEnd {
  bool succeeded = false;
  int signal = 0;   ///< the signal that ended it, or 0
  std::string how;  ///< "exited with status 1"
};


/// Which facts are wanted, beyond those that cost nothing.
struct FactsRequest {
  bool wake = false;        ///< touch a laptop's GPU that is asleep
  double run_python_s = 0;  ///< ask PyTorch in the default Python, with this deadline; 0: don't
  double load_s = 0;        ///< put each usable GPU under load for so long; 0: don't
};

/// A machine to ask: this one, or a recorded one.
class Session {
 public:
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  virtual ~Session() = default;

  /// Whether the answers come from a recording; then nothing can be measured.
  [[nodiscard]] virtual bool recorded() const = 0;
  /// Everything about the machine. A laptop's GPU that is asleep is left alone unless `wake`.
  Machine facts(bool wake) { return facts(FactsRequest{wake, 0, 0}); }
  /// A recorded machine answers what was recorded, whatever is asked.
  virtual Machine facts(const FactsRequest& request) = 0;
  /// What `device` needs, and no more.
  virtual Machine cuda_facts(bool with_python) = 0;
  virtual Result<BenchAnswer> bench(const Machine& machine, const Doctor& doctor,
                                    const BenchRequest& request, const ProgressSink& progress) = 0;
  /// A run with its schema, version and time filled in.
  [[nodiscard]] virtual Run new_run(std::string_view command) const = 0;
  virtual Result<Fit> fit(const Machine& machine) = 0;
  /// What one model takes on this machine, or on the GPU that the request names. The code of an
  /// error is network_fault where the Hub could not be asked.
  virtual Result<Estimate> estimate(const Machine& machine, const FitRequest& request) = 0;
  virtual Result<FitList> list_fits(const Machine& machine, const FitRequest& request) = 0;
  virtual Result<Next> next(const Machine& machine, const Doctor& doctor,
                            const DeviceChoice& torch_device, const Bench& bench) = 0;
  /// What to install, step by step; for root without sudo.
  virtual Setup setup(const Machine& machine, const Doctor& doctor) = 0;
  /// Runs a command of that plan on our terminal; its output goes to standard output, or to
  /// standard error where the former is for JSON. An error on a recorded machine.
  virtual Result<CommandEnd> run_command(const std::string& command, bool output_to_errors) = 0;
  /// This machine's facts and the files they came from, redacted, as JSON.
  virtual Result<std::string> record(const FactsRequest& request) = 0;

 protected:
  Session() = default;
};

struct SessionOptions {
  std::string from;      ///< a recording or a run; empty: this machine
  std::string data_dir;  ///< replaces the compiled-in tables; may be empty
};

Result<std::unique_ptr<Session>> open_session(const SessionOptions& options);

/// The ladder, the verdict and what to use. Pure.
Doctor diagnose(const Machine& machine);
DeviceChoice choose_device(const Machine& machine, const Doctor& doctor);
DeviceChoice choose_torch_device(const Machine& machine, const Doctor& doctor);

enum class View { page, facts, doctor, device, bench, lesson, setup };

struct Style {
  std::string language = "en";
  std::size_t width = 80;
  bool color = false, unicode = false;
  bool verbose = false;
};

/// Text for people.
std::string show_text(const Run& run, View view, const Style& style);
/// One JSON object, with the schema of the view's command.
std::string show_json(const Run& run, View view);
/// Two runs side by side: text for people and JSON.
std::string show_text(const Run& run, const Comparison& comparison, const Style& style);
std::string show_json(const Run& run, const Comparison& comparison);
/// The cases as comma-separated values with a line of names; a case as one line of JSON.
std::string show_csv(const Run& run);
std::string show_json_line(const Run& run, const Case& measured);
/// Reads two runs (of `gpuready --json` or `gpuready bench --json`) and compares them. The error
/// names the file.
Result<Comparison> compare_files(const std::string& first, const std::string& second);
/// Explains the last out-of-memory message of a log. Pure; the error says that there is none.
Result<Oom> explain_oom(std::string_view log);
std::string show_text(const Run& run, const Oom& oom, const Style& style);
std::string show_json(const Run& run, const Oom& oom);
/// One model's memory, and what fits at all.
std::string show_text(const Run& run, const Estimate& estimate, const Style& style);
std::string show_json(const Run& run, const Estimate& estimate);
std::string show_text(const Run& run, const FitList& list, const Style& style);
std::string show_json(const Run& run, const FitList& list);
/// "24GiB", "24 GB", "512MiB" in bytes; GB are 10^9. A bare number is an error.
Result<std::int64_t> parse_bytes(std::string_view text);
/// A text of the message files.
std::string message_text(const Style& style, std::string_view key,
                         std::vector<std::string> args = {});
/// The embedded language for a locale's name, "en" where it has none.
std::string language_for(std::string_view locale);

/// Answers for a child process (`gpuready __probe WHAT`, `__measure`, `__bandwidth`, `__load`). All
/// but the first read their request from `input`; a measurement reports progress as lines of
/// numbers on `progress`; what probing and load know so far goes to `emit`, line by line.
std::string child_probe(std::string_view what, const std::function<void(const std::string&)>& emit);
std::string child_measure(std::string_view input, std::ostream& progress);
std::string child_bandwidth(std::string_view input);
std::string child_allocate(std::string_view input);
std::string child_load(std::string_view input, const std::function<void(const std::string&)>& emit);

/// Kills the children that run now; safe in a signal handler.
void stop_children();
/// Passes a signal on to the command of a plan that runs now; false where none does. Safe in a
/// signal handler.
bool forward_signal(int signal);

/// JSON Schemas by command name, made from the field lists.
std::vector<std::pair<std::string, std::string>> json_schemas();
/// The pages docs/json.md and docs/rules.md.
std::string json_documentation();
std::string rules_documentation();

/// One rule with its meaning, confusions and fixes; the error lists near names.
Result<std::string> explain_rule(const std::string& id, const Style& style);
/// One line per rule.
std::string list_rules(const Style& style);
/// The rule of that name, or with an empty name every rule, as one JSON object.
Result<std::string> rules_as_json(const std::string& id, const std::string& at);

std::string_view version();

}  // namespace gpuready
