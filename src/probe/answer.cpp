#include "base/json.hpp"
#include "probe/vendor_child.hpp"

namespace gpuready::probe {

namespace {

template <class Answer>
std::string as_json(const Answer& answer) {
  base::JsonWriter writer([](const Message& message) { return message.key; });
  base::Json json = base::Json::object();
  json["answer"] = writer.write(answer);
  json["sources"] = writer.sources();
  return base::dump_json(json, false);
}

}  // namespace

std::string answer_as_json(host::Host& host, std::string_view what,
                           const std::function<void(const std::string&)>& emit) {
  if (what == "nvml") return as_json(ask_nvml(host));
  if (what == "cuda") {
    return as_json(ask_cuda(host, [&](const CudaDriver& so_far) {
      if (emit) emit(as_json(so_far));
    }));
  }
  if (what == "opencl") return as_json(ask_opencl(host));
  return {};
}

}  // namespace gpuready::probe
