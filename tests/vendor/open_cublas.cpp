/// Opens the cuBLAS named on the command line, binds our table, and creates a handle. Prints the
/// optional symbols that are missing and the code of cublasCreate_v2, a line each.

#include <cstdio>

#include "host/real_host.hpp"
#include "vendor/cublas.hpp"

int main(int argc, char** argv) {
  using gpuready::vendor::Cublas;
  if (argc != 2) return 2;
  const auto host = gpuready::host::make_real_host();
  const auto library = gpuready::vendor::load<Cublas>(*host, {argv[1]});
  if (!library) {
    std::printf("%s\n", library.error().detail.c_str());
    return 1;
  }
  for (const std::string& name : library->missing_optional)
    std::printf("missing %s\n", name.c_str());
  gpuready::vendor::cublas::Handle handle = nullptr;
  const int code = library->api.cublasCreate_v2(&handle);
  std::printf("%s\n", gpuready::vendor::cublas_error(library->api, code).c_str());
  return 0;
}
