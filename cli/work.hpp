#pragma once
/// What the commands share.

#include <string>

#include "gpuready/gpuready.hpp"
#include "options.hpp"
#include "terminal.hpp"

namespace gpuready::cli {

/// One command at work: the session, its options, and the style of its answer.
struct Work {
  Session& session;
  const CommonOptions& common;
  Style style;

  [[nodiscard]] std::string text(const Message& message) const {
    return message_text(style, message.key, message.args);
  }
};

/// Complains in one line; the code.
int fail(int code, const std::string& text);
/// Prints to standard output; the code, or that of the failure.
int print_answer(const std::string& text, int code);
int show(const Work& work, const Run& run, View view, int code);
ProgressSink sink(ProgressBar& bar, const Style& style);
/// The ladder and the choice of a device, from the facts.
void judge(Run& run);
int code_of(Answer answer);

int run_bench_command(const Work& work, const BenchOptions& options);
int run_fit_command(const Work& work, const FitOptions& options);
int run_plan_command(const Work& work, const PlanOptions& options);
int run_oom_command(const Work& work, const OomOptions& options);
int run_cloud_offers_command(const Work& work, const CloudOffersOptions& options);
int run_cloud_list_command(const Work& work, const CloudListOptions& options);
int run_cloud_keys_command(const Work& work, const CloudKeysOptions& options);
int run_cloud_run_command(const Work& work, const CloudRunOptions& options);
int run_cloud_end_command(const Work& work, const CloudEndOptions& options);
int run_remote_command(const Work& work, const RemoteOptions& options);
/// `gpuready __reap TOKEN`.
int run_guard(const std::string& token);
int run_compare_command(const Work& work, const CompareOptions& options);

}  // namespace gpuready::cli
