#include "catalog/peak.hpp"

#include <gtest/gtest.h>

namespace gpuready::catalog {
namespace {

/// A data sheet's rate in TFLOP/s, from the multiprocessors and the clock that it was made with.
struct Sheet {
  std::string product, capability, dtype;
  double sm_count, clock_ghz, teraflops;
};

TEST(Peak, ReproducesTheDataSheets) {
  const auto table = load_peak_ops({});
  ASSERT_TRUE(table) << table.error().text;
  for (const Sheet& sheet : {
           Sheet{"Tesla T4", "7.5", "fp16", 40, 1.59, 65.1},
           Sheet{"Tesla V100-SXM2-16GB", "7.0", "fp16", 80, 1.53, 125},
           Sheet{"NVIDIA A100-SXM4-80GB", "8.0", "fp32", 108, 1.41, 19.5},
           Sheet{"NVIDIA A100-SXM4-80GB", "8.0", "tf32", 108, 1.41, 156},
           Sheet{"NVIDIA A100-SXM4-80GB", "8.0", "bf16", 108, 1.41, 312},
           Sheet{"NVIDIA A100-SXM4-80GB", "8.0", "int8", 108, 1.41, 624},
           Sheet{"NVIDIA GeForce RTX 3090", "8.6", "fp32", 82, 1.695, 35.6},
           Sheet{"NVIDIA GeForce RTX 3090", "8.6", "fp16", 82, 1.695, 71},
           Sheet{"NVIDIA GeForce RTX 3090", "8.6", "fp16-acc16", 82, 1.695, 142},
           Sheet{"NVIDIA A40", "8.6", "fp16", 84, 1.74, 149.7},
           Sheet{"NVIDIA GeForce RTX 4090", "8.9", "fp32", 128, 2.52, 82.6},
           Sheet{"NVIDIA GeForce RTX 4090", "8.9", "bf16", 128, 2.52, 165.2},
           Sheet{"NVIDIA GeForce RTX 4090", "8.9", "int8", 128, 2.52, 660.6},
           Sheet{"NVIDIA L4", "8.9", "fp16", 58, 2.04, 121},
           Sheet{"NVIDIA H100 80GB HBM3", "9.0", "bf16", 132, 1.83, 989},
           Sheet{"NVIDIA H200", "9.0", "fp8", 132, 1.83, 1979},
           Sheet{"NVIDIA H20", "9.0", "fp16", 78, 1.85, 148},
           Sheet{"NVIDIA B200", "10.0", "bf16", 148, 1.855, 2250},
           Sheet{"NVIDIA GeForce RTX 5090", "12.0", "fp32", 170, 2.407, 104.8},
           Sheet{"NVIDIA GeForce RTX 5090", "12.0", "fp8", 170, 2.407, 419},
           Sheet{"NVIDIA RTX PRO 6000 Blackwell Server Edition", "12.0", "fp16", 188, 2.617, 503.8},
       }) {
    const PeakOps* row = find_peak_ops(*table, sheet.capability, sheet.product);
    ASSERT_NE(row, nullptr) << sheet.product;
    ASSERT_EQ(row->ops.count(sheet.dtype), 1U) << sheet.product << " " << sheet.dtype;
    const double found = sheet.sm_count * sheet.clock_ghz * row->ops.at(sheet.dtype) / 1000;
    EXPECT_NEAR(found / sheet.teraflops, 1, 0.01) << sheet.product << " " << sheet.dtype;
  }
}

TEST(Peak, WhatIsNotKnownIsNotGuessed) {
  const auto table = load_peak_ops({});
  ASSERT_TRUE(table) << table.error().text;
  EXPECT_EQ(find_peak_ops(*table, "13.0", "NVIDIA Something"), nullptr);
  EXPECT_EQ(find_peak_ops(*table, "10.3", "NVIDIA B300")->ops.count("int8"), 0U);
  EXPECT_EQ(find_peak_ops(*table, "6.1", "NVIDIA GeForce GTX 1080")->ops.count("bf16"), 0U);
  EXPECT_NE(find_peak_ops(*table, "5.2", "Tesla M40"), nullptr);
}

TEST(Peak, AFaultInTheTableIsNamed) {
  const auto broken = load_peak_ops([](const std::string& name) -> std::optional<std::string> {
    return name == "peak_ops.csv"
               ? std::optional<std::string>(
                     "capability,products,except,fp64,fp32,tf32,fp16,fp16_acc16,bf16,fp8,int8,"
                     "source,as_of,note\n8.9,,,4,many,,,,,,,x,2026-11,\n")
               : std::nullopt;
  });
  ASSERT_FALSE(broken);
  EXPECT_NE(broken.error().text.find("peak_ops.csv"), std::string::npos);
  EXPECT_NE(broken.error().text.find("fp32"), std::string::npos);
}

}  // namespace
}  // namespace gpuready::catalog
