#pragma once
/// What a fake library does, as the file named by GPUREADY_FAKE_SCRIPT tells (see README.md).

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace gpuready::fakes {

struct Device {
  std::string name = "NVIDIA Fake GPU";
  std::string pci = "0000:01:00.0";
  std::array<char, 16> uuid{};
  std::int64_t capability_major = 8, capability_minor = 9;
  std::int64_t memory_total = std::int64_t{8} << 30, memory_free = std::int64_t{7} << 30;
  std::int64_t memory_reserved = std::int64_t{256} << 20;
  std::int64_t sm_count = 128, l2 = std::int64_t{64} << 20, integrated = 0;
  std::int64_t clock_mhz = 210, clock_max_mhz = 2520;
  std::int64_t memory_clock_mhz = 405, memory_clock_max_mhz = 10501;
  std::int64_t power_mw = 31500, power_limit_mw = 450000, power_default_mw = 450000;
  std::int64_t temperature = 41;
  std::int64_t pcie_generation = 1, pcie_generation_max = 4, pcie_width = 16, pcie_width_max = 16;
  /// -1: the device doesn't know the mode at all.
  std::int64_t mig = -1, mig_pending = -1, ecc = -1;
  std::int64_t mig_instances = 0, persistence = 0, compute_mode = 0, clock_reasons = 1;
  std::int64_t remap_pending = -1, remap_failed = 0, fabric_state = -1;
  std::int64_t ecc_errors = 0, ecc_errors_step = 0;
  std::int64_t compute_processes = 0, graphics_processes = 0, nvlinks = 0, nvlinks_active = 0;
  std::int64_t virtualization = 0, license_state = 5;
};

struct Fault {
  enum class Kind { fail, hang, crash } kind = Kind::fail;
  std::string call;
  int code = 0;
  int on = 0;  ///< only the n-th call, counted from 1; 0: every call
};

struct Script {
  std::int64_t cuda_version = 13000;
  std::string driver_version = "580.95.05";
  std::vector<Device> devices;
  /// What is told in place of the number of devices, to be a broken answer.
  std::int64_t cuda_count = -1, nvml_count = -1;
  std::vector<Fault> faults;
  bool wrong_element = false, nan = false, kernel_wrong = false, tf32 = false;
};

/// Reads the text of a script; a line that it doesn't know ends the process.
Script read_script(const std::string& text);

/// The script of this process.
const Script& script();

/// Each fake function calls this first: counts the call, and hangs or crashes if the script says
/// so. The code to return at once; 0 to go on.
int enter(const char* call);

}  // namespace gpuready::fakes
