#include "rules/kernel_log_rules.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/format.hpp"
#include "base/text.hpp"
#include "catalog/xid.hpp"
#include "rules/evidence.hpp"
#include "rules/rungs.hpp"

namespace gpuready::rules {

namespace {

using Kind = KernelEventKind;
using Events = std::vector<const KernelEvent*>;

/// Whether the event is of the module's load that follows: it probes the GPUs, and complains of
/// them, before it writes its own line.
bool belongs_to(const KernelEvent& load, const KernelEvent& event) {
  constexpr double probing_s = 30;
  const bool near = !load.time_s || !event.time_s || *load.time_s - *event.time_s < probing_s;
  const bool of_probe = event.kind == Kind::bus_loss && base::contains(event.text, "installed in");
  return near && (event.kind == Kind::message || of_probe);
}

/// Index of the first event since the module's last load (0: it was not loaded), with what it said
/// before its own line.
std::size_t start_of_load(const std::vector<KernelEvent>& events) {
  std::size_t start = events.size();
  while (start > 0 && events[start - 1].kind != Kind::driver_load) --start;
  if (start == 0) return 0;
  const KernelEvent& load = events[--start];
  while (start > 0 && belongs_to(load, events[start - 1])) --start;
  return start;
}

/// Index of the first event that is not past.
std::size_t start_of_present(const std::vector<KernelEvent>& events) {
  std::size_t woken = events.size();
  while (woken > 0 && events[woken - 1].kind != Kind::resume) --woken;
  return std::max(woken, start_of_load(events));
}

/// Domain, bus and device; the driver's lines may lack the function.
std::string_view slot(std::string_view address) { return address.substr(0, address.rfind('.')); }

template <class Device>
bool is_at(const Device& device, std::string_view address) {
  return device.pci_address && same_slot(*device.pci_address, address);
}

/// Whether the GPU that the event is about answers now: CUDA ran a kernel on it, or NVML reads its
/// sensor. Where the line names no GPU, whether any does.
bool answers_now(const Machine& machine, const KernelEvent& event) {
  if (!event.pci_address) return cuda_sees_a_device(machine);
  const auto computes = [&](const CudaDevice& d) {
    return is_at(d, *event.pci_address) && d.kernel.is(true);
  };
  return std::ranges::any_of(machine.driver.cuda.devices, computes);
}

bool sensor_answers(const Machine& machine, const KernelEvent& event) {
  const auto senses = [&](const NvmlDevice& d) {
    return event.pci_address && is_at(d, *event.pci_address) && d.temperature_c;
  };
  return std::ranges::any_of(machine.driver.nvml.devices, senses);
}

bool told_by(const KernelEvent& event, std::string_view rule) {
  const catalog::Xid* known = event.xid ? catalog::find_xid(*event.xid) : nullptr;
  return known != nullptr && known->rule == rule;
}

std::string where(const KernelEvent& event) {
  return event.pci_address.value_or("an address that the log does not name");
}

/// Values of a rule's texts: GPU, number, meaning, action, age, how often.
Sighting about(const Machine& machine, const KernelEvent& event, std::size_t times) {
  const catalog::Xid* known = event.xid ? catalog::find_xid(*event.xid) : nullptr;
  const std::string number = event.xid ? std::to_string(*event.xid) : "?";
  return Sighting{{where(event), number, known != nullptr ? known->meaning : event.text,
                   known != nullptr ? known->action : "", age(machine, event),
                   times == 1 ? "once" : std::to_string(times) + " times"},
                  {evidence_of(event)}};
}

/// The newest of the current events that this rule tells.
std::optional<Sighting> newest_told_by(const Machine& machine, std::string_view rule) {
  const KernelEvent* newest = nullptr;
  std::size_t times = 0;
  for (const KernelEvent* event : current_events(machine))
    if (told_by(*event, rule)) newest = event, ++times;
  if (newest == nullptr) return {};
  return about(machine, *newest, times);
}

}  // namespace

Events current_events(const Machine& machine) {
  const auto& events = machine.kernel_log.events;
  Events found;
  for (std::size_t i = start_of_present(events); i < events.size(); ++i)
    found.push_back(&events[i]);
  return found;
}

Events events_of_this_load(const Machine& machine) {
  const auto& events = machine.kernel_log.events;
  Events found;
  for (std::size_t i = start_of_load(events); i < events.size(); ++i) found.push_back(&events[i]);
  return found;
}

bool same_slot(std::string_view a, std::string_view b) {
  return slot(base::lower(std::string(a))) == slot(base::lower(std::string(b)));
}

const KernelEvent* current_line(const Machine& machine, std::string_view words) {
  for (const KernelEvent* event : current_events(machine))
    if (base::contains(event->text, words)) return event;
  return nullptr;
}

Evidence evidence_of(const KernelEvent& event) {
  const std::string time =
      event.time_s ? base::format(" ({:.0f} s after the start)", *event.time_s) : "";
  return {"machine.kernel_log.events", event.text + time,
          event.time_s ? event.time_s.source() : "kernel log"};
}

std::string age(const Machine& machine, const KernelEvent& event) {
  if (!event.time_s) return "at an unknown time";
  if (!machine.kernel_log.uptime_s)
    return base::format("{:.0f} s after the machine's start", *event.time_s);
  const double seconds = std::max(0.0, *machine.kernel_log.uptime_s - *event.time_s);
  const auto minutes = static_cast<std::int64_t>(seconds / 60);
  if (minutes < 1) return "less than a minute ago";
  if (minutes < 60) return base::format("{} min ago", minutes);
  if (minutes < 48 * 60) return base::format("{} h {} min ago", minutes / 60, minutes % 60);
  return base::format("{} days ago", minutes / (24 * 60));
}

namespace {

Sighting lost_at(const std::string& address, Evidence why) {
  return {{address, "79", "", "", "at an unknown time"}, {std::move(why)}};
}

/// NVML's code for a lost GPU, from its start or from one GPU.
std::optional<Sighting> lost_by_nvml(const Machine& machine) {
  constexpr std::int64_t gpu_is_lost = 15;  // nvmlReturn_t
  const NvmlDriver& nvml = machine.driver.nvml;
  const std::string unnamed = "an address that NVML does not name";
  if (!nvml.init && nvml.init.missing().code == gpu_is_lost && !cuda_sees_a_device(machine))
    return lost_at(unnamed, evidence("machine.driver.nvml.init", nvml.init));
  for (const NvmlDevice& device : nvml.devices) {
    for (const Fact<std::string>* fact : {&device.name, &device.uuid, &device.pci_address})
      if (!*fact && fact->missing().code == gpu_is_lost)
        return lost_at(device.pci_address.value_or(unnamed),
                       evidence("machine.driver.nvml.devices.name", *fact));
    if (!device.temperature_c && device.temperature_c.missing().code == gpu_is_lost)
      return lost_at(device.pci_address.value_or(unnamed),
                     evidence("machine.driver.nvml.devices.temperature_c", device.temperature_c));
  }
  return {};
}

/// A GPU whose configuration space reads as ones; one without power (bbswitch) does, too.
std::optional<Sighting> lost_by_the_bus(const Machine& machine) {
  if (machine.environment.prime.is("off")) return {};
  for (const PciFunction* gpu : nvidia_gpus_on_pci(machine))
    if (gpu->answers.is(false))
      return lost_at(gpu->address, evidence("machine.pci.answers", gpu->answers));
  return {};
}

}  // namespace

std::optional<Sighting> gpu_fell_off_the_bus(const Machine& machine) {
  for (const KernelEvent* event : current_events(machine)) {
    const bool lost = event->kind == Kind::bus_loss || told_by(*event, "gpu-fell-off-the-bus");
    if (!lost || answers_now(machine, *event) || sensor_answers(machine, *event)) continue;
    Sighting sighting = about(machine, *event, 1);
    sighting.evidence.push_back(evidence("machine.driver.nvml.init", machine.driver.nvml.init));
    return sighting;
  }
  if (auto lost = lost_by_nvml(machine)) return lost;
  return lost_by_the_bus(machine);
}

std::optional<Sighting> gpu_power_cable_missing(const Machine& machine) {
  for (const KernelEvent* event : current_events(machine)) {
    // Newer drivers say it without an Xid.
    const bool told = told_by(*event, "gpu-power-cable-missing") ||
                      base::contains(event->text, "necessary power cables");
    if (told && !answers_now(machine, *event)) return about(machine, *event, 1);
  }
  return {};
}

std::optional<Sighting> xid_reset_needed(const Machine& machine) {
  for (const KernelEvent* event : current_events(machine))
    if (told_by(*event, "xid-reset-needed") && !answers_now(machine, *event))
      return about(machine, *event, 1);
  return {};
}

std::optional<Sighting> xid_ecc(const Machine& machine) {
  return newest_told_by(machine, "xid-ecc");
}

std::optional<Sighting> xid_nvlink(const Machine& machine) {
  return newest_told_by(machine, "xid-nvlink");
}

std::optional<Sighting> xid_recovery_action(const Machine& machine) {
  auto sighting = newest_told_by(machine, "xid-recovery-action");
  if (!sighting) return {};
  // "GPU recovery action changed from 0x0 (None) to 0x1 (GPU Reset Required)": what it became.
  const std::string line = sighting->evidence.front().value;
  const std::size_t to = line.find(" to ");
  if (to == std::string::npos || base::contains(line.substr(to), "(None)")) return {};
  const std::size_t open = line.find('(', to), close = line.find(')', to);
  if (open == std::string::npos || close == std::string::npos || close < open) return {};
  sighting->args[3] = line.substr(open + 1, close - open - 1);
  return sighting;
}

std::optional<Sighting> xid_application_fault(const Machine& machine) {
  return newest_told_by(machine, "xid-application-fault");
}

std::optional<Sighting> xid_informational(const Machine& machine) {
  return newest_told_by(machine, "xid-informational");
}

std::optional<Sighting> xid_unknown(const Machine& machine) {
  for (const KernelEvent* event : current_events(machine))
    if (event->xid && catalog::find_xid(*event->xid) == nullptr) return about(machine, *event, 1);
  return {};
}

std::optional<Sighting> xid_in_the_past(const Machine& machine) {
  const auto& events = machine.kernel_log.events;
  const KernelEvent* newest = nullptr;
  std::size_t times = 0;
  for (std::size_t i = 0; i < start_of_present(events); ++i) {
    const bool error = events[i].kind == Kind::xid || events[i].kind == Kind::bus_loss;
    if (error) newest = &events[i], ++times;
  }
  if (newest == nullptr) return {};
  return about(machine, *newest, times);
}

std::optional<Sighting> kernel_log_closed(const Machine& machine) {
  const Fact<std::string>& source = machine.kernel_log.source;
  if (!source.absent_for(Absence::permission) || nvidia_gpus_on_pci(machine).empty()) return {};
  if (cuda_sees_a_device(machine) || machine.environment.container) return {};
  return Sighting{{source.missing().detail}, {evidence("machine.kernel_log.source", source)}};
}

}  // namespace gpuready::rules
