#include "cloud/fault.hpp"

#include <array>

namespace gpuready::cloud {

namespace {

/// In the order of FaultKind.
constexpr std::array<std::string_view, 13> fault_names{
    "no-key",  "bad-key", "forbidden", "gone",    "no-capacity", "no-money", "rate-limited",
    "too-old", "refused", "busy",      "network", "garbled",     "server"};
static_assert(fault_names.size() == static_cast<std::size_t>(FaultKind::server) + 1);

/// In the order of State.
constexpr std::array<std::string_view, 8> state_names{
    "requested", "booting", "running", "unhealthy", "stopped", "terminating", "gone", "unknown"};
static_assert(state_names.size() == static_cast<std::size_t>(State::unknown) + 1);

}  // namespace

std::string_view name_of(FaultKind kind) { return fault_names[static_cast<std::size_t>(kind)]; }

std::string_view name_of(State state) { return state_names[static_cast<std::size_t>(state)]; }

ProviderError to_error(std::string_view provider, const Fault& fault) {
  return {std::string(provider), std::string(name_of(fault.kind)), fault.message};
}

}  // namespace gpuready::cloud
