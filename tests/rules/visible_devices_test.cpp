#include "rules/visible_devices.hpp"

#include <gtest/gtest.h>

namespace gpuready::rules {
namespace {

std::vector<NvmlDevice> two_gpus() {
  std::vector<NvmlDevice> devices(2);
  devices[0].uuid = Fact<std::string>("GPU-aaaa-0001", "test");
  devices[1].uuid = Fact<std::string>("GPU-bbbb-0002", "test");
  return devices;
}

std::string first_invalid(const std::string& value) {
  const auto entry = first_invalid_entry(value, two_gpus());
  return entry ? entry->text + " after " + std::to_string(entry->before) : "none";
}

TEST(VisibleDevices, NumbersAndStartsOfUuidsAreValid) {
  EXPECT_EQ(first_invalid("0"), "none");
  EXPECT_EQ(first_invalid("1, 0"), "none");
  EXPECT_EQ(first_invalid("GPU-bbbb"), "none");
  EXPECT_EQ(first_invalid("MIG-00000000-0000"), "none");
}

TEST(VisibleDevices, AnEmptyListNamesNothingInvalid) {
  EXPECT_EQ(first_invalid(""), "none");
  EXPECT_EQ(first_invalid(" "), "none");
}

TEST(VisibleDevices, TheFirstEntryThatIsNoGpuIsTold) {
  EXPECT_EQ(first_invalid("2"), "2 after 0");
  EXPECT_EQ(first_invalid("0,-1,1"), "-1 after 1");
  EXPECT_EQ(first_invalid("0,,1"), "(empty) after 1");
  EXPECT_EQ(first_invalid("GPU-cccc"), "GPU-cccc after 0");
  EXPECT_EQ(first_invalid("cuda:0"), "cuda:0 after 0");
}

TEST(VisibleDevices, ADeviceNamedTwiceIsInvalid) { EXPECT_EQ(first_invalid("1,1"), "1 after 1"); }

TEST(VisibleDevices, AnUnknownUuidIsNotHeldAgainstAnEntry) {
  std::vector<NvmlDevice> devices(1);
  EXPECT_FALSE(first_invalid_entry("GPU-cccc", devices));
}

}  // namespace
}  // namespace gpuready::rules
