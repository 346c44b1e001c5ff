#include "probe/load_sampler.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include "base/json.hpp"
#include "probe/nvml_asker.hpp"

namespace gpuready::probe {

namespace {

/// Bit of nvmlClocksEventReason* (nvml.h): nothing runs.
constexpr std::int64_t gpu_idle = 0x1;
constexpr double mega = 1e6, milli = 1e-3;

/// The values of one question, sample by sample; where none was answered, the last reason.
template <class T>
struct Series {
  std::vector<T> values;
  Fact<T> last = Fact<T>(not_tested("no sample was taken"));

  void add(const Fact<T>& fact) {
    if (fact) values.push_back(*fact);
    if (fact || values.empty()) last = fact;
  }
  [[nodiscard]] Fact<T> with(T value) const { return {value, last.source()}; }
  [[nodiscard]] Fact<T> highest() const {
    return values.empty() ? last : with(*std::ranges::max_element(values));
  }
  [[nodiscard]] Fact<T> middle() const {
    if (values.empty()) return last;
    std::vector<T> sorted = values;
    std::ranges::sort(sorted);
    return with(sorted[sorted.size() / 2]);
  }
};

/// Bits that stood in at least a tenth of the masks: one flash at the start is no fault.
Fact<std::int64_t> lasting_bits(const Series<std::int64_t>& masks) {
  if (masks.values.empty()) return masks.last;
  std::int64_t lasting = 0;
  for (int bit = 0; bit < 62; ++bit) {
    const auto flag = std::int64_t{1} << bit;
    const auto seen = std::ranges::count_if(masks.values, [&](auto m) { return (m & flag) != 0; });
    if (10 * seen >= std::ssize(masks.values)) lasting |= seen > 0 ? flag : 0;
  }
  return masks.with(lasting);
}

class NvmlSampler : public LoadSampler {
 public:
  NvmlSampler(const Nvml& api, nvml::Device device) : api_(api), asker_(api_, device) {}

  void before(GpuLoad& load) override {
    const Missing idle = not_tested("no sample found the GPU at work");
    load.clock_event_reasons = load.pcie_generation = load.pcie_width = Fact<std::int64_t>(idle);
    load.sm_clock_hz = load.power_w = load.temperature_c = Fact<double>(idle);
    load.samples = Fact<std::int64_t>(0, "nvml");
    load.ecc_errors_before = ecc_errors();
    load.remap_pending_before = remap_pending();
    load.sm_clock_max_hz = asker_.scaled(mega, "nvmlDeviceGetMaxClockInfo",
                                         api_.nvmlDeviceGetMaxClockInfo, nvml::clock_sm);
    load.power_limit_w = asker_.scaled(milli, "nvmlDeviceGetEnforcedPowerLimit",
                                       api_.nvmlDeviceGetEnforcedPowerLimit);
    load.power_default_limit_w = asker_.scaled(milli, "nvmlDeviceGetPowerManagementDefaultLimit",
                                               api_.nvmlDeviceGetPowerManagementDefaultLimit);
    load.pcie_generation_max =
        asker_.whole("nvmlDeviceGetMaxPcieLinkGeneration", api_.nvmlDeviceGetMaxPcieLinkGeneration);
    load.pcie_width_max =
        asker_.whole("nvmlDeviceGetMaxPcieLinkWidth", api_.nvmlDeviceGetMaxPcieLinkWidth);
    nvml::Memory memory{};
    const auto told = asker_.ask("nvmlDeviceGetMemoryInfo", api_.nvmlDeviceGetMemoryInfo, memory);
    load.memory_free_before_bytes =
        told ? whole_number(memory.free, told.source()) : told.pass_absence<std::int64_t>();
    load.memory_total_bytes =
        told ? whole_number(memory.total, told.source()) : told.pass_absence<std::int64_t>();
  }

  void sample(GpuLoad& load) override {
    const auto reasons = clock_event_reasons(asker_);
    // The GPU was not at work yet, or any more: its clocks and its link tell nothing.
    if (reasons && (*reasons & gpu_idle) != 0) return;
    load.samples = Fact<std::int64_t>(++samples_, "nvml");
    reasons_.add(reasons);
    clock_.add(
        asker_.scaled(mega, "nvmlDeviceGetClockInfo", api_.nvmlDeviceGetClockInfo, nvml::clock_sm));
    power_.add(asker_.scaled(milli, "nvmlDeviceGetPowerUsage", api_.nvmlDeviceGetPowerUsage));
    temperature_.add(asker_.scaled(1, "nvmlDeviceGetTemperature", api_.nvmlDeviceGetTemperature,
                                   nvml::temperature_gpu));
    generation_.add(asker_.whole("nvmlDeviceGetCurrPcieLinkGeneration",
                                 api_.nvmlDeviceGetCurrPcieLinkGeneration));
    width_.add(asker_.whole("nvmlDeviceGetCurrPcieLinkWidth", api_.nvmlDeviceGetCurrPcieLinkWidth));
    load.clock_event_reasons = lasting_bits(reasons_);
    load.sm_clock_hz = clock_.middle();
    load.power_w = power_.highest();
    load.temperature_c = temperature_.highest();
    load.pcie_generation = generation_.highest();
    load.pcie_width = width_.middle();
  }

  void after(GpuLoad& load) override {
    load.ecc_errors_after = ecc_errors();
    load.remap_pending_after = remap_pending();
  }

 private:
  [[nodiscard]] Fact<std::int64_t> ecc_errors() const {
    unsigned long long count = 0;
    const auto told =
        asker_.ask("nvmlDeviceGetTotalEccErrors", api_.nvmlDeviceGetTotalEccErrors, count,
                   nvml::memory_error_uncorrected, nvml::ecc_since_driver_start);
    return told ? whole_number(count, told.source()) : told.pass_absence<std::int64_t>();
  }

  [[nodiscard]] Fact<bool> remap_pending() const {
    unsigned corrected = 0, uncorrected = 0, pending = 0, failed = 0;
    const auto rows = asker_.ask("nvmlDeviceGetRemappedRows", api_.nvmlDeviceGetRemappedRows,
                                 failed, &corrected, &uncorrected, &pending);
    return rows ? Fact<bool>(pending != 0, rows.source()) : rows.pass_absence<bool>();
  }

  Nvml api_;
  DeviceAsker asker_;
  std::int64_t samples_ = 0;
  Series<std::int64_t> reasons_, generation_, width_;
  Series<double> clock_, power_, temperature_;
};

/// Where NVML can't be asked: every fact of its is absent for the same reason.
class NoSampler : public LoadSampler {
 public:
  explicit NoSampler(Missing why) : why_(std::move(why)) {}
  void before(GpuLoad& load) override {
    load.samples = load.clock_event_reasons = load.pcie_generation = load.pcie_generation_max =
        load.pcie_width = load.pcie_width_max = load.ecc_errors_before = load.ecc_errors_after =
            load.memory_free_before_bytes = load.memory_total_bytes = Fact<std::int64_t>(why_);
    load.sm_clock_hz = load.sm_clock_max_hz = load.power_w = load.temperature_c =
        load.power_limit_w = load.power_default_limit_w = Fact<double>(why_);
    load.remap_pending_before = load.remap_pending_after = Fact<bool>(why_);
  }
  void sample(GpuLoad& /*load*/) override {}
  void after(GpuLoad& /*load*/) override {}

 private:
  Missing why_;
};

}  // namespace

std::unique_ptr<LoadSampler> open_load_sampler(host::Host& host, const Fact<std::int64_t>& index) {
  const auto refuse = [](Missing why) { return std::make_unique<NoSampler>(std::move(why)); };
  if (!index) return refuse(index.missing());
  const auto library = vendor::load_nvml(host);
  if (!library) return refuse(library.error());
  const Nvml& api = library->api;
  if (const int code = api.nvmlInit_v2(); code != nvml::success)
    return refuse(failed(api, "nvmlInit_v2", code));
  nvml::Device device = nullptr;
  const int code = api.nvmlDeviceGetHandleByIndex_v2(static_cast<unsigned>(*index), &device);
  if (code != nvml::success) return refuse(failed(api, "nvmlDeviceGetHandleByIndex_v2", code));
  return std::make_unique<NvmlSampler>(api, device);
}

std::string load_as_json(const GpuLoad& load) {
  base::JsonWriter writer([](const Message& message) { return message.key; });
  base::Json json = base::Json::object();
  json["answer"] = writer.write(load);
  json["sources"] = writer.sources();
  return base::dump_json(json, false);
}

}  // namespace gpuready::probe
