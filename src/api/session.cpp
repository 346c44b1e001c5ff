#include <utility>

#include "api/find_facts.hpp"
#include "api/fit.hpp"
#include "api/input.hpp"
#include "api/measure.hpp"
#include "api/record.hpp"
#include "api/recorded_session.hpp"
#include "base/text.hpp"
#include "base/time.hpp"
#include "catalog/catalog.hpp"
#include "catalog/setup_tables.hpp"
#include "catalog/tables.hpp"
#include "fit/rule_of_thumb.hpp"
#include "gpuready/gpuready.hpp"
#include "host/attached_command.hpp"
#include "host/real_host.hpp"
#include "host/recorded_host.hpp"
#include "plan/next.hpp"
#include "probe/probe.hpp"
#include "rules/ladder.hpp"
#include "rules/rule.hpp"
#include "rules/setup_steps.hpp"

namespace gpuready {

namespace {

/// The data that answers are made from.
struct Tables {
  catalog::Catalog catalog;
  catalog::SetupTables setup;
};

const catalog::RuleTexts& rule_texts() { return catalog::tables().rules; }

/// What is common to this machine and a recorded one.
class CommonSession : public Session {
 public:
  CommonSession(std::unique_ptr<host::Host> real, Tables tables)
      : real_(std::move(real)), tables_(std::move(tables)) {}

  Result<Fit> fit(const Machine& machine) override {
    return fit::rule_of_thumb(machine, tables_.catalog);
  }
  Result<Estimate> estimate(const Machine& machine, const FitRequest& request) override {
    return api::estimate_model(*real_, machine, tables_.catalog, request);
  }
  Result<FitList> list_fits(const Machine& machine, const FitRequest& request) override {
    return api::list_fitting(machine, tables_.catalog, request);
  }
  Result<Next> next(const Machine& machine, const Doctor& doctor, const DeviceChoice& torch_device,
                    const Bench& bench) override {
    return plan::next_steps(machine, doctor, torch_device, bench, tables_.catalog);
  }
  Setup setup(const Machine& machine, const Doctor& doctor) override {
    return rules::plan_setup({machine, doctor, tables_.setup, rule_texts()});
  }

 protected:
  [[nodiscard]] host::Host& real() const { return *real_; }
  [[nodiscard]] static Run run_at(std::string_view command, std::string at) {
    Run run;
    run.schema = "gpuready." + std::string(command) + "/1";
    run.tool.version = version();
    run.at = std::move(at);
    return run;
  }

 private:
  std::unique_ptr<host::Host> real_;
  Tables tables_;
};

probe::ProbeOptions only_cuda(host::Host& host, bool with_python) {
  probe::ProbeOptions options = api::probe_options(host);
  options.nvml = options.opencl = options.libraries = false;
  options.python = with_python;
  return options;
}

class RealSession : public CommonSession {
 public:
  using CommonSession::CommonSession;

  [[nodiscard]] bool recorded() const override { return false; }
  Machine facts(const FactsRequest& request) override { return api::find_facts(real(), request); }
  Machine cuda_facts(bool with_python) override {
    return probe::probe_machine(real(), only_cuda(real(), with_python));
  }
  Result<BenchAnswer> bench(const Machine& machine, const Doctor& doctor,
                            const BenchRequest& request, const ProgressSink& progress) override {
    return api::run_bench(real(), machine, doctor, request, progress);
  }
  [[nodiscard]] Run new_run(std::string_view command) const override {
    return run_at(command, base::iso8601(real().now()));
  }
  Setup setup(const Machine& machine, const Doctor& doctor) override {
    Setup setup = CommonSession::setup(machine, doctor);
    // The owner of /proc/self is the user that we act for (Linux, proc(5)).
    const auto self = real().status("/proc/self");
    if (self && self->uid == 0) rules::leave_out_sudo(setup);
    return setup;
  }
  Result<CommandEnd> run_command(const std::string& command, bool output_to_errors) override {
    const host::CommandResult result = host::run_attached(command, output_to_errors);
    CommandEnd end;
    end.succeeded = result.end == host::End::exited && result.code == 0;
    end.signal = result.end == host::End::signalled ? result.code : 0;
    end.how = host::describe(result, {});
    return end;
  }
  Result<std::string> record(const FactsRequest& request) override {
    return api::record_machine(real(), request);
  }
};

/// A machine from a file: facts again from its raw answers, or as an earlier run has them.
class RecordedSession : public CommonSession {
 public:
  RecordedSession(std::unique_ptr<host::Host> real, Tables tables, api::Input input)
      : CommonSession(std::move(real), std::move(tables)), input_(std::move(input)) {}

  [[nodiscard]] bool recorded() const override { return true; }
  Machine facts(const FactsRequest& /*request*/) override {
    if (input_.run) return input_.run->machine;
    host::RecordedHost host(*input_.recording);
    return api::find_facts(host, api::what_was_asked(*input_.recording));
  }
  Machine cuda_facts(bool /*with_python*/) override { return facts(FactsRequest{}); }
  Result<BenchAnswer> bench(const Machine& /*machine*/, const Doctor& /*doctor*/,
                            const BenchRequest& /*request*/,
                            const ProgressSink& /*progress*/) override {
    BenchAnswer answer;
    if (input_.run) answer.bench = input_.run->bench;
    const bool empty = answer.bench.cases.empty() && answer.bench.errors.empty();
    if (empty && answer.bench.notes.empty())
      answer.bench.notes.push_back({"bench.note.recorded", {}});
    answer.answer = api::judge_bench(answer.bench);
    return answer;
  }
  [[nodiscard]] Run new_run(std::string_view command) const override {
    return run_at(command, input_.at);
  }
  Result<CommandEnd> run_command(const std::string& /*command*/,
                                 bool /*output_to_errors*/) override {
    return failure("--from: nothing is installed on a recorded machine");
  }
  Result<std::string> record(const FactsRequest& /*request*/) override {
    return failure("--from: a recording is not recorded again; copy the file");
  }

 private:
  api::Input input_;
};

catalog::Override read_from(host::Host& host, const std::string& folder) {
  if (folder.empty()) return {};
  return [&host, folder](const std::string& name) -> std::optional<std::string> {
    constexpr std::size_t most_bytes = std::size_t{16} << 20U;
    auto text = host.read_file(folder + "/" + name, most_bytes);
    if (!text) return {};
    return std::move(*text);
  };
}

}  // namespace

Result<std::unique_ptr<Session>> open_session(const SessionOptions& options) {
  auto real = host::make_real_host();
  if (!options.data_dir.empty()) {
    const auto status = real->status(options.data_dir);
    if (!status) return failure("--data " + status.error().text);
  }
  auto catalog = catalog::load_catalog(read_from(*real, options.data_dir));
  if (!catalog) return tl::unexpected(catalog.error());
  auto setup = catalog::load_setup_tables(read_from(*real, options.data_dir));
  if (!setup) return tl::unexpected(setup.error());
  Tables tables{std::move(*catalog), std::move(*setup)};
  if (!options.data_dir.empty()) {
    auto for_rules = catalog::load_tables(read_from(*real, options.data_dir));
    if (!for_rules) return failure("--data " + options.data_dir + "/" + for_rules.error().text);
    catalog::use_tables(std::move(*for_rules));
  }
  if (options.from.empty())
    return std::make_unique<RealSession>(std::move(real), std::move(tables));
  auto input = api::read_input(*real, options.from);
  if (!input) return failure("--from " + input.error().text);
  return std::make_unique<RecordedSession>(std::move(real), std::move(tables), std::move(*input));
}

Result<std::unique_ptr<Session>> api::recorded_session(Input input) {
  static const auto catalog = catalog::load_catalog(catalog::Override());
  static const auto setup = catalog::load_setup_tables(catalog::Override());
  if (!catalog) return tl::unexpected(catalog.error());
  if (!setup) return tl::unexpected(setup.error());
  return std::make_unique<RecordedSession>(host::make_real_host(), Tables{*catalog, *setup},
                                           std::move(input));
}

Doctor diagnose(const Machine& machine) {
  Doctor doctor = rules::climb(machine);
  rules::add_findings(rules::find(machine, rule_texts()), doctor);
  return doctor;
}

DeviceChoice choose_device(const Machine& machine, const Doctor& doctor) {
  return rules::choose_device(machine, doctor);
}

DeviceChoice choose_torch_device(const Machine& machine, const Doctor& doctor) {
  return rules::choose_torch_device(machine, doctor);
}

std::string_view version() { return GPUREADY_VERSION; }

}  // namespace gpuready
