#pragma once
/// What the user asked for, as plain structs.

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "cloud_options.hpp"
#include "cloud_run_options.hpp"
#include "fit_options.hpp"
#include "plan_options.hpp"

namespace gpuready::cli {

struct CommonOptions {
  bool json = false, no_progress = false, quiet = false, verbose = false;
  std::string from, data_dir, language, color = "auto";
};

struct PageOptions {
  bool quick = false;
};
/// What takes time and is found only where it is asked for; 0: it is not.
struct DeepOptions {
  double run_python_s = 0, load_s = 0;
};
struct FactsOptions {
  DeepOptions deep;
};
struct DeviceOptions {
  std::string for_what, require;
};
struct DoctorOptions {
  bool strict = false, list_rules = false;
  std::optional<std::string> explain;
  DeepOptions deep;
};
struct BenchOptions {
  bool lesson = false, quick = false, standard = false, peak = false, claims = false;
  bool bandwidth = false, strict = false, torch = false, cold = false;
  std::int64_t size = 0, threads = 0;
  double max_time_s = 0;
  std::string shape, device, backend, csv, jsonl;
  std::vector<std::string> dtypes;
  /// What stands in the matrices, or (any other word) the folder that the common --data means.
  std::string data;
};
struct CompareOptions {
  std::string first, second;
};
struct OomOptions {
  std::string file;  ///< empty or -: standard input
};
struct SetupOptions {
  bool apply = false, yes = false;
};
struct RecordOptions {
  std::string output;
  DeepOptions deep;
};

using CommandOptions =
    std::variant<PageOptions, FactsOptions, DeviceOptions, DoctorOptions, SetupOptions,
                 BenchOptions, CompareOptions, RecordOptions, OomOptions, FitOptions, PlanOptions,
                 CloudOffersOptions, CloudListOptions, CloudKeysOptions, CloudRunOptions,
                 CloudEndOptions, RemoteOptions>;

struct Options {
  CommonOptions common;
  CommandOptions command;
};

/// Either options, or a text to print and the exit code that goes with it.
struct Parsed {
  bool done = false;
  int exit_code = 0;
  std::string text;  ///< help or version (to standard output), or an error (to standard error)
  Options options;
};

Parsed parse_options(int argc, char** argv);

}  // namespace gpuready::cli
