#include "cloud/gpu_names.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gpuready::cloud {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::int64_t gib = 1 << 30;

struct Row {
  const char* told;
  int vram_gib;  ///< 0: not told
  const char* name;
};

class Names : public ::testing::TestWithParam<Row> {
 protected:
  std::vector<catalog::Gpu> gpus_ = *catalog::load_gpus({});
};

TEST_P(Names, OfProvidersAreKnown) {
  GpuNames names(gpus_);
  const auto* gpu = names.find(GetParam().told, GetParam().vram_gib * gib);
  EXPECT_EQ(gpu == nullptr ? "" : gpu->name, GetParam().name) << GetParam().told;
}

// Names as the providers' own pages and skypilot-org/skypilot-catalog (v8) have them.
INSTANTIATE_TEST_SUITE_P(
    Providers, Names,
    ::testing::Values(
        Row{"NVIDIA GeForce RTX 4090", 24, "GeForce RTX 4090"},
        Row{"NVIDIA A100 80GB PCIe", 80, "A100 PCIe 80 GB"},
        Row{"NVIDIA A100-SXM4-80GB", 80, "A100 SXM4 80 GB"},
        Row{"NVIDIA A100-SXM4-40GB", 40, "A100 SXM4 40 GB"},
        Row{"NVIDIA H100 80GB HBM3", 80, "H100 SXM5 80 GB"},
        Row{"NVIDIA H100 PCIe", 80, "H100 PCIe 80 GB"},
        Row{"NVIDIA H100 NVL", 94, "H100 NVL 94 GB"}, Row{"H200 SXM", 141, "H200 SXM 141 GB"},
        Row{"H200", 141, ""}, Row{"NVIDIA L40S", 48, "L40S"}, Row{"NVIDIA L40", 48, "L40"},
        Row{"NVIDIA L4", 24, "L4"}, Row{"NVIDIA A40", 48, "A40"},
        Row{"NVIDIA RTX A6000", 48, "RTX A6000"}, Row{"NVIDIA RTX A5000", 24, "RTX A5000"},
        Row{"NVIDIA RTX 6000 Ada Generation", 48, "RTX 6000 Ada"}, Row{"NVIDIA B200", 180, "B200"},
        Row{"NVIDIA RTX PRO 6000 Blackwell Server Edition", 96, "RTX PRO 6000 Blackwell Server"},
        Row{"AMD Instinct MI300X OAM", 192, "Instinct MI300X"},
        Row{"Tesla V100-SXM2-32GB", 32, "Tesla V100 SXM2 32 GB"},
        Row{"RTX 3090", 24, "GeForce RTX 3090"},
        Row{"RTX 4060 Ti", 16, "GeForce RTX 4060 Ti 16 GB"},
        Row{"RTX 4060 Ti", 8, "GeForce RTX 4060 Ti 8 GB"}, Row{"RTX 4060", 8, "GeForce RTX 4060"},
        Row{"H100 SXM", 80, "H100 SXM5 80 GB"}, Row{"A100 PCIE", 40, "A100 PCIe 40 GB"},
        Row{"A100 SXM4", 80, "A100 SXM4 80 GB"}, Row{"Tesla T4", 15, "Tesla T4"},
        Row{"RTX 6000Ada", 48, "RTX 6000 Ada"}, Row{"Q RTX 8000", 48, "Quadro RTX 8000"},
        Row{"RTX 4070S Ti", 16, "GeForce RTX 4070 Ti SUPER"},
        Row{"RTX 4070S", 12, "GeForce RTX 4070 SUPER"},
        Row{"RTX 3060", 12, "GeForce RTX 3060 12 GB"}, Row{"RTX A4000", 16, "RTX A4000"},
        Row{"RTX PRO 6000 S", 96, "RTX PRO 6000 Blackwell Server"}, Row{"A10", 24, "A10"},
        Row{"A6000", 48, "RTX A6000"}, Row{"RTX 6000", 24, "Quadro RTX 6000"},
        Row{"GH200", 96, "GH200 96 GB"}, Row{"H100", 0, ""}, Row{"A100", 0, ""},
        Row{"Next GPU", 24, ""}));

TEST(NamesOfUsers, AreExactOrSeveralOrAnErrorWithNearOnes) {
  const auto gpus = *catalog::load_gpus({});
  EXPECT_THAT(*resolve_gpu(gpus, "rtx 4090"), ElementsAre("GeForce RTX 4090"));
  const auto several = resolve_gpu(gpus, "H100");
  EXPECT_GT(several->size(), 1U);
  for (const auto& name : *several) EXPECT_THAT(name, HasSubstr("H100"));
  const auto typo = resolve_gpu(gpus, "RTX 4900");
  ASSERT_FALSE(typo);
  EXPECT_THAT(typo.error().text, HasSubstr("RTX 4090"));
  EXPECT_THAT(resolve_gpu(gpus, "RTX 5090X").error().text, HasSubstr("RTX 5090"));
  for (const char* name : {"", " ", "banana split", "\x1b[31m", "H1000", "A1000000"}) {
    const auto none = resolve_gpu(gpus, name);
    ASSERT_FALSE(none) << name;
    EXPECT_THAT(none.error().text, Not(HasSubstr("\x1b")));
  }
  EXPECT_FALSE(resolve_gpu(gpus, std::string(100000, 'x')));
}

TEST(NamesOfUsers, AreTheSameWithoutMakersSpacesAndCase) {
  EXPECT_TRUE(is_same_name("NVIDIA H200", "h200"));
  EXPECT_TRUE(is_same_name("RTX 4090", "GeForce RTX4090"));
  EXPECT_FALSE(is_same_name("H200", "H200 NVL"));
  EXPECT_FALSE(is_same_name("", ""));
}

}  // namespace
}  // namespace gpuready::cloud
