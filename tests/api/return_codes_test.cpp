/// Every code that a vendor's call can return, every hang, crash and missing symbol, from the call
/// up to the answer: there is one, it is JSON, and it names what was met.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "gpuready/gpuready.hpp"
#include "host/recorded_host.hpp"
#include "probe/probe.hpp"
#include "tests/fakes/fault_loop.hpp"
#include "tests/fakes/forked.hpp"
#include "tests/probe/recorded_machine.hpp"
#include "vendor/cuda.hpp"
#include "vendor/nvml.hpp"

namespace gpuready {
namespace {

using host::CommandResult;
using host::End;
using ::testing::AnyOf;
using ::testing::HasSubstr;

/// The codes of CUresult and nvmlReturn_t that machines in the field return (cuda.h, nvml.h).
const std::vector<int> cuda_codes{1,   2,   3,   34,  36,  46,  100, 101, 102, 200,
                                  209, 214, 218, 222, 304, 700, 719, 800, 801, 802,
                                  803, 804, 805, 806, 807, 808, 809, 810, 999};
const std::vector<int> nvml_codes{1,  3,  4,  6,  8,  9,  10, 12, 13, 14, 15, 16,
                                  17, 18, 19, 20, 21, 22, 23, 25, 26, 28, 999};

/// A call of CUDA and the rung that breaks where it fails.
struct CudaCall {
  const char* name;
  Rung rung;
};
const std::vector<CudaCall> decisive_calls{
    {"cuInit", Rung::cuda_init},           {"cuDeviceGetCount", Rung::device_count},
    {"cuDeviceGet", Rung::context},        {"cuDevicePrimaryCtxRetain", Rung::context},
    {"cuCtxSetCurrent", Rung::context},    {"cuModuleLoadData", Rung::kernel},
    {"cuModuleGetFunction", Rung::kernel}, {"cuMemAlloc_v2", Rung::kernel},
    {"cuMemcpyHtoD_v2", Rung::kernel},     {"cuLaunchKernel", Rung::kernel},
    {"cuCtxSynchronize", Rung::kernel},    {"cuMemcpyDtoH_v2", Rung::kernel}};
const std::vector<std::string> descriptive_calls{
    "cuDriverGetVersion",   "cuDeviceGetName",     "cuDeviceGetUuid_v2", "cuDeviceGetPCIBusId",
    "cuDeviceGetAttribute", "cuDeviceTotalMem_v2", "cuMemGetInfo_v2"};
const std::vector<std::string> cleaning_calls{"cuMemFree_v2", "cuModuleUnload",
                                              "cuDevicePrimaryCtxRelease_v2"};

/// What ask_opencl() calls.
const std::vector<std::string> opencl_calls{"clGetPlatformIDs", "clGetPlatformInfo",
                                            "clGetDeviceIDs", "clGetDeviceInfo"};

/// Every feature is on, so that every call of NVML is made.
const std::string nvml_script =
    "device\nmig 0\nmig_pending 0\necc 1\nremap_pending 0\nfabric_state 3\nnvlinks 4\n"
    "nvlinks_active 4\nvirtualization 0\n";

template <class Table>
std::vector<std::string> all_calls() {
  std::vector<std::string> calls;
  for (const fakes::Symbol& symbol : fakes::symbols_of<Table>()) calls.push_back(symbol.name);
  return calls;
}

/// What the three children answered on a machine whose files are those of a desktop in order.
class Answers {
 public:
  Answers() : recording_(probe::testing::load_recording("healthy/desktop")) {
    static const Machine files = [this] {
      host::RecordedHost host(recording_);
      return probe::probe_machine(host, {});
    }();
    base_ = &files;
    recording_.commands.clear();
    set("nvml", ask("nvml", nvml_script));
    set("cuda", ask("cuda", ""));
    set("opencl", ask("opencl", "", GPUREADY_FAKES_DIR "/opencl"));
  }

  CommandResult ask(const std::string& what, const std::string& lines,
                    const std::string& libraries = GPUREADY_FAKES_DIR) {
    return fakes::ask_forked(what, folder_.write("script", lines), libraries);
  }

  void set(const std::string& what, const CommandResult& result) {
    std::erase_if(recording_.commands, [&](const auto& c) { return c.argv.back() == what; });
    recording_.commands.push_back({{"self", "__probe", what}, result});
  }

  /// The whole answer with one child's result replaced.
  [[nodiscard]] Run run_with(const std::string& what, const CommandResult& result) {
    Answers changed(*this, what, result);
    gpuready::Run run;
    run.machine = *base_;
    host::RecordedHost host(changed.recording_);
    probe::probe_vendors(host, {}, run.machine);
    run.machine.gpus = probe::merge_gpus(run.machine);
    run.doctor = diagnose(run.machine);
    return run;
  }

 private:
  Answers(const Answers& other, const std::string& what, const CommandResult& result)
      : recording_(other.recording_), base_(other.base_) {
    set(what, result);
  }

  host::Recording recording_;
  const Machine* base_ = nullptr;
  fakes::TemporaryFolder folder_;
};

const RungResult* first_broken(const Doctor& doctor) {
  for (const RungResult& rung : doctor.ladder)
    if (rung.outcome == Outcome::finding) return &rung;
  return nullptr;
}

/// The doctor's answer as JSON, parsed back and written again so that texts can be looked for.
std::string doctor_json(const Run& run) {
  const auto json = base::parse_json(show_json(run, View::doctor));
  if (!json) {
    ADD_FAILURE() << json.error().text;
    return {};
  }
  return base::dump_json(*json, false);
}

std::string code_text(int code) { return "(" + std::to_string(code) + ")"; }

void expect_no_worse_than(Verdict worst, const Run& run) {
  EXPECT_LE(static_cast<int>(run.doctor.verdict), static_cast<int>(worst));
  EXPECT_FALSE(doctor_json(run).empty());
  EXPECT_FALSE(show_text(run, View::doctor, {}).empty());
}

TEST(ReturnCodes, TheDesktopWithoutAFaultIsUsable) {
  Answers answers;
  const auto run = answers.run_with("cuda", answers.ask("cuda", ""));
  EXPECT_EQ(run.doctor.verdict, Verdict::usable);
  EXPECT_EQ(run.doctor.findings.size(), 0U);
}

TEST(ReturnCodes, EveryCodeOfADecisiveCallBreaksItsRungAndIsNamed) {
  Answers answers;
  for (const CudaCall& call : decisive_calls) {
    for (const int code : cuda_codes) {
      SCOPED_TRACE(call.name + (" " + std::to_string(code)));
      const std::string line = std::string("fail ") + call.name + " " + std::to_string(code);
      const auto run = answers.run_with("cuda", answers.ask("cuda", line + "\n"));
      EXPECT_EQ(run.doctor.verdict, Verdict::not_usable);
      const RungResult* broken = first_broken(run.doctor);
      ASSERT_NE(broken, nullptr);
      EXPECT_EQ(broken->rung, call.rung);
      const std::string name = vendor::cuda_error({}, code);
      EXPECT_EQ(name.find("CUDA_ERROR_"), 0U);
      EXPECT_THAT(doctor_json(run), HasSubstr(name));
    }
  }
}

TEST(ReturnCodes, EveryCodeOfADescribingOrCleaningCallLeavesTheGpuUsable) {
  Answers answers;
  std::vector<std::string> calls = descriptive_calls;
  calls.insert(calls.end(), cleaning_calls.begin(), cleaning_calls.end());
  for (const std::string& call : calls) {
    for (const int code : cuda_codes) {
      SCOPED_TRACE(call + " " + std::to_string(code));
      const std::string line = "fail " + call + " " + std::to_string(code) + "\n";
      expect_no_worse_than(Verdict::usable, answers.run_with("cuda", answers.ask("cuda", line)));
    }
  }
}

TEST(ReturnCodes, EveryCodeOfNvmlLeavesAGpuOnWhichAKernelRanUsable) {
  Answers answers;
  for (const std::string& call : all_calls<vendor::Nvml>()) {
    for (const int code : nvml_codes) {
      SCOPED_TRACE(call + " " + std::to_string(code));
      const std::string line = "fail " + call + " " + std::to_string(code) + "\n";
      const auto run = answers.run_with("nvml", answers.ask("nvml", nvml_script + line));
      expect_no_worse_than(Verdict::degraded, run);
    }
  }
}

TEST(ReturnCodes, EveryCodeOfNvmlsStartIsNamedWhereCudaDoesNotStartEither) {
  Answers answers;
  answers.set("cuda", answers.ask("cuda", "fail cuInit 999\n"));
  for (const int code : nvml_codes) {
    SCOPED_TRACE(code);
    const std::string line = "fail nvmlInit_v2 " + std::to_string(code) + "\n";
    const auto run = answers.run_with("nvml", answers.ask("nvml", line));
    EXPECT_EQ(run.doctor.verdict, Verdict::not_usable);
    EXPECT_THAT(doctor_json(run), HasSubstr(code_text(code)));
  }
}

TEST(ReturnCodes, EveryCodeOfOpenClLeavesTheVerdictAlone) {
  Answers answers;
  for (const std::string& call : opencl_calls) {
    for (const int code : {-1, -2, -5, -6, -30, -32, -33, -1001, 999}) {
      SCOPED_TRACE(call + " " + std::to_string(code));
      const std::string line = "fail " + call + " " + std::to_string(code) + "\n";
      const auto result = answers.ask("opencl", line, GPUREADY_FAKES_DIR "/opencl");
      expect_no_worse_than(Verdict::usable, answers.run_with("opencl", result));
    }
  }
}

/// A library's probe, its calls, and whether its loss makes the GPU unusable.
struct Vendor {
  fakes::Probe probe;
  std::vector<std::string> calls;
};

std::vector<Vendor> vendors() {
  std::vector<std::string> cuda = descriptive_calls;
  for (const CudaCall& call : decisive_calls) cuda.emplace_back(call.name);
  cuda.insert(cuda.end(), cleaning_calls.begin(), cleaning_calls.end());
  const std::string folder = GPUREADY_FAKES_DIR;
  return {
      {{"cuda", folder + "/libcuda.so.1", "libcuda.so.1", ""}, cuda},
      {{"nvml", folder + "/libnvidia-ml.so.1", "libnvidia-ml.so.1", nvml_script},
       all_calls<vendor::Nvml>()},
      {{"opencl", folder + "/opencl/libOpenCL.so.1", "libOpenCL.so.1", "device\n"}, opencl_calls}};
}

std::string folder_of(const fakes::Probe& probe) {
  return probe.library.substr(0, probe.library.rfind('/'));
}

TEST(ReturnCodes, ACrashOfEachCallIsToldWithItsSignal) {
  Answers answers;
  for (const Vendor& vendor : vendors()) {
    for (const std::string& call : vendor.calls) {
      SCOPED_TRACE(call);
      const auto result = answers.ask(
          vendor.probe.what, vendor.probe.script + "crash " + call + "\n", folder_of(vendor.probe));
      const auto run = answers.run_with(vendor.probe.what, result);
      const std::string json = doctor_json(run);
      if (result.end != End::signalled) continue;  // the call isn't made where all is in order
      if (vendor.probe.what != "cuda") expect_no_worse_than(Verdict::degraded, run);
      const std::string facts = show_json(run, View::facts);
      EXPECT_THAT(facts, AnyOf(HasSubstr("\"crashed\""), HasSubstr("SIGSEGV")));
      if (run.doctor.verdict == Verdict::not_usable) {
        EXPECT_THAT(json, HasSubstr("signal 11"));
      }
    }
  }
}

TEST(ReturnCodes, AHangOfEachCallIsToldAsOne) {
  Answers answers;
  for (const Vendor& vendor : vendors()) {
    const fakes::TemporaryFolder folder;
    std::vector<host::Command> commands;
    for (const std::string& call : vendor.calls) {
      const std::string script = folder.write(call, vendor.probe.script + "hang " + call + "\n");
      commands.push_back(fakes::with_fakes({GPUREADY_BINARY, "__probe", vendor.probe.what}, script,
                                           folder_of(vendor.probe)));
      commands.back().deadline = std::chrono::milliseconds(2000);
    }
    const auto results = fakes::run_all(commands);
    std::size_t hung = 0;
    for (std::size_t i = 0; i < results.size(); ++i) {
      SCOPED_TRACE(vendor.calls[i]);
      // The call isn't made where all is in order; or a busy machine did not come as far as it.
      if (results[i].errors.find("this call hangs") == std::string::npos) continue;
      ++hung;
      const auto run = answers.run_with(vendor.probe.what, results[i]);
      const std::string json = doctor_json(run);
      EXPECT_EQ(results[i].end, End::timed_out);
      if (vendor.probe.what != "cuda") expect_no_worse_than(Verdict::degraded, run);
      EXPECT_THAT(show_json(run, View::facts), HasSubstr("\"timed-out\""));
      if (run.doctor.verdict == Verdict::not_usable) {
        EXPECT_THAT(json, HasSubstr("no answer within"));
      }
    }
    EXPECT_GT(hung, 0U);
  }
}

TEST(ReturnCodes, EachMissingSymbolGivesAnAnswerThatNamesIt) {
  Answers answers;
  for (const Vendor& vendor : vendors()) {
    for (const std::string& call : vendor.calls) {
      SCOPED_TRACE(call);
      const fakes::TemporaryFolder folder;
      ASSERT_TRUE(fakes::copy_without_symbol(vendor.probe.library,
                                             folder.path() + "/" + vendor.probe.soname, call));
      const auto result = answers.ask(vendor.probe.what, vendor.probe.script, folder.path());
      ASSERT_EQ(result.end, End::exited);
      const auto run = answers.run_with(vendor.probe.what, result);
      const std::string json = doctor_json(run);
      if (run.doctor.verdict == Verdict::not_usable) {
        EXPECT_THAT(json, HasSubstr(call));
      }
      if (vendor.probe.what != "cuda") expect_no_worse_than(Verdict::degraded, run);
    }
  }
}

/// A machine on which every child hangs: adds up the time that was given to them.
class HangingHost : public host::RecordedHost {
 public:
  using RecordedHost::RecordedHost;
  std::chrono::milliseconds waited{0};

  std::vector<CommandResult> run_all(const std::vector<host::Command>& commands) override {
    std::chrono::milliseconds longest{0};
    for (const host::Command& command : commands) longest = std::max(longest, command.deadline);
    waited += longest;
    return std::vector<CommandResult>(commands.size(), {End::timed_out, 0, "", ""});
  }
};

TEST(ReturnCodes, TheAnswerComesWithinTwentySecondsWhereEveryChildHangs) {
  host::Recording recording = probe::testing::load_recording("healthy/desktop");
  // So that the journal is asked too.
  recording.files.insert_or_assign("/dev/kmsg", failure("/dev/kmsg", 1));
  recording.statuses.emplace("/var/log/journal", host::FileStatus{host::FileKind::directory});
  HangingHost host(std::move(recording));
  gpuready::Run run;
  run.machine = probe::probe_machine(host, {});
  run.doctor = diagnose(run.machine);
  EXPECT_GT(host.waited, probe::vendor_deadline);
  EXPECT_LE(host.waited, std::chrono::seconds(20));
  EXPECT_EQ(run.doctor.verdict, Verdict::not_usable);
  EXPECT_THAT(doctor_json(run), HasSubstr("no answer within 15 s"));
}

}  // namespace
}  // namespace gpuready
