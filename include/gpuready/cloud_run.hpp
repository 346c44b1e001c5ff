#pragma once
/// Renting a machine for one job, and ending machines: `gpuready cloud run`, `down`, `reap`.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "gpuready/message.hpp"
#include "gpuready/offers.hpp"
#include "gpuready/result.hpp"
#include "gpuready/run.hpp"
#include "gpuready/units.hpp"

namespace gpuready {

struct Style;

/// The rented machine.
struct CloudInstance {
  std::string provider, id, token;
  double usd_per_hour = 0;
  std::string gpu;
  std::int64_t gpu_count = 0;
  std::string region;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("provider", s.provider, Unit::none, "lambda, runpod or vast");
    f("id", s.id, Unit::none, "the provider's name of it; empty where it never came");
    f("token", s.token, Unit::none, "its name is gpuready- and this");
    f("usd_per_hour", s.usd_per_hour, Unit::usd_per_hour, "price of the whole machine");
    f("gpu", s.gpu, Unit::none, "GPU");
    f("gpu_count", s.gpu_count, Unit::count, "GPUs");
    f("region", s.region, Unit::none, "where it stood");
  }
};

struct CloudStage {
  std::string name;
  double seconds = 0;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("name", s.name, Unit::none, "create, boot, ssh, copy, doctor, run or destroy");
    f("seconds", s.seconds, Unit::seconds, "how long it took");
  }
};

/// One `cloud run`.
struct CloudRun {
  std::string end;  ///< done, stopped, no-offer, no-machine, failed, not-started
  std::string why;
  CloudInstance instance;
  std::string protection;  ///< in-machine-timer, local-reaper
  std::vector<CloudStage> stages;
  double cost_usd = 0;
  std::string destroyed;  ///< confirmed, unconfirmed, none
  std::string cure;       ///< the one line that ends what may still be billed
  std::string left_over;  ///< the same for a machine of an earlier run
  std::int64_t machines = 0;
  std::int64_t exit_code = 0;
  std::vector<std::string> notes;
  std::string result_text;  ///< what the machine answered; JSON where result_is_json
  bool result_is_json = false;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("end", s.end, Unit::none, "done, stopped, no-offer, no-machine, failed or not-started");
    f("why", s.why, Unit::none, "why it is not done");
    f("instance", s.instance, Unit::none, "the machine; the last one where several were tried");
    f("protection", s.protection, Unit::none,
      "what ends the machine if this computer dies: in-machine-timer or local-reaper");
    f("stages", s.stages, Unit::none, "what was done, and how long it took");
    f("cost_usd", s.cost_usd, Unit::usd, "cost of all machines that were tried");
    f("destroyed", s.destroyed, Unit::none,
      "confirmed, unconfirmed (it may still cost money), or none (nothing was rented)");
    f("cure", s.cure, Unit::none, "command that ends what may still be billed");
    f("left_over", s.left_over, Unit::none,
      "command that ends a machine of an earlier run, which may still be billed");
    f("machines", s.machines, Unit::count, "machines that were tried");
    f("exit_code", s.exit_code, Unit::count, "exit status of the command on the machine");
    f("notes", s.notes, Unit::none, "what is not as it was offered");
  }
};

/// What is about to be rented.
struct CloudQuote {
  Offer offer;
  std::int64_t max_minutes = 0;
  double worst_usd = 0;
  std::string protection;
  std::int64_t offers = 0;  ///< that fit
};

struct CloudProgress {
  std::string stage;
  double elapsed_s = 0, usd = 0;
};

struct CloudRunRequest {
  std::vector<std::string> providers;  ///< empty: all
  std::string gpu, region, kind;
  std::int64_t gpu_count = 1, min_vram_bytes = 0, max_minutes = 60;
  double max_usd_per_hour = 0;
  std::vector<std::string> command;  ///< empty: doctor and a quick bench
  bool json = false;                 ///< a command of gpuready's is to answer in JSON
  std::string data_dir;
  std::function<bool(const CloudQuote&)> confirm;
  std::function<void(const CloudProgress&)> progress;
  std::function<void(const std::string&)> tell;  ///< a line for people: a machine passed over
  /// What to do by hand if the program ended now; empty: nothing. Called before it is true.
  std::function<void(const std::string&)> last_words;
  std::function<bool()> stopped;
};

/// An error: the request is wrong (an unknown GPU), or nothing could be asked.
Result<CloudRun> cloud_run(const CloudRunRequest& request);

/// One machine that was to be ended.
struct CloudEnd {
  std::string provider, id, token;
  std::string outcome;  ///< gone, never-was, in-use, not-ours, unknown
  std::string message;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("provider", s.provider, Unit::none, "lambda, runpod or vast; empty where not known");
    f("id", s.id, Unit::none, "the provider's name of it");
    f("token", s.token, Unit::none, "ours; empty where not known");
    f("outcome", s.outcome, Unit::none,
      "gone; never-was (it did not come to be); in-use (its process lives and has time left); "
      "not-ours (left alone); unknown (it may still cost money)");
    f("message", s.message, Unit::none, "why, and the next step");
  }
};

struct CloudEnds {
  std::vector<CloudEnd> machines;
  std::vector<ProviderError> errors;
  bool uncertain = false;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("machines", s.machines, Unit::none, "what was looked at, and how it ended");
    f("errors", s.errors, Unit::none, "providers that could not be asked");
    f("uncertain", s.uncertain, Unit::none, "something may still cost money");
  }
};

struct CloudDownRequest {
  std::string id;  ///< of the provider, or PROVIDER:ID, or a token; empty: all that are ours
  bool all = false;
  std::vector<std::string> providers;  ///< empty: all
  std::string data_dir;
  std::function<bool()> stopped;
};
Result<CloudEnds> cloud_down(const CloudDownRequest& request);
/// Ends what a crash left: entries of the ledger past their time, or whose process is dead.
Result<CloudEnds> cloud_reap(const CloudDownRequest& request);
/// `gpuready __reap TOKEN`: watches one machine from outside. True once it is gone.
bool cloud_guard(const std::string& token);

std::string show_text(const CloudRun& run, const Style& style);
std::string show_json(const Run& run, const CloudRun& cloud);
std::string show_text(const CloudEnds& ends, const Style& style);
std::string show_json(const Run& run, const CloudEnds& ends);

}  // namespace gpuready
