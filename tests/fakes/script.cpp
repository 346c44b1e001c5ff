#include "script.hpp"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <mutex>
#include <sstream>
#include <string_view>
#include <utility>

namespace gpuready::fakes {

namespace {

constexpr auto number_keys = std::to_array<std::pair<std::string_view, std::int64_t Device::*>>({
    {"capability_major", &Device::capability_major},
    {"capability_minor", &Device::capability_minor},
    {"memory_total", &Device::memory_total},
    {"memory_free", &Device::memory_free},
    {"memory_reserved", &Device::memory_reserved},
    {"sm_count", &Device::sm_count},
    {"l2", &Device::l2},
    {"integrated", &Device::integrated},
    {"clock_mhz", &Device::clock_mhz},
    {"clock_max_mhz", &Device::clock_max_mhz},
    {"memory_clock_mhz", &Device::memory_clock_mhz},
    {"memory_clock_max_mhz", &Device::memory_clock_max_mhz},
    {"power_mw", &Device::power_mw},
    {"power_limit_mw", &Device::power_limit_mw},
    {"power_default_mw", &Device::power_default_mw},
    {"temperature", &Device::temperature},
    {"pcie_generation", &Device::pcie_generation},
    {"pcie_generation_max", &Device::pcie_generation_max},
    {"pcie_width", &Device::pcie_width},
    {"pcie_width_max", &Device::pcie_width_max},
    {"mig", &Device::mig},
    {"mig_pending", &Device::mig_pending},
    {"mig_instances", &Device::mig_instances},
    {"ecc", &Device::ecc},
    {"ecc_errors", &Device::ecc_errors},
    {"ecc_errors_step", &Device::ecc_errors_step},
    {"remap_pending", &Device::remap_pending},
    {"remap_failed", &Device::remap_failed},
    {"fabric_state", &Device::fabric_state},
    {"compute_processes", &Device::compute_processes},
    {"graphics_processes", &Device::graphics_processes},
    {"nvlinks", &Device::nvlinks},
    {"nvlinks_active", &Device::nvlinks_active},
    {"virtualization", &Device::virtualization},
    {"license_state", &Device::license_state},
    {"persistence", &Device::persistence},
    {"compute_mode", &Device::compute_mode},
    {"clock_reasons", &Device::clock_reasons},
});

[[noreturn]] void refuse(const std::string& line) {
  std::fprintf(stderr, "fake library: unknown line in the script: %s\n", line.c_str());
  std::_Exit(99);
}

std::array<char, 16> read_uuid(const std::string& digits) {
  std::array<char, 16> bytes{};
  for (std::size_t i = 0; i < bytes.size() && 2 * i + 2 <= digits.size(); ++i)
    bytes[i] = static_cast<char>(std::stoi(digits.substr(2 * i, 2), nullptr, 16));
  return bytes;
}

/// "fail CALL CODE [on N]", "hang CALL [on N]", "crash CALL [on N]".
bool read_fault(const std::string& word, std::istringstream& rest, Script& script) {
  Fault fault;
  if (word == "hang") fault.kind = Fault::Kind::hang;
  if (word == "crash") fault.kind = Fault::Kind::crash;
  if (word == "fail" && fault.kind != Fault::Kind::fail) return false;
  if (word != "fail" && fault.kind == Fault::Kind::fail) return false;
  if (!(rest >> fault.call)) return false;
  if (word == "fail" && !(rest >> fault.code)) return false;
  std::string on;
  if (rest >> on && (on != "on" || !(rest >> fault.on))) return false;
  script.faults.push_back(fault);
  return true;
}

bool read_device_line(const std::string& word, std::istringstream& rest, Device& device) {
  std::string text;
  std::getline(rest >> std::ws, text);
  if (word == "name") return device.name = text, true;
  if (word == "pci") return device.pci = text, true;
  if (word == "uuid") return device.uuid = read_uuid(text), true;
  const auto found =
      std::ranges::find(number_keys, word, [](const auto& entry) { return entry.first; });
  if (found == number_keys.end()) return false;
  std::istringstream number(text);
  return static_cast<bool>(number >> device.*(found->second));
}

bool read_line(const std::string& word, std::istringstream& rest, Script& script) {
  if (word == "device") return script.devices.emplace_back(), true;
  if (word == "no-devices") return script.devices.clear(), true;
  if (word == "wrong-element") return script.wrong_element = true;
  if (word == "nan") return script.nan = true;
  if (word == "tf32") return script.tf32 = true;
  if (word == "kernel-wrong") return script.kernel_wrong = true;
  if (word == "cuda_version") return static_cast<bool>(rest >> script.cuda_version);
  if (word == "driver_version") return static_cast<bool>(rest >> script.driver_version);
  if (word == "cuda_count") return static_cast<bool>(rest >> script.cuda_count);
  if (word == "nvml_count") return static_cast<bool>(rest >> script.nvml_count);
  if (word == "fail" || word == "hang" || word == "crash") return read_fault(word, rest, script);
  return !script.devices.empty() && read_device_line(word, rest, script.devices.back());
}

void obey(const Fault& fault) {
  if (fault.kind == Fault::Kind::hang) {
    // So that a test tells a call that hangs from a program that is slow.
    constexpr std::string_view told = "fake: this call hangs\n";
    (void)!::write(STDERR_FILENO, told.data(), told.size());
    while (true) ::pause();
  }
  if (fault.kind == Fault::Kind::crash) {
    std::signal(SIGSEGV, SIG_DFL);  // a sanitizer's handler would end the process in its own way
    std::raise(SIGSEGV);
  }
}

}  // namespace

Script read_script(const std::string& text) {
  Script script;
  bool devices_told = false;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream rest(line);
    std::string word;
    if (!(rest >> word) || word.starts_with('#')) continue;
    devices_told |= word == "device" || word == "no-devices";
    if (!read_line(word, rest, script)) refuse(line);
  }
  if (!devices_told) script.devices.emplace_back();
  return script;
}

const Script& script() {
  static const Script script = [] {
    const char* path = std::getenv("GPUREADY_FAKE_SCRIPT");
    if (path == nullptr) return read_script("");
    std::ifstream file(path);
    if (!file) refuse(std::string("(the script cannot be opened) ") + path);
    std::ostringstream text;
    text << file.rdbuf();
    return read_script(text.str());
  }();
  return script;
}

int enter(const char* call) {
  static std::mutex mutex;
  static std::map<std::string, int> counts;
  int count = 0;
  {
    const std::lock_guard lock(mutex);
    count = ++counts[call];
  }
  for (const Fault& fault : script().faults) {
    if (fault.call != call || (fault.on != 0 && fault.on != count)) continue;
    obey(fault);
    return fault.code;
  }
  return 0;
}

}  // namespace gpuready::fakes
