#include "rules/driver_rules.hpp"

#include "rules/areas.hpp"

namespace gpuready::rules {

const std::vector<Rule>& driver_rules() {
  static const std::vector<Rule> rules{
      {"driver-library-mismatch", "driver", driver_library_mismatch},
      {"driver-mismatch-while-running", "driver", driver_mismatch_while_running},
      {"libcuda-missing", "driver", libcuda_missing},
      {"stub-libcuda", "driver", stub_libcuda},
      {"compat-libcuda-mismatch", "driver", compat_libcuda_mismatch},
      {"compat-on-consumer-gpu",
       "driver",
       compat_on_consumer_gpu,
       {"image-needs-newer-cuda", "driver-library-mismatch"}},
      {"driver-too-old-for-torch", "driver", driver_too_old_for_torch},
      {"ptx-too-new-for-driver", "driver", ptx_too_new_for_driver},
      {"driver-in-two-places",
       "driver",
       driver_in_two_places,
       {"linux-driver-in-wsl", "driver-inside-image", "driver-library-mismatch",
        "colab-environment-altered"}},
      {"uvm-missing", "driver", uvm_missing, {"uvm-without-address-space"}},
      {"device-nodes-missing",
       "driver",
       device_nodes_missing,
       {"bar-too-small", "closed-module-on-new-gpu", "open-module-on-old-gpu",
        "gpu-too-old-for-driver", "gsp-firmware-fails", "gpu-fell-off-the-bus",
        "gpu-power-cable-missing", "driver-refuses-gpu"}},
      {"device-node-permission", "driver", device_node_permission, {"selinux-blocks-gpu"}},
      {"control-group-denies-gpu", "driver", control_group_denies_gpu, {"slurm-job-without-gpus"}},
      {"uvm-broken-after-suspend", "driver", uvm_broken_after_suspend, {"uvm-missing"}},
      {"cuda-start-unknown-error",
       "driver",
       cuda_start_unknown_error,
       {"uvm-missing", "uvm-broken-after-suspend", "uvm-without-address-space",
        "wsl-driver-fails"}},
      {"compute-mode-forbids", "driver", compute_mode_forbids},
      {"gpu-unavailable", "driver", gpu_unavailable, {"vgpu-unlicensed", "gpu-fell-off-the-bus"}},
      {"fabric-manager-version-differs", "driver", fabric_manager_differs},
      {"fabric-not-ready", "driver", fabric_not_ready, {"fabric-manager-version-differs"}},
      {"system-not-ready", "driver", system_not_ready, {"uvm-without-address-space"}},
      {"mps-broken", "driver", mps_broken},
      {"persistence-mode-off", "driver", persistence_mode_off},
      {"wsl-many-gpus", "driver", wsl_many_gpus},
      {"cuda-gives-no-answer",
       "driver",
       cuda_gives_no_answer,
       {"gpu-fell-off-the-bus", "gsp-firmware-fails", "driver-refuses-gpu",
        "driver-library-mismatch"}},
      {"nvml-gives-no-answer", "driver", nvml_gives_no_answer, {"gpu-fell-off-the-bus"}},
  };
  return rules;
}

}  // namespace gpuready::rules
