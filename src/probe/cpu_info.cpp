#include "probe/cpu_info.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "base/text.hpp"

namespace gpuready::probe {

namespace {

/// What BLAS libraries choose their kernels by, in the words of the kernel's cpuinfo.
constexpr std::array<std::string_view, 29> relevant{
    "sse2",        "sse4_2",      "avx",      "avx2",     "fma",      "f16c",
    "avx_vnni",    "avx512f",     "avx512bw", "avx512dq", "avx512vl", "avx512_vnni",
    "avx512_bf16", "avx512_fp16", "amx_tile", "amx_bf16", "amx_int8", "amx_fp16",
    "asimd",       "asimdhp",     "asimddp",  "sve",      "sve2",     "bf16",
    "svebf16",     "i8mm",        "svei8mm",  "sme",      "sme2"};

struct ArmPart {
  std::string_view implementer, part, name;
};

/// Main ID register values of server and desktop cores: Linux, arch/arm64/include/asm/cputype.h.
constexpr std::array<ArmPart, 13> arm_parts{{{"0x41", "0xd03", "ARM Cortex-A53"},
                                             {"0x41", "0xd08", "ARM Cortex-A72"},
                                             {"0x41", "0xd0b", "ARM Cortex-A76"},
                                             {"0x41", "0xd0c", "ARM Neoverse-N1"},
                                             {"0x41", "0xd40", "ARM Neoverse-V1"},
                                             {"0x41", "0xd42", "ARM Cortex-A78AE"},
                                             {"0x41", "0xd49", "ARM Neoverse-N2"},
                                             {"0x41", "0xd4f", "ARM Neoverse-V2"},
                                             {"0x41", "0xd84", "ARM Neoverse-V3"},
                                             {"0x41", "0xd85", "ARM Cortex-X925"},
                                             {"0x41", "0xd87", "ARM Cortex-A725"},
                                             {"0x4e", "0x004", "NVIDIA Carmel"},
                                             {"0xc0", "0xac3", "Ampere-1"}}};

std::string_view arm_vendor(std::string_view implementer) {
  if (implementer == "0x41") return "ARM";
  if (implementer == "0x4e") return "NVIDIA";
  if (implementer == "0x48") return "HiSilicon";
  if (implementer == "0x51") return "Qualcomm";
  if (implementer == "0x61") return "Apple";
  if (implementer == "0xc0") return "Ampere";
  return {};
}

Missing no_field(const std::string& source, std::string_view name) {
  return Missing{Absence::not_found, source + ": no \"" + std::string(name) + "\"", {}};
}

Fact<std::string> model(const std::string& text, const std::string& source) {
  const auto name = base::field_value(text, "model name");
  if (name && !name->empty()) return {*name, source};
  const std::string implementer = base::field_value(text, "CPU implementer").value_or("");
  const std::string part = base::field_value(text, "CPU part").value_or("");
  for (const ArmPart& known : arm_parts)
    if (known.implementer == implementer && known.part == part)
      return {std::string(known.name), source};
  if (!part.empty()) return {"ARM implementer " + implementer + " part " + part, source};
  return no_field(source, "model name");
}

Fact<std::string> vendor(const std::string& text, const std::string& source) {
  const auto name = base::field_value(text, "vendor_id");
  if (name && !name->empty()) return {*name, source};
  const std::string implementer = base::field_value(text, "CPU implementer").value_or("");
  const std::string_view arm = arm_vendor(implementer);
  if (!arm.empty()) return {std::string(arm), source};
  return no_field(source, "vendor_id");
}

Fact<std::vector<std::string>> instruction_sets(const std::string& text,
                                                const std::string& source) {
  auto flags = base::field_value(text, "flags");
  if (!flags) flags = base::field_value(text, "Features");
  if (!flags) return no_field(source, "flags");
  const std::vector<std::string> all = base::split(*flags, ' ');
  std::vector<std::string> kept;
  for (const std::string_view name : relevant)
    if (std::ranges::find(all, name) != all.end()) kept.emplace_back(name);
  return {std::move(kept), source};
}

std::optional<int> small_number(std::string_view text) {
  const auto value = base::to_integer(base::trim(text));
  if (!value || *value < 0 || *value >= 65536) return {};
  return static_cast<int>(*value);
}

/// Reads the blocks of one processor each.
class Blocks {
 public:
  void line(std::string_view name, std::string_view value) {
    if (name == "processor") {
      processor_ = small_number(value);
      package_ = 0;
      if (processor_) info.processors.push_back(*processor_);
    } else if (name == "physical id") {
      package_ = small_number(value).value_or(0);
    } else if (name == "core id" && processor_) {
      if (const auto core = small_number(value)) info.cores[*processor_] = {package_, *core};
    }
  }

  CpuInfo info;

 private:
  std::optional<int> processor_;
  int package_ = 0;
};

}  // namespace

CpuInfo parse_cpu_info(const std::string& text, const std::string& source) {
  Blocks blocks;
  for (const std::string& line : base::split_lines(text)) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    const std::string_view view = line;
    blocks.line(base::trim(view.substr(0, colon)), view.substr(colon + 1));
  }
  CpuInfo info = std::move(blocks.info);
  info.model = model(text, source);
  info.vendor = vendor(text, source);
  info.instruction_sets = instruction_sets(text, source);
  return info;
}

}  // namespace gpuready::probe
