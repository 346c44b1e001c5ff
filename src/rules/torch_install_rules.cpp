#include "base/text.hpp"
#include "rules/evidence.hpp"
#include "rules/torch_rules.hpp"
#include "rules/wheel_choice.hpp"

namespace gpuready::rules {

using catalog::VersionNumber;

namespace {

/// An environment that somebody works in and that has no PyTorch yet, on a machine with a GPU for
/// it; the system's own interpreter is nobody's choice.
const PythonEnvironment* empty_environment(const Machine& machine) {
  const DefaultTorch found = default_torch(machine);
  const bool chosen = found.python != nullptr && !found.python->kind.is("system");
  const bool empty = chosen && found.python->torch.absent_for(Absence::not_found);
  return empty && has_gpu_of(machine, "nvidia") ? found.python : nullptr;
}

std::optional<Sighting> where_choice_is(const Machine& machine, WheelOutcome outcome) {
  const PythonEnvironment* python = empty_environment(machine);
  if (python == nullptr || !python->version) return {};
  const WheelRequest request = wheel_request(machine, python);
  const WheelChoice choice = choose_wheel(request, catalog::wheel_tables());
  if (choice.outcome != outcome) return {};
  WheelRequest any_python = request;
  any_python.python.reset();
  const WheelChoice other = choose_wheel(any_python, catalog::wheel_tables());
  if (other.outcome != WheelOutcome::fits)
    return {};  // then it isn't Python that stands in the way
  return Sighting{{*python->version, python->executable, choice.why, other.command},
                  {evidence(default_torch(machine).field + ".version", python->version)}};
}

/// Wheels of torch are built for manylinux 2.28 (pytorch RELEASE.md).
const VersionNumber oldest_glibc{2, 28};

}  // namespace

std::optional<Sighting> no_wheel_for_python(const Machine& machine) {
  return where_choice_is(machine, WheelOutcome::python_unsupported);
}

std::optional<Sighting> python_newer_than_wheels(const Machine& machine) {
  return where_choice_is(machine, WheelOutcome::newer_than_table);
}

std::optional<Sighting> no_wheel_for_libc(const Machine& machine) {
  const DefaultTorch found = default_torch(machine);
  const bool installed = found.torch != nullptr;
  if (installed || machine.gpus.empty()) return {};
  if (machine.os.id.is("alpine"))
    return Sighting{{"musl"}, {evidence("machine.os.id", machine.os.id)}};
  constexpr std::string_view name = "glibc ";
  const std::string libc = machine.os.libc.value_or("");
  if (!base::starts_with(libc, name)) return {};
  const auto version = VersionNumber::parse(std::string_view(libc).substr(name.size()));
  if (!version || *version >= oldest_glibc) return {};
  return Sighting{{libc}, {evidence("machine.os.libc", machine.os.libc)}};
}

}  // namespace gpuready::rules
