#include <algorithm>

#include "rules/questions.hpp"
#include "rules/rungs.hpp"

namespace gpuready::rules {

namespace {

Judgement judge_devices(const TorchAnswer& answer, const std::string& version) {
  std::string right;
  for (const TorchDevice& device : answer.devices) {
    const std::string name = "cuda:" + std::to_string(device.index);
    if (device.product.is(true)) right += (right.empty() ? "" : ", ") + name;
    if (device.product.is(false)) return finding("ladder.torch.wrong", {version, name});
    if (!device.product)
      return finding("ladder.torch.product", {version, name, reason(device.product.missing())});
  }
  return pass("ladder.torch.ran", {version, right});
}

}  // namespace

std::optional<Judgement> judge_torch_answer(const Machine& machine) {
  if (!machine.torch_answer) return {};
  const TorchAnswer& answer = *machine.torch_answer;
  const std::string version = answer.version.value_or("?");
  if (answer.imported.absent_for(Absence::not_found)) return {};
  if (!answer.imported)
    return finding("ladder.torch.import", {answer.executable, reason(answer.imported.missing())});
  if (!answer.devices.empty()) return judge_devices(answer, version);
  if (answer.available.is(false) && (answer.cuda || answer.hip) && kernel_ran(machine))
    return finding("ladder.torch.no-gpu",
                   {version, answer.started ? "torch.cuda.is_available() is False"
                                            : reason(answer.started.missing())});
  return {};
}

}  // namespace gpuready::rules
