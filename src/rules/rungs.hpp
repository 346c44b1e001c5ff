#pragma once
/// One check per rung; each judges from the facts alone, as if all rungs below had passed.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gpuready/findings.hpp"
#include "gpuready/machine.hpp"

namespace gpuready::rules {

struct Judgement {
  Outcome outcome = Outcome::not_tested;
  Message why;
};

inline Judgement pass(std::string key, std::vector<std::string> args = {}) {
  return {Outcome::pass, {std::move(key), std::move(args)}};
}
inline Judgement finding(std::string key, std::vector<std::string> args = {}) {
  return {Outcome::finding, {std::move(key), std::move(args)}};
}
inline Judgement not_tested(std::string key, std::vector<std::string> args = {}) {
  return {Outcome::not_tested, {std::move(key), std::move(args)}};
}

struct RungCheck {
  Rung rung;
  Judgement (*judge)(const Machine&);
};

/// In the order of the climb.
const std::vector<RungCheck>& rung_checks();

/// PCI functions of NVIDIA that are GPUs (class 0x03), not switches.
std::vector<const PciFunction*> nvidia_gpus_on_pci(const Machine& machine);
/// Whether a PCI function is a GPU by its class.
bool is_gpu_class(const PciFunction& function);
/// An Intel GPU on which PyTorch's xpu build runs: Arc, Data Center GPU Max and the integrated GPUs
/// from Meteor Lake on, by the beginnings of their device ids (Linux, include/drm/intel/pciids.h:
/// DG2, BMG, PVC, MTL, ARL, LNL, PTL).
bool is_intel_xpu(const PciFunction& function);
/// Whether the CUDA driver started and sees a device: then nothing below it can be broken.
bool cuda_sees_a_device(const Machine& machine);
/// Why a vendor's library did not start: it could not be opened, or its first call failed.
const Missing& first_missing(const Fact<std::string>& library, const Fact<bool>& init);
/// The reason of an absence for people: its detail, or its name where there is none.
std::string reason(const Missing& missing);

Judgement judge_pci_device(const Machine& machine);
Judgement judge_kernel_driver(const Machine& machine);
Judgement judge_versions(const Machine& machine);
Judgement judge_device_nodes(const Machine& machine);
Judgement judge_nvml(const Machine& machine);
Judgement judge_cuda_init(const Machine& machine);
Judgement judge_device_count(const Machine& machine);
Judgement judge_context(const Machine& machine);
Judgement judge_kernel(const Machine& machine);
Judgement judge_libraries(const Machine& machine);
Judgement judge_torch(const Machine& machine);
/// What PyTorch itself said, where it was asked and that decides the rung.
std::optional<Judgement> judge_torch_answer(const Machine& machine);

}  // namespace gpuready::rules
