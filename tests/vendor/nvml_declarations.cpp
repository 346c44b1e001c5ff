/// Prints, as JSON, how vendor/nvml.hpp declares NVML: sizes and offsets of its structures, values
/// of its constants, names and numbers of arguments of its functions.

#include <cstddef>
#include <cstdio>
#include <string_view>

#include "vendor/nvml.hpp"

namespace nvml = gpuready::vendor::nvml;

namespace {

template <class... Arguments>
constexpr std::size_t count_arguments(int (*)(Arguments...)) {
  return sizeof...(Arguments);
}

constexpr std::size_t count_arguments(const char* (*)(int)) { return 1; }

void print(const char* name, std::size_t value, bool last = false) {
  std::printf("\"%s\": %zu%s", name, value, last ? "" : ", ");
}

void print_newer_structures() {
  std::printf("\"c_nvmlGpuFabricInfo_t\": {");
  print("size", sizeof(nvml::GpuFabricInfo));
  print("clusterUuid", offsetof(nvml::GpuFabricInfo, cluster_uuid));
  print("status", offsetof(nvml::GpuFabricInfo, status));
  print("cliqueId", offsetof(nvml::GpuFabricInfo, clique_id));
  print("state", offsetof(nvml::GpuFabricInfo, state), true);
  std::printf("}, \"c_nvmlGridLicensableFeature_v4_t\": {");
  print("size", sizeof(nvml::GridLicensableFeature));
  print("featureCode", offsetof(nvml::GridLicensableFeature, code));
  print("featureState", offsetof(nvml::GridLicensableFeature, state));
  print("licenseInfo", offsetof(nvml::GridLicensableFeature, license_info));
  print("productName", offsetof(nvml::GridLicensableFeature, product_name));
  print("featureEnabled", offsetof(nvml::GridLicensableFeature, enabled));
  print("licenseExpiry", offsetof(nvml::GridLicensableFeature, expiry), true);
  std::printf("}, \"c_nvmlGridLicensableFeatures_v4_t\": {");
  print("size", sizeof(nvml::GridLicensableFeatures));
  print("isGridLicenseSupported", offsetof(nvml::GridLicensableFeatures, is_supported));
  print("licensableFeaturesCount", offsetof(nvml::GridLicensableFeatures, count));
  print("gridLicensableFeatures", offsetof(nvml::GridLicensableFeatures, features), true);
  std::printf("}");
}

/// An array of words as JSON.
template <class Words>
void print_words(const char* name, const Words& words) {
  std::printf("\"%s\": [", name);
  for (std::size_t i = 0; i < words.size(); ++i)
    std::printf("%s\"%s\"", i == 0 ? "" : ", ", words[i].data());
  std::printf("],\n");
}

void print_structures() {
  std::printf("\"structures\": {\"nvmlPciInfo_t\": {");
  print("size", sizeof(nvml::PciInfo));
  print("busIdLegacy", offsetof(nvml::PciInfo, legacy_bus_id));
  print("domain", offsetof(nvml::PciInfo, domain));
  print("bus", offsetof(nvml::PciInfo, bus));
  print("device", offsetof(nvml::PciInfo, device));
  print("pciDeviceId", offsetof(nvml::PciInfo, device_id));
  print("pciSubSystemId", offsetof(nvml::PciInfo, subsystem_id));
  print("busId", offsetof(nvml::PciInfo, bus_id), true);
  std::printf("}, \"c_nvmlMemory_t\": {");
  print("size", sizeof(nvml::Memory));
  print("total", offsetof(nvml::Memory, total));
  print("free", offsetof(nvml::Memory, free));
  print("used", offsetof(nvml::Memory, used), true);
  std::printf("}, \"c_nvmlMemory_v2_t\": {");
  print("size", sizeof(nvml::MemoryV2));
  print("version", offsetof(nvml::MemoryV2, version));
  print("total", offsetof(nvml::MemoryV2, total));
  print("reserved", offsetof(nvml::MemoryV2, reserved));
  print("free", offsetof(nvml::MemoryV2, free));
  print("used", offsetof(nvml::MemoryV2, used), true);
  std::printf("}, ");
  print_newer_structures();
  std::printf("},\n");
}

void print_constants() {
  std::printf("\"constants\": {");
  print("nvmlMemory_v2", nvml::memory_v2_version);
  print("NVML_SUCCESS", nvml::success);
  print("NVML_ERROR_UNINITIALIZED", nvml::error_uninitialized);
  print("NVML_ERROR_NOT_SUPPORTED", nvml::error_not_supported);
  print("NVML_ERROR_NO_PERMISSION", nvml::error_no_permission);
  print("NVML_ERROR_NOT_FOUND", nvml::error_not_found);
  print("NVML_ERROR_INSUFFICIENT_SIZE", nvml::error_insufficient_size);
  print("NVML_NVLINK_MAX_LINKS", nvml::most_nvlinks);
  print("NVML_CLOCK_SM", nvml::clock_sm);
  print("NVML_CLOCK_MEM", nvml::clock_memory);
  print("NVML_TEMPERATURE_GPU", nvml::temperature_gpu);
  print("NVML_MEMORY_ERROR_TYPE_UNCORRECTED", nvml::memory_error_uncorrected);
  print("NVML_VOLATILE_ECC", nvml::ecc_since_driver_start);
  print("NVML_FEATURE_ENABLED", nvml::feature_enabled, true);
  std::printf("},\n");
  print_words("compute_modes", nvml::compute_mode_words);
  print_words("fabric_states", nvml::fabric_state_words);
  print_words("virtualization_modes", nvml::virtualization_words);
  print_words("license_states", nvml::license_state_words);
}

void print_functions() {
  gpuready::vendor::Nvml table{};
  const char* separator = "";
  std::printf("\"functions\": {");
  gpuready::vendor::Nvml::symbols(
      table, [&](std::string_view name, auto& pointer, gpuready::vendor::Need) {
        std::printf("%s\"%s\": %zu", separator, name.data(), count_arguments(pointer));
        separator = ", ";
      });
  std::printf("}");
}

}  // namespace

int main() {
  std::printf("{");
  print_structures();
  print_constants();
  print_functions();
  std::printf("}\n");
}
