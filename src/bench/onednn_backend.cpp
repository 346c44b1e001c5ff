#include <array>
#include <utility>

#include "base/format.hpp"
#include "bench/cpu_backend.hpp"
#include "bench/onednn_library.hpp"

namespace gpuready::bench {

namespace {

using vendor::OneDnn;
namespace dnnl = vendor::onednn;

struct DnnlTypes {
  std::string_view name;
  int input, output;
};
constexpr std::array types{DnnlTypes{"fp32", dnnl::type_fp32, dnnl::type_fp32},
                           DnnlTypes{"bf16", dnnl::type_bf16, dnnl::type_bf16},
                           DnnlTypes{"fp16", dnnl::type_fp16, dnnl::type_fp16},
                           DnnlTypes{"int8", dnnl::type_int8, dnnl::type_int32}};

const DnnlTypes* find_types(std::string_view name) {
  for (const DnnlTypes& row : types)
    if (row.name == name) return &row;
  return nullptr;
}

Result<bool> result(const char* function, int status) {
  if (status == dnnl::success) return true;
  return failure(onednn_error(function, status), status == dnnl::out_of_memory ? out_of_memory_code
                                                 : status == dnnl::unimplemented ? unsupported_code
                                                                                 : 0);
}

/// One of the library's objects, destroyed with its owner.
template <class Object>
class Owned {
 public:
  explicit Owned(int (*destroy)(Object)) : destroy_(destroy) {}
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  ~Owned() { reset(); }
  void reset() {
    if (object_ != nullptr) destroy_(object_);
    object_ = nullptr;
  }
  /// Where the library writes a new object.
  Object* fresh() {
    reset();
    return &object_;
  }
  [[nodiscard]] Object get() const { return object_; }

 private:
  int (*destroy_)(Object);
  Object object_ = nullptr;
};

/// The primitive of one product, with A, B and C as plain row-major matrices.
class Matmul {
 public:
  explicit Matmul(const OneDnn& api) : api_(api) {}

  Result<bool> start() {
    if (auto r =
            result("dnnl_engine_create", api_.dnnl_engine_create(engine_.fresh(), dnnl::cpu, 0));
        !r)
      return r;
    return result("dnnl_stream_create",
                  api_.dnnl_stream_create(stream_.fresh(), engine_.get(), dnnl::in_order));
  }

  Result<bool> plan(const Shape& s, const DnnlTypes& of) {
    primitive_.reset();
    if (auto r = describe(desc_a_, s.m, s.k, of.input); !r) return r;
    if (auto r = describe(desc_b_, s.k, s.n, of.input); !r) return r;
    if (auto r = describe(desc_c_, s.m, s.n, of.output); !r) return r;
    Owned<dnnl::PrimitiveDesc> desc(api_.dnnl_primitive_desc_destroy);
    if (auto r = result(
            "dnnl_matmul_primitive_desc_create",
            api_.dnnl_matmul_primitive_desc_create(desc.fresh(), engine_.get(), desc_a_.get(),
                                                   desc_b_.get(), nullptr, desc_c_.get(), nullptr));
        !r)
      return r;
    const char* name = nullptr;
    if (api_.dnnl_primitive_desc_query(desc.get(), dnnl::query_implementation, 0,
                                       static_cast<void*>(&name)) == dnnl::success)
      implementation_ = name;
    return result("dnnl_primitive_create",
                  api_.dnnl_primitive_create(primitive_.fresh(), desc.get()));
  }

  /// Memory objects that point to these matrices from now on.
  Result<bool> bind(const Matrix& a, const Matrix& b, Matrix& c) {
    if (auto r = create(memory_a_, desc_a_, const_cast<std::byte*>(a.data.data())); !r) return r;
    if (auto r = create(memory_b_, desc_b_, const_cast<std::byte*>(b.data.data())); !r) return r;
    return create(memory_c_, desc_c_, c.data.data());
  }

  Result<bool> multiply(const Matrix& a, const Matrix& b, Matrix& c) {
    // The library reads A and B only, though its interface takes every matrix as one to write.
    api_.dnnl_memory_set_data_handle(memory_a_.get(), const_cast<std::byte*>(a.data.data()));
    api_.dnnl_memory_set_data_handle(memory_b_.get(), const_cast<std::byte*>(b.data.data()));
    api_.dnnl_memory_set_data_handle(memory_c_.get(), c.data.data());
    const std::array arguments{dnnl::Argument{dnnl::place_a, memory_a_.get()},
                               dnnl::Argument{dnnl::place_b, memory_b_.get()},
                               dnnl::Argument{dnnl::place_c, memory_c_.get()}};
    if (auto r = result(
            "dnnl_primitive_execute",
            api_.dnnl_primitive_execute(primitive_.get(), stream_.get(),
                                        static_cast<int>(arguments.size()), arguments.data()));
        !r)
      return r;
    return result("dnnl_stream_wait", api_.dnnl_stream_wait(stream_.get()));
  }

  [[nodiscard]] const std::string& implementation() const { return implementation_; }

 private:
  Result<bool> describe(Owned<dnnl::MemoryDesc>& desc, std::int64_t rows, std::int64_t columns,
                        int type) {
    const dnnl::Dimensions sizes{rows, columns};
    const dnnl::Dimensions strides{columns, 1};
    return result("dnnl_memory_desc_create_with_strides",
                  api_.dnnl_memory_desc_create_with_strides(desc.fresh(), 2, sizes, type, strides));
  }

  Result<bool> create(Owned<dnnl::Memory>& memory, const Owned<dnnl::MemoryDesc>& desc,
                      std::byte* data) {
    return result("dnnl_memory_create",
                  api_.dnnl_memory_create(memory.fresh(), desc.get(), engine_.get(), data));
  }

  const OneDnn& api_;
  Owned<dnnl::Engine> engine_{api_.dnnl_engine_destroy};
  Owned<dnnl::Stream> stream_{api_.dnnl_stream_destroy};
  Owned<dnnl::MemoryDesc> desc_a_{api_.dnnl_memory_desc_destroy},
      desc_b_{api_.dnnl_memory_desc_destroy}, desc_c_{api_.dnnl_memory_desc_destroy};
  Owned<dnnl::Primitive> primitive_{api_.dnnl_primitive_destroy};
  Owned<dnnl::Memory> memory_a_{api_.dnnl_memory_destroy}, memory_b_{api_.dnnl_memory_destroy},
      memory_c_{api_.dnnl_memory_destroy};
  std::string implementation_;
};

class OneDnnBackend : public CpuBackend {
 public:
  OneDnnBackend(Case known_case, const DtypeRow& dtype, const DnnlTypes& of, double cache,
                OneDnnLibrary library)
      : CpuBackend(std::move(known_case), dtype, cache), library_(std::move(library)), types_(of) {
    Case& c = known();
    c.threads = library_.threads;
    c.library.version = {library_.version, "dnnl_version"};
    c.library.kernel_target = library_.instructions();
    c.library.file = {library_.file, "loader"};
  }

  Result<bool> start() { return library_.has_matmul() ? matmul_.start() : Result<bool>(true); }

  [[nodiscard]] std::int64_t candidate_count() const override {
    return static_cast<std::int64_t>(ways_.size());
  }
  Result<bool> select(std::int64_t candidate) override {
    way_ = ways_[static_cast<std::size_t>(candidate)];
    const bool named = way_ == Way::matmul && !matmul_.implementation().empty();
    known().library.kernel_target =
        named ? Fact<std::string>(matmul_.implementation(), "dnnl_query_impl_info_str")
              : library_.instructions();
    return true;
  }

 private:
  enum class Way { sgemm, matmul };

  Result<bool> plan(const Shape& wanted) override {
    ways_.clear();
    if (row().name == "fp32") ways_.push_back(Way::sgemm);
    if (library_.has_matmul()) {
      const auto planned = matmul_.plan(wanted, types_);
      if (!planned && ways_.empty()) return explained(planned.error());
      if (planned) {
        if (auto r = matmul_.bind(*first_set().a, *first_set().b, *first_set().c); !r) return r;
        ways_.push_back(Way::matmul);
      }
    }
    return select(0);
  }

  [[nodiscard]] Result<bool> explained(const Error& error) const {
    if (error.code != unsupported_code) return tl::unexpected<Error>(error);
    return failure(
        base::format("oneDNN {} does not multiply {} on this CPU ({})", library_.version,
                     row().name, library_.instructions().value_or("instructions not told")),
        unsupported_code);
  }

  Result<bool> multiply(const Set& set) override {
    if (way_ == Way::matmul) return matmul_.multiply(*set.a, *set.b, *set.c);
    const auto m = shape().m, n = shape().n, k = shape().k;
    return result("dnnl_sgemm",
                  library_.api.dnnl_sgemm('N', 'N', m, n, k, 1.0F, set.a->as<float>(), k,
                                          set.b->as<float>(), n, 0.0F, set.c->as<float>(), n));
  }

  OneDnnLibrary library_;
  const DnnlTypes& types_;
  Matmul matmul_{library_.api};
  std::vector<Way> ways_;
  Way way_ = Way::sgemm;
};

}  // namespace

OpenedBackend open_onednn(host::Host& host, const BackendRequest& request) {
  auto known = start_cpu_case(host, request);
  if (!known) return tl::unexpected<Error>(known.error());
  const DtypeRow* const row = find_dtype(request.dtype);
  const DnnlTypes* const of = find_types(request.dtype);
  if (row == nullptr || of == nullptr) return unsupported_type(request);
  auto library = open_onednn_library(host, request.library_file, request.threads);
  if (!library) return tl::unexpected<Error>(library.error());
  const auto itself = multiplies_itself(*library, request.dtype);
  if (!itself) return tl::unexpected<Error>(itself.error());
  if (!*itself) known->flags.emplace_back("emulated");
  auto backend = std::make_unique<OneDnnBackend>(std::move(*known), *row, *of,
                                                 last_level_cache_bytes(host), std::move(*library));
  if (const auto started = backend->start(); !started)
    return tl::unexpected<Error>(started.error());
  return backend;
}

}  // namespace gpuready::bench
