#include "rules/container_rules.hpp"

#include "rules/areas.hpp"

namespace gpuready::rules {

const std::vector<Rule>& container_rules() {
  static const std::vector<Rule> rules{
      {"container-without-gpus",
       "container",
       container_without_gpus,
       {"nvidia-visible-devices-void", "colab-without-gpu", "kaggle-without-gpu",
        "slurm-job-without-gpus"}},
      {"container-lacks-compute",
       "container",
       container_lacks_compute,
       {"colab-environment-altered"}},
      {"gpu-lost-in-container",
       "container",
       gpu_lost_in_container,
       {"selinux-blocks-gpu", "device-node-permission"}},
      {"image-needs-newer-cuda",
       "container",
       image_needs_newer_cuda,
       {"container-without-gpus", "container-lacks-compute", "nvidia-visible-devices-void",
        "gpu-lost-in-container", "uvm-missing", "device-node-permission"}},
      {"driver-inside-image", "container", driver_inside_image, {"colab-environment-altered"}},
      {"docker-without-gpu-toolkit", "container", docker_without_gpu_toolkit, {"docker-from-snap"}},
      {"docker-from-snap", "container", docker_from_snap},
      {"selinux-blocks-gpu", "container", selinux_blocks_gpu},
      {"wsl-without-gpu-library", "container", wsl_without_gpu_library},
      {"linux-driver-in-wsl", "container", linux_driver_in_wsl},
      {"wsl-without-gpu-device", "container", wsl_without_gpu_device},
      {"wsl-driver-fails",
       "container",
       wsl_driver_fails,
       {"visible-devices-hide-all", "visible-devices-invalid", "visible-devices-no-dev-files",
        "wsl-many-gpus", "stub-libcuda", "compat-libcuda-mismatch", "compat-on-consumer-gpu",
        "image-needs-newer-cuda", "driver-inside-image", "container-without-gpus",
        "nvidia-visible-devices-void"}},
      {"colab-without-gpu", "container", colab_without_gpu},
      {"colab-environment-altered",
       "container",
       colab_environment_altered,
       {"visible-devices-hide-all", "visible-devices-invalid"}},
      {"kaggle-without-gpu", "container", kaggle_without_gpu},
      {"mig-without-instances", "container", mig_without_instances},
      {"mig-one-instance-per-process", "container", mig_one_instance_per_process},
      {"mig-change-pending", "container", mig_change_pending, {"mig-without-instances"}},
      {"vgpu-unlicensed", "container", vgpu_unlicensed},
  };
  return rules;
}

}  // namespace gpuready::rules
