#include "cloud/find_in_list.hpp"

#include <algorithm>

namespace gpuready::cloud {

Answer<Instance> find_in_list(Provider& provider, const std::string& id) {
  const auto all = provider.list();
  if (!all) {
    // A list that "is not found" says nothing of a machine.
    Fault fault = all.error();
    if (fault.kind == FaultKind::gone) fault.kind = FaultKind::garbled;
    return tl::unexpected(std::move(fault));
  }
  const auto it = std::ranges::find(*all, id, &Instance::id);
  if (it != all->end()) return *it;
  Instance gone;
  gone.provider = std::string(provider.name()), gone.id = id, gone.state = State::gone;
  return gone;
}

}  // namespace gpuready::cloud
