#include <algorithm>
#include <string>
#include <utility>

#include "base/text.hpp"
#include "rules/container_rules.hpp"
#include "rules/evidence.hpp"
#include "rules/ladder.hpp"
#include "rules/questions.hpp"
#include "rules/rungs.hpp"

namespace gpuready::rules {

namespace {

/// Codes of nvmlReturn_t and CUresult (nvml.h, cuda.h).
constexpr std::int64_t nvml_operating_system = 17, nvml_mismatch = 18, nvml_unknown = 999,
                       cuda_mismatch = 803;

bool in_container_without_cuda(const Machine& machine) {
  return machine.environment.container && !cuda_sees_a_device(machine);
}

Evidence container_evidence(const Machine& machine) {
  return evidence("machine.environment.container", machine.environment.container);
}

/// A variable of the image or of `docker run`, or that it is not set.
Evidence of_variable(const Machine& machine, const std::string& name) {
  return {"machine.environment.variables." + name, variable(machine, name).value_or("(not set)"),
          "environment variable " + name};
}

/// The host has a GPU: on the bus, by its kernel module, or as WSL's device of Microsoft (0x1414)
/// whose node /dev/dxg was not passed on.
bool host_has_gpu(const Machine& machine) {
  if (!nvidia_gpus_on_pci(machine).empty() || machine.driver.module.version) return true;
  return machine.environment.wsl && is_missing(device_file(machine, "/dev/dxg")) &&
         std::ranges::any_of(machine.pci,
                             [](const PciFunction& f) { return f.vendor_id.is("0x1414"); });
}

bool has_any_node(const Machine& machine) {
  return std::ranges::any_of(machine.driver.files, [](const DeviceFile& file) {
    return base::starts_with(file.path, "/dev/nvidia") && !is_missing(&file);
  });
}

bool has_open_node(const Machine& machine) {
  return std::ranges::any_of(machine.driver.files, [](const DeviceFile& file) {
    return base::starts_with(file.path, "/dev/nvidia") && file.open.is(true);
  });
}

bool is_apptainer_without_driver(const Machine& machine) {
  return machine.environment.container.is("apptainer") &&
         machine.driver.nvml.library.absent_for(Absence::library_missing) &&
         machine.driver.cuda.library.absent_for(Absence::library_missing);
}

/// "13.0" as {13, 0}; nothing where it is no such number.
std::optional<std::pair<std::int64_t, std::int64_t>> version_pair(std::string_view text) {
  const std::size_t dot = text.find('.');
  if (dot == std::string_view::npos) return {};
  const auto major = base::to_integer(text.substr(0, dot));
  const auto minor = base::to_integer(text.substr(dot + 1));
  if (!major || !minor) return {};
  return std::pair{*major, *minor};
}

struct Asked {
  std::string variable, version;
  bool is_required = false;
};

/// From NVIDIA_REQUIRE_CUDA, "cuda>=12.8 brand=tesla,driver>=470,driver<471 ...": what the image
/// asks for first; or else its CUDA_VERSION, "12.8.1".
Asked asked_by_image(const Machine& machine) {
  const std::string name = "NVIDIA_REQUIRE_CUDA", value = variable(machine, name).value_or("");
  constexpr std::string_view start = "cuda>=";
  if (base::starts_with(value, start))
    return {name,
            value.substr(start.size(), value.find_first_of(" ,", start.size()) - start.size()),
            true};
  const std::vector<std::string> parts =
      base::split(variable(machine, "CUDA_VERSION").value_or(""), '.');
  return {"CUDA_VERSION", parts.size() < 2 ? "" : parts[0] + "." + parts[1]};
}

/// Whether the PyTorch in the image brings a CUDA that this driver has, whatever the image is of.
bool torch_fits(const Machine& machine, std::int64_t major) {
  const PythonEnvironment* python = default_python(machine);
  if (python == nullptr || !python->torch || !python->torch->cuda) return false;
  const auto built = major_of(*python->torch->cuda);
  return built && *built <= major;
}

}  // namespace

/// None of the nodes is there, or it is Apptainer, which shows the host's nodes always and its
/// libraries on demand. Images may hold a libcuda of their own, which finds no device then.
std::optional<Sighting> container_without_gpus(const Machine& machine) {
  const CudaDriver& cuda = machine.driver.cuda;
  if (!in_container_without_cuda(machine)) return {};
  if (has_any_node(machine) && !is_apptainer_without_driver(machine)) return {};
  const bool no_library = cuda.library.absent_for(Absence::library_missing);
  if (!no_library && !cuda.init.absent_for(Absence::call_failed)) return {};
  if (machine.driver.nvml.init.is(true) || !host_has_gpu(machine)) return {};
  return Sighting{{},
                  {container_evidence(machine),
                   evidence("machine.driver.module.version", machine.driver.module.version),
                   no_library ? evidence("machine.driver.cuda.library", cuda.library)
                              : evidence("machine.driver.cuda.init", cuda.init)}};
}

std::optional<Sighting> container_lacks_compute(const Machine& machine) {
  if (!in_container_without_cuda(machine)) return {};
  if (!machine.driver.nvml.init.is(true) && !has_open_node(machine)) return {};
  if (is_apptainer_without_driver(machine)) return {};
  if (machine.os.id.is("alpine")) return {};  // no libcuda would load there (no-wheel-for-libc)
  if (!machine.driver.cuda.library.absent_for(Absence::library_missing)) return {};
  return Sighting{{variable(machine, "NVIDIA_DRIVER_CAPABILITIES").value_or("not set")},
                  {of_variable(machine, "NVIDIA_DRIVER_CAPABILITIES"),
                   evidence("machine.driver.nvml.init", machine.driver.nvml.init),
                   evidence("machine.driver.cuda.library", machine.driver.cuda.library)}};
}

std::optional<Sighting> gpu_lost_in_container(const Machine& machine) {
  if (!in_container_without_cuda(machine) || in_slurm_job(machine)) return {};
  if (in_system_container(machine)) return {};  // control-group-denies-gpu: it never had the GPU
  const Fact<bool>& nvml = machine.driver.nvml.init;
  const DeviceFile* denied = nvidia_node_failing_with(machine, errno_eperm);
  const bool refused = failed_with(nvml, {nvml_operating_system, nvml_unknown});
  if (denied == nullptr && !(refused && has_any_node(machine))) return {};
  Sighting sighting{{}, {container_evidence(machine), evidence("machine.driver.nvml.init", nvml)}};
  if (denied != nullptr)
    sighting.evidence.push_back(evidence("machine.driver.files.open", denied->open));
  return sighting;
}

/// The image asks for a CUDA that the driver does not have. A smaller minor version is enough as
/// long as kernels run; a smaller major one is not, which kernels of ours do not notice.
std::optional<Sighting> image_needs_newer_cuda(const Machine& machine) {
  const Driver& driver = machine.driver;
  // A libcuda of the image's own that did not start says what it is of, not what the driver has.
  const bool by_cuda = driver.cuda.init.is(true) || !driver.nvml.cuda_version;
  const Fact<std::string>& highest = by_cuda ? driver.cuda.version : driver.nvml.cuda_version;
  if (!machine.environment.container || !highest) return {};
  const Asked image = asked_by_image(machine);
  const auto asked = version_pair(image.version), able = version_pair(*highest);
  if (!asked || !able || *asked <= *able) return {};
  const bool other_major = asked->first > able->first && !torch_fits(machine, able->first);
  if (kernel_ran(machine) ? !other_major : !image.is_required && !other_major) return {};
  return Sighting{
      {image.version, *highest},
      {of_variable(machine, image.variable),
       evidence(by_cuda ? "machine.driver.cuda.version" : "machine.driver.nvml.cuda_version",
                highest),
       evidence("machine.driver.cuda.init", driver.cuda.init)}};
}

std::optional<Sighting> driver_inside_image(const Machine& machine) {
  const Driver& driver = machine.driver;
  if (!in_container_without_cuda(machine)) return {};
  const bool is_compat = base::contains(driver.cuda.library.value_or(""), "/compat");
  const bool nvml_differs = failed_with(driver.nvml.init, {nvml_mismatch});
  if (!nvml_differs && (is_compat || !failed_with(driver.cuda.init, {cuda_mismatch}))) return {};
  return Sighting{
      {driver.cuda.library.value_or("libcuda.so.1"), driver.module.version.value_or("?")},
      {evidence("machine.driver.module.version", driver.module.version),
       evidence("machine.driver.cuda.library", driver.cuda.library),
       evidence("machine.driver.nvml.init", driver.nvml.init),
       evidence("machine.driver.cuda.init", driver.cuda.init)}};
}

std::optional<Sighting> docker_without_gpu_toolkit(const Machine& machine) {
  const Environment& where = machine.environment;
  if (where.container || !where.docker || !kernel_ran(machine)) return {};
  // Docker Desktop, which WSL shows so, brings what it needs.
  if (base::contains(*where.docker, "docker-desktop")) return {};
  if (!where.container_toolkit.absent_for(Absence::not_found)) return {};
  return Sighting{{*where.docker},
                  {evidence("machine.environment.docker", where.docker),
                   evidence("machine.environment.container_toolkit", where.container_toolkit)}};
}

std::optional<Sighting> docker_from_snap(const Machine& machine) {
  const Environment& where = machine.environment;
  if (where.container || !base::starts_with(where.docker.value_or(""), "/snap/")) return {};
  if (!has_nvidia_gpu(machine)) return {};
  return Sighting{{*where.docker}, {evidence("machine.environment.docker", where.docker)}};
}

std::optional<Sighting> selinux_blocks_gpu(const Machine& machine) {
  if (!in_container_without_cuda(machine) || !machine.environment.selinux.is("enforcing"))
    return {};
  const DeviceFile* file = nvidia_node_failing_with(machine, errno_eacces);
  if (file == nullptr) return {};
  return Sighting{{file->path},
                  {evidence("machine.environment.selinux", machine.environment.selinux),
                   evidence("machine.driver.files.open", file->open)}};
}

}  // namespace gpuready::rules
