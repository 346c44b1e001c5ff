#include "bench/telemetry.hpp"

namespace gpuready::bench {

namespace {

/// nvmlClocksEventReasons of nvml.h.
constexpr std::int64_t software_power_cap = 0x4, hardware_slowdown = 0x8, software_thermal = 0x20,
                       hardware_thermal = 0x40, power_brake = 0x80;
/// A GPU that is not limited runs within its clock bins of the highest clock; boost moves by some.
constexpr double usual_clock = 0.85;
constexpr double little_power = 0.6, low_percent = 50;

bool slow_clock(const GpuLoad& seen) {
  return seen.sm_clock_hz && seen.sm_clock_max_hz &&
         *seen.sm_clock_hz < usual_clock * *seen.sm_clock_max_hz;
}

bool little_power_drawn(const GpuLoad& seen) {
  return seen.power_w && seen.power_limit_w && *seen.power_w < little_power * *seen.power_limit_w;
}

}  // namespace

std::vector<std::string> telemetry_flags(const GpuLoad& seen) {
  std::vector<std::string> flags;
  const std::int64_t reasons = seen.clock_event_reasons.value_or(0);
  const auto any = [&](std::int64_t bits) { return (reasons & bits) != 0; };
  if (any(hardware_slowdown | power_brake)) flags.emplace_back("hardware-slowdown");
  if (any(hardware_thermal | software_thermal)) flags.emplace_back("thermal");
  if (any(software_power_cap)) flags.emplace_back("power-limited");
  const bool told = any(software_power_cap | hardware_slowdown | software_thermal |
                        hardware_thermal | power_brake);
  if (!told && seen.clock_event_reasons && slow_clock(seen)) flags.emplace_back("clocks-capped");
  return flags;
}

bool not_fed(const GpuLoad& seen, double percent_of_peak) {
  return percent_of_peak < low_percent && little_power_drawn(seen) && !slow_clock(seen);
}

}  // namespace gpuready::bench
