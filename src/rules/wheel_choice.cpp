#include "rules/wheel_choice.hpp"

#include <algorithm>
#include <array>
#include <tuple>

#include "base/format.hpp"
#include "base/text.hpp"
#include "rules/wheel_questions.hpp"

namespace gpuready::rules {

namespace {

using catalog::VersionNumber;
using catalog::Wheel;
using catalog::WheelTables;
using Rows = std::vector<const Wheel*>;

/// No wheel since torch 2.0 has kernels for older ones (pytorch RELEASE.md).
const VersionNumber oldest_capability{5, 0};

WheelChoice none(WheelOutcome outcome, std::string why) {
  WheelChoice choice;
  choice.outcome = outcome, choice.why = std::move(why);
  return choice;
}

template <class Keep>
Rows keep(const Rows& rows, const Keep& wanted) {
  Rows kept;
  std::ranges::copy_if(rows, std::back_inserter(kept), [&](const Wheel* w) { return wanted(*w); });
  return kept;
}

/// The youngest torch first; of its builds a finished one, of the newest CUDA major, and there of
/// the oldest minor, whose PTX more drivers can load.
bool is_better(const Wheel* a, const Wheel* b) {
  const auto key = [](const Wheel& w) {
    const VersionNumber cuda = w.cuda.value_or(VersionNumber{});
    return std::tuple(w.torch_max.value_or(VersionNumber{}), !w.experimental, cuda.first(),
                      -cuda.second());
  };
  return key(*a) > key(*b);
}

std::string list_of(const std::vector<VersionNumber>& versions) {
  std::vector<std::string> words;
  for (const VersionNumber& version : versions) words.push_back(version.text());
  return base::join(words, ", ");
}

std::string newer_than(const std::string& what, const WheelTables& tables) {
  return what + " is newer than this table (as of " + tables.as_of + ")";
}

WheelChoice chosen(Rows rows, const WheelTables& tables) {
  std::ranges::stable_sort(rows, is_better);
  const Wheel& best = *rows.front();
  WheelChoice choice;
  choice.outcome = WheelOutcome::fits;
  choice.tag = best.tag, choice.torch_min = best.torch_min, choice.torch_max = best.torch_max;
  for (const Wheel* row : rows)
    if (row->tag == best.tag && row->targets.empty() == best.targets.empty() &&
        row->torch_min < choice.torch_min)
      choice.torch_min = row->torch_min;
  const VersionNumber newest = (*std::ranges::max_element(tables.wheels, {}, [](const Wheel& w) {
                                 return w.torch_max.value_or(VersionNumber{});
                               })).torch_max.value_or(VersionNumber{});
  const bool bounded = best.torch_max && (best.last || *best.torch_max < newest);
  choice.command = install_command(best.tag, bounded ? best.torch_max : std::nullopt);
  return choice;
}

/// Why no build has kernels for all of the GPUs.
WheelChoice explain_kernels(const WheelRequest& request, const Rows& rows,
                            const WheelTables& tables) {
  std::vector<VersionNumber> newer;
  for (const VersionNumber& capability : request.capabilities) {
    const auto runs = [&](const Wheel& w) { return may_run_on(w, capability, tables); };
    if (!keep(rows, runs).empty()) continue;
    if (!knows_generation(tables, capability)) {
      newer.push_back(capability);
      continue;
    }
    return none(WheelOutcome::no_wheel, "no build of PyTorch in the table (as of " + tables.as_of +
                                            ") has kernels for compute capability " +
                                            capability.text() + " on " + request.arch);
  }
  if (!newer.empty())
    return none(WheelOutcome::newer_than_table,
                newer_than("compute capability " + list_of(newer), tables));
  return none(WheelOutcome::two_environments,
              "no single build of PyTorch has kernels for compute capabilities " +
                  list_of(request.capabilities) +
                  "; use two environments, each with the build for its GPU");
}

WheelChoice explain_driver(const WheelRequest& request, const Rows& rows) {
  const Wheel& easiest = **std::ranges::min_element(
      rows, {}, [](const Wheel* w) { return w->driver_min.value_or(VersionNumber{}); });
  WheelChoice choice = none(
      WheelOutcome::driver_too_old,
      base::format("driver {} is too old for every build that has kernels for this GPU; update it "
                   "to {} or newer first",
                   request.driver->text(), easiest.driver_min->text()));
  choice.driver_needed = easiest.driver_min;
  return choice;
}

WheelChoice explain_python(const WheelRequest& request, const WheelTables& tables) {
  const VersionNumber python = request.python->release();
  const bool newer = std::ranges::none_of(
      tables.wheels, [&](const Wheel& w) { return w.python_max && *w.python_max >= python; });
  if (newer)
    return none(WheelOutcome::newer_than_table, newer_than("Python " + python.text(), tables));
  return none(WheelOutcome::python_unsupported,
              "no build of PyTorch for this GPU and driver supports Python " + python.text());
}

/// What holds beside the choice.
void add_notes(const WheelRequest& request, const WheelTables& tables, WheelChoice& choice) {
  for (const VersionNumber& capability : request.capabilities)
    if (!knows_generation(tables, capability))
      choice.notes.push_back(newer_than("compute capability " + capability.text(), tables) +
                             ": it would run the build's PTX");
  if (!request.driver) {
    choice.notes.emplace_back("the driver's version is not known: this is for a current one");
    return;
  }
  const auto newest =
      std::ranges::max_element(tables.toolkits, {}, &catalog::CudaDriverFloor::driver);
  if (newest != tables.toolkits.end() && request.driver->first() > newest->driver.first())
    choice.notes.push_back(newer_than("driver " + request.driver->text(), tables) +
                           ": a newer driver runs every older CUDA");
  for (const VersionNumber& capability : request.capabilities) {
    const auto first = first_driver_for(tables, capability);
    if (first && *request.driver < *first)
      choice.notes.push_back(base::format(
          "driver {} is older than {}, which came with the first CUDA toolkit for compute "
          "capability {}: if it does not see the GPU, update it",
          request.driver->text(), first->text(), capability.text()));
  }
}

/// NVIDIA's Jetson boards before Thor: their driver is JetPack's, for which the wheels for Arm
/// servers are not built (pytorch RELEASE.md, aarch64).
bool is_jetson(const WheelRequest& request) {
  const std::array<VersionNumber, 4> boards{VersionNumber{5, 3}, VersionNumber{6, 2},
                                            VersionNumber{7, 2}, VersionNumber{8, 7}};
  return request.arch == "aarch64" &&
         std::ranges::any_of(request.capabilities, [&](const VersionNumber& c) {
           return std::ranges::find(boards, c) != boards.end();
         });
}

WheelChoice choose_for_nvidia(const WheelRequest& request, const Rows& rows,
                              const WheelTables& tables) {
  if (request.capabilities.empty())
    return none(WheelOutcome::unknown, "the compute capability of no GPU is known");
  if (is_jetson(request))
    return none(WheelOutcome::jetson,
                "a Jetson needs the builds of its JetPack: PyTorch's own wheels for aarch64 are "
                "for Arm servers");
  const VersionNumber oldest = *std::ranges::min_element(request.capabilities);
  if (oldest < oldest_capability)
    return none(WheelOutcome::no_wheel,
                "no current build of PyTorch has kernels for compute "
                "capability " +
                    oldest.text() + ": use another GPU or the cloud");
  const Rows with_kernels = keep(rows, [&](const Wheel& w) {
    return std::ranges::all_of(request.capabilities,
                               [&](const VersionNumber& c) { return may_run_on(w, c, tables); });
  });
  if (with_kernels.empty()) return explain_kernels(request, rows, tables);
  const Rows with_driver = keep(with_kernels, [&](const Wheel& w) {
    return !request.driver || !w.driver_min || *request.driver >= *w.driver_min;
  });
  if (with_driver.empty()) return explain_driver(request, with_kernels);
  const Rows fitting =
      keep(with_driver, [&](const Wheel& w) { return supports_python(w, request.python); });
  if (fitting.empty()) return explain_python(request, tables);
  WheelChoice choice = chosen(fitting, tables);
  choice.why = base::format("{} has kernels for compute capability {}", choice.tag,
                            list_of(request.capabilities));
  add_notes(request, tables, choice);
  return choice;
}

WheelChoice choose_for_amd(const WheelRequest& request, const Rows& rows,
                           const WheelTables& tables) {
  if (request.gfx_targets.empty())
    return none(WheelOutcome::unknown, "the gfx target of no GPU is known");
  const Rows with_kernels = keep(rows, [&](const Wheel& w) {
    return std::ranges::all_of(request.gfx_targets, [&](const std::string& gfx) {
      return std::ranges::find(w.targets, gfx) != w.targets.end();
    });
  });
  const std::string targets = base::join(request.gfx_targets, ", ");
  if (with_kernels.empty())
    return none(WheelOutcome::no_wheel, "no ROCm build of PyTorch in the table (as of " +
                                            tables.as_of + ") has kernels for " + targets);
  const Rows fitting =
      keep(with_kernels, [&](const Wheel& w) { return supports_python(w, request.python); });
  if (fitting.empty()) return explain_python(request, tables);
  WheelChoice choice = chosen(fitting, tables);
  choice.why = choice.tag + " has kernels for " + targets;
  return choice;
}

}  // namespace

WheelChoice choose_wheel(const WheelRequest& request, const WheelTables& tables) {
  Rows rows;
  for (const Wheel& wheel : tables.wheels)
    if (wheel.vendor == request.vendor && wheel.os == request.os && wheel.arch == request.arch)
      rows.push_back(&wheel);
  if (rows.empty())
    return none(WheelOutcome::no_wheel, "the table (as of " + tables.as_of +
                                            ") has no build of PyTorch for " + request.vendor +
                                            " on " + request.os + " " + request.arch);
  if (request.vendor == "nvidia") return choose_for_nvidia(request, rows, tables);
  if (request.vendor == "amd") return choose_for_amd(request, rows, tables);
  WheelChoice choice = chosen(rows, tables);
  choice.why = choice.tag +
               " is the build for Intel's GPUs; which ones it supports is not in this "
               "table";
  return choice;
}

std::string install_command(const std::string& tag, const std::optional<VersionNumber>& at_most) {
  const std::string torch =
      at_most ? base::format("\"torch<{}.{}\"", at_most->first(), at_most->second() + 1) : "torch";
  return "pip install " + torch + " torchvision --index-url https://download.pytorch.org/whl/" +
         tag;
}

}  // namespace gpuready::rules
