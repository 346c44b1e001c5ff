#pragma once
/// What was seen of each GPU while products ran on it.

#include <cstdint>
#include <string>
#include <vector>

#include "gpuready/fact.hpp"
#include "gpuready/units.hpp"

namespace gpuready {

/// One GPU under load. Samples are taken by NVML while products are queued on the device.
struct GpuLoad {
  std::string device;
  Fact<std::string> name;
  Fact<std::int64_t> nvml_index;
  Fact<double> seconds;
  Fact<std::int64_t> products, samples;
  Fact<bool> product;
  Fact<std::int64_t> clock_event_reasons;
  Fact<double> sm_clock_hz, sm_clock_max_hz, power_w, temperature_c;
  Fact<double> power_limit_w, power_default_limit_w;
  Fact<std::int64_t> pcie_generation, pcie_generation_max, pcie_width, pcie_width_max;
  Fact<std::int64_t> ecc_errors_before, ecc_errors_after;
  Fact<bool> remap_pending_before, remap_pending_after;
  Fact<std::int64_t> memory_free_before_bytes, memory_total_bytes;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("device", s.device, Unit::none, "as cuda:0");
    f("name", s.name, Unit::none, "product name");
    f("nvml_index", s.nvml_index, Unit::none, "NVML's index");
    f("seconds", s.seconds, Unit::seconds, "how long products ran");
    f("products", s.products, Unit::count, "products that were computed");
    f("samples", s.samples, Unit::count, "samples that were taken under load");
    f("product", s.product, Unit::none, "whether the product after the load was right");
    f("clock_event_reasons", s.clock_event_reasons, Unit::none,
      "bits of NVML's mask that stood in at least a tenth of the samples");
    f("sm_clock_hz", s.sm_clock_hz, Unit::hertz, "SM clock, median of the samples");
    f("sm_clock_max_hz", s.sm_clock_max_hz, Unit::hertz, "highest SM clock that it could have");
    f("power_w", s.power_w, Unit::watts, "power draw, highest of the samples");
    f("temperature_c", s.temperature_c, Unit::celsius, "temperature, highest of the samples");
    f("power_limit_w", s.power_limit_w, Unit::watts, "limit that is enforced");
    f("power_default_limit_w", s.power_default_limit_w, Unit::watts, "limit by default");
    f("pcie_generation", s.pcie_generation, Unit::none, "link generation, highest of the samples");
    f("pcie_generation_max", s.pcie_generation_max, Unit::none, "highest link generation");
    f("pcie_width", s.pcie_width, Unit::none, "lanes, most of the samples");
    f("pcie_width_max", s.pcie_width_max, Unit::none, "highest number of lanes");
    f("ecc_errors_before", s.ecc_errors_before, Unit::count,
      "uncorrected memory errors since the driver's start, before the load");
    f("ecc_errors_after", s.ecc_errors_after, Unit::count, "the same after it");
    f("remap_pending_before", s.remap_pending_before, Unit::none,
      "whether memory rows waited for a reset before the load");
    f("remap_pending_after", s.remap_pending_after, Unit::none, "the same after it");
    f("memory_free_before_bytes", s.memory_free_before_bytes, Unit::bytes,
      "free device memory before the load");
    f("memory_total_bytes", s.memory_total_bytes, Unit::bytes, "device memory");
  }
};

struct LoadTest {
  double asked_s = 0;
  std::vector<GpuLoad> gpus;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("asked_s", s.asked_s, Unit::seconds, "how long the load was to last");
    f("gpus", s.gpus, Unit::none, "each usable GPU");
  }
};

}  // namespace gpuready
