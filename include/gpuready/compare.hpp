#pragma once
/// Two runs side by side.

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "gpuready/measurements.hpp"

namespace gpuready {

enum class Change { faster, slower, noise, only_first, only_second };
template <>
struct EnumNames<Change> {
  static constexpr std::array<std::string_view, 5> list{"faster", "slower", "within the noise",
                                                        "only in the first", "only in the second"};
};

/// The same product on the same device in both runs.
struct CaseChange {
  std::string device, library, device_names;
  Shape shape;
  Dtype dtype;
  std::string data;
  Fact<double> first_flops, second_flops, ratio;
  Fact<Interval> ratio_ci95;
  Change change = Change::noise;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("device", s.device, Unit::none, "cpu, cuda:0 or opencl:0");
    f("library", s.library, Unit::none, "backend");
    f("device_names", s.device_names, Unit::none, "product name, or both where they differ");
    f("shape", s.shape, Unit::none, "size of the product");
    f("dtype", s.dtype, Unit::none, "types");
    f("data", s.data, Unit::none, "what stood in A and B");
    f("first_flops", s.first_flops, Unit::flop_per_second, "rate in the first run");
    f("second_flops", s.second_flops, Unit::flop_per_second, "rate in the second run");
    f("ratio", s.ratio, Unit::ratio, "second rate over the first");
    f("ratio_ci95", s.ratio_ci95, Unit::ratio, "95 % interval of that");
    f("change", s.change, Unit::none, "whether the second is faster, beyond the noise");
  }
};

struct Comparison {
  std::string first_at, second_at;
  std::vector<CaseChange> changes;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("first_at", s.first_at, Unit::none, "when the first run was, UTC");
    f("second_at", s.second_at, Unit::none, "when the second run was, UTC");
    f("changes", s.changes, Unit::none, "case by case");
  }
};

}  // namespace gpuready
