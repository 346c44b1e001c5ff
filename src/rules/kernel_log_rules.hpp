#pragma once
/// The checks that read the kernel's log (kernel_log_rules.cpp), and what they share with the
/// hardware's other checks.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rules/rule.hpp"

namespace gpuready::rules {

/// Events since NVIDIA's driver was last loaded or the machine last woke up: what lies before is
/// past.
std::vector<const KernelEvent*> current_events(const Machine& machine);
/// Events since NVIDIA's module was last loaded, and those of that load before its own line (it
/// probes the GPUs first). A sleep does not change what the module said of a GPU it did not take.
std::vector<const KernelEvent*> events_of_this_load(const Machine& machine);
/// Whether two PCI addresses name the same slot, whatever the function and the case.
bool same_slot(std::string_view a, std::string_view b);
/// The first current event whose line holds the words; the first error of a log is the cause.
const KernelEvent* current_line(const Machine& machine, std::string_view words);
/// The event as evidence, with its time.
Evidence evidence_of(const KernelEvent& event);
/// "3 h 12 min ago" where the machine's uptime is known, otherwise the time since its start.
std::string age(const Machine& machine, const KernelEvent& event);

std::optional<Sighting> gpu_fell_off_the_bus(const Machine& machine);
std::optional<Sighting> gpu_power_cable_missing(const Machine& machine);
std::optional<Sighting> xid_reset_needed(const Machine& machine);
std::optional<Sighting> xid_ecc(const Machine& machine);
std::optional<Sighting> xid_nvlink(const Machine& machine);
std::optional<Sighting> xid_recovery_action(const Machine& machine);
std::optional<Sighting> xid_application_fault(const Machine& machine);
std::optional<Sighting> xid_informational(const Machine& machine);
std::optional<Sighting> xid_unknown(const Machine& machine);
std::optional<Sighting> xid_in_the_past(const Machine& machine);
std::optional<Sighting> kernel_log_closed(const Machine& machine);

}  // namespace gpuready::rules
