#include <algorithm>
#include <cctype>

#include "base/text.hpp"
#include "probe/python_files.hpp"
#include "probe/read.hpp"

namespace gpuready::probe {

namespace {

/// "nvidia-cublas-cu12" from "nvidia_cublas_cu12" (PEP 503: one spelling for all separators).
std::string normalized(std::string_view name) {
  std::string out = base::lower(name);
  std::ranges::replace(out, '_', '-');
  return out;
}

bool is_of_nvidia(std::string_view name) {
  return base::starts_with(name, "nvidia-") || base::starts_with(name, "cuda-");
}

/// Adds NVIDIA's packages of a folder; the folder that comes first on sys.path wins.
void add_packages(host::Host& host, const std::string& site,
                  std::map<std::string, std::string>& packages) {
  constexpr std::string_view end = ".dist-info";
  for (const std::string& entry : list_or_empty(host, site)) {
    const std::size_t dash = entry.find('-');
    if (!base::ends_with(entry, end) || dash == std::string::npos) continue;
    if (dash + 1 + end.size() > entry.size()) continue;
    const std::string name = normalized(entry.substr(0, dash));
    if (is_of_nvidia(name))
      packages.try_emplace(name, entry.substr(dash + 1, entry.size() - end.size() - dash - 1));
  }
}

/// Adds "nvidia-cublas-cu12" and its version from
/// "Requires-Dist: nvidia-cublas-cu12==12.8.4.1; platform_system == ..." (older metadata write
/// "nvidia-cublas-cu12 (==12.8.4.1)").
void add_pin(std::string_view line, std::map<std::string, std::string>& pins) {
  const std::size_t equals = line.find("==");
  if (equals == std::string_view::npos || line.find(';') < equals) return;
  const auto in_name = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == '.';
  };
  const auto in_version = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.';
  };
  const auto name_end = std::ranges::find_if_not(line, in_name);
  const std::string name =
      normalized(line.substr(0, static_cast<std::size_t>(name_end - line.begin())));
  const std::string_view rest = line.substr(equals + 2);
  const auto version_end = std::ranges::find_if_not(rest, in_version);
  const std::string version(rest.substr(0, static_cast<std::size_t>(version_end - rest.begin())));
  if (is_of_nvidia(name) && !version.empty()) pins.try_emplace(name, version);
}

std::map<std::string, std::string> pins_of_torch(host::Host& host, const std::string& site) {
  constexpr std::string_view wanted = "Requires-Dist: ";
  constexpr std::size_t head = std::size_t{32} << 10U;  // the description follows the fields
  std::map<std::string, std::string> pins;
  for (const std::string& entry : list_or_empty(host, site)) {
    if (!base::starts_with(entry, "torch-") || !base::ends_with(entry, ".dist-info")) continue;
    const auto text = host.read_file(site + "/" + entry + "/METADATA", head);
    if (!text) continue;
    for (const std::string& line : base::split_lines(*text))
      if (base::starts_with(line, wanted))
        add_pin(std::string_view(line).substr(wanted.size()), pins);
  }
  return pins;
}

Fact<std::string> version_of_sibling(host::Host& host, const std::vector<std::string>& sites,
                                     const std::string& name) {
  for (const std::string& site : sites) {
    const std::string path = site + "/" + name + "/version.py";
    const auto text = host.read_file(path);
    if (!text) continue;
    if (const auto version = python_constant(*text, "__version__")) return {*version, path};
  }
  return Missing{Absence::not_found, "no " + name + " in " + base::join(sites, ", "), {}};
}

/// conda's packages that allow only the CPU build: cpuonly, and the mutex of that variant
/// (pytorch-mutex-1.0-cpu.json).
Fact<std::string> cpu_pin(host::Host& host, const std::string& prefix) {
  const std::string folder = prefix + "/conda-meta";
  for (const std::string& name : list_or_empty(host, folder)) {
    const bool mutex =
        base::starts_with(name, "pytorch-mutex-") && base::ends_with(name, "-cpu.json");
    if (base::starts_with(name, "cpuonly-") || mutex)
      return {name.substr(0, name.size() - std::string_view(".json").size()), folder};
  }
  return Missing{Absence::not_found, "no cpuonly in " + folder, {}};
}

}  // namespace

void tell_packages(host::Host& host, const std::vector<std::string>& sites,
                   PythonEnvironment& environment) {
  for (const std::string& site : sites) add_packages(host, site, environment.packages);
  environment.cpu_pin =
      environment.kind.is("conda")
          ? cpu_pin(host, environment.prefix.value_or(""))
          : Fact<std::string>(Missing{Absence::not_applicable, "not a conda environment", {}});
  if (!environment.torch) return;
  TorchBuild& torch = environment.torch.get();
  torch.torchvision = version_of_sibling(host, sites, "torchvision");
  torch.torchaudio = version_of_sibling(host, sites, "torchaudio");
  torch.pins = pins_of_torch(host, torch.site.value_or(""));
}

}  // namespace gpuready::probe
