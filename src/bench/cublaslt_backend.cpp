#include <array>
#include <utility>

#include "base/format.hpp"
#include "bench/backends.hpp"
#include "bench/cublas_files.hpp"
#include "bench/cuda_backend.hpp"
#include "gpuready/units.hpp"
#include "vendor/cublaslt.hpp"

namespace gpuready::bench {

namespace {

using vendor::CublasLt;
namespace lt = vendor::cublaslt;

/// How a type of the command line is asked for.
struct LtTypes {
  std::string_view name;
  int input, output, compute, scale;
  /// B' comes first and is read by columns: the layout that Tensor Cores like best, and the only
  /// one for fp8 before Blackwell (documentation of cublasLtMatmul).
  bool transposed;
};

constexpr std::array types{
    LtTypes{"fp64", lt::type_fp64, lt::type_fp64, lt::compute_fp64, lt::type_fp64, false},
    LtTypes{"fp32", lt::type_fp32, lt::type_fp32, lt::compute_fp32, lt::type_fp32, false},
    LtTypes{"tf32", lt::type_fp32, lt::type_fp32, lt::compute_fast_tf32, lt::type_fp32, true},
    LtTypes{"bf16", lt::type_bf16, lt::type_bf16, lt::compute_fp32, lt::type_fp32, true},
    LtTypes{"fp16", lt::type_fp16, lt::type_fp16, lt::compute_fp32, lt::type_fp32, true},
    LtTypes{"fp16-acc16", lt::type_fp16, lt::type_fp16, lt::compute_fp16, lt::type_fp16, true},
    LtTypes{"fp8", lt::type_fp8_e4m3, lt::type_bf16, lt::compute_fp32, lt::type_fp32, true},
    LtTypes{"int8", lt::type_int8, lt::type_int32, lt::compute_int32, lt::type_int32, true},
};

const LtTypes* find_types(std::string_view name) {
  for (const LtTypes& row : types)
    if (row.name == name) return &row;
  return nullptr;
}

/// One and zero as the library reads them, by the scale's type.
struct Scalars {
  std::array<std::byte, 8> one{}, zero{};

  explicit Scalars(int scale) {
    const double value = 1;
    const Element element = scale == lt::type_fp64    ? Element::fp64
                            : scale == lt::type_fp16  ? Element::fp16
                            : scale == lt::type_int32 ? Element::int32
                                                      : Element::fp32;
    encode(element, &value, 1, one.data());
  }
};

/// What cuBLAS itself recommends: 32 MiB from Hopper on, 4 MiB before (cublasSetWorkspace).
std::size_t workspace_bytes(int capability_major) {
  return static_cast<std::size_t>((capability_major >= 9 ? 32 : 4) * mib);
}

constexpr int most_candidates = 16;

/// One of the library's objects, destroyed with its owner.
template <class Object>
class Owned {
 public:
  explicit Owned(int (*destroy)(Object)) : destroy_(destroy) {}
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  ~Owned() { reset(); }
  void reset(Object made = nullptr) {
    if (object_ != nullptr) destroy_(object_);
    object_ = made;
  }
  [[nodiscard]] Object get() const { return object_; }

 private:
  int (*destroy_)(Object);
  Object object_ = nullptr;
};

class CublasLtBackend : public CudaBackend {
 public:
  CublasLtBackend(std::unique_ptr<CudaDevice> device, const CublasLt& library, const DtypeRow& row,
                  const LtTypes& asked, Case known, std::int64_t host_budget_bytes)
      : CudaBackend(std::move(device), row, std::move(known), host_budget_bytes),
        lt_(library),
        types_(asked),
        scalars_(asked.scale) {}

  Result<bool> start() {
    lt::Handle handle = nullptr;
    if (auto r = result("cublasLtCreate", lt_.cublasLtCreate(&handle)); !r) return r;
    handle_.reset(handle);
    lt::MatmulDesc desc = nullptr;
    if (auto r = result("cublasLtMatmulDescCreate",
                        lt_.cublasLtMatmulDescCreate(&desc, types_.compute, types_.scale));
        !r)
      return r;
    desc_.reset(desc);
    if (lt_.cublasLtGetVersion != nullptr)
      known().library.version = {
          cublas_version_text(static_cast<long long>(lt_.cublasLtGetVersion())),
          "cublasLtGetVersion"};
    return describe_operation();
  }

  [[nodiscard]] std::int64_t candidate_count() const override {
    return static_cast<std::int64_t>(candidates_.size());
  }
  Result<bool> select(std::int64_t candidate) override {
    chosen_ = static_cast<std::size_t>(candidate);
    known().algorithm.workspace_bytes = {static_cast<double>(candidates_[chosen_].workspace_bytes),
                                         "cublasLtMatmulAlgoGetHeuristic"};
    return true;
  }

 private:
  [[nodiscard]] bool wants_b_transposed() const override { return types_.transposed; }

  [[nodiscard]] Result<bool> result(std::string_view call, int status) const {
    if (status == lt::success) return true;
    return failure(base::format("{}: {}", call, vendor::cublaslt_error(lt_, status)),
                   status == lt::alloc_failed ? out_of_memory_code : status);
  }

  template <class Value>
  Result<bool> set(int attribute, Value value) {
    return result("cublasLtMatmulDescSetAttribute",
                  lt_.cublasLtMatmulDescSetAttribute(desc_.get(), attribute, &value, sizeof value));
  }

  Result<bool> describe_operation() {
    const std::int32_t first = types_.transposed ? lt::operation_transpose : lt::operation_none;
    if (auto r = set(lt::desc_transpose_a, first); !r) return r;
    if (auto r = set(lt::desc_transpose_b, lt::operation_none); !r) return r;
    if (types_.name != "fp8") return true;
    // Sums of fp8 in fewer bits than fp32, as is usual for inference; told by a flag.
    known().flags.emplace_back("fp8-fast-accumulate");
    return set(lt::desc_fast_accumulate, std::int8_t{1});
  }

  Result<bool> make_layout(Owned<lt::Layout>& layout, int type, std::int64_t rows,
                           std::int64_t columns) {
    lt::Layout made = nullptr;
    const int status = lt_.cublasLtMatrixLayoutCreate(&made, type, static_cast<std::uint64_t>(rows),
                                                      static_cast<std::uint64_t>(columns), rows);
    layout.reset(made);
    return result("cublasLtMatrixLayoutCreate", status);
  }

  /// The library counts by columns: our rows are its columns, so it is given C' = B' * A'.
  Result<bool> shape_is_new() override {
    const Shape& s = shape();
    const bool t = types_.transposed;
    if (auto r = make_layout(first_, types_.input, t ? s.k : s.n, t ? s.n : s.k); !r) return r;
    if (auto r = make_layout(second_, types_.input, s.k, s.m); !r) return r;
    if (auto r = make_layout(product_, types_.output, s.n, s.m); !r) return r;
    if (auto r = workspace_.allocate(workspace_bytes(device().capability_major())); !r) return r;
    return ask_candidates();
  }

  Result<bool> ask_candidates() {
    lt::Preference made = nullptr;
    if (auto r =
            result("cublasLtMatmulPreferenceCreate", lt_.cublasLtMatmulPreferenceCreate(&made));
        !r)
      return r;
    Owned<lt::Preference> preference(lt_.cublasLtMatmulPreferenceDestroy);
    preference.reset(made);
    const std::uint64_t bytes = workspace_bytes(device().capability_major());
    if (auto r = result("cublasLtMatmulPreferenceSetAttribute",
                        lt_.cublasLtMatmulPreferenceSetAttribute(
                            made, lt::preference_workspace_bytes, &bytes, sizeof bytes));
        !r)
      return r;
    std::array<lt::Candidate, most_candidates> found{};
    int count = 0;
    const int status = lt_.cublasLtMatmulAlgoGetHeuristic(
        handle_.get(), desc_.get(), first_.get(), second_.get(), product_.get(), product_.get(),
        made, most_candidates, found.data(), &count);
    if (status != lt::success && status != lt::not_supported)
      return result("cublasLtMatmulAlgoGetHeuristic", status);
    return keep_usable(found, status == lt::success ? count : 0);
  }

  Result<bool> keep_usable(const std::array<lt::Candidate, most_candidates>& found, int count) {
    candidates_.clear();
    for (int i = 0; i < count && i < most_candidates; ++i)
      if (found[static_cast<std::size_t>(i)].state == lt::success)
        candidates_.push_back(found[static_cast<std::size_t>(i)]);
    if (candidates_.empty())
      return failure(base::format("cuBLASLt has no way to multiply {} of {} x {} x {} on this GPU",
                                  types_.name, shape().m, shape().n, shape().k),
                     unsupported_code);
    return select(0);
  }

  Result<bool> multiply(const Buffers& set) override {
    const lt::Candidate& way = candidates_[chosen_];
    void* const c = device_address<void>(set.c);
    return result("cublasLtMatmul",
                  lt_.cublasLtMatmul(
                      handle_.get(), desc_.get(), scalars_.one.data(), device_address<void>(set.b),
                      first_.get(), device_address<void>(set.a), second_.get(),
                      scalars_.zero.data(), c, product_.get(), c, product_.get(), &way.algorithm,
                      device_address<void>(workspace_.address()), way.workspace_bytes, nullptr));
  }

  CublasLt lt_;
  const LtTypes& types_;
  Scalars scalars_;
  Owned<lt::Handle> handle_{lt_.cublasLtDestroy};
  Owned<lt::MatmulDesc> desc_{lt_.cublasLtMatmulDescDestroy};
  Owned<lt::Layout> first_{lt_.cublasLtMatrixLayoutDestroy},
      second_{lt_.cublasLtMatrixLayoutDestroy}, product_{lt_.cublasLtMatrixLayoutDestroy};
  DeviceMemory workspace_{cuda()};
  std::vector<lt::Candidate> candidates_;
  std::size_t chosen_ = 0;
};

Case known_case(host::Host& host, const BackendRequest& request, const std::string& device_name,
                const std::string& file) {
  Case known;
  known.device = request.device;
  known.device_name = device_name;
  known.backend = "cublaslt";
  known.library = {
      "cublaslt",
      Fact<std::string>::absent(Absence::symbol_missing, "cublasLtGetVersion"),
      Fact<std::string>::absent(Absence::not_applicable, "cuBLASLt does not name its kernels"),
      {file, "loader"}};
  known.flags = cuda_environment_flags(host);
  return known;
}

}  // namespace

OpenedBackend open_cublaslt(host::Host& host, const BackendRequest& request) {
  const DtypeRow* const row = find_dtype(request.dtype);
  const LtTypes* const asked = find_types(request.dtype);
  if (row == nullptr || asked == nullptr) return unsupported_type(request);
  auto device = CudaDevice::open(host, request.device);
  if (!device) return tl::unexpected<Error>(device.error());
  const auto library = load_cublas<CublasLt>(host, "libcublasLt.so", request.library_file,
                                             (*device)->driver_major());
  if (!library) return tl::unexpected<Error>(library.error());
  const std::string name = (*device)->name();
  auto backend = std::make_unique<CublasLtBackend>(std::move(*device), library->api, *row, *asked,
                                                   known_case(host, request, name, library->file),
                                                   request.host_budget_bytes);
  if (const auto started = backend->start(); !started)
    return tl::unexpected<Error>(started.error());
  return backend;
}

}  // namespace gpuready::bench
