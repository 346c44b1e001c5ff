#include <algorithm>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "rules/areas.hpp"
#include "rules/evidence.hpp"
#include "rules/ladder.hpp"
#include "rules/questions.hpp"
#include "rules/rungs.hpp"
#include "rules/visible_devices.hpp"

namespace gpuready::rules {

namespace {

constexpr const char* visible_name = "CUDA_VISIBLE_DEVICES";

/// A variable as evidence: its value, or that it is empty or not set.
Evidence of_variable(const Machine& machine, const std::string& name) {
  const auto value = variable(machine, name);
  const std::string text = value ? (value->empty() ? "(empty)" : *value) : "(not set)";
  return {"machine.environment.variables." + name, text, "environment variable " + name};
}

Evidence cuda_count(const Machine& machine) {
  const CudaDriver& cuda = machine.driver.cuda;
  if (!cuda.init) return evidence("machine.driver.cuda.init", cuda.init);
  return evidence("machine.driver.cuda.device_count", cuda.device_count);
}

/// CUDA says that there is no device, as it does where the variable hides all of them.
bool cuda_sees_none(const Machine& machine) {
  constexpr std::int64_t no_device = 100;  // CUresult
  const CudaDriver& cuda = machine.driver.cuda;
  return failed_with(cuda.init, {no_device}) || cuda.device_count.is(0) ||
         (!cuda.device_count && cuda.device_count.missing().code == no_device);
}

std::optional<Sighting> visible_devices_hide_all(const Machine& machine) {
  const auto value = variable(machine, visible_name);
  if (!value || !cuda_sees_none(machine) || !has_nvidia_gpu(machine)) return {};
  const std::string text(base::trim(*value));
  const std::string first(base::trim(text.substr(0, text.find(','))));
  if (!text.empty() && first != "-1") return {};
  return Sighting{{text}, {of_variable(machine, visible_name), cuda_count(machine)}};
}

std::optional<Sighting> visible_devices_no_dev_files(const Machine& machine) {
  const auto value = variable(machine, visible_name);
  if (!value || *value != "NoDevFiles" || cuda_sees_a_device(machine)) return {};
  return Sighting{{}, {of_variable(machine, visible_name), cuda_count(machine)}};
}

/// The first entry that is invalid, where the variable lists devices at all.
std::optional<InvalidEntry> invalid_entry(const Machine& machine) {
  const auto value = variable(machine, visible_name);
  if (!value || *value == "NoDevFiles" || !machine.driver.nvml.init.is(true)) return {};
  return first_invalid_entry(*value, machine.driver.nvml.devices);
}

std::optional<Sighting> visible_devices_invalid(const Machine& machine) {
  const auto invalid = invalid_entry(machine);
  if (!invalid || invalid->before > 0 || !cuda_sees_none(machine)) return {};
  return Sighting{{invalid->text},
                  {of_variable(machine, visible_name), cuda_count(machine),
                   evidence("machine.driver.nvml.device_count", machine.driver.nvml.device_count)}};
}

std::optional<Sighting> visible_devices_cut_short(const Machine& machine) {
  const auto invalid = invalid_entry(machine);
  if (!invalid || invalid->before == 0 || invalid->text == "-1") return {};
  if (!machine.driver.cuda.device_count.is(static_cast<std::int64_t>(invalid->before))) return {};
  return Sighting{{invalid->text, std::to_string(invalid->before)},
                  {of_variable(machine, visible_name), cuda_count(machine)}};
}

/// Whether CUDA and NVML number the same GPUs differently.
bool orders_differ(const Machine& machine) {
  for (const CudaDevice& cuda : machine.driver.cuda.devices)
    for (const NvmlDevice& nvml : machine.driver.nvml.devices)
      if (cuda.uuid && nvml.uuid && *cuda.uuid == *nvml.uuid && cuda.index != nvml.index)
        return true;
  return false;
}

std::optional<Sighting> gpu_order_differs(const Machine& machine) {
  if (variable(machine, visible_name) || !orders_differ(machine)) return {};
  const auto& cuda = machine.driver.cuda.devices.front();
  const auto& nvml = machine.driver.nvml.devices.front();
  return Sighting{{nvml.name.value_or("?"), cuda.name.value_or("?")},
                  {evidence("machine.driver.nvml.devices.name", nvml.name),
                   evidence("machine.driver.cuda.devices.name", cuda.name),
                   of_variable(machine, "CUDA_DEVICE_ORDER")}};
}

/// PyTorch 1.13 counted devices through NVML and did not know the names of MIG instances.
std::optional<Sighting> mig_name_unknown_to_torch(const Machine& machine) {
  const auto value = variable(machine, visible_name);
  const PythonEnvironment* python = default_python(machine);
  if (!value || !base::starts_with(*value, "MIG-") || python == nullptr || !python->torch)
    return {};
  if (!base::starts_with(python->torch->version, "1.13.")) return {};
  return Sighting{{python->torch->version},
                  {of_variable(machine, visible_name),
                   {"machine.python.torch.version", python->torch->version,
                    python->torch.source().empty() ? python->executable : python->torch.source()}}};
}

std::optional<Sighting> nvidia_visible_devices_void(const Machine& machine) {
  const std::string name = "NVIDIA_VISIBLE_DEVICES";
  const auto value = variable(machine, name);
  if (!value || !machine.environment.container || cuda_sees_a_device(machine)) return {};
  if (*value != "void" && *value != "none" && !value->empty()) return {};
  return Sighting{{*value}, {of_variable(machine, name), cuda_count(machine)}};
}

/// SLURM_JOB_GPUS and SLURM_STEP_GPUS list indices, so that 0 is a GPU; the others are counts.
bool names_slurm_gpus(const std::string& name, const std::string& value) {
  if (!base::starts_with(name, "SLURM_") || !base::contains(name, "GPUS")) return false;
  const bool is_list = name == "SLURM_JOB_GPUS" || name == "SLURM_STEP_GPUS";
  return !value.empty() && (is_list || value != "0");
}

std::optional<Sighting> slurm_job_without_gpus(const Machine& machine) {
  if (!in_slurm_job(machine) || cuda_sees_a_device(machine)) return {};
  for (const auto& [name, value] : machine.environment.variables)
    if (names_slurm_gpus(name, value)) return {};
  return Sighting{{*variable(machine, "SLURM_JOB_ID")},
                  {of_variable(machine, "SLURM_JOB_ID"), of_variable(machine, "SLURM_JOB_GPUS"),
                   of_variable(machine, "SLURM_GPUS_ON_NODE"), cuda_count(machine)}};
}

std::optional<Sighting> slurm_login_node(const Machine& machine) {
  const Fact<std::string>& slurm = machine.environment.slurm;
  if (!slurm || in_slurm_job(machine) || has_nvidia_gpu(machine)) return {};
  if (cuda_sees_a_device(machine) || !machine.gpus.empty()) return {};
  return Sighting{{}, {evidence("machine.environment.slurm", slurm)}};
}

/// A service's own value, which the shell does not show.
std::optional<Sighting> visible_devices_in_service(const Machine& machine) {
  const auto own = variable(machine, visible_name);
  for (const auto& [file, value] : machine.environment.services)
    if (own != value && has_nvidia_gpu(machine))
      return Sighting{
          {file, value.empty() ? "(empty)" : value},
          {{"machine.environment.services", value, file}, of_variable(machine, visible_name)}};
  return {};
}

std::optional<Sighting> torch_asks_nvml_only(const Machine& machine) {
  const std::string name = "PYTORCH_NVML_BASED_CUDA_CHECK";
  if (variable(machine, name) != "1") return {};
  return Sighting{{}, {of_variable(machine, name)}};
}

}  // namespace

const std::vector<Rule>& environment_rules() {
  static const std::vector<Rule> rules{
      {"visible-devices-hide-all",
       "environment",
       visible_devices_hide_all,
       {"slurm-job-without-gpus"}},
      {"visible-devices-no-dev-files",
       "environment",
       visible_devices_no_dev_files,
       {"slurm-job-without-gpus"}},
      {"visible-devices-invalid",
       "environment",
       visible_devices_invalid,
       {"mig-without-instances", "visible-devices-hide-all"}},
      {"visible-devices-cut-short", "environment", visible_devices_cut_short},
      {"visible-devices-in-service", "environment", visible_devices_in_service},
      {"gpu-order-differs", "environment", gpu_order_differs},
      {"mig-name-unknown-to-torch", "environment", mig_name_unknown_to_torch},
      {"nvidia-visible-devices-void", "environment", nvidia_visible_devices_void},
      {"slurm-job-without-gpus", "environment", slurm_job_without_gpus},
      {"slurm-login-node", "environment", slurm_login_node},
      {"torch-asks-nvml-only", "environment", torch_asks_nvml_only},
  };
  return rules;
}

}  // namespace gpuready::rules
