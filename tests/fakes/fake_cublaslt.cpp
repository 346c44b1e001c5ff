/// A libcublasLt whose products are right: computed here, in the memory of the fake libcuda.so.1.

#include <dlfcn.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "cublaslt_calls.hpp"
#include "device_memory.hpp"
#include "fake_cublaslt_product.hpp"
#include "script.hpp"

namespace lt = gpuready::vendor::cublaslt;
namespace cuda = gpuready::vendor::cuda;
namespace fakes = gpuready::fakes;
using gpuready::bench::Element;

namespace gpuready::vendor::cublaslt {
struct LtHandleTag {};
struct LtMatmulTag {
  int compute = 0, scale = 0;
  std::int32_t transpose_a = 0, transpose_b = 0;
  std::int8_t fast = 0;
};
struct LtLayoutTag {
  int type = 0;
  std::uint64_t rows = 0, columns = 0;
  std::int64_t stride = 0;
};
struct LtPreferenceTag {
  std::uint64_t workspace = 0;
};
}  // namespace gpuready::vendor::cublaslt

namespace {

constexpr int not_initialized = 1, invalid_value = 7, execution_failed = 13;
/// Written into an algorithm, so that one from elsewhere is refused.
constexpr std::uint64_t mark = 0x6770757265616479U;
constexpr int ways = 3;

template <class Function>
Function* of_driver(const char* name) {
  void* const driver = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (driver == nullptr) return nullptr;
  auto* const found = reinterpret_cast<Function*>(::dlsym(driver, name));
  ::dlclose(driver);
  return found;
}

template <class Tag>
std::set<std::unique_ptr<Tag>>& all() {
  static std::set<std::unique_ptr<Tag>> made;
  return made;
}

template <class Tag>
bool exists(Tag* object) {
  return std::ranges::any_of(all<Tag>(), [&](const auto& one) { return one.get() == object; });
}

template <class Tag>
int make(const char* call, Tag** out, Tag content) {
  if (const int code = fakes::enter(call); code != 0) return code;
  if (out == nullptr) return invalid_value;
  auto made = std::make_unique<Tag>(content);
  *out = made.get();
  all<Tag>().insert(std::move(made));
  return lt::success;
}

template <class Tag>
int destroy(const char* call, Tag* object) {
  if (const int code = fakes::enter(call); code != 0) return code;
  if (!exists(object)) return invalid_value;
  std::erase_if(all<Tag>(), [&](const auto& one) { return one.get() == object; });
  return lt::success;
}

std::optional<Element> element_of(int type) {
  switch (type) {
    case lt::type_fp32:
      return Element::fp32;
    case lt::type_fp64:
      return Element::fp64;
    case lt::type_fp16:
      return Element::fp16;
    case lt::type_bf16:
      return Element::bf16;
    case lt::type_int8:
      return Element::int8;
    case lt::type_int32:
      return Element::int32;
    case lt::type_fp8_e4m3:
      return Element::fp8_e4m3;
    default:
      return {};
  }
}

/// The combinations of the table in the documentation of cublasLtMatmul() that we use.
bool known_types(const lt::LtMatmulTag& desc, int input, int output) {
  const auto is = [&](int compute, int scale, int in, int out) {
    return desc.compute == compute && desc.scale == scale && input == in && output == out;
  };
  return is(lt::compute_fp64, lt::type_fp64, lt::type_fp64, lt::type_fp64) ||
         is(lt::compute_fp32, lt::type_fp32, lt::type_fp32, lt::type_fp32) ||
         is(lt::compute_fast_tf32, lt::type_fp32, lt::type_fp32, lt::type_fp32) ||
         is(lt::compute_fp32, lt::type_fp32, lt::type_bf16, lt::type_bf16) ||
         is(lt::compute_fp32, lt::type_fp32, lt::type_fp16, lt::type_fp16) ||
         is(lt::compute_fp16, lt::type_fp16, lt::type_fp16, lt::type_fp16) ||
         is(lt::compute_fp32, lt::type_fp32, lt::type_fp8_e4m3, lt::type_bf16) ||
         is(lt::compute_int32, lt::type_int32, lt::type_int8, lt::type_int32);
}

/// What the GPU and the layout allow: fp8 from 8.9 on, read by columns, all sides multiples of 16;
/// int8 multiples of 4.
bool supported(const lt::LtMatmulTag& desc, const lt::LtLayoutTag& a, const lt::LtLayoutTag& b,
               const lt::LtLayoutTag& c) {
  if (a.type != b.type || !known_types(desc, a.type, c.type)) return false;
  const auto sides_by = [&](std::uint64_t step) {
    return a.rows % step == 0 && a.columns % step == 0 && b.columns % step == 0;
  };
  const auto capability = of_driver<decltype(gpuready_fake_capability)>("gpuready_fake_capability");
  if (a.type == lt::type_fp8_e4m3)
    return capability != nullptr && capability() >= 89 && sides_by(16) &&
           desc.transpose_a == lt::operation_transpose && desc.transpose_b == lt::operation_none;
  return a.type != lt::type_int8 || sides_by(4);
}

fakes::Stored stored(const lt::LtLayoutTag& layout, std::int32_t transpose) {
  const bool t = transpose == lt::operation_transpose;
  const auto rows = static_cast<std::size_t>(layout.rows);
  const auto columns = static_cast<std::size_t>(layout.columns);
  return {t, t ? columns : rows, t ? rows : columns, static_cast<std::size_t>(layout.stride)};
}

std::byte* on_host(const void* data, const fakes::Stored& x, Element element) {
  const auto resolve =
      of_driver<decltype(gpuready_fake_host_address)>("gpuready_fake_host_address");
  if (resolve == nullptr) return nullptr;
  return static_cast<std::byte*>(resolve(reinterpret_cast<std::uintptr_t>(data),
                                         x.span() * gpuready::bench::size_of(element)));
}

/// The work of a call whose arguments fit together; nothing where they don't.
std::optional<fakes::LtProduct> product_of(const lt::LtMatmulTag& desc, const void* a,
                                           const lt::LtLayoutTag& a_layout, const void* b,
                                           const lt::LtLayoutTag& b_layout, void* d,
                                           const lt::LtLayoutTag& d_layout) {
  fakes::LtProduct p{stored(a_layout, desc.transpose_a), stored(b_layout, desc.transpose_b),
                     stored(d_layout, lt::operation_none), *element_of(a_layout.type),
                     *element_of(d_layout.type)};
  if (p.a.rows != p.c.rows || p.b.columns != p.c.columns || p.a.columns != p.b.rows) return {};
  p.tf32 = desc.compute == lt::compute_fast_tf32 ||
           (fakes::script().tf32 && a_layout.type == lt::type_fp32);
  p.a_data = on_host(a, p.a, p.input);
  p.b_data = on_host(b, p.b, p.input);
  p.c_data = on_host(d, p.c, p.output);
  return p;
}

/// Alpha must be one and beta zero, in the scale's own type.
bool plain_scale(int scale, const void* alpha, const void* beta) {
  double one = 0, zero = 1;
  gpuready::bench::decode(*element_of(scale), static_cast<const std::byte*>(alpha), 1, &one);
  gpuready::bench::decode(*element_of(scale), static_cast<const std::byte*>(beta), 1, &zero);
  return one == 1 && zero == 0;
}

}  // namespace

extern "C" {

int cublasLtCreate(lt::Handle* handle) {
  const auto ready = of_driver<decltype(gpuready_fake_has_context)>("gpuready_fake_has_context");
  if (ready == nullptr || !ready()) return not_initialized;
  return make("cublasLtCreate", handle, lt::LtHandleTag{});
}
int cublasLtDestroy(lt::Handle handle) { return destroy("cublasLtDestroy", handle); }

std::size_t cublasLtGetVersion() { return 130000; }
const char* cublasLtGetStatusString(int status) {
  return status == lt::success ? "success" : "the fake cuBLASLt failed";
}

int cublasLtMatmulDescCreate(lt::MatmulDesc* desc, int compute, int scale) {
  return make("cublasLtMatmulDescCreate", desc, lt::LtMatmulTag{compute, scale, 0, 0, 0});
}
int cublasLtMatmulDescDestroy(lt::MatmulDesc desc) {
  return destroy("cublasLtMatmulDescDestroy", desc);
}
int cublasLtMatmulDescSetAttribute(lt::MatmulDesc desc, int attribute, const void* value,
                                   std::size_t bytes) {
  if (const int code = fakes::enter("cublasLtMatmulDescSetAttribute"); code != 0) return code;
  if (!exists(desc) || value == nullptr) return invalid_value;
  const auto write = [&](auto& to) {
    if (bytes != sizeof to) return invalid_value;
    std::memcpy(&to, value, bytes);
    return lt::success;
  };
  if (attribute == lt::desc_transpose_a) return write(desc->transpose_a);
  if (attribute == lt::desc_transpose_b) return write(desc->transpose_b);
  return attribute == lt::desc_fast_accumulate ? write(desc->fast) : invalid_value;
}

int cublasLtMatrixLayoutCreate(lt::Layout* layout, int type, std::uint64_t rows,
                               std::uint64_t columns, std::int64_t stride) {
  if (!element_of(type) || rows == 0 || columns == 0 || std::cmp_less(stride, rows))
    return invalid_value;
  return make("cublasLtMatrixLayoutCreate", layout, lt::LtLayoutTag{type, rows, columns, stride});
}
int cublasLtMatrixLayoutDestroy(lt::Layout layout) {
  return destroy("cublasLtMatrixLayoutDestroy", layout);
}

int cublasLtMatmulPreferenceCreate(lt::Preference* preference) {
  return make("cublasLtMatmulPreferenceCreate", preference, lt::LtPreferenceTag{});
}
int cublasLtMatmulPreferenceDestroy(lt::Preference preference) {
  return destroy("cublasLtMatmulPreferenceDestroy", preference);
}
int cublasLtMatmulPreferenceSetAttribute(lt::Preference preference, int attribute,
                                         const void* value, std::size_t bytes) {
  if (const int code = fakes::enter("cublasLtMatmulPreferenceSetAttribute"); code != 0) return code;
  if (!exists(preference) || attribute != lt::preference_workspace_bytes || value == nullptr ||
      bytes != sizeof preference->workspace)
    return invalid_value;
  std::memcpy(&preference->workspace, value, bytes);
  return lt::success;
}

int cublasLtMatmulAlgoGetHeuristic(lt::Handle handle, lt::MatmulDesc desc, lt::Layout a,
                                   lt::Layout b, lt::Layout c, lt::Layout d,
                                   lt::Preference preference, int wanted, lt::Candidate* candidates,
                                   int* found) {
  if (const int code = fakes::enter("cublasLtMatmulAlgoGetHeuristic"); code != 0) return code;
  if (!exists(handle) || !exists(desc) || !exists(a) || !exists(b) || !exists(c) || !exists(d) ||
      !exists(preference) || wanted < 1 || candidates == nullptr || found == nullptr)
    return invalid_value;
  *found = 0;
  if (!supported(*desc, *a, *b, *d)) return lt::not_supported;
  for (int i = 0; i < std::min(wanted, ways); ++i) {
    candidates[i] = {};
    candidates[i].algorithm.data[0] = mark;
    candidates[i].algorithm.data[1] = static_cast<std::uint64_t>(i);
    candidates[i].workspace_bytes =
        i == 1 ? std::min<std::uint64_t>(preference->workspace, 1024) : 0;
    candidates[i].state = i == 2 ? lt::not_supported : lt::success;
    ++*found;
  }
  return lt::success;
}

int cublasLtMatmul(lt::Handle handle, lt::MatmulDesc desc, const void* alpha, const void* a,
                   lt::Layout a_layout, const void* b, lt::Layout b_layout, const void* beta,
                   const void* c, lt::Layout c_layout, void* d, lt::Layout d_layout,
                   const lt::Algorithm* algorithm, void* workspace, std::size_t workspace_bytes,
                   cuda::Stream) {
  if (const int code = fakes::enter("cublasLtMatmul"); code != 0) return code;
  if (!exists(handle) || !exists(desc) || !exists(a_layout) || !exists(b_layout) ||
      !exists(c_layout) || !exists(d_layout) || alpha == nullptr || beta == nullptr ||
      algorithm == nullptr || algorithm->data[0] != mark || algorithm->data[1] >= ways - 1)
    return invalid_value;
  if (!supported(*desc, *a_layout, *b_layout, *d_layout)) return lt::not_supported;
  if (c != d || !plain_scale(desc->scale, alpha, beta)) return invalid_value;
  if (workspace_bytes > 0 &&
      on_host(workspace, {false, workspace_bytes, 1, workspace_bytes}, Element::int8) == nullptr)
    return execution_failed;
  const auto product = product_of(*desc, a, *a_layout, b, *b_layout, d, *d_layout);
  if (!product) return invalid_value;
  const auto queue = of_driver<decltype(gpuready_fake_enqueue)>("gpuready_fake_enqueue");
  if (product->a_data == nullptr || product->b_data == nullptr || product->c_data == nullptr ||
      queue == nullptr)
    return execution_failed;
  queue(
      [](void* given) {
        const std::unique_ptr<fakes::LtProduct> owned(static_cast<fakes::LtProduct*>(given));
        (*owned)();
      },
      new fakes::LtProduct(*product));
  return lt::success;
}

}  // extern "C"
