#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <fstream>

#include "host/real_host.hpp"
#include "host/recorded_host.hpp"
#include "host/recorder.hpp"

namespace gpuready::host {
namespace {

class ReadPart : public ::testing::Test {
 protected:
  void SetUp() override { std::ofstream(path_) << "0123456789"; }
  void TearDown() override { std::remove(path_.c_str()); }

  std::string path_ = ::testing::TempDir() + "/part-" + std::to_string(::getpid());
  std::unique_ptr<Host> real_ = make_real_host();
};

TEST_F(ReadPart, GivesThatPartAndLessAtTheEnd) {
  EXPECT_EQ(*real_->read_part(path_, 0, 3), "012");
  EXPECT_EQ(*real_->read_part(path_, 4, 3), "456");
  EXPECT_EQ(*real_->read_part(path_, 8, 100), "89");
  EXPECT_EQ(*real_->read_part(path_, 10, 1), "");
  EXPECT_EQ(*real_->read_part(path_, 99, 1), "");
  EXPECT_EQ(*real_->read_part(path_, 0, SIZE_MAX), "0123456789");
}

TEST_F(ReadPart, IsAnErrorWithItsCodeWhereThereIsNoRegularFile) {
  EXPECT_EQ(real_->read_part(path_ + "-none", 0, 1).error().code, ENOENT);
  EXPECT_EQ(real_->read_part("/dev/zero", 0, 1).error().code, EINVAL);
  EXPECT_EQ(real_->read_part(::testing::TempDir(), 0, 1).error().code, EINVAL);
  EXPECT_EQ(real_->read_part(path_, -1, 1).error().code, EINVAL);
}

TEST_F(ReadPart, IsPassedOnByTheRecorderAndKeptNowhere) {
  Recorder recorder(*real_);
  EXPECT_EQ(*recorder.read_part(path_, 4, 3), "456");
  EXPECT_TRUE(recorder.recording().files.empty());
  RecordedHost recorded(recorder.recording());
  EXPECT_THAT(recorded.read_part(path_, 4, 3).error().text, ::testing::HasSubstr("not recorded"));
}

}  // namespace
}  // namespace gpuready::host
