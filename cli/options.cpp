#include "options.hpp"

#include <CLI/CLI.hpp>
#include <cstring>
#include <memory>

#include "exit_codes.hpp"
#include "gpuready/gpuready.hpp"
#include "reference.hpp"
#include "terminal.hpp"

namespace gpuready::cli {

namespace {

/// The language that help is shown in: the word after --lang, or the environment's.
Style help_style(int argc, char** argv) {
  Style style;
  style.language = language_from_environment();
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--lang") == 0 && i + 1 < argc)
      style.language = language_for(argv[i + 1]);
    if (std::strncmp(argv[i], "--lang=", 7) == 0) style.language = language_for(argv[i] + 7);
  }
  return style;
}

/// Builds the parser; every description comes from the message files ("help.<name>").
class Builder {
 public:
  Builder(CLI::App& app, Style style, Options& options)
      : app_(app), style_(std::move(style)), options_(options) {}

  void build() {
    app_.require_subcommand(0, 1);
    app_.fallthrough();
    add_common(options_.common);
    app_.add_flag("--quick", page_.quick, help("quick"));
    add_command("facts", [this](CLI::App& c) { add_deep(c, facts_.deep); });
    add_command("device", [this](CLI::App& c) { add_device(c); });
    add_command("doctor", [this](CLI::App& c) {
      c.add_flag("--strict", doctor_.strict, help("strict"));
      c.add_option("--explain", doctor_.explain, help("explain"))->type_name("ID");
      c.add_flag("--list-rules", doctor_.list_rules, help("list-rules"));
      add_deep(c, doctor_.deep);
    });
    add_command("setup", [this](CLI::App& c) {
      CLI::Option* apply = c.add_flag("--apply", setup_.apply, help("setup-apply"));
      c.add_flag("--yes", setup_.yes, help("setup-yes"))->needs(apply);
    });
    add_command("bench", [this](CLI::App& c) { add_bench(c); });
    add_command("compare", [this](CLI::App& c) {
      c.add_option("A", compare_.first, help("compare-first"))->required()->type_name("FILE");
      c.add_option("B", compare_.second, help("compare-second"))->required()->type_name("FILE");
    });
    add_command("record", [this](CLI::App& c) {
      c.add_option("-o,--output", record_.output, help("output"))->type_name("FILE");
      add_deep(c, record_.deep);
    });
    add_command("fit", [this](CLI::App& c) {
      add_fit_options(c, fit_, [this](const std::string& name) { return help("fit-" + name); });
    });
    add_command("plan", [this](CLI::App& c) {
      add_plan_options(c, plan_, [this](const std::string& name) { return help(name); });
    });
    add_command("cloud", [this](CLI::App& c) { add_cloud(c); });
    add_command("remote", [this](CLI::App& c) {
      add_remote_options(c, remote_, [this](const std::string& name) { return help(name); });
    });
    add_command("oom", [this](CLI::App& c) { c.add_option("FILE", oom_.file, help("oom-file")); });
  }

  /// The chosen command, after parsing.
  [[nodiscard]] CommandOptions chosen() const {
    if (app_.got_subcommand("facts")) return facts_;
    if (app_.got_subcommand("device")) return device_;
    if (app_.got_subcommand("doctor")) return doctor_;
    if (app_.got_subcommand("setup")) return setup_;
    if (app_.got_subcommand("bench")) {
      BenchOptions bench = bench_;
      bench.quick = bench.quick || page_.quick;
      return bench;
    }
    if (app_.got_subcommand("compare")) return compare_;
    if (app_.got_subcommand("record")) return record_;
    if (app_.got_subcommand("oom")) return oom_;
    if (app_.got_subcommand("fit")) return fit_;
    if (app_.got_subcommand("plan")) return plan_;
    if (app_.got_subcommand("cloud")) return chosen_of_cloud();
    if (app_.got_subcommand("remote")) {
      RemoteOptions remote = remote_;
      read_remote_words(app_.get_subcommand("remote")->remaining(), remote, options_.common.json);
      return remote;
    }
    return page_;
  }

 private:
  [[nodiscard]] std::string help(const std::string& name) const {
    return message_text(style_, "help." + name);
  }

  template <class Fill>
  void add_command(const std::string& name, const Fill& fill) {
    CLI::App* command = app_.add_subcommand(name, help("command." + name));
    command->fallthrough();
    fill(*command);
  }

  void add_cloud(CLI::App& c) {
    c.require_subcommand(1);
    const Help say = [this](const std::string& name) { return help(name); };
    const auto add = [&](const char* name, const auto& fill) {
      CLI::App* part = c.add_subcommand(name, help(std::string("command.cloud-") + name));
      part->fallthrough();
      fill(*part);
    };
    add("offers", [&](CLI::App& part) { add_cloud_offers_options(part, cloud_offers_, say); });
    add("list", [&](CLI::App& part) {
      add_cloud_providers_option(part, cloud_list_.providers, say);
    });
    add("keys", [&](CLI::App& part) {
      add_cloud_providers_option(part, cloud_keys_.providers, say);
    });
    add("run", [&](CLI::App& part) { add_cloud_run_options(part, cloud_run_, say); });
    add("down", [&](CLI::App& part) { add_cloud_down_options(part, cloud_down_, say); });
    add("reap", [&](CLI::App& part) { add_cloud_reap_options(part, cloud_reap_, say); });
  }

  [[nodiscard]] CommandOptions chosen_of_cloud() const {
    const CLI::App* cloud = app_.get_subcommand("cloud");
    if (cloud->got_subcommand("offers")) return cloud_offers_;
    if (cloud->got_subcommand("list")) return cloud_list_;
    if (cloud->got_subcommand("keys")) return cloud_keys_;
    if (cloud->got_subcommand("down")) return cloud_down_;
    if (cloud->got_subcommand("reap")) return cloud_reap_;
    return cloud_run_;
  }

  void add_common(CommonOptions& common) {
    app_.add_flag("--json", common.json, help("json"));
    app_.add_option("--from", common.from, help("from"))->type_name("FILE");
    app_.add_option("--data", common.data_dir, help("data"))->type_name("DIR");
    app_.add_option("--lang", common.language, help("lang"))
        ->type_name("en|zh")
        ->check(CLI::IsMember({"en", "zh"}));
    app_.add_option("--color", common.color, help("color"))
        ->type_name("auto|always|never")
        ->check(CLI::IsMember({"auto", "always", "never"}));
    app_.add_flag("--no-progress", common.no_progress, help("no-progress"));
    app_.add_flag("-q,--quiet", common.quiet, help("quiet"));
    app_.add_flag("-v,--verbose", common.verbose, help("verbose"));
    app_.set_version_flag("--version", "gpuready " + std::string(version()), help("version"));
  }

  void add_device(CLI::App& c) {
    c.add_option("--for", device_.for_what, help("device-for"))
        ->type_name("torch")
        ->check(CLI::IsMember({"torch"}));
    c.add_option("--require", device_.require, help("device-require"))
        ->type_name("cuda|xpu|cpu")
        ->check(CLI::IsMember({"cuda", "xpu", "cpu"}));
  }

  /// Options that may have a number of seconds: `--load` or `--load=3`.
  void add_seconds(CLI::App& c, const std::string& name, double& seconds, const char* usual,
                   double most) {
    c.add_option("--" + name, seconds, help(name))
        ->type_name("[S]")
        ->expected(0, 1)
        ->default_str(usual)
        ->check(is_number)
        ->check(CLI::Range(0.1, most));
  }

  /// "nan" is neither below nor above a range.
  static std::string is_number(const std::string& text) {
    const std::string lower = CLI::detail::to_lower(text);
    return lower.find("nan") == std::string::npos ? "" : "expected seconds, found " + text;
  }

  void add_deep(CLI::App& c, DeepOptions& deep) {
    add_seconds(c, "run-python", deep.run_python_s, "60", 3600);
    add_seconds(c, "load", deep.load_s, "10", 600);
  }

  void add_bench(CLI::App& c) {
    add_bench_modes(c);
    c.add_option("--size", bench_.size, help("bench-size"))
        ->type_name("N")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{65536}));
    c.add_option("--shape", bench_.shape, help("bench-shape"))->type_name("M,N,K");
    c.add_option("--dtype", bench_.dtypes, help("bench-dtype"))
        ->type_name("NAME,...")
        ->delimiter(',')
        ->check(
            CLI::IsMember({"fp64", "fp32", "tf32", "bf16", "fp16", "fp16-acc16", "fp8", "int8"}));
    c.add_option("--data", bench_.data, help("bench-data"))
        ->type_name("uniform|normal|zeros|ones|DIR");
    c.add_option("--device", bench_.device, help("bench-device"))
        ->type_name("cpu|cuda[:i]|opencl[:i]|all");
    c.add_option("--backend", bench_.backend, help("bench-backend"))
        ->type_name("NAME")
        ->check(
            CLI::IsMember({"openblas", "onednn", "blis", "mkl", "cublaslt", "cublas", "clblast"}));
    c.add_option("--threads", bench_.threads, help("bench-threads"))
        ->type_name("N")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{1024}));
    c.add_option("--max-time", bench_.max_time_s, help("bench-max-time"))
        ->type_name("S")
        ->check(CLI::Range(0.1, 3600.0));
  }

  /// One mode at most.
  void add_bench_modes(CLI::App& c) {
    std::vector<CLI::Option*> modes{
        c.add_flag("--lesson", bench_.lesson, help("bench-lesson")),
        c.add_flag("--quick", bench_.quick, help("bench-quick")),
        c.add_flag("--standard", bench_.standard, help("bench-standard")),
        c.add_flag("--peak", bench_.peak, help("bench-peak")),
        c.add_flag("--claims", bench_.claims, help("bench-claims")),
        c.add_flag("--bandwidth", bench_.bandwidth, help("bench-bandwidth"))};
    for (std::size_t i = 0; i < modes.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) modes[i]->excludes(modes[j]);
    auto* const torch = c.add_flag("--torch", bench_.torch, help("bench-torch"));
    auto* const cold = c.add_flag("--cold", bench_.cold, help("bench-cold"));
    torch->excludes(cold);  // PyTorch's caches are not emptied
    for (const char* mode : {"--peak", "--claims", "--bandwidth"})
      for (auto* const option : {torch, cold}) option->excludes(c.get_option(mode));
    c.add_flag("--strict", bench_.strict, help("bench-strict"));
    c.add_option("--csv", bench_.csv, help("bench-csv"))->type_name("FILE");
    c.add_option("--jsonl", bench_.jsonl, help("bench-jsonl"))->type_name("FILE");
  }

  CLI::App& app_;
  Style style_;
  Options& options_;
  PageOptions page_;
  FactsOptions facts_;
  DeviceOptions device_;
  DoctorOptions doctor_;
  SetupOptions setup_;
  BenchOptions bench_;
  CompareOptions compare_;
  RecordOptions record_;
  OomOptions oom_;
  FitOptions fit_;
  PlanOptions plan_;
  CloudOffersOptions cloud_offers_;
  CloudListOptions cloud_list_;
  CloudKeysOptions cloud_keys_;
  CloudRunOptions cloud_run_;
  CloudEndOptions cloud_down_, cloud_reap_;
  RemoteOptions remote_;
};

bool is_fill(const std::string& word) {
  return word == "uniform" || word == "normal" || word == "zeros" || word == "ones";
}

/// `bench --data` has two meanings: what stands in the matrices, or a folder of tables as
/// everywhere (one that has such a name is told apart by a slash: ./zeros).
void share_data(Options& options) {
  auto* const bench = std::get_if<BenchOptions>(&options.command);
  if (bench == nullptr || bench->data.empty() || is_fill(bench->data)) return;
  options.common.data_dir = bench->data;
  bench->data.clear();
}

/// The parser's own message as one line.
std::string one_line(std::string text) {
  for (char& c : text)
    if (c == '\n') c = ' ';
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

}  // namespace

Parsed parse_options(int argc, char** argv) {
  Parsed parsed;
  const Style style = help_style(argc, argv);
  CLI::App app(message_text(style, "tool.tagline"), "gpuready");
  Builder builder(app, style, parsed.options);
  builder.build();
  // For the packages; not for people, and so not in the help.
  if (argc == 3 && std::strcmp(argv[1], "__reference") == 0)
    return {true, exit_yes, reference_as(argv[2], app), {}};
  try {
    app.parse(argc, argv);
    parsed.options.command = builder.chosen();
    share_data(parsed.options);
  } catch (const CLI::CallForHelp&) {
    const auto chosen = app.get_subcommands();
    parsed = {true, exit_yes, chosen.empty() ? app.help() : chosen.front()->help("gpuready"), {}};
  } catch (const CLI::CallForVersion& e) {
    parsed = {true, exit_yes, std::string(e.what()) + "\n", {}};
  } catch (const CLI::ParseError& e) {
    parsed = {true,
              exit_usage,
              one_line(e.what()) + " (" + message_text(style, "cli.see-help") + ")",
              {}};
  }
  return parsed;
}

}  // namespace gpuready::cli
