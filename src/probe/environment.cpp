#include <algorithm>
#include <array>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "host/kernel_lines.hpp"
#include "probe/probe.hpp"
#include "probe/read.hpp"

namespace gpuready::probe {

namespace {

using base::contains;
using Found = Fact<std::string>;

Found nothing(std::string detail) { return Missing{Absence::not_found, std::move(detail), {}}; }

Found from_variable(host::Host& host, const std::string& name) {
  const auto value = host.env(name);
  if (!value) return nothing(name + " is not set");
  return {value->empty() ? name + " is set, and empty" : *value, "environment variable " + name};
}

struct Mark {
  std::string_view mark, kind;
};

/// Words that container managers leave in the paths of control groups and mounts.
constexpr std::array<Mark, 6> marks{{{"kubepods", "kubernetes"},
                                     {"libpod", "podman"},
                                     {"containers/storage", "podman"},
                                     {"docker", "docker"},
                                     {"containerd", "containerd"},
                                     {"/lxc", "lxc"}}};

Found from_marks(const std::string& text, const std::string& source) {
  for (const Mark& known : marks)
    if (contains(text, known.mark)) return {std::string(known.kind), source};
  return nothing(source + ": no container's mark");
}

/// The line of /proc/self/mountinfo (proc(5)) whose mount point is "/".
std::string root_mount(const std::string& mountinfo) {
  for (const std::string& line : base::split_lines(mountinfo)) {
    const std::vector<std::string> fields = base::split(line, ' ');
    if (fields.size() > 4 && fields[4] == "/" && contains(line, "overlay")) return line;
  }
  return {};
}

/// Variables of the first process: entries that end in NUL.
std::string variable_of_init(host::Host& host, std::string_view name) {
  for (const std::string& entry : base::split(read_or_empty(host, "/proc/1/environ"), '\0'))
    if (base::starts_with(entry, name) && entry.size() > name.size() && entry[name.size()] == '=')
      return entry.substr(name.size() + 1);
  return {};
}

Found container_by_file(host::Host& host) {
  for (const auto& [path, kind] :
       {std::pair{"/var/run/secrets/kubernetes.io/serviceaccount", "kubernetes"},
        std::pair{"/.dockerenv", "docker"}, std::pair{"/run/.containerenv", "podman"},
        std::pair{"/.singularity.d", "apptainer"}})
    if (exists(host, path)) return {kind, path};
  return nothing("");
}

/// What systemd found out when it started; it counts WSL among the containers.
Found container_by_systemd(host::Host& host) {
  const std::string path = "/run/systemd/container";
  const Fact<std::string> kind = read_fact(host, path);
  if (!kind || kind->empty() || *kind == "wsl") return nothing("");
  return {base::starts_with(*kind, "lxc") ? "lxc" : *kind, path};
}

Found container_by_sign(host::Host& host) {
  for (const char* const name : {"APPTAINER_CONTAINER", "SINGULARITY_CONTAINER"})
    if (host.env(name)) return {"apptainer", std::string("environment variable ") + name};
  if (host.env("KUBERNETES_SERVICE_HOST"))
    return {"kubernetes", "environment variable KUBERNETES_SERVICE_HOST"};
  if (Found found = container_by_file(host)) return found;
  const std::string own = host.env("container").value_or("");
  if (!own.empty()) return {own, "environment variable container"};
  const std::string first = variable_of_init(host, "container");
  if (!first.empty()) return {first, "/proc/1/environ"};
  return container_by_systemd(host);
}

Found container(host::Host& host) {
  if (Found found = container_by_sign(host)) return found;
  for (const char* const path : {"/proc/self/cgroup", "/proc/1/cgroup"})
    if (Found found = from_marks(read_or_empty(host, path), path)) return found;
  const std::string mounts = "/proc/self/mountinfo";
  const std::string table = read_or_empty(host, mounts);
  if (Found found = from_marks(root_mount(table), mounts)) return found;
  // lxcfs gives each LXC container its own /proc/meminfo and the like.
  if (contains(table, " /proc/meminfo ") && contains(table, "lxcfs")) return {"lxc", mounts};
  return nothing(
      "no /.dockerenv, /run/.containerenv or container's variable, and no container's mark in "
      "/proc/self/cgroup, /proc/1/cgroup and the root mount");
}

/// A kernel that somebody built for WSL2 has any name; WSL's other marks stay.
Found wsl_with_own_kernel(host::Host& host) {
  for (const char* const path :
       {"/run/WSL", "/proc/sys/fs/binfmt_misc/WSLInterop", "/usr/lib/wsl/lib/libdxcore.so"})
    if (exists(host, path)) return {"WSL2", path};
  if (host.env("WSL_DISTRO_NAME")) return {"WSL2", "environment variable WSL_DISTRO_NAME"};
  return Missing{Absence::not_applicable, "not in WSL", {}};
}

/// WSL's kernels name Microsoft; WSL2's are "...-microsoft-standard-WSL2" (older ones without the
/// last word), WSL1's end in "-Microsoft".
Found wsl(host::Host& host) {
  const std::string path = "/proc/sys/kernel/osrelease";
  const Fact<std::string> release = read_fact(host, path);
  if (!release) return release;
  const std::string name = base::lower(*release);
  if (!contains(name, "microsoft")) return wsl_with_own_kernel(host);
  const bool second = contains(name, "wsl2") || contains(name, "microsoft-standard") ||
                      exists(host, "/dev/dxg") || exists(host, "/run/WSL");
  return {second ? "WSL2" : "WSL1", path};
}

/// The variables are missing over SSH and under sudo; the folder is not.
Found colab(host::Host& host) {
  for (const char* const name : {"COLAB_RELEASE_TAG", "COLAB_BACKEND_VERSION", "COLAB_JUPYTER_IP",
                                 "COLAB_JUPYTER_TRANSPORT", "COLAB_GPU"})
    if (Found found = from_variable(host, name)) return found;
  if (host.env("VERTEX_PRODUCT").value_or("") == "COLAB_ENTERPRISE")
    return {"COLAB_ENTERPRISE", "environment variable VERTEX_PRODUCT"};
  if (exists(host, "/var/colab")) return {"/var/colab", "/var/colab"};
  return nothing("no COLAB_* variable and no /var/colab");
}

Found vast(host::Host& host) {
  if (host.env("CONTAINER_ID")) return from_variable(host, "VAST_CONTAINERLABEL");
  return nothing("CONTAINER_ID and VAST_CONTAINERLABEL are not both set");
}

/// Lambda's machines carry Lambda Stack, whose packages come from a source list named after it.
Found lambda(host::Host& host) {
  const std::string folder = "/etc/apt/sources.list.d";
  for (const std::string& name : list_or_empty(host, folder))
    if (contains(base::lower(name), "lambda")) return {name, folder + "/" + name};
  return nothing("looked for a source list of Lambda Stack in " + folder);
}

Found slurm(host::Host& host) {
  const auto job = host.env("SLURM_JOB_ID");
  if (job) return {"job " + *job, "environment variable SLURM_JOB_ID"};
  const std::string client = find_on_path(host, "srun");
  if (!client.empty()) return {"client, no job", client};
  return nothing("SLURM_JOB_ID is not set, and srun is not on PATH");
}

/// The state of a tool that switches a laptop's discrete GPU by taking it off the bus.
Found switched_by_tool(host::Host& host) {
  // EnvyControl (its integrated mode) and others have udev remove the GPU.
  for (const char* const folder : {"/etc/udev/rules.d", "/lib/udev/rules.d"})
    for (const std::string& name : list_or_empty(host, folder))
      if (base::ends_with(name, "-remove-nvidia.rules"))
        return {"integrated", folder + std::string("/") + name};
  const std::string config = "/etc/supergfxd.conf";
  const std::string mode = read_or_empty(host, config);
  const std::size_t at = mode.find("\"mode\"");
  if (at != std::string::npos)
    return {contains(mode.substr(at, mode.find('\n', at) - at), "Integrated") ? "integrated" : "on",
            config};
  // asus-wmi (Linux, ABI/testing/sysfs-platform-asus-wmi): 1 where the GPU is disabled.
  const std::string disable = "/sys/devices/platform/asus-nb-wmi/dgpu_disable";
  const Found disabled = read_fact(host, disable);
  if (disabled) return {*disabled == "1" ? "off" : "on", disable};
  return nothing("no tool that switches a laptop's GPU has left its mark");
}

/// What switches a laptop's discrete GPU: the choice of prime-select (Ubuntu, openSUSE), the module
/// bbswitch, or another tool.
Found prime(host::Host& host) {
  const std::string switched = "/proc/acpi/bbswitch";
  for (const char* const chosen : {"/etc/prime-discrete", "/etc/prime/current_type"})
    if (Found found = read_fact(host, chosen)) return found;
  const Found state = read_fact(host, switched);
  if (state) return {base::ends_with(*state, "OFF") ? "off" : "on", switched};
  return switched_by_tool(host);
}

/// The first of these programs that is on PATH or in a folder where packages put it.
Found program(host::Host& host, std::initializer_list<const char*> names) {
  for (const char* const name : names) {
    std::string path = find_on_path(host, name);
    for (const char* const folder : {"/usr/bin/", "/snap/bin/"})
      if (path.empty() && exists(host, folder + std::string(name)))
        path = folder + std::string(name);
    if (!path.empty()) return {path, path};
  }
  return nothing(std::string(*names.begin()) + " is not on PATH");
}

/// In WSL, Docker Desktop's program is a link to a file of its own distribution.
Found docker(host::Host& host) {
  const Found found = program(host, {"docker"});
  if (!found) return found;
  const std::string real = resolved(host, *found);
  return contains(real, "docker-desktop") ? Found(real, *found) : found;
}

/// selinuxfs: "1" where the policy is enforced.
Found selinux(host::Host& host) {
  const std::string path = "/sys/fs/selinux/enforce";
  const Fact<std::string> mode = read_fact(host, path);
  if (!mode) return mode;
  return {*mode == "1" ? "enforcing" : "permissive", path};
}

/// CUDA_VISIBLE_DEVICES in the units that an administrator wrote or changed (systemd.unit(5)).
std::map<std::string, std::string> services(host::Host& host) {
  const std::string root = "/etc/systemd/system", mark = "Environment=CUDA_VISIBLE_DEVICES=";
  std::vector<std::string> files;
  for (const std::string& name : list_or_empty(host, root)) {
    if (base::ends_with(name, ".service")) files.push_back(root + "/" + name);
    if (!base::ends_with(name, ".service.d")) continue;
    for (const std::string& part : list_or_empty(host, root + "/" + name))
      if (base::ends_with(part, ".conf")) files.push_back(root + "/" + name + "/" + part);
  }
  std::map<std::string, std::string> found;
  for (const std::string& file : files)
    for (const std::string& line :
         base::split_lines(host::visible_devices_in_unit(read_or_empty(host, file))))
      if (base::starts_with(line, mark)) found[file] = line.substr(mark.size());
  return found;
}

constexpr std::array prefixes{"CUDA_",    "NVIDIA_",    "HIP_",  "ROCR_",   "HSA_",     "ZE_",
                              "PYTORCH_", "OPENBLAS_",  "OMP_",  "MKL_",    "BLIS_",    "OCL_ICD_",
                              "POCL_",    "SLURM_STEP", "DNNL_", "ONEDNN_", "GPUREADY_"};
constexpr std::array exact{"LD_LIBRARY_PATH",      "LD_PRELOAD",       "ONEAPI_DEVICE_SELECTOR",
                           "TORCH_CUDA_ARCH_LIST", "SLURM_JOB_ID",     "OPENCL_VENDOR_PATH",
                           "VIRTUAL_ENV",          "CONDA_PREFIX",     "COLAB_GPU",
                           "GPU_DEVICE_ORDINAL",   "ZES_ENABLE_SYSMAN"};
constexpr std::array secret_words{"KEY", "TOKEN", "SECRET", "PASS", "CREDENTIAL"};

/// Whether the variable changes what a GPU or BLAS program sees, and can't hold a secret.
bool is_relevant(const std::string& name) {
  const auto starts = [&](std::string_view prefix) { return base::starts_with(name, prefix); };
  const auto holds = [&](std::string_view word) { return contains(name, word); };
  if (std::ranges::any_of(secret_words, holds)) return false;
  if (std::ranges::any_of(prefixes, starts)) return true;
  if (starts("SLURM_") && holds("GPUS")) return true;
  return std::ranges::find(exact, std::string_view(name)) != exact.end();
}

}  // namespace

Environment probe_environment(host::Host& host) {
  Environment environment;
  environment.container = container(host);
  environment.wsl = wsl(host);
  environment.colab = colab(host);
  environment.kaggle = from_variable(host, "KAGGLE_KERNEL_RUN_TYPE");
  environment.runpod = from_variable(host, "RUNPOD_POD_ID");
  environment.vast = vast(host);
  environment.lambda = lambda(host);
  environment.slurm = slurm(host);
  environment.kubernetes = from_variable(host, "KUBERNETES_SERVICE_HOST");
  environment.prime = prime(host);
  environment.docker = docker(host);
  environment.container_toolkit =
      program(host, {"nvidia-ctk", "nvidia-container-runtime", "nvidia-container-toolkit",
                     "nvidia-container-runtime-hook"});
  environment.selinux = selinux(host);
  environment.services = services(host);
  for (const std::string& name : host.env_names())
    if (is_relevant(name)) environment.variables[name] = host.env(name).value_or("");
  return environment;
}

}  // namespace gpuready::probe
