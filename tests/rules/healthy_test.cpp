#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>

#include "gpuready/gpuready.hpp"

namespace gpuready {
namespace {

namespace fs = std::filesystem;
const fs::path machines = fs::path(GPUREADY_SOURCE_DIR) / "tests" / "machines";

/// A kind of machine that is in order, and what the doctor has to say of it.
struct Healthy {
  const char* kind;
  const char* recording;
  Verdict verdict = Verdict::usable;
};

const std::vector<Healthy>& kinds() {
  static const std::vector<Healthy> list{
      {"workstation", "rtx-4090-workstation"},
      {"desktop with its screen on the GPU", "healthy/desktop"},
      {"laptop, GPU asleep", "rtx-3060-laptop-asleep"},
      {"laptop on battery", "healthy/laptop-on-battery"},
      {"two different GPUs", "healthy/workstation-two-gpus"},
      {"data-centre node with NVSwitch", "healthy/data-centre-node"},
      {"server without NVSwitch", "healthy/server-without-nvswitch"},
      {"MIG with instances", "healthy/mig-with-instances"},
      {"vGPU with licence", "healthy/vgpu-with-licence"},
      {"WSL2", "wsl2"},
      {"WSL2 with torch", "healthy/wsl2-with-torch"},
      {"Colab T4", "colab-t4"},
      {"Kaggle, two T4", "healthy/kaggle-two-t4"},
      {"container with all GPUs", "healthy/docker-all-gpus"},
      {"Slurm job with a GPU", "healthy/slurm-job-with-gpu"},
      {"GB10", "gb10-without-memory"},
      {"Jetson Orin", "healthy/jetson-orin"},
      {"old GPU, right driver and wheel", "healthy/old-gpu-right-driver"},
      {"Volta server", "healthy/volta-server"},
      {"AMD with ROCm", "healthy/amd-with-rocm", Verdict::not_tested},
      {"Intel Arc", "healthy/intel-arc", Verdict::not_tested},
      {"CPU only", "healthy/cpu-only", Verdict::no_gpu},
      {"server without a GPU", "server-without-gpu", Verdict::no_gpu},
      {"RunPod", "healthy/runpod"},
      {"Vast", "healthy/vast"},
      {"Lambda", "healthy/lambda-a10"},
      {"Kubernetes pod", "healthy/kubernetes-pod"},
      {"card on eight lanes in a cloud", "rules/cloud-card-on-eight-lanes"},
      {"vGPU of another make", "rules/vgpu-licensed"},
  };
  return list;
}

Doctor doctor_of(const std::string& recording) {
  auto session = open_session({(machines / (recording + ".json")).string(), ""});
  if (!session) {
    ADD_FAILURE() << session.error().text;
    return {};
  }
  return diagnose((*session)->facts(true));
}

TEST(HealthyMachines, AreOfAtLeastTwentyKinds) { EXPECT_GE(kinds().size(), 20U); }

TEST(HealthyMachines, EveryRecordingOfTheFolderIsNamed) {
  std::set<std::string> named;
  for (const Healthy& healthy : kinds()) named.insert(healthy.recording);
  for (const auto& entry : fs::directory_iterator(machines / "healthy"))
    EXPECT_EQ(named.count("healthy/" + entry.path().stem().string()), 1U) << entry.path();
}

TEST(HealthyMachines, GetTheirVerdictAndNothingWorseThanAnInfo) {
  for (const Healthy& healthy : kinds()) {
    SCOPED_TRACE(healthy.kind);
    const Doctor doctor = doctor_of(healthy.recording);
    EXPECT_EQ(doctor.verdict, healthy.verdict);
    for (const Finding& finding : doctor.findings)
      EXPECT_EQ(finding.severity, Severity::info) << finding.id;
  }
}

TEST(HealthyMachines, HaveNoBrokenRungWhereTheGpuIsUsable) {
  for (const Healthy& healthy : kinds()) {
    if (healthy.verdict != Verdict::usable) continue;
    for (const RungResult& rung : doctor_of(healthy.recording).ladder)
      EXPECT_NE(rung.outcome, Outcome::finding) << healthy.kind << ": " << rung.why.key;
  }
}

}  // namespace
}  // namespace gpuready
