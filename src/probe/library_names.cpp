#include "probe/library_names.hpp"

#include <algorithm>
#include <cctype>

#include "base/text.hpp"

namespace gpuready::probe {

namespace {

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

bool is_dotted_number(std::string_view text) {
  return base::contains(text, ".") && is_digit(text.front()) && is_digit(text.back()) &&
         std::ranges::all_of(text, [](char c) { return c == '.' || is_digit(c); });
}

}  // namespace

const std::vector<WantedLibrary>& wanted_libraries() {
  static const std::vector<WantedLibrary> wanted{
      {"cublas", {"libcublas.so.13", "libcublas.so.12", "libcublas.so.11"}, "nvidia_cublas"},
      {"cublaslt",
       {"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so.11"},
       "nvidia_cublas"},
      {"cudnn", {"libcudnn.so.9", "libcudnn.so.8"}, "nvidia_cudnn"},
      {"nvjitlink", {"libnvJitLink.so.13", "libnvJitLink.so.12"}, "nvidia_nvjitlink", false},
      {"nccl", {"libnccl.so.2"}, "nvidia_nccl", false},
      {"openblas",
       {"libopenblas.so.0", "libopenblasp.so.0", "libopenblaso.so.0", "libscipy_openblas.so"},
       "scipy_openblas32"},
      {"onednn", {"libdnnl.so.3", "libdnnl.so.2"}, "", false},
      {"blis", {"libblis.so.5", "libblis.so.4", "libblis-mt.so"}, "", false},
      {"mkl", {"libmkl_rt.so.3", "libmkl_rt.so.2", "libmkl_rt.so.1"}, "", false},
      {"clblast", {"libclblast.so.1"}, ""},
      {"cuda", {"libcuda.so.1"}, ""},
      {"nvml", {"libnvidia-ml.so.1"}, ""},
      {"opencl", {"libOpenCL.so.1"}, ""}};
  return wanted;
}

bool is_lp64_openblas(std::string_view file) {
  if (!base::contains(file, ".so")) return false;
  const std::string_view stem = file.substr(0, file.find_first_of("-."));
  const bool ours =
      base::starts_with(stem, "libopenblas") || base::starts_with(stem, "libscipy_openblas");
  return ours && !base::contains(stem, "64");
}

std::string version_in_file_name(std::string_view file) {
  constexpr std::string_view middle = ".so.";
  if (const std::size_t at = file.rfind(middle); at != std::string_view::npos) {
    const std::string_view after = file.substr(at + middle.size());
    return !after.empty() && is_dotted_number(after) ? std::string(after) : std::string();
  }
  // OpenBLAS: "-r" and its version, perhaps auditwheel's hash, then ".so".
  const std::size_t release = file.find("-r");
  const std::size_t end = file.rfind(".so");
  if (release == std::string_view::npos || end == std::string_view::npos || end < release + 2)
    return {};
  const std::string_view version = file.substr(release + 2, end - release - 2);
  return !version.empty() && is_dotted_number(version) ? std::string(version) : std::string();
}

}  // namespace gpuready::probe
