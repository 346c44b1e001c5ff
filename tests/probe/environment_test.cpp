#include <gtest/gtest.h>

#include "probe/probe.hpp"
#include "tests/probe/recorded_machine.hpp"

namespace gpuready::probe {
namespace {

Environment probe(host::Recording recording) {
  host::RecordedHost host(std::move(recording));
  return probe_environment(host);
}

Environment with_variables(const std::map<std::string, std::string>& variables) {
  host::Recording recording;
  recording.environment = variables;
  return probe(std::move(recording));
}

Environment with_file(const std::string& path, const std::string& content) {
  host::Recording recording;
  recording.files.emplace(path, content);
  recording.statuses.emplace(path, host::FileStatus{});
  return probe(std::move(recording));
}

TEST(ProbeEnvironment, ContainersAreKnownByTheirSigns) {
  EXPECT_TRUE(with_file("/.dockerenv", "").container.is("docker"));
  EXPECT_TRUE(with_file("/run/.containerenv", "").container.is("podman"));
  EXPECT_TRUE(with_variables({{"APPTAINER_CONTAINER", "/x.sif"}}).container.is("apptainer"));
  EXPECT_TRUE(with_variables({{"container", "lxc"}}).container.is("lxc"));
  EXPECT_TRUE(with_file("/proc/1/environ", std::string("A=b\0container=podman\0", 21))
                  .container.is("podman"));
  EXPECT_TRUE(
      with_file("/proc/self/cgroup", "0::/kubepods/burstable/pod1\n").container.is("kubernetes"));
  EXPECT_TRUE(with_file("/proc/self/mountinfo",
                        "1 2 0:1 / / rw - overlay overlay rw,lowerdir=/var/lib/docker/overlay2/l\n")
                  .container.is("docker"));
  EXPECT_TRUE(with_file("/proc/self/mountinfo", "1 2 0:1 / / rw - ext4 /dev/sda1 rw\n")
                  .container.absent_for(Absence::not_found));
}

TEST(ProbeEnvironment, ContainersAreKnownByFilesAndBySystemd) {
  EXPECT_TRUE(with_file("/.singularity.d", "").container.is("apptainer"));
  // LXD's virtual machines have that socket, too.
  EXPECT_FALSE(with_file("/dev/lxd/sock", "").container.known());
  EXPECT_TRUE(
      with_file("/var/run/secrets/kubernetes.io/serviceaccount", "").container.is("kubernetes"));
  EXPECT_TRUE(with_file("/run/systemd/container", "lxc\n").container.is("lxc"));
  EXPECT_TRUE(
      with_file("/run/systemd/container", "systemd-nspawn\n").container.is("systemd-nspawn"));
  EXPECT_FALSE(with_file("/run/systemd/container", "wsl\n").container.known());
  EXPECT_TRUE(with_file("/proc/self/mountinfo",
                        "1 2 0:1 / /proc/meminfo rw - fuse.lxcfs lxcfs rw,user_id=0\n")
                  .container.is("lxc"));
}

TEST(ProbeEnvironment, WslIsKnownUnderAKernelOfAnyName) {
  const std::string release = "/proc/sys/kernel/osrelease";
  host::Recording recording;
  recording.files.emplace(release, "6.1.21.2-mine+\n");
  recording.statuses.emplace("/run/WSL", host::FileStatus{});
  EXPECT_TRUE(probe(recording).wsl.is("WSL2"));
  recording.statuses.clear();
  EXPECT_TRUE(probe(recording).wsl.absent_for(Absence::not_applicable));
  recording.environment["WSL_DISTRO_NAME"] = "Ubuntu";
  EXPECT_TRUE(probe(recording).wsl.is("WSL2"));
}

TEST(ProbeEnvironment, WslsTwoKindsAreToldApart) {
  const std::string path = "/proc/sys/kernel/osrelease";
  EXPECT_TRUE(with_file(path, "4.4.0-19041-Microsoft\n").wsl.is("WSL1"));
  EXPECT_TRUE(with_file(path, "4.19.104-microsoft-standard\n").wsl.is("WSL2"));
  EXPECT_TRUE(with_file(path, "5.15.0-microsoft-standard-WSL2\n").wsl.is("WSL2"));
  EXPECT_TRUE(with_file(path, "6.8.0-azure\n").wsl.absent_for(Absence::not_applicable));
}

TEST(ProbeEnvironment, HostsAreKnownByTheirVariables) {
  EXPECT_TRUE(with_variables({{"RUNPOD_POD_ID", "abc"}}).runpod.is("abc"));
  EXPECT_TRUE(with_variables({{"KAGGLE_KERNEL_RUN_TYPE", "Batch"}}).kaggle.is("Batch"));
  EXPECT_TRUE(
      with_variables({{"CONTAINER_ID", "7"}, {"VAST_CONTAINERLABEL", "C.7"}}).vast.is("C.7"));
  EXPECT_FALSE(with_variables({{"CONTAINER_ID", "7"}}).vast.known());
  EXPECT_TRUE(with_variables({{"COLAB_GPU", ""}}).colab.is("COLAB_GPU is set, and empty"));
}

TEST(ProbeEnvironment, ASlurmClientWithoutAJobIsALoginNode) {
  host::Recording recording;
  recording.environment["PATH"] = "/opt/slurm/bin";
  recording.statuses.emplace("/opt/slurm/bin/srun",
                             host::FileStatus{host::FileKind::regular, 0755, 0, 0, 1});
  EXPECT_TRUE(probe(std::move(recording)).slurm.is("client, no job"));
}

TEST(ProbeEnvironment, OnlyVariablesThatMatterAreKeptAndNeverASecret) {
  const Environment environment = with_variables({{"CUDA_VISIBLE_DEVICES", "0"},
                                                  {"SLURM_JOB_GPUS", "0,1"},
                                                  {"OMP_NUM_THREADS", "4"},
                                                  {"NVIDIA_API_KEY", "nvapi-x"},
                                                  {"PYTORCH_TOKEN", "x"},
                                                  {"SLURM_JOB_USER", "alice"},
                                                  {"HOME", "/home/alice"}});
  EXPECT_EQ(
      environment.variables,
      (std::map<std::string, std::string>{
          {"CUDA_VISIBLE_DEVICES", "0"}, {"OMP_NUM_THREADS", "4"}, {"SLURM_JOB_GPUS", "0,1"}}));
}

TEST(ProbeEnvironment, DockerAndItsToolkitAreFoundWherePackagesPutThem) {
  EXPECT_TRUE(with_file("/snap/bin/docker", "").docker.is("/snap/bin/docker"));
  EXPECT_TRUE(with_file("/usr/bin/nvidia-ctk", "").container_toolkit.is("/usr/bin/nvidia-ctk"));
  EXPECT_TRUE(with_variables({}).docker.absent_for(Absence::not_found));
  EXPECT_TRUE(with_variables({}).container_toolkit.absent_for(Absence::not_found));
}

TEST(ProbeEnvironment, SelinuxEnforcesOrIsPermissive) {
  EXPECT_TRUE(with_file("/sys/fs/selinux/enforce", "1").selinux.is("enforcing"));
  EXPECT_TRUE(with_file("/sys/fs/selinux/enforce", "0").selinux.is("permissive"));
  EXPECT_FALSE(with_variables({}).selinux.known());
}

TEST(ProbeEnvironment, EveryToolThatSwitchesALaptopsGpuLeavesAMark) {
  EXPECT_TRUE(with_file("/etc/prime-discrete", "on-demand\n").prime.is("on-demand"));
  EXPECT_TRUE(with_file("/etc/prime/current_type", "intel\n").prime.is("intel"));
  EXPECT_TRUE(with_file("/proc/acpi/bbswitch", "0000:01:00.0 OFF\n").prime.is("off"));
  EXPECT_TRUE(
      with_file("/etc/supergfxd.conf", "{\n \"mode\": \"Integrated\",\n}").prime.is("integrated"));
  EXPECT_TRUE(with_file("/etc/supergfxd.conf", "{\n \"mode\": \"Hybrid\",\n}").prime.is("on"));
  EXPECT_TRUE(with_file("/sys/devices/platform/asus-nb-wmi/dgpu_disable", "1\n").prime.is("off"));
  EXPECT_FALSE(with_file("/etc/os-release", "ID=debian\n").prime.known());
}

TEST(ProbeEnvironment, ServicesMayHaveTheirOwnVisibleDevices) {
  host::Recording recording;
  recording.folders.emplace("/etc/systemd/system",
                            std::vector<std::string>{"a.service", "b.service.d", "c.timer"});
  recording.folders.emplace("/etc/systemd/system/b.service.d",
                            std::vector<std::string>{"x.conf", "y.txt"});
  recording.files.emplace("/etc/systemd/system/a.service", std::string("[Service]\nUser=a\n"));
  recording.files.emplace("/etc/systemd/system/b.service.d/x.conf",
                          std::string("#Environment=CUDA_VISIBLE_DEVICES=0\n"
                                      "Environment=\"CUDA_VISIBLE_DEVICES=2\"\n"));
  const Environment environment = probe(std::move(recording));
  ASSERT_EQ(environment.services.size(), 1U);
  EXPECT_EQ(environment.services.at("/etc/systemd/system/b.service.d/x.conf"), "2");
}

}  // namespace
}  // namespace gpuready::probe
