#include "rules/questions.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "rules/rungs.hpp"

namespace gpuready::rules {

namespace {

bool is_of_nvidia(std::string_view path) { return base::starts_with(path, "/dev/nvidia"); }

}  // namespace

bool kernel_ran(const Machine& machine) {
  return std::ranges::any_of(machine.driver.cuda.devices,
                             [](const CudaDevice& d) { return d.kernel.is(true); });
}

std::optional<std::int64_t> failure_code(const Fact<bool>& fact) {
  if (fact.known()) return {};
  return fact.missing().code;
}

bool failed_with(const Fact<bool>& fact, std::initializer_list<std::int64_t> codes) {
  if (!fact.absent_for(Absence::call_failed)) return false;
  const auto code = fact.missing().code;
  return code && std::ranges::find(codes, *code) != codes.end();
}

const CudaDevice* device_that_failed_with(const Machine& machine,
                                          std::initializer_list<std::int64_t> codes) {
  for (const CudaDevice& device : machine.driver.cuda.devices)
    if (failed_with(device.context, codes) || failed_with(device.kernel, codes)) return &device;
  return nullptr;
}

const Fact<bool>& failure_of(const CudaDevice& device) {
  return device.context ? device.kernel : device.context;
}

bool nvml_sees_a_device(const Machine& machine) {
  return machine.driver.nvml.device_count.value_or(0) > 0;
}

bool has_nvidia_gpu(const Machine& machine) {
  return !nvidia_gpus_on_pci(machine).empty() || nvml_sees_a_device(machine) ||
         machine.driver.module.version.known();
}

bool has_nvswitch(const Machine& machine) {
  return std::ranges::any_of(machine.pci, [](const PciFunction& function) {
    return function.vendor_id.is("0x10de") &&
           base::starts_with(function.class_code.value_or(""), "0x0680");
  });
}

const DeviceFile* device_file(const Machine& machine, std::string_view path) {
  const auto it = std::ranges::find(machine.driver.files, path, &DeviceFile::path);
  return it == machine.driver.files.end() ? nullptr : &*it;
}

const DeviceFile* nvidia_node_failing_with(const Machine& machine, std::int64_t error) {
  for (const DeviceFile& file : machine.driver.files)
    if (is_of_nvidia(file.path) && failure_code(file.open) == error) return &file;
  return nullptr;
}

bool is_missing(const DeviceFile* file) {
  return file != nullptr && file->open.absent_for(Absence::not_found);
}

std::optional<std::string> variable(const Machine& machine, const std::string& name) {
  const auto it = machine.environment.variables.find(name);
  if (it == machine.environment.variables.end()) return {};
  return it->second;
}

bool in_slurm_job(const Machine& machine) { return variable(machine, "SLURM_JOB_ID").has_value(); }

bool in_system_container(const Machine& machine) {
  const Fact<std::string>& kind = machine.environment.container;
  return kind.is("lxc") || kind.is("systemd-nspawn");
}

std::optional<std::int64_t> major_of(std::string_view version) {
  return base::to_integer(version.substr(0, version.find('.')));
}

}  // namespace gpuready::rules
