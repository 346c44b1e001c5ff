#include "probe/vendor_text.hpp"

#include <gtest/gtest.h>

#include <array>

#include "gpuready/machine.hpp"

namespace gpuready::probe {
namespace {

TEST(VendorText, WritesPciAddressesAsTheKernelDoes) {
  EXPECT_EQ(kernel_pci_address("00000000:01:00.0"), "0000:01:00.0");
  EXPECT_EQ(kernel_pci_address("0000:0A:00.0"), "0000:0a:00.0");
  EXPECT_EQ(kernel_pci_address("0000C3F1:00:00.0"), "c3f1:00:00.0");
  EXPECT_EQ(kernel_pci_address("00010000:00:00.0"), "10000:00:00.0");
  EXPECT_EQ(kernel_pci_address(""), "");
  EXPECT_EQ(kernel_pci_address("nonsense"), "nonsense");
}

TEST(VendorText, ReadsCudaVersions) {
  EXPECT_EQ(*cuda_version(13000, "call"), "13.0");
  EXPECT_EQ(*cuda_version(12080, "call"), "12.8");
  EXPECT_EQ(*cuda_version(9020, "call"), "9.2");
  EXPECT_TRUE(cuda_version(0, "call").absent_for(Absence::unreadable));
  EXPECT_TRUE(cuda_version(-1, "call").absent_for(Absence::unreadable));
}

TEST(VendorText, WritesUuids) {
  std::array<char, 16> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(0xF0 + i);
  EXPECT_EQ(uuid_text("MIG-", bytes), "MIG-f0f1f2f3-f4f5-f6f7-f8f9-fafbfcfdfeff");
}

TEST(VendorText, StopsAtTheEndOfABufferWithoutNul) {
  const std::array<char, 4> full{'a', 'b', 'c', 'd'};
  EXPECT_EQ(text_in(full), "abcd");
  const std::array<char, 4> shorter{'a', '\0', 'c', 'd'};
  EXPECT_EQ(text_in(shorter), "a");
}

TEST(VendorText, RefusesNumbersThatAreNoCounts) {
  EXPECT_EQ(*whole_number(7U, "call"), 7);
  EXPECT_TRUE(whole_number(-1, "call").absent_for(Absence::unreadable));
  EXPECT_TRUE(whole_number(~std::uint64_t{0}, "call").absent_for(Absence::unreadable));
}

TEST(VendorText, GivesEveryFactTheSameReason) {
  CudaDevice device;
  device.index = 3;
  set_all_absent(device, Missing{Absence::call_failed, "lost", 15});
  EXPECT_EQ(device.index, 3);
  EXPECT_EQ(device.name.missing().code, 15);
  EXPECT_TRUE(device.kernel.absent_for(Absence::call_failed));
}

}  // namespace
}  // namespace gpuready::probe
