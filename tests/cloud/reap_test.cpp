#include "cloud/reap.hpp"

#include <gtest/gtest.h>

#include "host/real_host.hpp"

namespace gpuready::cloud {
namespace {

class DueTest : public ::testing::Test {
 protected:
  DueTest() {
    set_owner(*host_, entry_);
    entry_.deadline_at = host_->now() + 3600;
  }
  std::unique_ptr<host::Host> host_ = host::make_real_host();
  LedgerEntry entry_;
};

TEST_F(DueTest, LeavesAMachineAloneWhoseProcessLivesAndHasTimeLeft) {
  EXPECT_EQ(due(*host_, entry_), Due::in_use);
}

TEST_F(DueTest, EndsWhatIsPastItsTimeWhoeverWatchesIt) {
  entry_.deadline_at = host_->now();
  EXPECT_EQ(due(*host_, entry_), Due::overdue);
  entry_.owner_place = "elsewhere";
  EXPECT_EQ(due(*host_, entry_), Due::overdue);
}

TEST_F(DueTest, EndsWhatADeadProcessLeft) {
  ++entry_.owner_started;
  EXPECT_EQ(due(*host_, entry_), Due::orphaned);
}

TEST_F(DueTest, LeavesAnotherComputersMachineUntilItsTimeIsOver) {
  entry_.owner_place = "elsewhere";
  EXPECT_EQ(due(*host_, entry_), Due::elsewhere);
}

}  // namespace
}  // namespace gpuready::cloud
