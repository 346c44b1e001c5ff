#include "bench/cpu_backend.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <map>

#include "base/format.hpp"
#include "base/text.hpp"
#include "bench/fma_peak.hpp"
#include "bench/memory_plan.hpp"
#include "bench/timing.hpp"
#include "gpuready/units.hpp"

namespace gpuready::bench {

namespace {

std::string cpu_name(host::Host& host) {
  const auto text = host.read_file("/proc/cpuinfo");
  if (!text) return "CPU";
  return base::field_value(*text, "model name").value_or("CPU");
}

/// "32768K", as the kernel's Documentation/ABI/testing/sysfs-devices-system-cpu has it.
double size_in_bytes(std::string_view text) {
  const std::string_view trimmed = base::trim(text);
  if (trimmed.empty()) return 0;
  const char unit = trimmed.back();
  const double factor = unit == 'K' ? kib : unit == 'M' ? mib : unit == 'G' ? gib : 1;
  const auto digits = factor == 1 ? trimmed : trimmed.substr(0, trimmed.size() - 1);
  return factor * static_cast<double>(base::to_integer(digits).value_or(0));
}

}  // namespace

/// Several processors share an instance of the last cache, or all of them do: each instance counts
/// once.
double last_level_cache_bytes(host::Host& host) {
  const std::string folder = "/sys/devices/system/cpu";
  std::map<std::string, double> instances;
  for (const std::string& cpu : host.list(folder).value_or(std::vector<std::string>())) {
    if (!base::starts_with(cpu, "cpu") || !base::to_integer(cpu.substr(3))) continue;
    double largest = 0;
    std::string shared = cpu;
    const std::string caches = folder + "/" + cpu + "/cache";
    for (const std::string& name : host.list(caches).value_or(std::vector<std::string>())) {
      if (!base::starts_with(name, "index")) continue;
      const auto size = host.read_file(caches + "/" + name + "/size");
      if (!size || size_in_bytes(*size) <= largest) continue;
      largest = size_in_bytes(*size);
      shared = host.read_file(caches + "/" + name + "/shared_cpu_list").value_or(cpu);
    }
    instances[shared] = largest;
  }
  double sum = 0;
  for (const auto& [shared, bytes] : instances) sum += bytes;
  return sum;
}

Result<Case> start_cpu_case(host::Host& host, const BackendRequest& request) {
  if (request.device != "cpu")
    return failure(base::format("device '{}' given, expected cpu", request.device));
  if (request.threads < 1 || request.threads > std::numeric_limits<int>::max())
    return failure(base::format("{} threads given, expected at least 1", request.threads));
  Case known;
  known.device = "cpu";
  known.device_name = cpu_name(host);
  known.backend = request.backend;
  known.library.name = request.backend;
  known.threads = request.threads;
  return known;
}

Result<double> CpuBackend::budget_bytes() { return std::numeric_limits<double>::infinity(); }

Result<double> CpuBackend::largest_matrix_bytes() {
  return std::numeric_limits<double>::infinity();
}

/// A and B of the first set are the caller's, and one C is counted as the product handed out.
double CpuBackend::host_bytes(const Shape& shape, std::int64_t sets) const {
  const Storage storage{row_.input, row_.output};
  return static_cast<double>(sets) * bytes_of_c(shape, storage) +
         static_cast<double>(sets - 1) * (bytes_of_a(shape, storage) + bytes_of_b(shape, storage));
}

Result<bool> CpuBackend::prepare(const Operands& operands, std::int64_t sets) {
  operands_ = &operands;
  sets_.clear();
  copies_.clear();
  products_.clear();
  next_ = 0;
  make_sets(sets);
  return plan(operands.shape);
}

void CpuBackend::make_sets(std::int64_t count) {
  const auto size = static_cast<std::size_t>(count);
  // Sets point into these, so they must not grow beyond their room.
  copies_.reserve(2 * size);
  products_.reserve(size);
  for (std::size_t i = 0; i < size; ++i) {
    Matrix& c = products_.emplace_back(row_.output, operands_->a.rows, operands_->b.columns);
    if (i == 0) {
      sets_.push_back({&operands_->a, &operands_->b, &c});
      continue;
    }
    const Matrix& a = copies_.emplace_back(operands_->a);
    const Matrix& b = copies_.emplace_back(operands_->b);
    sets_.push_back({&a, &b, &c});
  }
}

Result<Elapsed> CpuBackend::run(std::int64_t repeats) {
  const double start = steady_seconds();
  for (std::int64_t i = 0; i < repeats; ++i) {
    const auto done = multiply(sets_[next_]);
    if (!done) return tl::unexpected<Error>(done.error());
    next_ = (next_ + 1) % sets_.size();
  }
  return Elapsed{steady_seconds() - start, {}};
}

Result<double> CpuBackend::run_with_transfers() {
  return failure("the CPU works in main memory: nothing travels");
}

Result<bool> CpuBackend::poison() {
  std::memset(products_.front().data.data(), 0xFF, products_.front().data.size());
  next_ = 0;
  return true;
}

PercentOfPeak CpuBackend::percent_of_peak(double flops) {
  return percent_of_cpu_peak(row_.name, known_.threads, flops);
}

}  // namespace gpuready::bench
