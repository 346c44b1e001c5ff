#include "rules/setup_steps.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/messages.hpp"
#include "base/text.hpp"
#include "probe/probe.hpp"
#include "rules/ladder.hpp"
#include "rules/rule.hpp"
#include "rules/setup_driver.hpp"
#include "tests/probe/recorded_machine.hpp"

namespace gpuready::rules {
namespace {

const catalog::SetupTables& tables() {
  static const auto loaded = catalog::load_setup_tables(catalog::Override{}).value();
  return loaded;
}

const catalog::RuleTexts& texts() {
  static const auto loaded = catalog::load_rule_texts().value();
  return loaded;
}

Machine recorded(const std::string& name) {
  host::RecordedHost host(probe::testing::load_recording(name));
  return probe::probe_machine(host, {});
}

Setup plan(const Machine& machine) {
  Doctor doctor = climb(machine);
  add_findings(find(machine, texts()), doctor);
  return plan_setup({machine, doctor, tables(), texts()});
}

/// GPUs of NVIDIA on the bus of an Ubuntu 24.04 without driver.
Machine with_devices(const std::vector<std::string>& ids) {
  Machine machine = recorded("nouveau-bound");
  const PciFunction gpu = machine.pci.at(0);
  machine.pci.clear();
  for (const std::string& id : ids) {
    machine.pci.push_back(gpu);
    machine.pci.back().device_id = {id, "test"};
  }
  return machine;
}

Machine on(const std::string& id, const std::string& version, Machine machine) {
  machine.os.id = {id, "test"};
  machine.os.version_id = {version, "test"};
  return machine;
}

const SetupStep* step(const Setup& setup, const std::string& id) {
  const auto it = std::ranges::find(setup.steps, id, &SetupStep::id);
  return it == setup.steps.end() ? nullptr : &*it;
}

std::string commands_of(const Setup& setup, const std::string& id) {
  const SetupStep* found = step(setup, id);
  return found == nullptr ? "" : base::join(found->commands, "\n");
}

std::string all_commands(const Setup& setup) {
  std::string text;
  for (const SetupStep& one : setup.steps) text += base::join(one.commands, "\n") + "\n";
  return text;
}

std::string why_of(const Setup& setup, const std::string& id) {
  const SetupStep* found = step(setup, id);
  return found == nullptr ? "" : base::Messages::language("en").text(found->why);
}

TEST(SetupDriver, TheFlavourAndBranchFollowTheGeneration) {
  struct Row {
    std::vector<std::string> ids;
    bool possible, open;
    int last_branch;
  };
  const std::vector<Row> rows{
      {{"0x06d1"}, true, false, 390},
      {{"0x102d"}, true, false, 470},
      {{"0x1b80"}, true, false, 580},
      {{"0x1db1"}, true, false, 580},
      {{"0x1eb8"}, true, true, 0},
      {{"0x1f82"}, true, true, 0},
      {{"0x20b0"}, true, true, 0},
      {{"0x2204"}, true, true, 0},
      {{"0x2330"}, true, true, 0},
      {{"0x2684"}, true, true, 0},
      {{"0x2901"}, true, true, 0},
      {{"0x2b85"}, true, true, 0},
      {{"0x2e12"}, true, true, 0},
      {{"0x1b80", "0x2b85"}, false, false, 580},
      {{"0x1b80", "0x2684"}, true, false, 580},
      {{"0x102d", "0x2204"}, true, false, 470},
      {{"0x102d", "0x2684"}, false, false, 470},
  };
  for (const Row& row : rows) {
    const DriverNeed need = driver_need(with_devices(row.ids), tables());
    EXPECT_TRUE(need.known) << row.ids[0];
    EXPECT_EQ(need.possible, row.possible) << base::join(row.ids, "+");
    EXPECT_EQ(need.open, row.open) << base::join(row.ids, "+");
    EXPECT_EQ(need.last_branch, row.last_branch) << base::join(row.ids, "+");
  }
  EXPECT_FALSE(driver_need(with_devices({}), tables()).known);
}

TEST(SetupDriver, ANewerGpuIsNotGuessed) {
  const gpuready::Setup ubuntu = plan(with_devices({"0x4000"}));
  EXPECT_TRUE(base::contains(why_of(ubuntu, "driver"), "as of " + tables().chips_as_of));
  EXPECT_TRUE(base::contains(commands_of(ubuntu, "driver"), "ubuntu-drivers install"));
  EXPECT_FALSE(base::contains(commands_of(ubuntu, "driver"), "nvidia:"));
  const gpuready::Setup fedora = plan(on("fedora", "43", with_devices({"0x4000"})));
  EXPECT_EQ(commands_of(fedora, "driver"), "");
  EXPECT_EQ(step(fedora, "restart"), nullptr);
}

TEST(SetupDriver, ItComesTheDistributionsWay) {
  struct Row {
    const char *id, *version, *device, *command;
  };
  const std::vector<Row> rows{
      {"ubuntu", "24.04", "0x1b80", "sudo ubuntu-drivers install nvidia:580\n"},
      {"ubuntu", "24.04", "0x1b80", "sudo apt-mark hold nvidia-driver-580"},
      {"ubuntu", "24.04", "0x2b85", "sudo ubuntu-drivers install nvidia:580-open"},
      {"ubuntu", "24.04", "0x2330", "sudo ubuntu-drivers install --gpgpu nvidia:580-server-open"},
      {"ubuntu", "30.04", "0x2684", "sudo ubuntu-drivers install"},
      {"pop", "24.04", "0x2684", "system76-driver-nvidia"},
      {"debian", "12", "0x2684", "nvidia-driver firmware-misc-nonfree"},
      {"debian", "12", "0x102d", "nvidia-tesla-470-driver"},
      {"debian", "13", "0x2b85", "repos/debian13/x86_64/cuda-keyring"},
      {"fedora", "43", "0x1b80", "akmod-nvidia-580xx xorg-x11-drv-nvidia-580xx-cuda"},
      {"fedora", "43", "0x2684", "%_with_kmod_nvidia_open 1"},
      {"rocky", "9.6", "0x2684", "sudo dnf module install -y nvidia-driver:open-dkms"},
      {"rhel", "9.6", "0x1db1", "sudo dnf module install -y nvidia-driver:580-dkms"},
      {"rhel", "10.0", "0x2684", "sudo dnf install -y nvidia-open"},
      {"opensuse-leap", "15.6", "0x2684", "nvidia-open-driver-G06-signed-kmp-default"},
      {"manjaro", "", "0x1b80", "mhwd -a pci nonfree 0300"},
      {"cachyos", "", "0x1b80", "sudo chwd -a"},
      {"amzn", "2023", "0x2684", "repos/amzn2023/x86_64/cuda-amzn2023.repo"},
  };
  for (const Row& row : rows) {
    const std::string found =
        commands_of(plan(on(row.id, row.version, with_devices({row.device}))), "driver");
    EXPECT_TRUE(base::contains(found, row.command)) << row.id << " " << row.device << ":\n"
                                                    << found;
  }
}

TEST(SetupDriver, ArchTakesTheModuleOfItsKernel) {
  Machine machine = on("arch", "", with_devices({"0x2684"}));
  machine.os.kernel = {"6.18.2-arch1-1", "test"};
  EXPECT_TRUE(base::contains(commands_of(plan(machine), "driver"), "nvidia-open nvidia-utils"));
  machine.os.kernel = {"6.12.60-1-lts", "test"};
  EXPECT_TRUE(base::contains(commands_of(plan(machine), "driver"), "linux-lts-headers"));
  const gpuready::Setup pascal = plan(on("arch", "", with_devices({"0x1b80"})));
  EXPECT_EQ(commands_of(pascal, "driver"), "");
  EXPECT_TRUE(base::contains(why_of(pascal, "driver"), "nvidia-580xx-dkms"));
}

TEST(SetupDriver, WhereTheWayIsNotKnownTheReasonSaysSo) {
  for (const auto& [id, version, device] :
       std::vector<std::tuple<const char*, const char*, const char*>>{{"void", "", "0x2684"},
                                                                      {"amzn", "2023", "0x1db1"},
                                                                      {"debian", "99", "0x2684"},
                                                                      {"rhel", "10.0", "0x1b80"},
                                                                      {"nixos", "", "0x2684"},
                                                                      {"ubuntu", "24.04", "0x06d1"},
                                                                      {"sles", "15.6", "0x1b80"},
                                                                      {"debian", "13", "0x102d"}}) {
    const gpuready::Setup setup = plan(on(id, version, with_devices({device})));
    EXPECT_EQ(commands_of(setup, "driver"), "") << id;
    EXPECT_EQ(step(setup, "restart"), nullptr) << id;
    EXPECT_FALSE(why_of(setup, "driver").empty()) << id;
  }
}

TEST(SetupDriver, NoneIsInstalledInWslOrInAContainer) {
  for (const char* const name : {"wsl2", "rules/wsl-without-gpu-library", "container-without-gpus",
                                 "container-utility-only", "colab-t4"}) {
    const gpuready::Setup setup = plan(recorded(name));
    ASSERT_NE(step(setup, "driver"), nullptr) << name;
    EXPECT_EQ(commands_of(setup, "driver"), "") << name;
    EXPECT_EQ(step(setup, "restart"), nullptr) << name;
    EXPECT_FALSE(base::contains(all_commands(setup), "nvidia-driver")) << name;
  }
}

TEST(SetupDriver, WhatIsInstalledAndBrokenIsCuredNotInstalledAgain) {
  const gpuready::Setup mismatch = plan(recorded("driver-library-mismatch"));
  EXPECT_EQ(commands_of(mismatch, "driver"), "");
  ASSERT_NE(step(mismatch, "restart"), nullptr);
  const gpuready::Setup headers = plan(recorded("rules/module-not-built-for-kernel"));
  EXPECT_TRUE(base::contains(commands_of(headers, "driver"), "linux-headers-$(uname -r)"));
  EXPECT_EQ(step(headers, "restart"), nullptr);
}

TEST(SetupDriver, TheWrongOneIsReplaced) {
  for (const char* const name :
       {"rules/gpu-too-old-for-driver", "rules/open-module-on-old-gpu",
        "rules/closed-module-on-new-gpu", "rules/relative-of-arch-drops-gpu"}) {
    const gpuready::Setup setup = plan(recorded(name));
    ASSERT_NE(step(setup, "driver"), nullptr) << name;
    EXPECT_FALSE(step(setup, "driver")->done) << name;
    EXPECT_EQ(step(setup, "driver")->what.key, "setup.driver.what-replace") << name;
  }
}

TEST(SetupDriver, ASystemThatIsOneImageGetsItsOwnWayAndNoPackages) {
  for (const char* const name : {"rules/nouveau-on-silverblue", "rules/unraid-without-plugin",
                                 "rules/truenas-with-open-module", "rules/old-gpu-on-new-image"}) {
    const gpuready::Setup setup = plan(recorded(name));
    EXPECT_EQ(commands_of(setup, "driver"), "") << name;
    EXPECT_GT(why_of(setup, "driver").size(), 80U) << name;
  }
  Machine installed = recorded("nouveau-bound");
  installed.os.image = {"ostree", "test"};
  installed.driver.nvml.library = {"/usr/lib64/libnvidia-ml.so.1", "test"};
  EXPECT_EQ(commands_of(plan(installed), "driver"), "");
}

TEST(SetupDriver, ProxmoxTakesTheHeadersOfItsKernel) {
  Machine machine = on("debian", "12", with_devices({"0x2684"}));
  machine.os.kernel = {"6.8.12-9-pve", "test"};
  EXPECT_TRUE(base::contains(commands_of(plan(machine), "driver"), "proxmox-headers-$(uname -r)"));
  const gpuready::Setup headers = plan(recorded("rules/proxmox-without-headers"));
  EXPECT_TRUE(base::contains(commands_of(headers, "driver"), "proxmox-headers-$(uname -r)"));
}

TEST(SetupDriver, AGpuSetAsideForAVirtualMachineIsLeftAlone) {
  EXPECT_EQ(commands_of(plan(recorded("rules/vfio-bound")), "driver"), "");
}

TEST(SetupDriver, SecureBootGetsItsStepWhereModulesAreBuiltHere) {
  Machine machine = with_devices({"0x2684"});
  machine.driver.module.secure_boot = {true, "test"};
  const gpuready::Setup ubuntu = plan(machine);
  ASSERT_NE(step(ubuntu, "secure-boot"), nullptr);
  EXPECT_TRUE(step(ubuntu, "secure-boot")->done);
  const gpuready::Setup debian = plan(on("debian", "12", machine));
  EXPECT_TRUE(base::contains(commands_of(debian, "secure-boot"), "mokutil --import"));
  EXPECT_FALSE(base::contains(commands_of(debian, "secure-boot"), "reboot"));
  const gpuready::Setup rhel = plan(on("rhel", "9.6", machine));
  ASSERT_NE(step(rhel, "secure-boot"), nullptr);
  EXPECT_FALSE(step(rhel, "secure-boot")->done);
  EXPECT_EQ(commands_of(rhel, "secure-boot"), "");
  machine.driver.module.secure_boot = {false, "test"};
  EXPECT_EQ(step(plan(on("debian", "12", machine)), "secure-boot"), nullptr);
}

TEST(SetupSteps, AMachineInOrderHasItsStepsDone) {
  const gpuready::Setup setup = plan(recorded("rtx-4090-workstation"));
  ASSERT_EQ(setup.steps.size(), 3U);
  EXPECT_TRUE(setup.steps[0].done);
  EXPECT_TRUE(setup.steps[1].done);
  EXPECT_TRUE(base::contains(setup.steps[2].commands.at(0), "device='cuda'"));
  EXPECT_EQ(setup.summary.key, "setup.summary.done");
}

TEST(SetupSteps, TheContainerToolkitIsAStepWhereDockerIs) {
  const gpuready::Setup without = plan(recorded("rules/docker-without-gpu-toolkit"));
  EXPECT_TRUE(base::contains(commands_of(without, "container-toolkit"), "nvidia-ctk runtime"));
  const gpuready::Setup with = plan(recorded("rules/docker-with-gpu-toolkit"));
  ASSERT_NE(step(with, "container-toolkit"), nullptr);
  EXPECT_TRUE(step(with, "container-toolkit")->done);
  EXPECT_EQ(step(plan(recorded("rtx-4090-workstation")), "container-toolkit"), nullptr);
}

TEST(SetupTorch, TheWheelFollowsEveryGpuAndTheDriverThatWillBeThere) {
  struct Row {
    const char *id, *version;
    std::vector<std::string> devices;
    const char* tag;
  };
  const std::vector<Row> rows{
      {"ubuntu", "24.04", {"0x1b80"}, "cu126"},            // Pascal on 580
      {"ubuntu", "24.04", {"0x2684"}, "cu130"},            // Ada on 580
      {"ubuntu", "24.04", {"0x1b80", "0x2684"}, "cu126"},  // the older one decides
      {"ubuntu", "24.04", {"0x2b85"}, "cu130"},            // Blackwell
      {"debian", "12", {"0x2684"}, "cu126"},               // Debian 12 brings 535
      {"debian", "13", {"0x1eb8"}, "cu126"},               // Debian 13 brings 550
      {"debian", "12", {"0x2b85"}, "cu130"},               // from NVIDIA's repository
  };
  for (const Row& row : rows) {
    const gpuready::Setup setup = plan(on(row.id, row.version, with_devices(row.devices)));
    EXPECT_EQ(setup.torch.tag.value_or("none"), row.tag) << row.id << row.version;
    EXPECT_TRUE(base::contains(commands_of(setup, "torch"), std::string("whl/") + row.tag));
  }
  const gpuready::Setup kepler = plan(with_devices({"0x102d"}));
  EXPECT_FALSE(kepler.torch.tag.known());
  EXPECT_EQ(commands_of(kepler, "torch"), "");
  EXPECT_EQ(commands_of(kepler, "check"), "gpuready doctor");
}

TEST(SetupTorch, ATableOfTheUsersReplacesTheBuiltInOne) {
  const Machine machine = with_devices({"0x2684"});
  const auto replaced =
      catalog::load_setup_tables([](const std::string& name) -> std::optional<std::string> {
        if (name != "torch_wheels.csv") return {};
        return "vendor,tag,os,arch,torch_min,torch_max,python_min,python_max,sm_list,ptx,"
               "driver_min,cuda,cudnn,status,source,as_of\n"
               "nvidia,cu999,linux,x86_64,9.0,9.0,3.1,3.99,8.9,,500.1,99.9,,stable,test,2030-01\n";
      });
  ASSERT_TRUE(replaced) << replaced.error().text;
  const gpuready::Setup setup = plan_setup({machine, climb(machine), *replaced, texts()});
  EXPECT_EQ(setup.torch.tag.value_or(""), "cu999");
}

TEST(SetupTorch, GpusWithoutACommonWheelGetAnEnvironmentEach) {
  Machine machine = recorded("two-different-gpus");
  machine.driver.cuda.devices.at(0).compute_capability = {"12.0", "test"};
  const gpuready::Setup setup = plan(machine);
  std::vector<std::string> tags;
  for (const SetupStep& one : setup.steps)
    if (one.id == "torch") tags.push_back(one.what.args.at(0));
  EXPECT_EQ(tags, (std::vector<std::string>{"cu126", "cu130"}));
  EXPECT_FALSE(setup.torch.tag.known());
}

TEST(SetupTorch, APathThatAShellWouldSplitIsQuoted) {
  Machine machine = recorded("two-different-gpus");
  for (PythonEnvironment& python : machine.python)
    if (python.is_default) python.executable = "/home/a b/it's; rm -rf x/python";
  EXPECT_TRUE(base::contains(commands_of(plan(machine), "torch"),
                             R"('/home/a b/it'\''s; rm -rf x/python' -m pip install)"));
}

TEST(SetupTorch, OtherVendorsGetTheirIndex) {
  EXPECT_TRUE(base::contains(all_commands(plan(recorded("rules/kfd-permission"))), "whl/rocm7.2"));
  const gpuready::Setup intel = plan(recorded("rules/intel-graphics-only"));
  EXPECT_TRUE(base::contains(all_commands(intel), "whl/xpu"));
  EXPECT_TRUE(base::contains(all_commands(intel), "device='xpu'"));
}

TEST(SetupTorch, ABuildForTheVendorsGpusIsLeftAlone) {
  const std::vector<std::tuple<const char*, const char*, const char*>> builds{
      {"rules/kfd-permission", "2.13.0+rocm7.2", "7.2"},
      {"rules/intel-graphics-only", "2.14.0+xpu", ""}};
  for (const auto& [name, version, hip] : builds) {
    Machine machine = recorded(name);
    TorchBuild torch;
    torch.version = version;
    torch.tag = {std::string(version).substr(7), "test"};
    if (*hip != '\0') torch.hip = {hip, "test"};
    for (PythonEnvironment& python : machine.python)
      if (python.is_default) python.torch = Fact<TorchBuild>(torch, "test");
    const gpuready::Setup setup = plan(machine);
    ASSERT_NE(step(setup, "torch"), nullptr) << name;
    EXPECT_TRUE(step(setup, "torch")->done) << name;
  }
}

TEST(SetupTorch, ABuildForAnotherVendorIsNotDone) {
  const gpuready::Setup arc = plan(recorded("rules/arc-with-cuda-build"));
  EXPECT_FALSE(step(arc, "torch")->done);
  EXPECT_TRUE(base::contains(commands_of(arc, "torch"), "whl/xpu"));
  const gpuready::Setup radeon = plan(recorded("rules/radeon-with-cuda-build"));
  EXPECT_FALSE(step(radeon, "torch")->done);
  EXPECT_TRUE(base::contains(commands_of(radeon, "torch"), "whl/rocm"));
  const gpuready::Setup young = plan(recorded("rules/new-radeon-with-old-build"));
  EXPECT_FALSE(step(young, "torch")->done);
  EXPECT_TRUE(base::contains(commands_of(young, "torch"), "whl/rocm7.2"));
}

TEST(SetupSteps, StepsByHandAreCountedApart) {
  const gpuready::Setup setup = plan(recorded("rules/old-gpu-on-new-image"));
  EXPECT_EQ(setup.summary.key, "setup.summary.mixed");
  EXPECT_EQ(setup.summary.args, (std::vector<std::string>{"2", "1"}));
}

TEST(SetupSteps, AGpuThatIsSwitchedOffIsSwitchedOnFirst) {
  const gpuready::Setup setup = plan(recorded("rules/gpu-switched-off"));
  ASSERT_EQ(setup.steps.size(), 1U);
  EXPECT_EQ(setup.steps[0].what.key, "setup.driver.what-switched-off");
  EXPECT_EQ(setup.summary.key, "setup.summary.by-hand");
}

TEST(SetupSteps, WithoutAGpuThereIsNothingToInstall) {
  const gpuready::Setup setup = plan(recorded("server-without-gpu"));
  EXPECT_TRUE(setup.steps.empty());
  EXPECT_EQ(setup.torch.tag.value_or(""), "cpu");
}

TEST(SetupSteps, RootNeedsNoSudo) {
  gpuready::Setup setup = plan(on("debian", "12", with_devices({"0x2684"})));
  ASSERT_TRUE(base::contains(all_commands(setup), "| sudo tee"));
  leave_out_sudo(setup);
  EXPECT_FALSE(base::contains(all_commands(setup), "sudo"));
  EXPECT_TRUE(base::contains(all_commands(setup), "| tee /etc/apt"));
}

}  // namespace
}  // namespace gpuready::rules
