#include "gpuready/cloud_run.hpp"

#include <cstdio>

#include "exit_codes.hpp"
#include "work.hpp"

namespace gpuready::cli {

namespace {

std::string number(double value, int digits) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, "%.*f", digits, value);
  return buffer;
}

std::string protection_text(const Work& work, const std::string& protection) {
  return message_text(work.style, "cloud.protection." + protection);
}

void show_quote(const Work& work, const CloudQuote& quote) {
  const Offer& offer = quote.offer;
  complain(message_text(
      work.style, "cloud.quote",
      {offer.provider, std::to_string(offer.gpu_count), offer.gpu, offer.region,
       number(offer.usd_per_hour ? *offer.usd_per_hour : 0, 3), std::to_string(quote.offers)}));
  complain(message_text(work.style, "cloud.quote.worst",
                        {std::to_string(quote.max_minutes), number(quote.worst_usd, 2)}));
  complain(protection_text(work, quote.protection));
}

/// Why nobody can be asked; empty: somebody can, or need not.
std::string refused(const Work& work, const CloudRunOptions& options) {
  if (options.yes || (can_ask() && !work.common.json)) return {};
  return message_text(work.style, "cloud.needs-yes");
}

int code_of(const CloudRun& run) {
  if (run.destroyed == "unconfirmed" || !run.left_over.empty()) return exit_maybe_billing;
  // gpuready's own codes of an answer come home as they are; any other command's failure is a no.
  if (run.end == "done")
    return run.exit_code == exit_undecided || run.exit_code == exit_wrong_product
               ? static_cast<int>(run.exit_code)
           : run.exit_code == 0 ? exit_yes
                                : exit_no;
  if (run.end == "no-offer" || run.end == "not-started") return exit_no;
  if (run.end == "stopped" && stop_signal() != 0) return exit_signal_base + stop_signal();
  return exit_outside_failed;
}

CloudRunRequest request_from(const Work& work, const CloudRunOptions& options) {
  CloudRunRequest request;
  request.providers = options.providers;
  request.gpu = options.gpu, request.region = options.region, request.kind = options.kind;
  request.gpu_count = options.gpu_count, request.max_minutes = options.max_minutes;
  request.max_usd_per_hour = options.max_price;
  request.command = options.command, request.json = work.common.json;
  request.data_dir = work.common.data_dir;
  request.stopped = [] { return stop_signal() != 0; };
  request.last_words = set_last_words;
  return request;
}

int report(const Work& work, const CloudRun& run) {
  const int code = code_of(run);
  if (!run.why.empty()) complain(run.why);
  if (!run.cure.empty())
    complain(message_text(work.style, "cloud.maybe-billing",
                          {run.instance.provider, run.instance.id, run.cure}));
  const Run head = work.session.new_run("cloud-run");
  const std::string text = work.common.json ? show_json(head, run) : show_text(run, work.style);
  const int printed = print_answer(text, code);
  // A pipe that is closed must not hide that something may still cost money.
  return code == exit_maybe_billing ? code : printed;
}

}  // namespace

int run_cloud_run_command(const Work& work, const CloudRunOptions& options) {
  if (const std::string why = refused(work, options); !why.empty()) return fail(exit_usage, why);
  CloudRunRequest request = request_from(work, options);
  if (!options.min_vram.empty()) {
    const auto bytes = parse_bytes(options.min_vram);
    if (!bytes) return fail(exit_usage, "--min-vram: " + bytes.error().text);
    request.min_vram_bytes = *bytes;
  }
  stop_gently(true);
  Result<CloudRun> run = failure("");
  {
    ProgressBar bar(work.common, work.style);
    double expected_s = static_cast<double>(options.max_minutes) * 60;
    request.confirm = [&](const CloudQuote& quote) {
      if (!work.common.quiet) show_quote(work, quote);
      return options.yes || ask(message_text(work.style, "cloud.ask"));
    };
    request.progress = [&](const CloudProgress& now) {
      bar.show(now.elapsed_s / expected_s,
               message_text(work.style, "cloud.progress",
                            {now.stage, number(now.elapsed_s, 0), number(now.usd, 2)}));
    };
    request.tell = [&](const std::string& line) { bar.say(line); };
    run = cloud_run(request);
  }
  set_last_words("");
  if (!run)
    return fail(run.error().code == network_fault ? exit_outside_failed : exit_usage,
                run.error().text);
  return report(work, *run);
}

int run_cloud_end_command(const Work& work, const CloudEndOptions& options) {
  if (!options.reap && !options.all && options.id.empty())
    return fail(exit_usage, message_text(work.style, "cloud.down.what"));
  CloudDownRequest request;
  request.id = options.id, request.all = options.all, request.providers = options.providers;
  request.data_dir = work.common.data_dir;
  request.stopped = [] { return stop_signal() != 0; };
  stop_gently(true);
  set_last_words(message_text(work.style, "cloud.end.interrupted"));
  const auto ends = options.reap ? cloud_reap(request) : cloud_down(request);
  set_last_words("");
  if (!ends) return fail(exit_usage, ends.error().text);
  bool strange = false;
  for (const CloudEnd& end : ends->machines)
    strange = strange || (!options.reap && end.outcome == "not-ours");
  const int code = ends->uncertain ? exit_maybe_billing : strange ? exit_no : exit_yes;
  const Run head = work.session.new_run(options.reap ? "cloud-reap" : "cloud-down");
  const int printed =
      print_answer(work.common.json ? show_json(head, *ends) : show_text(*ends, work.style), code);
  return code == exit_maybe_billing ? code : printed;
}

int run_guard(const std::string& token) {
  return cloud_guard(token) ? exit_yes : exit_maybe_billing;
}

}  // namespace gpuready::cli
