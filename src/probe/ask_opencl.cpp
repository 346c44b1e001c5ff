#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/format.hpp"
#include "base/text.hpp"
#include "probe/vendor_child.hpp"
#include "probe/vendor_text.hpp"
#include "vendor/opencl.hpp"

namespace gpuready::probe {

namespace {

using vendor::OpenCl;
namespace opencl = vendor::opencl;

Missing failed(std::string_view call, int code) {
  return {Absence::call_failed, base::format("{}: {}", call, vendor::opencl_error(code)), code};
}

/// Asks for a text: first its size, then the text. `get` is clGetPlatformInfo or clGetDeviceInfo.
template <class Object>
Fact<std::string> text(std::string_view call,
                       int (*get)(Object, unsigned, std::size_t, void*, std::size_t*),
                       Object object, unsigned what) {
  std::size_t size = 0;
  int code = get(object, what, 0, nullptr, &size);
  if (code != opencl::success) return failed(call, code);
  constexpr std::size_t longest = 4096;
  if (size > longest)
    return Missing{Absence::unreadable, base::format("{} answered {} bytes", call, size), {}};
  std::vector<char> buffer(std::max<std::size_t>(size, 1));
  code = get(object, what, size, buffer.data(), nullptr);
  if (code != opencl::success) return failed(call, code);
  return {std::string(base::trim(text_in(buffer))), std::string(call)};
}

Fact<std::string> device_text(const OpenCl& api, opencl::Device device, unsigned what) {
  return text("clGetDeviceInfo", api.clGetDeviceInfo, device, what);
}

/// `Number`: the type that OpenCL gives for `what` (cl_uint, cl_ulong or cl_bitfield).
template <class Number>
Fact<std::int64_t> device_number(const OpenCl& api, opencl::Device device, unsigned what) {
  Number value = 0;
  const int code = api.clGetDeviceInfo(device, what, sizeof value, &value, nullptr);
  if (code != opencl::success) return failed("clGetDeviceInfo", code);
  return whole_number(value, "clGetDeviceInfo");
}

Fact<std::string> device_type(const OpenCl& api, opencl::Device device) {
  const auto mask = device_number<std::uint64_t>(api, device, opencl::device_type);
  if (!mask) return mask.missing();
  const auto bits = static_cast<std::uint64_t>(*mask);
  if ((bits & opencl::type_gpu) != 0) return {"gpu", mask.source()};
  if ((bits & opencl::type_cpu) != 0) return {"cpu", mask.source()};
  if ((bits & opencl::type_accelerator) != 0) return {"accelerator", mask.source()};
  return Missing{Absence::unreadable, base::format("unknown type of device {:#x}", bits), {}};
}

OpenClDevice ask_device(const OpenCl& api, opencl::Device device) {
  OpenClDevice answer;
  answer.name = device_text(api, device, opencl::device_name);
  answer.type = device_type(api, device);
  answer.version = device_text(api, device, opencl::device_version);
  answer.memory_bytes = device_number<std::uint64_t>(api, device, opencl::device_global_mem_size);
  answer.max_allocation_bytes =
      device_number<std::uint64_t>(api, device, opencl::device_max_mem_alloc_size);
  answer.compute_units = device_number<unsigned>(api, device, opencl::device_max_compute_units);
  return answer;
}

/// A list that OpenCL gives in two steps: its length, then its entries. `get(entries, list, count)`
/// is clGetPlatformIDs, or clGetDeviceIDs with its first arguments bound.
template <class Item, class Get>
tl::expected<std::vector<Item>, Missing> list(std::string_view call, int code_of_empty,
                                              const Get& get) {
  unsigned count = 0;
  int code = get(0, nullptr, &count);
  if (code == code_of_empty) return std::vector<Item>();
  if (code != opencl::success) return tl::unexpected(failed(call, code));
  if (count > most_devices) return tl::unexpected(unbelievable_count(call, count));
  std::vector<Item> items(count);
  if (count == 0) return items;
  code = get(count, items.data(), nullptr);
  if (code != opencl::success) return tl::unexpected(failed(call, code));
  return items;
}

auto list_devices(const OpenCl& api, opencl::Platform platform) {
  return list<opencl::Device>("clGetDeviceIDs", opencl::device_not_found,
                              [&](unsigned entries, opencl::Device* devices, unsigned* count) {
                                return api.clGetDeviceIDs(platform, opencl::type_all, entries,
                                                          devices, count);
                              });
}

/// The devices of all platforms. A platform that doesn't tell its devices becomes one entry that
/// says so, after all the others: the index of a device counts only real ones.
std::vector<OpenClDevice> ask_platforms(const OpenCl& api,
                                        const std::vector<opencl::Platform>& platforms) {
  std::vector<OpenClDevice> devices, broken;
  for (std::size_t p = 0; p < platforms.size(); ++p) {
    const auto found = list_devices(api, platforms[p]);
    std::vector<OpenClDevice> answers;
    if (found) {
      for (const opencl::Device device : *found) answers.push_back(ask_device(api, device));
    } else {
      set_all_absent(answers.emplace_back(), found.error());
    }
    const auto name =
        text("clGetPlatformInfo", api.clGetPlatformInfo, platforms[p], opencl::platform_name);
    for (OpenClDevice& answer : answers) {
      answer.platform_index = static_cast<std::int64_t>(p);
      answer.platform = name;
      (found ? devices : broken).push_back(std::move(answer));
    }
  }
  devices.insert(devices.end(), broken.begin(), broken.end());
  for (std::size_t i = 0; i < devices.size(); ++i) devices[i].index = static_cast<std::int64_t>(i);
  return devices;
}

}  // namespace

OpenClAnswer ask_opencl(host::Host& host) {
  OpenClAnswer answer;
  const auto library = vendor::load_opencl(host);
  if (!library) {
    answer.loader = library.error();
    return answer;
  }
  const OpenCl& api = library->api;
  const auto platforms =
      list<opencl::Platform>("clGetPlatformIDs", opencl::platform_not_found, api.clGetPlatformIDs);
  if (!platforms) {
    answer.loader = platforms.error();
    return answer;
  }
  answer.loader = Fact<std::string>(library->file, "dlopen");
  answer.devices = ask_platforms(api, *platforms);
  return answer;
}

}  // namespace gpuready::probe
