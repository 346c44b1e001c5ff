#include "rules/areas.hpp"
#include "rules/torch_rules.hpp"

namespace gpuready::rules {

const std::vector<Rule>& python_rules() {
  static const std::vector<Rule> rules{
      {"cpu-build-of-torch", "python", cpu_build_of_torch, {"conda-keeps-cpu-torch"}},
      {"conda-keeps-cpu-torch", "python", conda_keeps_cpu_torch},
      {"torch-for-other-vendor", "python", torch_for_other_vendor},
      {"wheel-lacks-kernels", "python", wheel_lacks_kernels, {"jetson-needs-jetpack-torch"}},
      {"wheel-lacks-one-gpu", "python", wheel_lacks_one_gpu},
      {"jetson-needs-jetpack-torch", "python", jetson_needs_jetpack_torch},
      {"several-torch-copies", "python", several_torch_copies},
      {"jupyter-kernel-elsewhere", "python", jupyter_kernel_elsewhere},
      {"torch-set-from-two-indexes", "python", torch_set_from_two_indexes},
      {"older-cudnn-shadows-torch", "python", older_cudnn_shadows_torch},
      {"older-cuda-shadows-torch", "python", older_cuda_shadows_torch},
      {"nvidia-packages-differ-from-pins", "python", nvidia_packages_differ_from_pins},
      {"torch-import-fails", "python", torch_import_fails, {"older-cuda-shadows-torch"}},
      {"torch-gives-no-answer", "python", torch_gives_no_answer},
      {"python-hides-gpus", "python", python_hides_gpus},
      {"torch-loads-other-libcuda", "python", torch_loads_other_libcuda, {"python-hides-gpus"}},
      {"torch-sees-no-gpu",
       "python",
       torch_sees_no_gpu,
       {"python-hides-gpus", "torch-loads-other-libcuda", "driver-too-old-for-torch",
        "torch-for-other-vendor"}},
      {"torch-product-fails",
       "python",
       torch_product_fails,
       {"torch-list-lacks-gpu", "wheel-lacks-kernels", "wheel-lacks-one-gpu"}},
      {"torch-product-wrong", "python", torch_product_wrong},
      {"torch-list-lacks-gpu",
       "python",
       torch_list_lacks_gpu,
       {"wheel-lacks-kernels", "wheel-lacks-one-gpu", "jetson-needs-jetpack-torch"}},
      {"torch-list-differs-from-table", "python", torch_list_differs_from_table},
      {"no-wheel-for-python", "python", no_wheel_for_python, {"no-wheel-for-libc"}},
      {"python-newer-than-wheels", "python", python_newer_than_wheels, {"no-wheel-for-libc"}},
      {"no-wheel-for-libc", "python", no_wheel_for_libc},
  };
  return rules;
}

}  // namespace gpuready::rules
