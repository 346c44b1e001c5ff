#include "vendor/clblast.hpp"

#include <array>

#include "vendor/code_names.hpp"

namespace gpuready::vendor {

namespace {

/// CLBlastStatusCode of clblast_c.h: what a matrix product can give beside OpenCL's own codes.
constexpr auto clblast_names = std::to_array<CodeName>({
    {-1009, "CLBlastInsufficientMemoryC"},
    {-1010, "CLBlastInsufficientMemoryB"},
    {-1011, "CLBlastInsufficientMemoryA"},
    {-1014, "CLBlastInvalidLeadDimC"},
    {-1015, "CLBlastInvalidLeadDimB"},
    {-1016, "CLBlastInvalidLeadDimA"},
    {-1017, "CLBlastInvalidDimension"},
    {-1020, "CLBlastInvalidMatrixC"},
    {-1021, "CLBlastInvalidMatrixB"},
    {-1022, "CLBlastInvalidMatrixA"},
    {-1024, "CLBlastNotImplemented"},
    {-2039, "CLBlastUnexpectedError"},
    {-2040, "CLBlastUnknownError"},
    {-2041, "CLBlastDatabaseError"},
    {-2046, "CLBlastInvalidLocalMemUsage"},
    {-2050, "CLBlastInsufficientMemoryTemp"},
});

}  // namespace

tl::expected<Loaded<ClBlast>, Missing> load_clblast(host::Host& host) {
  return load<ClBlast>(host, candidates(host, {"libclblast.so.1"}, {}));
}

std::string clblast_error(int code) {
  const std::string_view ours = name_in(clblast_names, code);
  return ours.empty() ? opencl_error(code) : name_and_code(ours, code);
}

}  // namespace gpuready::vendor
