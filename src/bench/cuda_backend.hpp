#pragma once
/// What all libraries on a CUDA device have in common: buffers, transfers, timing. A library only
/// multiplies.

#include <memory>
#include <string>
#include <vector>

#include "bench/backend.hpp"
#include "bench/cuda_device.hpp"
#include "bench/cuda_memory.hpp"
#include "bench/memory_plan.hpp"
#include "bench/stream_gate.hpp"

namespace gpuready::bench {

class CudaBackend : public Backend {
 public:
  [[nodiscard]] Case describe() const override { return known_; }
  [[nodiscard]] bool runs_on_cpu() const override { return false; }
  Result<double> budget_bytes() override { return device_->budget_bytes(); }
  Result<double> largest_matrix_bytes() override;
  [[nodiscard]] double host_bytes(const Shape& shape, std::int64_t sets) const override;
  [[nodiscard]] double cache_bytes() const override { return device_->l2_bytes(); }
  Result<bool> prepare(const Operands& operands, std::int64_t sets) override;
  Result<Elapsed> run(std::int64_t repeats) override {
    return run_while(repeats, [] {});
  }
  Result<Elapsed> run_while(std::int64_t repeats, const std::function<void()>& meanwhile) override;
  Result<bool> flush_cache() override;
  Result<double> run_with_transfers() override;
  Result<bool> poison() override;
  Result<Matrix> read_back() override;

 protected:
  /// The addresses of one set of matrices.
  struct Buffers {
    vendor::cuda::DevicePointer a = 0, b = 0, c = 0;
  };

  /// `known` is what describe() tells; `row` are the types.
  CudaBackend(std::unique_ptr<CudaDevice> device, const DtypeRow& row, Case known,
              std::int64_t host_budget_bytes);

  /// Puts one product into the default stream.
  virtual Result<bool> multiply(const Buffers& set) = 0;
  /// Whether B stands on the device with rows and columns exchanged.
  [[nodiscard]] virtual bool wants_b_transposed() const { return false; }
  /// Called when the matrices are on the device, before the first product of this shape.
  virtual Result<bool> shape_is_new() { return true; }

  [[nodiscard]] const vendor::Cuda& cuda() const { return device_->api(); }
  [[nodiscard]] const CudaDevice& device() const { return *device_; }
  [[nodiscard]] const Shape& shape() const { return operands_->shape; }
  [[nodiscard]] const DtypeRow& row() const { return row_; }
  Case& known() { return known_; }

 private:
  struct Set {
    explicit Set(const vendor::Cuda& api) : a(api), b(api), c(api) {}
    [[nodiscard]] Buffers addresses() const { return {a.address(), b.address(), c.address()}; }
    DeviceMemory a, b, c;
  };
  /// A, B and room for C in host memory, for transfers.
  struct Travel {
    const std::byte *a = nullptr, *b = nullptr;
    std::byte* c = nullptr;
  };

  Result<bool> allocate(std::int64_t sets);
  Result<bool> multiply_next();
  Result<bool> queue(std::int64_t repeats, double& started_s);
  Result<bool> wait();
  Result<bool> send(const Set& set, const std::byte* a, const std::byte* b);
  Result<bool> fetch(const Set& set, std::byte* into);
  Result<bool> fill_with_nan(const Set& set);
  void choose_travel_buffers();
  bool pin();
  [[nodiscard]] const Matrix& b_as_sent() const;
  [[nodiscard]] std::size_t c_bytes() const;

  std::unique_ptr<CudaDevice> device_;
  const DtypeRow& row_;
  Storage storage_;
  Case known_;
  std::int64_t host_budget_bytes_;
  CudaTimer timer_;
  StreamGate gate_;
  std::vector<std::unique_ptr<Set>> sets_;
  std::size_t next_set_ = 0;
  bool hold_next_ = false;
  DeviceMemory flush_;
  PinnedMemory pinned_a_, pinned_b_, pinned_c_;
  const Operands* operands_ = nullptr;
  Matrix b_transposed_, fetched_;
  Travel travel_;
};

/// What the environment changes behind our back: tf32-override, launch-blocking.
std::vector<std::string> cuda_environment_flags(host::Host& host);

}  // namespace gpuready::bench
