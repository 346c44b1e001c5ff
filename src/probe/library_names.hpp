#pragma once
/// Which file names belong to the libraries that are looked for; pure.

#include <string>
#include <string_view>
#include <vector>

namespace gpuready::probe {

struct WantedLibrary {
  std::string_view name;
  std::vector<std::string_view> files;  ///< sonames, newest first
  std::string_view package;             ///< beginning of its Python package's dist-info folder
  bool is_expected = true;              ///< whether its lack is worth telling
};

const std::vector<WantedLibrary>& wanted_libraries();

/// OpenBLAS with 32-bit integers (LP64) under one of its names, also with a hash in it, as
/// auditwheel makes them ("libscipy_openblas-c128ec02.so"). The 64-bit builds (ILP64:
/// "libopenblas64_.so", "libscipy_openblas64_-6bb31eeb.so") take other arguments.
bool is_lp64_openblas(std::string_view file);

/// The version at the end of a real file's name: "13.0.0.19" of libcublas.so.13.0.0.19, "0.3.21"
/// of libopenblasp-r0.3.21.so. Empty where the name says no more than the soname.
std::string version_in_file_name(std::string_view file);

}  // namespace gpuready::probe
