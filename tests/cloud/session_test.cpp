#include "cloud/session.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "cloud/cost.hpp"
#include "cloud/destroy.hpp"
#include "cloud/find_in_list.hpp"
#include "host/real_host.hpp"

namespace gpuready::cloud {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

Fault fault(FaultKind kind) {
  Fault fault;
  fault.kind = kind, fault.message = "scripted";
  return fault;
}

/// Waits cost nothing; the clock moves by them.
class FakePace : public net::Pace {
 public:
  double now_s() override { return now; }
  void sleep_s(double seconds) override { now += stopped() ? 0.01 : seconds; }
  bool stopped() override { return stop && !finishing; }
  void finish_up(bool on) override { finishing = on; }

  double now = 0;
  bool stop = false, finishing = false;
};

/// One machine at a time, which shows in list() and get() `lag_s` after it came to be.
class FakeProvider : public Provider {
 public:
  explicit FakeProvider(FakePace& pace) : pace_(pace) {}

  [[nodiscard]] std::string_view name() const override { return "vast"; }
  [[nodiscard]] Protection protection() const override { return Protection::in_machine_timer; }
  [[nodiscard]] double boot_deadline_s(const Offer&) const override { return 300; }
  [[nodiscard]] double poll_interval_s() const override { return 5; }
  Answer<std::vector<Offer>> offers(const OfferQuery&) override { return std::vector<Offer>{}; }
  Answer<std::vector<Instance>> list() override {
    if (list_fault) return tl::unexpected(*list_fault);
    std::vector<Instance> all;
    for (const Instance& machine : machines)
      if (pace_.now >= born_at + lag_s) all.push_back(machine);
    return all;
  }
  Answer<Instance> get(const std::string& id) override {
    for (const Instance& machine : machines)
      if (machine.id == id && pace_.now >= born_at + lag_s) return machine;
    Instance gone;
    gone.state = State::gone;
    return gone;
  }
  Answer<std::string> create(const CreateRequest& request) override {
    if (too_often-- > 0) {
      Fault often = fault(FaultKind::rate_limited);
      often.retry_after_s = retry_after_s;
      return tl::unexpected(often);
    }
    ++creates;
    if (create_fault && !create_happens) return tl::unexpected(*create_fault);
    Instance machine;
    machine.id = std::to_string(creates), machine.name = request.name, machine.state = state;
    machine.state_as_told = "told", machine.usd_per_hour = price;
    machine.ssh = net::SshTarget{"root", "1.2.3.4", 22};
    machines.push_back(machine);
    if (twice) machines.push_back(machine), machines.back().id += "twin";
    born_at = pace_.now;
    if (create_fault) return tl::unexpected(*create_fault);
    return machine.id;
  }
  Answer<void> destroy(const std::string& id) override {
    ++destroys;
    if (destroy_fault) return tl::unexpected(*destroy_fault);
    if (pace_.now < born_at + lag_s) return {};  // it does not know it yet
    std::erase_if(machines, [&](const Instance& machine) { return machine.id == id; });
    return {};
  }
  Answer<std::vector<SshKey>> ssh_keys() override { return std::vector<SshKey>{}; }
  Answer<std::string> register_key(const std::string&) override { return std::string(); }
  Answer<void> attach_key(const std::string&, const std::string&) override { return {}; }
  Answer<Account> account() override { return Account{}; }

  std::vector<Instance> machines;
  State state = State::running;
  std::optional<Fault> create_fault, list_fault, destroy_fault;
  bool create_happens = false, twice = false;
  int too_often = 0;
  double retry_after_s = 30;
  double lag_s = 0, born_at = 0, price = 0.5;
  int creates = 0, destroys = 0;

 private:
  FakePace& pace_;
};

class SessionTest : public ::testing::Test {
 protected:
  SessionTest() {
    std::string pattern = ::testing::TempDir() + "sessionXXXXXX";
    folder_ = ::mkdtemp(pattern.data());
    ledger_ = std::make_unique<Ledger>(*Ledger::open(folder_ + "/state"));
    Offer offer;
    offer.provider = "vast", offer.id = "1", offer.gpu = "RTX 4090";
    offer.usd_per_hour = Fact<double>(0.5, "test");
    request_.offers = {offer, offer, offer, offer, offer};
    request_.max_usd_per_hour = 0.6;
    request_.lender_of = [this](const Offer&) -> Lender { return {&provider_, "https://x"}; };
    request_.knock = [](const Instance&, const net::SshIdentity&) {
      net::SshResult result;
      result.end = net::SshEnd::done;
      return result;
    };
    request_.use = [this](const Ready&) {
      ++uses_;
      pace_.now += 60;
      return use_result_;
    };
  }
  ~SessionTest() override { std::filesystem::remove_all(folder_); }

  SessionResult run() { return run_session({*ledger_, pace_, *host_}, request_); }
  [[nodiscard]] std::size_t entries() const { return ledger_->entries()->size(); }

  std::string folder_;
  FakePace pace_;
  FakeProvider provider_{pace_};
  std::unique_ptr<host::Host> host_ = host::make_real_host();
  std::unique_ptr<Ledger> ledger_;
  SessionRequest request_;
  Used use_result_{Used::End::done, ""};
  int uses_ = 0;
};

TEST_F(SessionTest, LeavesNothingAfterSuccess) {
  const auto result = run();
  EXPECT_EQ(result.end, SessionEnd::done) << result.why;
  EXPECT_FALSE(result.still_billing);
  EXPECT_THAT(provider_.machines, SizeIs(0));
  EXPECT_EQ(entries(), 0U);
  EXPECT_NEAR(result.cost_usd, 0.5 / 60, 0.001);
}

TEST_F(SessionTest, HasTheIntentOnTheDiskBeforeTheCreateAndTheIdBeforeTheWait) {
  std::vector<std::string> seen;
  request_.at_risk = [&](const LedgerEntry* entry) {
    if (entry != nullptr) seen.push_back(ledger_->entries()->front().status + entry->id);
  };
  run();
  EXPECT_EQ(seen, (std::vector<std::string>{"creating", "running1"}));
}

TEST_F(SessionTest, FindsTheMachineOfALostReplyAndNeverAsksTwice) {
  provider_.create_fault = fault(FaultKind::network);
  provider_.create_happens = true;
  provider_.lag_s = 45;  // the list lags behind
  const auto result = run();
  EXPECT_EQ(provider_.creates, 1);
  EXPECT_EQ(result.end, SessionEnd::done) << result.why;
  EXPECT_THAT(provider_.machines, SizeIs(0));
  EXPECT_EQ(entries(), 0U);
}

TEST_F(SessionTest, EndsTheTwinOfACreateThatArrivedTwice) {
  provider_.create_fault = fault(FaultKind::network);
  provider_.create_happens = provider_.twice = true;
  const auto result = run();
  EXPECT_EQ(result.end, SessionEnd::done) << result.why;
  EXPECT_THAT(provider_.machines, SizeIs(0));
  EXPECT_EQ(entries(), 0U);
}

TEST_F(SessionTest, CountsWhatAListMayLagFromTheLastTimeThatItAsked) {
  // Twice "too often", each with half a minute to wait; then the reply is lost.
  provider_.too_often = 2;
  provider_.create_fault = fault(FaultKind::network);
  provider_.create_happens = true;
  provider_.lag_s = 50;
  const auto result = run();
  EXPECT_EQ(result.end, SessionEnd::done) << result.why;
  EXPECT_EQ(provider_.creates, 1);
  EXPECT_THAT(provider_.machines, SizeIs(0));
}

TEST_F(SessionTest, WaitsForNobodyWhoAsksForAnHour) {
  provider_.too_often = 9, provider_.retry_after_s = 3600;
  const auto result = run();
  EXPECT_EQ(provider_.creates, 0);
  EXPECT_EQ(result.end, SessionEnd::no_machine);
  EXPECT_LT(pace_.now, 120);
  EXPECT_EQ(entries(), 0U);
  provider_.too_often = 0;
  ASSERT_TRUE(provider_.create({}));
  Fault later = fault(FaultKind::rate_limited);
  later.retry_after_s = 36000;
  provider_.destroy_fault = later;
  const double before = pace_.now;
  EXPECT_FALSE(destroy_until_gone(provider_, pace_, {"1", 100, true, 600}).confirmed);
  EXPECT_LT(pace_.now - before, 700);
}

TEST_F(SessionTest, RentsNoOtherWhenSomebodyElseEndedTheMachine) {
  request_.use = [this](const Ready&) {
    EXPECT_TRUE(ledger_->remove(ledger_->entries()->front().token));
    provider_.machines.clear();
    return Used{Used::End::broken_host, "the connection broke"};
  };
  const auto result = run();
  EXPECT_EQ(provider_.creates, 1);
  EXPECT_EQ(result.end, SessionEnd::failed);
  EXPECT_THAT(result.why, HasSubstr("another gpuready"));
}

TEST_F(SessionTest, SharesItsMinutesAmongTheMachinesThatItTries) {
  request_.max_minutes = 10;
  request_.use = [this](const Ready&) {
    pace_.now += 540;
    return Used{Used::End::broken_host, "no GPU"};
  };
  const auto result = run();
  EXPECT_LE(provider_.creates, 2);
  EXPECT_LE(result.cost_usd, 2 * 0.5 * 10 / 60);
  EXPECT_THAT(provider_.machines, SizeIs(0));
}

TEST_F(SessionTest, AsksForNothingAfterASignal) {
  request_.guard = [](const LedgerEntry&) -> Result<void> { return {}; };
  request_.at_risk = [this](const LedgerEntry* entry) { pace_.stop = entry != nullptr; };
  const auto result = run();
  EXPECT_EQ(provider_.creates, 0);
  EXPECT_FALSE(result.still_billing);
  EXPECT_EQ(entries(), 0U);
}

TEST_F(SessionTest, AListThatIsNotFoundSaysNothingOfAMachine) {
  provider_.list_fault = fault(FaultKind::gone);
  const auto found = find_in_list(provider_, "1");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().kind, FaultKind::garbled);
}

TEST_F(SessionTest, KeepsTheEntryWhereTheListCannotTell) {
  provider_.create_fault = fault(FaultKind::network);
  provider_.list_fault = fault(FaultKind::server);
  const auto result = run();
  EXPECT_TRUE(result.still_billing);
  EXPECT_EQ(provider_.creates, 1);
  EXPECT_EQ(entries(), 1U);
}

TEST_F(SessionTest, WaitsUntilAYoungMachineShowsBeforeItsEndIsBelieved) {
  provider_.lag_s = 40;
  CreateRequest create;
  ASSERT_TRUE(provider_.create(create));
  EXPECT_TRUE(destroy_until_gone(provider_, pace_, {"1", 0, false, 600}).confirmed);
  EXPECT_THAT(provider_.machines, SizeIs(0));
}

TEST_F(SessionTest, TakesAnotherOfferWhenTheHostIsBrokenAtMostThreeTimes) {
  use_result_ = {Used::End::broken_host, "no GPU"};
  const auto result = run();
  EXPECT_EQ(provider_.creates, 3);
  EXPECT_EQ(result.end, SessionEnd::no_machine);
  EXPECT_THAT(provider_.machines, SizeIs(0));
  EXPECT_EQ(entries(), 0U);
  EXPECT_NEAR(result.cost_usd, 3 * 0.5 / 60, 0.003);
}

TEST_F(SessionTest, NeverTakesAnotherWhileOneMayStillBill) {
  use_result_ = {Used::End::broken_host, "no GPU"};
  provider_.destroy_fault = fault(FaultKind::server);
  const auto result = run();
  EXPECT_EQ(provider_.creates, 1);
  EXPECT_TRUE(result.still_billing);
  EXPECT_EQ(entries(), 1U);
  EXPECT_EQ(ledger_->entries()->front().status, "destroying");
}

TEST_F(SessionTest, EndsAMachineThatCostsMoreThanWasAllowed) {
  provider_.price = 0.9;
  run();
  EXPECT_EQ(uses_, 0);
  EXPECT_THAT(provider_.machines, SizeIs(0));
}

TEST_F(SessionTest, RentsNothingAboveThePrice) {
  request_.max_usd_per_hour = 0.4;
  run();
  EXPECT_EQ(provider_.creates, 0);
}

TEST_F(SessionTest, EndsTheMachineOfAnErrorThatNamesOne) {
  provider_.create_happens = true;
  provider_.create_fault = fault(FaultKind::refused);
  provider_.create_fault->instance_id = "1";
  request_.offers.resize(1);
  const auto result = run();
  EXPECT_FALSE(result.still_billing);
  EXPECT_THAT(provider_.machines, SizeIs(0));
  EXPECT_EQ(entries(), 0U);
}

TEST_F(SessionTest, EndsTheMachineAfterASignalAndSaysSo) {
  request_.use = [this](const Ready&) -> Used {
    pace_.stop = true;
    return {Used::End::failed, "killed"};
  };
  const auto result = run();
  EXPECT_EQ(result.end, SessionEnd::stopped);
  EXPECT_THAT(provider_.machines, SizeIs(0));
  EXPECT_EQ(entries(), 0U);
}

TEST_F(SessionTest, TreatsAnotherHostKeyAsAnotherMachine) {
  request_.knock = [](const Instance&, const net::SshIdentity&) {
    net::SshResult result;
    result.end = net::SshEnd::wrong_host_key, result.why = "another key";
    return result;
  };
  const auto result = run();
  EXPECT_EQ(uses_, 0);
  EXPECT_THAT(result.why, HasSubstr("another key"));
}

TEST_F(SessionTest, GivesUpAMachineThatNeverTakesTheKey) {
  request_.knock = [](const Instance&, const net::SshIdentity&) {
    net::SshResult result;
    result.end = net::SshEnd::denied, result.why = "denied";
    return result;
  };
  const auto result = run();
  EXPECT_EQ(provider_.creates, 3);
  EXPECT_THAT(result.why, HasSubstr("denied"));
  EXPECT_THAT(provider_.machines, SizeIs(0));
}

TEST_F(SessionTest, AsksNothingMoreOfAProviderWithoutMoney) {
  provider_.create_fault = fault(FaultKind::no_money);
  run();
  EXPECT_EQ(provider_.creates, 1);
  EXPECT_EQ(entries(), 0U);
}

TEST_F(SessionTest, RentsNothingWhereTheLedgerCannotBeWritten) {
  std::filesystem::remove_all(folder_ + "/state");
  const auto result = run();
  EXPECT_EQ(provider_.creates, 0);
  EXPECT_EQ(result.end, SessionEnd::no_machine);
}

// Lambda: "billed per minute"; RunPod and Vast: per second, Vast's GPU only while it runs.
TEST(Cost, IsCountedAsTheProviderDoes) {
  EXPECT_DOUBLE_EQ(cost_usd("lambda", {1.20, 0, 61, 0}), 0.04);
  EXPECT_DOUBLE_EQ(cost_usd("runpod", {3.60, 0, 60.2, 0}), 0.061);
  EXPECT_DOUBLE_EQ(cost_usd("vast", {3.70, 0.10, 3600, 1800}), 1.90);
  EXPECT_DOUBLE_EQ(cost_usd("vast", {3.70, 0.10, -5, -5}), 0);
}

}  // namespace
}  // namespace gpuready::cloud
