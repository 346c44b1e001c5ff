#pragma once
/// What PyTorch itself says, when the user's Python is asked.

#include <cstdint>
#include <string>
#include <vector>

#include "gpuready/fact.hpp"
#include "gpuready/units.hpp"

namespace gpuready {

/// A device as PyTorch names it. `product` is known only if a product was computed on it.
struct TorchDevice {
  std::int64_t index = 0;
  Fact<std::string> name, compute_capability;
  Fact<bool> product;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("index", s.index, Unit::none, "as in cuda:0");
    f("name", s.name, Unit::none, "torch.cuda.get_device_name");
    f("compute_capability", s.compute_capability, Unit::none, "torch.cuda.get_device_capability");
    f("product", s.product, Unit::none, "whether a small product on it was right");
  }
};

/// The answers of one Python after `import torch`; what could not be asked any more carries the
/// reason: a hang, a crash, an exit.
struct TorchAnswer {
  std::string executable;
  Fact<std::string> python_version;
  Fact<bool> imported;
  Fact<std::string> version, file, cuda, hip;
  Fact<bool> available, started;
  Fact<std::int64_t> device_count;
  Fact<std::vector<std::string>> arch_list;
  Fact<std::string> visible_devices, libcuda;
  Fact<bool> cpu_product;
  std::vector<TorchDevice> devices;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("executable", s.executable, Unit::none, "interpreter that was asked");
    f("python_version", s.python_version, Unit::none, "its version");
    f("imported", s.imported, Unit::none, "whether `import torch` worked; the error otherwise");
    f("version", s.version, Unit::none, "torch.__version__");
    f("file", s.file, Unit::none, "torch.__file__");
    f("cuda", s.cuda, Unit::none, "torch.version.cuda");
    f("hip", s.hip, Unit::none, "torch.version.hip");
    f("available", s.available, Unit::none, "torch.cuda.is_available()");
    f("started", s.started, Unit::none, "whether torch.cuda.init() worked; the error otherwise");
    f("device_count", s.device_count, Unit::count, "torch.cuda.device_count()");
    f("arch_list", s.arch_list, Unit::none, "architectures of its kernels, as sm_89");
    f("visible_devices", s.visible_devices, Unit::none,
      "CUDA_VISIBLE_DEVICES in that Python, after the import");
    f("libcuda", s.libcuda, Unit::none, "CUDA driver library that it loaded");
    f("cpu_product", s.cpu_product, Unit::none, "whether a small product on the CPU was right");
    f("devices", s.devices, Unit::none, "devices that it sees");
  }
};

}  // namespace gpuready
