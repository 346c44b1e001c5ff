#include "bench/cblas_library.hpp"

#include <array>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "base/format.hpp"
#include "base/text.hpp"
#include "bench/backends.hpp"

namespace gpuready::bench {

namespace {

using vendor::Cblas;

Fact<std::string> lacks(const char* function) {
  return Fact<std::string>::absent(Absence::symbol_missing, function);
}

tl::unexpected<Error> not_this(const std::string& file, std::string_view name, const Missing& why) {
  return failure(base::format("{} is no {} that can be measured: {}", file, name, why.detail));
}

Result<bool> attach_openblas(host::Host& host, const host::LibraryHandle& handle,
                             BlasLibrary& library) {
  const auto bound = vendor::bind_blas<vendor::OpenBlas>(host, handle);
  if (!bound) return not_this(handle.file, "OpenBLAS", bound.error());
  const vendor::OpenBlas api = bound->api;
  library.version = api.openblas_get_config == nullptr
                        ? lacks("openblas_get_config")
                        : openblas_version(api.openblas_get_config());
  library.set_threads = [api](std::int64_t threads) -> std::int64_t {
    api.openblas_set_num_threads(static_cast<int>(threads));
    return api.openblas_get_num_threads != nullptr ? api.openblas_get_num_threads() : threads;
  };
  library.kernel_target = [api]() -> Fact<std::string> {
    if (api.openblas_get_corename == nullptr) return lacks("openblas_get_corename");
    return {api.openblas_get_corename(), "openblas_get_corename"};
  };
  return true;
}

/// BLIS takes BLIS_ARCH_TYPE as a number, which differs between its versions, and reads a name as
/// 0. The list of its names ends in "generic".
void translate_blis_variable(host::Host& host, const vendor::Blis& api) {
  constexpr const char* variable = "BLIS_ARCH_TYPE";
  constexpr int most = 128;
  const auto wanted = host.env(variable);
  if (!wanted || base::to_integer(*wanted) || api.bli_arch_string == nullptr) return;
  ::unsetenv(variable);
  for (int id = 0; id < most; ++id) {
    const std::string name = api.bli_arch_string(id);
    if (name == *wanted) ::setenv(variable, std::to_string(id).c_str(), 1);
    if (name == *wanted || name == "generic") return;
  }
}

Result<bool> attach_blis(host::Host& host, const host::LibraryHandle& handle,
                         BlasLibrary& library) {
  const auto bound = vendor::bind<vendor::Blis>(host, handle);
  if (!bound) return not_this(handle.file, "BLIS", bound.error());
  const vendor::Blis api = bound->api;
  translate_blis_variable(host, api);
  library.version =
      api.bli_info_get_version_str == nullptr
          ? lacks("bli_info_get_version_str")
          : Fact<std::string>(api.bli_info_get_version_str(), "bli_info_get_version_str");
  library.set_threads = [api](std::int64_t threads) -> std::int64_t {
    api.bli_thread_set_num_threads(threads);
    return api.bli_thread_get_num_threads != nullptr ? api.bli_thread_get_num_threads() : threads;
  };
  library.kernel_target = [api]() -> Fact<std::string> {
    if (api.bli_arch_query_id == nullptr || api.bli_arch_string == nullptr)
      return lacks("bli_arch_string");
    return {api.bli_arch_string(api.bli_arch_query_id()), "bli_arch_query_id"};
  };
  return true;
}

/// MKL ends the process where the OpenMP library of its threads is not to be found, so we look.
int mkl_threading(host::Host& host, const std::string& file) {
  const std::string folder = file.substr(0, file.rfind('/') + 1);
  for (const std::string& name : {folder + "libiomp5.so", std::string("libiomp5.so")})
    if (host.open_library(name)) return vendor::mkl::threading_intel;
  return host.open_library("libgomp.so.1") ? vendor::mkl::threading_gnu
                                           : vendor::mkl::threading_sequential;
}

Result<bool> attach_mkl(host::Host& host, const host::LibraryHandle& handle, BlasLibrary& library) {
  const auto bound = vendor::bind<vendor::Mkl>(host, handle);
  if (!bound) return not_this(handle.file, "MKL", bound.error());
  const vendor::Mkl api = bound->api;
  if (api.MKL_Set_Threading_Layer != nullptr)
    api.MKL_Set_Threading_Layer(mkl_threading(host, handle.file));
  library.version = lacks("MKL_Get_Version_String");
  if (api.MKL_Get_Version_String != nullptr) {
    std::array<char, 256> text{};
    api.MKL_Get_Version_String(text.data(), static_cast<int>(text.size()) - 1);
    library.version = mkl_version(text.data());
  }
  library.set_threads = [api](std::int64_t threads) -> std::int64_t {
    api.MKL_Set_Num_Threads(static_cast<int>(threads));
    return api.MKL_Get_Max_Threads != nullptr ? api.MKL_Get_Max_Threads() : threads;
  };
  library.kernel_target = [&host] {
    return mkl_kernels(
        host.read_file("/proc/self/maps", std::size_t{16} << 20U).value_or(std::string()));
  };
  return true;
}

struct Row {
  std::string_view name;
  std::vector<std::string> sonames;
  Result<bool> (*attach)(host::Host&, const host::LibraryHandle&, BlasLibrary&);
};

const Row* find_row(const std::string& name) {
  static const std::array rows{
      Row{"openblas",
          {"libopenblas.so.0", "libopenblasp.so.0", "libscipy_openblas.so"},
          attach_openblas},
      Row{"blis", {"libblis.so.5", "libblis.so.4", "libblis-mt.so"}, attach_blis},
      Row{"mkl", {"libmkl_rt.so.3", "libmkl_rt.so.2", "libmkl_rt.so.1"}, attach_mkl},
  };
  for (const Row& row : rows)
    if (row.name == name) return &row;
  return nullptr;
}

Result<BlasLibrary> open_one(host::Host& host, const Row& row, const std::string& file) {
  const auto handle = host.open_library(file);
  if (!handle) return tl::unexpected<Error>(handle.error());
  const auto bound = vendor::bind_blas<Cblas>(host, *handle);
  if (!bound) return failure(bound.error().detail);
  BlasLibrary library;
  library.api = bound->api;
  library.file = handle->file;
  if (const auto done = row.attach(host, *handle, library); !done)
    return tl::unexpected<Error>(done.error());
  return library;
}

}  // namespace

Fact<std::string> openblas_version(const std::string& config) {
  const std::vector<std::string> words = base::split(config, ' ');
  if (words.size() < 2 || words[0] != "OpenBLAS")
    return Fact<std::string>::absent(Absence::unreadable, config);
  return {words[1], "openblas_get_config"};
}

Fact<std::string> mkl_version(const std::string& text) {
  constexpr std::string_view before = "Version ";
  const std::size_t at = text.find(before);
  if (at == std::string::npos) return Fact<std::string>::absent(Absence::unreadable, text);
  const std::string rest = text.substr(at + before.size());
  const std::string version = rest.substr(0, rest.find_first_not_of("0123456789."));
  if (version.empty()) return Fact<std::string>::absent(Absence::unreadable, text);
  return {version, "MKL_Get_Version_String"};
}

Fact<std::string> mkl_kernels(const std::string& maps) {
  constexpr std::string_view before = "libmkl_";
  for (std::size_t at = maps.find(before); at != std::string::npos;
       at = maps.find(before, at + 1)) {
    const std::string rest = maps.substr(at + before.size(), 32);
    const std::string kernels = rest.substr(0, rest.find('.'));
    for (const std::string_view known : {"avx10", "avx512", "avx2", "avx", "mc3", "mc", "def"})
      if (kernels == known) return {kernels, "/proc/self/maps"};
  }
  return Fact<std::string>::absent(Absence::not_found, "MKL mapped none of its kernel files");
}

Result<BlasLibrary> open_blas(host::Host& host, const std::string& name, const std::string& file) {
  const Row* const row = find_row(name);
  if (row == nullptr) return failure(base::format("{} is no BLAS library that is known", name));
  if (!file.empty()) return open_one(host, *row, file);
  std::string failures;
  for (const std::string& candidate : vendor::candidates(host, row->sonames, {})) {
    auto library = open_one(host, *row, candidate);
    if (library) return library;
    failures += (failures.empty() ? "" : "; ") + library.error().text;
  }
  return failure(failures);
}

}  // namespace gpuready::bench
