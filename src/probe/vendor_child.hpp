#pragma once
/// What runs inside the children of probe_vendors(): the only code that calls vendor libraries to
/// find facts. It may hang or crash; the parent copes.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "gpuready/machine.hpp"
#include "host/host.hpp"

namespace gpuready::probe {

struct OpenClAnswer {
  Fact<std::string> loader;
  std::vector<OpenClDevice> devices;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("loader", s.loader, Unit::none, "OpenCL's loader");
    f("devices", s.devices, Unit::none, "devices of all platforms");
  }
};

NvmlDriver ask_nvml(host::Host& host);
/// Called with what is known so far, each time before a call that may not come back.
using CudaSoFar = std::function<void(const CudaDriver&)>;
/// With a context and one real kernel on each device.
CudaDriver ask_cuda(host::Host& host, const CudaSoFar& so_far = {});
OpenClAnswer ask_opencl(host::Host& host);

/// The child's whole answer as one line of JSON: {"answer": ..., "sources": ...}. `what`: nvml,
/// cuda, opencl; empty for another word. The paths of `sources` are relative to `answer`. Lines
/// with what is known so far go to `emit`, so that a later hang or crash doesn't take it away.
std::string answer_as_json(host::Host& host, std::string_view what,
                           const std::function<void(const std::string&)>& emit = {});

}  // namespace gpuready::probe
