#pragma once
/// Asks NVML about one device; for the child that asks NVML.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/format.hpp"
#include "gpuready/driver.hpp"
#include "probe/vendor_text.hpp"
#include "vendor/nvml.hpp"

namespace gpuready::probe {

using vendor::Nvml;
namespace nvml = vendor::nvml;

inline Missing failed(const Nvml& api, std::string_view call, int code) {
  Missing why{Absence::call_failed, base::format("{}: {}", call, vendor::nvml_error(api, code)),
              code};
  if (code == nvml::error_not_supported) why.reason = Absence::not_applicable;
  if (code == nvml::error_no_permission) why.reason = Absence::permission;
  return why;
}

inline Missing lacking(std::string_view call) {
  return {Absence::symbol_missing, base::format("NVML lacks {}", call), {}};
}

/// One NVML device, asked one thing at a time. An NVML getter fills its last arguments and returns
/// a code; `call` is its name.
class DeviceAsker {
 public:
  DeviceAsker(const Nvml& api, nvml::Device device) : api_(api), device_(device) {}

  /// `get`: a pointer of the table. `value`: what it fills, with any arguments before it.
  template <class T, class Get, class... Arguments>
  Fact<T> ask(std::string_view call, Get get, T& value, Arguments... arguments) const {
    if (get == nullptr) return lacking(call);
    const int code = get(device_, arguments..., &value);
    if (code != nvml::success) return failed(api_, call, code);
    return {value, std::string(call)};
  }

  template <class Get, class... Arguments>
  Fact<unsigned> number(std::string_view call, Get get, Arguments... arguments) const {
    unsigned value = 0;
    return ask(call, get, value, arguments...);
  }

  template <class Get>
  Fact<std::int64_t> whole(std::string_view call, Get get) const {
    const auto value = number(call, get);
    if (!value) return value.missing();
    return {std::int64_t{*value}, value.source()};
  }

  /// The number times a factor.
  template <class Get, class... Arguments>
  Fact<double> scaled(double factor, std::string_view call, Get get, Arguments... arguments) const {
    const auto value = number(call, get, arguments...);
    if (!value) return value.missing();
    return {static_cast<double>(*value) * factor, value.source()};
  }

  Fact<std::string> text(std::string_view call, int (*get)(nvml::Device, char*, unsigned)) const {
    if (get == nullptr) return lacking(call);
    std::array<char, 256> buffer{};
    const int code = get(device_, buffer.data(), static_cast<unsigned>(buffer.size()));
    if (code != nvml::success) return failed(api_, call, code);
    return {text_in(buffer), std::string(call)};
  }

  [[nodiscard]] const Nvml& api() const { return api_; }
  [[nodiscard]] nvml::Device device() const { return device_; }

 private:
  const Nvml& api_;
  nvml::Device device_;
};

/// NVML's mask of what holds the clocks down, by the new or the old name of the call.
Fact<std::int64_t> clock_event_reasons(const DeviceAsker& asker);

/// What tells of the GPU's health and of who uses it: replaced memory rows, processes, NVLink,
/// fabric, virtualization and licence.
void ask_nvml_health(const DeviceAsker& asker, NvmlDevice& answer);

}  // namespace gpuready::probe
