#include "rules/ladder.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "rules/rungs.hpp"

namespace gpuready::rules {

namespace {

/// Rungs above which a finding no longer makes the GPU itself unusable.
bool is_about_the_gpu(Rung rung) { return rung <= Rung::kernel; }

const RungResult* first_finding(const std::vector<RungResult>& ladder) {
  const auto it = std::ranges::find(ladder, Outcome::finding, &RungResult::outcome);
  return it == ladder.end() ? nullptr : &*it;
}

/// Whether our kernel gave the right result on at least one device: then whatever is wrong, some
/// GPU is usable.
bool kernel_ran(const Machine& machine) {
  return std::ranges::any_of(machine.driver.cuda.devices,
                             [](const CudaDevice& d) { return d.kernel.is(true); });
}

/// A GPU that this ladder cannot climb to: AMD's and Intel's stacks are not NVIDIA's.
bool has_gpu_of_another_vendor(const Machine& machine) {
  return std::ranges::any_of(machine.pci, is_intel_xpu) ||
         std::ranges::any_of(machine.gpus, [](const Gpu& gpu) { return gpu.vendor.is("amd"); });
}

void judge_verdict(const Machine& machine, Doctor& doctor) {
  const RungResult* broken = first_finding(doctor.ladder);
  if (kernel_ran(machine)) {
    doctor.verdict = broken == nullptr ? Verdict::usable : Verdict::degraded;
    doctor.summary = broken == nullptr ? Message{"verdict.usable", {}} : broken->why;
  } else if (broken == nullptr) {
    doctor.verdict = Verdict::not_tested;
    const auto open = std::ranges::find(doctor.ladder, Outcome::not_tested, &RungResult::outcome);
    doctor.summary = open->why;
  } else if (broken->rung == Rung::pci_device) {
    doctor.verdict = has_gpu_of_another_vendor(machine) ? Verdict::not_tested : Verdict::no_gpu;
    doctor.summary = broken->why;
  } else {
    doctor.verdict = Verdict::not_usable;
    doctor.summary = broken->why;
  }
}

}  // namespace

const std::vector<RungCheck>& rung_checks() {
  static const std::vector<RungCheck> checks{{Rung::pci_device, judge_pci_device},
                                             {Rung::kernel_driver, judge_kernel_driver},
                                             {Rung::versions, judge_versions},
                                             {Rung::device_nodes, judge_device_nodes},
                                             {Rung::nvml, judge_nvml},
                                             {Rung::cuda_init, judge_cuda_init},
                                             {Rung::device_count, judge_device_count},
                                             {Rung::context, judge_context},
                                             {Rung::kernel, judge_kernel},
                                             {Rung::libraries, judge_libraries},
                                             {Rung::torch, judge_torch}};
  return checks;
}

Doctor climb(const Machine& machine) {
  Doctor doctor;
  bool broken = false;
  for (const RungCheck& check : rung_checks()) {
    RungResult result{check.rung, Outcome::not_tested, {"ladder.above-broken", {}}};
    if (!broken) {
      const Judgement judgement = check.judge(machine);
      result.outcome = judgement.outcome, result.why = judgement.why;
    }
    broken = broken || (result.outcome == Outcome::finding && is_about_the_gpu(check.rung) &&
                        !kernel_ran(machine));
    doctor.ladder.push_back(std::move(result));
  }
  judge_verdict(machine, doctor);
  return doctor;
}

const PythonEnvironment* default_python(const Machine& machine) {
  const auto it = std::ranges::find(machine.python, true, &PythonEnvironment::is_default);
  if (it != machine.python.end()) return &*it;
  return machine.python.empty() ? nullptr : &machine.python.front();
}

namespace {

/// What to say of a choice of cuda: torch.device("cuda") means device 0, which may be a bad one.
Message why_cuda(const Machine& machine) {
  const auto works = [](const CudaDevice& d) { return d.kernel.is(true); };
  const auto& devices = machine.driver.cuda.devices;
  const auto first = std::ranges::find_if(devices, works);
  if (first == devices.begin()) return {"device.cuda", {}};
  return {"device.cuda-index", {std::to_string(first->index)}};
}

}  // namespace

DeviceChoice choose_device(const Machine& machine, const Doctor& doctor) {
  if (kernel_ran(machine)) return {"cuda", why_cuda(machine)};
  return {"cpu", doctor.summary};
}

namespace {

bool opens(const Machine& machine, const char* prefix) {
  return std::ranges::any_of(machine.driver.files, [&](const DeviceFile& file) {
    return base::starts_with(file.path, prefix) && file.open.is(true);
  });
}

bool has_vendor(const Machine& machine, const char* vendor) {
  return std::ranges::any_of(machine.gpus, [&](const Gpu& g) { return g.vendor.is(vendor); });
}

/// PyTorch for another vendor's GPU: what it would use, as far as files tell; no kernel was run.
DeviceChoice choose_for_other_vendor(const Machine& machine, const TorchBuild& torch,
                                     const Message& otherwise) {
  if (torch.hip && has_vendor(machine, "amd") && opens(machine, "/dev/kfd"))
    return {"cuda", {"device.torch-rocm", {torch.version}}};
  if (base::contains(torch.version, "+xpu") && has_vendor(machine, "intel") &&
      opens(machine, "/dev/dri/renderD"))
    return {"xpu", {"device.torch-xpu", {torch.version}}};
  return {"cpu", otherwise};
}

}  // namespace

DeviceChoice choose_torch_device(const Machine& machine, const Doctor& doctor) {
  const PythonEnvironment* python = default_python(machine);
  if (python == nullptr) return {"cpu", {"ladder.torch.no-python", {}}};
  if (!python->torch) return {"cpu", {"ladder.torch.not-installed", {python->executable}}};
  const Judgement torch = judge_torch(machine);
  if (torch.outcome != Outcome::pass)
    return choose_for_other_vendor(machine, *python->torch, torch.why);
  if (!kernel_ran(machine)) return {"cpu", doctor.summary};
  return {"cuda", why_cuda(machine)};
}

}  // namespace gpuready::rules
