#include <algorithm>
#include <set>
#include <vector>

#include "base/text.hpp"
#include "rules/evidence.hpp"
#include "rules/questions.hpp"
#include "rules/rungs.hpp"
#include "rules/torch_rules.hpp"
#include "rules/wheel_choice.hpp"

namespace gpuready::rules {

using catalog::VersionNumber;

namespace {

/// What PyTorch said; nullptr where it was not asked, or no answer came at all.
const TorchAnswer* answer_of(const Machine& machine) {
  return machine.torch_answer ? &*machine.torch_answer : nullptr;
}

/// The same, where the import worked.
const TorchAnswer* imported(const Machine& machine) {
  const TorchAnswer* answer = answer_of(machine);
  return answer != nullptr && answer->imported.is(true) ? answer : nullptr;
}

bool gave_up(const Missing& missing) {
  return missing.reason == Absence::timed_out || missing.reason == Absence::crashed ||
         (missing.reason == Absence::unreadable && missing.code);
}

std::string field(const char* name) { return "machine.torch_answer." + std::string(name); }

Evidence cuda_ran(const Machine& machine) {
  for (const CudaDevice& device : machine.driver.cuda.devices)
    if (device.kernel.is(true))
      return evidence("machine.driver.cuda.devices.kernel", device.kernel);
  return {"machine.driver.cuda.devices.kernel", "false", ""};
}

std::string version_of(const TorchAnswer& answer) { return answer.version.value_or("?"); }

/// PyTorch's own words for why it cannot start CUDA.
std::string words_of(const TorchAnswer& answer) {
  return answer.started ? "torch.cuda.is_available() is False" : reason(answer.started.missing());
}

/// Our kernel ran, and PyTorch, built for CUDA or ROCm, says that there is no GPU.
const TorchAnswer* denies_the_gpu(const Machine& machine) {
  const TorchAnswer* answer = imported(machine);
  const bool denies = answer != nullptr && answer->available.is(false) && kernel_ran(machine);
  return denies && (answer->cuda || answer->hip) ? answer : nullptr;
}

/// The last part of the path, without the version: links of one library differ in names only.
std::string folder_of(const std::string& path) { return path.substr(0, path.rfind('/')); }

/// "8.9" from "sm_89"; nothing for another kind of name.
std::optional<VersionNumber> capability_in(const std::string& arch) {
  const std::size_t digits_at = arch.rfind('_');
  if (!base::starts_with(arch, "sm_") || digits_at == std::string::npos) return {};
  std::string digits = arch.substr(digits_at + 1);
  while (!digits.empty() && (digits.back() < '0' || digits.back() > '9')) digits.pop_back();
  if (digits.size() < 2) return {};
  return VersionNumber::parse(digits.substr(0, digits.size() - 1) + "." + digits.back());
}

std::set<std::string> capabilities_in(const std::vector<std::string>& arch_list) {
  std::set<std::string> found;
  for (const std::string& arch : arch_list)
    if (const auto capability = capability_in(arch)) found.insert(capability->text());
  return found;
}

/// Whether the list has code of the GPU's generation that is not newer than it, or PTX for it.
bool list_serves(const std::vector<std::string>& list, const VersionNumber& gpu) {
  return std::ranges::any_of(list, [&](const std::string& arch) {
    if (base::starts_with(arch, "compute_")) {
      const auto ptx = capability_in("sm_" + arch.substr(8));
      return ptx && *ptx <= gpu;
    }
    const auto code = capability_in(arch);
    return code && code->first() == gpu.first() && *code <= gpu;
  });
}

const TorchDevice* device_where(const TorchAnswer& answer, bool (*wanted)(const TorchDevice&)) {
  const auto it = std::ranges::find_if(answer.devices, wanted);
  return it == answer.devices.end() ? nullptr : &*it;
}

/// The build for the GPUs here; PyTorch that does not load is mended without one, too.
std::string reinstall_line(const Machine& machine, const TorchAnswer& answer) {
  const std::string line = install_line(machine, default_torch(machine).python);
  if (!base::starts_with(line, "#")) return line;
  return base::shell_word(answer.executable) + " -m " + install_command("cpu", {});
}

}  // namespace

std::optional<Sighting> torch_import_fails(const Machine& machine) {
  const TorchAnswer* answer = answer_of(machine);
  if (answer == nullptr || !answer->imported.absent_for(Absence::call_failed)) return {};
  return Sighting{
      {answer->executable, reason(answer->imported.missing()), reinstall_line(machine, *answer)},
      {evidence(field("imported"), answer->imported)}};
}

std::optional<Sighting> torch_gives_no_answer(const Machine& machine) {
  if (!machine.torch_answer && gave_up(machine.torch_answer.missing()))
    return Sighting{{"Python", reason(machine.torch_answer.missing())},
                    {evidence("machine.torch_answer", Fact<bool>(machine.torch_answer.missing()))}};
  const TorchAnswer* answer = answer_of(machine);
  if (answer == nullptr) return {};
  const auto ended = [&](const char* name, const auto& fact) -> std::optional<Sighting> {
    if (fact || !gave_up(fact.missing())) return {};
    return Sighting{{name, reason(fact.missing())}, {evidence(field(name), fact)}};
  };
  if (auto seen = ended("imported", answer->imported)) return seen;
  if (auto seen = ended("available", answer->available)) return seen;
  if (auto seen = ended("device_count", answer->device_count)) return seen;
  if (auto seen = ended("cpu_product", answer->cpu_product)) return seen;
  return ended("started", answer->started);
}

std::optional<Sighting> python_hides_gpus(const Machine& machine) {
  const TorchAnswer* answer = imported(machine);
  if (answer == nullptr || !answer->visible_devices || answer->available.is(true)) return {};
  const auto ours = variable(machine, "CUDA_VISIBLE_DEVICES");
  if (!kernel_ran(machine) || (ours && *ours == *answer->visible_devices)) return {};
  return Sighting{{answer->executable, *answer->visible_devices},
                  {{field("visible_devices"), "\"" + *answer->visible_devices + "\"",
                    answer->visible_devices.source()},
                   evidence(field("available"), answer->available),
                   cuda_ran(machine)}};
}

std::optional<Sighting> torch_loads_other_libcuda(const Machine& machine) {
  const TorchAnswer* answer = denies_the_gpu(machine);
  const Fact<std::string>& ours = machine.driver.cuda.library;
  // WSL's library is a door to the one in Windows' driver store; both are right.
  if (answer == nullptr || !answer->libcuda || !ours || machine.environment.wsl) return {};
  if (folder_of(*answer->libcuda) == folder_of(*ours)) return {};
  return Sighting{
      {*answer->libcuda, *ours, answer->executable},
      {evidence(field("libcuda"), answer->libcuda), evidence("machine.driver.cuda.library", ours)}};
}

std::optional<Sighting> torch_sees_no_gpu(const Machine& machine) {
  const TorchAnswer* answer = denies_the_gpu(machine);
  if (answer == nullptr) return {};
  return Sighting{{version_of(*answer), answer->executable, words_of(*answer),
                   install_line(machine, default_torch(machine).python)},
                  {evidence(field("available"), answer->available),
                   evidence(field("started"), answer->started), cuda_ran(machine)}};
}

std::optional<Sighting> torch_product_fails(const Machine& machine) {
  const TorchAnswer* answer = imported(machine);
  if (answer == nullptr || !answer->available.is(true)) return {};
  const TorchDevice* device = device_where(*answer, [](const TorchDevice& d) {
    return !d.product && d.product.missing().reason != Absence::not_tested;
  });
  if (device == nullptr) return {};
  return Sighting{
      {version_of(*answer), "cuda:" + std::to_string(device->index),
       reason(device->product.missing()), install_line(machine, default_torch(machine).python)},
      {evidence(field("devices.product"), device->product),
       evidence(field("available"), answer->available)}};
}

std::optional<Sighting> torch_product_wrong(const Machine& machine) {
  const TorchAnswer* answer = imported(machine);
  if (answer == nullptr) return {};
  const TorchDevice* device =
      device_where(*answer, [](const TorchDevice& d) { return d.product.is(false); });
  if (device == nullptr && !answer->cpu_product.is(false)) return {};
  const std::string where = device == nullptr ? "cpu" : "cuda:" + std::to_string(device->index);
  return Sighting{{version_of(*answer), where},
                  {device == nullptr ? evidence(field("cpu_product"), answer->cpu_product)
                                     : evidence(field("devices.product"), device->product)}};
}

std::optional<Sighting> torch_list_lacks_gpu(const Machine& machine) {
  const TorchAnswer* answer = imported(machine);
  if (answer == nullptr || !answer->cuda || !answer->arch_list || answer->arch_list->empty())
    return {};
  for (const TorchDevice& device : answer->devices) {
    const auto gpu = VersionNumber::parse(device.compute_capability.value_or(""));
    if (!gpu || device.product.is(true) || list_serves(*answer->arch_list, *gpu)) continue;
    return Sighting{
        {version_of(*answer), gpu->text(), base::join(*answer->arch_list, " "),
         install_line(machine, default_torch(machine).python)},
        {{field("arch_list"), base::join(*answer->arch_list, " "), answer->arch_list.source()},
         evidence(field("devices.compute_capability"), device.compute_capability)}};
  }
  return {};
}

std::optional<Sighting> torch_list_differs_from_table(const Machine& machine) {
  const TorchAnswer* answer = imported(machine);
  const DefaultTorch found = default_torch(machine);
  if (answer == nullptr || !answer->arch_list || answer->arch_list->empty()) return {};
  if (found.torch == nullptr || !is_cuda_wheel(*found.torch)) return {};
  const auto version = VersionNumber::parse(found.torch->version);
  const auto& tables = catalog::wheel_tables();
  const catalog::Wheel* wheel = version ? find_wheel(tables, *found.torch->tag, *version,
                                                     machine.os.architecture.value_or(""))
                                        : nullptr;
  if (wheel == nullptr || wheel->targets.empty()) return {};
  const std::set<std::string> table(wheel->targets.begin(), wheel->targets.end());
  const std::set<std::string> own = capabilities_in(*answer->arch_list);
  if (own.empty() || own == table) return {};
  return Sighting{
      {found.torch->version, base::join({own.begin(), own.end()}, " "),
       base::join({table.begin(), table.end()}, " "), tables.as_of},
      {{field("arch_list"), base::join(*answer->arch_list, " "), answer->arch_list.source()}}};
}

}  // namespace gpuready::rules
