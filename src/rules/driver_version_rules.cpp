#include <cstddef>

#include "base/text.hpp"
#include "rules/driver_rules.hpp"
#include "rules/evidence.hpp"
#include "rules/ladder.hpp"
#include "rules/questions.hpp"
#include "rules/rungs.hpp"
#include "rules/torch_rules.hpp"

namespace gpuready::rules {

namespace {

/// Codes of nvmlReturn_t and CUresult (nvml.h, cuda.h).
constexpr std::int64_t nvml_mismatch = 18, cuda_stub = 34, cuda_mismatch = 803,
                       cuda_no_compat = 804, cuda_invalid_ptx = 218, cuda_newer_ptx = 222;

/// NVIDIA's packages of forward compatibility put their libcuda into a folder of this name.
bool is_compat(const Fact<std::string>& library) {
  return base::contains(library.value_or(""), "/compat");
}

Evidence init_of_cuda(const Machine& machine) {
  return evidence("machine.driver.cuda.init", machine.driver.cuda.init);
}

Evidence library_of_cuda(const Machine& machine) {
  return evidence("machine.driver.cuda.library", machine.driver.cuda.library);
}

/// Two copies of libcuda that cannot both be of the loaded driver: of different versions, or in WSL
/// one of Windows and one of a Linux package.
bool are_two_drivers(const Machine& machine, const Library& a, const Library& b) {
  if (a.version && b.version) return *a.version != *b.version;
  const auto is_of_windows = [](const Library& library) {
    return base::starts_with(*library.file, "/usr/lib/wsl/");
  };
  return machine.environment.wsl.known() && is_of_windows(a) != is_of_windows(b);
}

/// NVML gave no answer that would say so itself, and every copy of it on disk is of another version
/// than the loaded module.
bool no_copy_fits(const Machine& machine) {
  const Driver& driver = machine.driver;
  const bool answered = driver.nvml.init || driver.nvml.init.absent_for(Absence::call_failed);
  if (answered || machine.environment.wsl || !driver.module.version) return false;
  std::size_t copies = 0;
  for (const Library& library : machine.libraries) {
    if (library.name != "nvml" || !library.version) continue;
    if (*library.version == *driver.module.version) return false;
    // "libnvidia-ml.so.1" alone tells no version.
    if (base::contains(*library.version, ".")) ++copies;
  }
  return copies > 0;
}

}  // namespace

std::optional<Sighting> driver_library_mismatch(const Machine& machine) {
  const Driver& driver = machine.driver;
  if (cuda_sees_a_device(machine) || machine.environment.container) return {};
  const bool nvml_differs = failed_with(driver.nvml.init, {nvml_mismatch});
  const bool cuda_differs =
      failed_with(driver.cuda.init, {cuda_mismatch}) && !is_compat(driver.cuda.library);
  if (!nvml_differs && !cuda_differs && !no_copy_fits(machine)) return {};
  Sighting sighting{
      {driver.module.version.value_or("?")},
      {evidence("machine.driver.module.version", driver.module.version),
       evidence("machine.driver.nvml.library", driver.nvml.library),
       evidence("machine.driver.nvml.init", driver.nvml.init), init_of_cuda(machine)}};
  for (const Library& library : machine.libraries)
    if (library.name == "nvml" && library.version)
      sighting.evidence.push_back(evidence("machine.libraries.version", library.version));
  return sighting;
}

std::optional<Sighting> driver_mismatch_while_running(const Machine& machine) {
  const Driver& driver = machine.driver;
  if (!cuda_sees_a_device(machine) || !failed_with(driver.nvml.init, {nvml_mismatch})) return {};
  return Sighting{{driver.module.version.value_or("?")},
                  {evidence("machine.driver.module.version", driver.module.version),
                   evidence("machine.driver.nvml.init", driver.nvml.init), init_of_cuda(machine)}};
}

std::optional<Sighting> libcuda_missing(const Machine& machine) {
  const Driver& driver = machine.driver;
  if (machine.environment.container || machine.environment.wsl) return {};
  if (!driver.nvml.init.is(true) || !driver.cuda.library.absent_for(Absence::library_missing))
    return {};
  const std::string version = driver.nvml.driver_version.value_or("");
  return Sighting{{version, version.substr(0, version.find('.'))},
                  {library_of_cuda(machine),
                   evidence("machine.driver.nvml.driver_version", driver.nvml.driver_version)}};
}

std::optional<Sighting> stub_libcuda(const Machine& machine) {
  const CudaDriver& cuda = machine.driver.cuda;
  if (cuda_sees_a_device(machine)) return {};
  const bool is_stub = base::contains(cuda.library.value_or(""), "/stubs/");
  if (!is_stub && !failed_with(cuda.init, {cuda_stub})) return {};
  return Sighting{{cuda.library.value_or("libcuda.so.1")},
                  {library_of_cuda(machine), init_of_cuda(machine)}};
}

std::optional<Sighting> compat_libcuda_mismatch(const Machine& machine) {
  const CudaDriver& cuda = machine.driver.cuda;
  if (!failed_with(cuda.init, {cuda_mismatch}) || !is_compat(cuda.library)) return {};
  return Sighting{{*cuda.library}, {library_of_cuda(machine), init_of_cuda(machine)}};
}

std::optional<Sighting> compat_on_consumer_gpu(const Machine& machine) {
  const Driver& driver = machine.driver;
  if (!failed_with(driver.cuda.init, {cuda_no_compat})) return {};
  return Sighting{
      {driver.cuda.library.value_or("libcuda.so.1"), driver.nvml.driver_version.value_or("?")},
      {init_of_cuda(machine), library_of_cuda(machine),
       evidence("machine.driver.nvml.driver_version", driver.nvml.driver_version)}};
}

std::optional<Sighting> driver_too_old_for_torch(const Machine& machine) {
  const PythonEnvironment* python = default_python(machine);
  if (python == nullptr || !python->torch || !python->torch->cuda) return {};
  const Fact<std::string>& highest = machine.driver.cuda.version;
  if (!highest || !cuda_sees_a_device(machine)) return {};
  const auto built = major_of(*python->torch->cuda), able = major_of(*highest);
  if (!built || !able || *built <= *able) return {};
  return Sighting{
      {python->torch->version, *python->torch->cuda, *highest, install_line(machine, python)},
      {evidence("machine.python.torch.cuda", python->torch->cuda),
       evidence("machine.driver.cuda.version", highest)}};
}

std::optional<Sighting> ptx_too_new_for_driver(const Machine& machine) {
  const CudaDevice* device = device_that_failed_with(machine, {cuda_invalid_ptx, cuda_newer_ptx});
  if (device == nullptr || kernel_ran(machine)) return {};
  return Sighting{{device->name.value_or("?"), machine.driver.cuda.version.value_or("?")},
                  {evidence("machine.driver.cuda.devices.kernel", failure_of(*device)),
                   evidence("machine.driver.cuda.version", machine.driver.cuda.version)}};
}

std::optional<Sighting> driver_in_two_places(const Machine& machine) {
  const Library* first = nullptr;
  for (const Library& library : machine.libraries) {
    if (library.name != "cuda" || !library.file || is_compat(library.file)) continue;
    if (first == nullptr) {
      first = &library;
    } else if (are_two_drivers(machine, *first, library)) {
      return Sighting{
          {*first->file, *library.file, machine.driver.cuda.library.value_or("none of them")},
          {evidence("machine.libraries.file", first->file),
           evidence("machine.libraries.file", library.file), library_of_cuda(machine)}};
    }
  }
  return {};
}

}  // namespace gpuready::rules
