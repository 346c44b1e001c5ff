#include "api/input.hpp"
#include "bench/compare_runs.hpp"
#include "gpuready/gpuready.hpp"
#include "host/real_host.hpp"

namespace gpuready {

Result<Comparison> compare_files(const std::string& first, const std::string& second) {
  const auto host = host::make_real_host();
  const auto a = api::read_measured(*host, first);
  if (!a) return tl::unexpected(a.error());
  const auto b = api::read_measured(*host, second);
  if (!b) return tl::unexpected(b.error());
  return Comparison{a->at, b->at, bench::compare_runs(a->cases, b->cases)};
}

}  // namespace gpuready
