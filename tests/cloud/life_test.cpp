/// A machine's whole life at each provider, as the servers of tests/cloud/servers play it.

#include "tests/cloud/client_fixture.hpp"

namespace gpuready::cloud {
namespace {

using ::testing::HasSubstr;

class Life : public ClientTest, public ::testing::WithParamInterface<std::string> {};

INSTANTIATE_TEST_SUITE_P(Providers, Life, ::testing::Values("lambda", "runpod", "vast"),
                         [](const auto& one) { return one.param; });

TEST_P(Life, GoesFromRequestToRunningToGoneAndLeavesStrangersAlone) {
  const auto provider = client(GetParam());
  const auto request = request_for(*provider);
  const auto id = provider->create(request);
  ASSERT_TRUE(id) << id.error().message;
  ASSERT_TRUE(provider->attach_key(*id, request.ssh_public_key));
  std::vector<State> states;
  Instance now;
  for (int i = 0; i < 100 && now.state != State::running; ++i) {
    const auto got = provider->get(*id);
    ASSERT_TRUE(got) << got.error().message;
    now = *got;
    if (states.empty() || states.back() != now.state) states.push_back(now.state);
    EXPECT_EQ(now.dead_because, "");
    if (now.state != State::running) {
      EXPECT_FALSE(now.ssh);
      pace_->sleep_s(provider->poll_interval_s());
    }
  }
  EXPECT_EQ(now.state, State::running);
  EXPECT_GE(states.size(), 2U);
  for (int i = 0; i < 5 && !now.ssh; ++i) now = *provider->get(*id);
  ASSERT_TRUE(now.ssh);
  EXPECT_EQ(now.ssh->host, "127.0.0.1");
  EXPECT_EQ(now.ssh->port, 22);
  EXPECT_EQ(now.ssh->user, GetParam() == "lambda" ? "ubuntu" : "root");
  EXPECT_EQ(now.name, request.name);
  ASSERT_TRUE(now.usd_per_hour);
  EXPECT_NEAR(*now.usd_per_hour, *request.offer.usd_per_hour, 0.005);

  const auto all = provider->list();
  ASSERT_TRUE(all);
  EXPECT_EQ(all->size(), 4U);  // three strangers

  ASSERT_TRUE(provider->destroy(*id));
  for (int i = 0; i < 20 && now.state != State::gone; ++i) {
    pace_->sleep_s(provider->poll_interval_s());
    const auto got = provider->get(*id);
    ASSERT_TRUE(got) << got.error().message;
    now = *got;
    EXPECT_TRUE(now.state == State::terminating || now.state == State::gone);
  }
  EXPECT_EQ(now.state, State::gone);
  EXPECT_TRUE(provider->destroy(*id)) << "gone already is success";
  EXPECT_EQ(provider->list()->size(), 3U);
  EXPECT_EQ(servers_->told(GetParam(), "machines").size(), 3U);
}

TEST_P(Life, TheMachineTakesTheKeyAndBearsTheName) {
  const auto provider = client(GetParam());
  const auto request = request_for(*provider);
  const auto id = provider->create(request);
  ASSERT_TRUE(id) << id.error().message;
  ASSERT_TRUE(provider->attach_key(*id, request.ssh_public_key));
  bool found = false;
  for (const auto& machine : servers_->told(GetParam(), "machines"))
    if (machine["id"] == *id) {
      found = true;
      EXPECT_EQ(machine["name"], request.name);
      EXPECT_THAT(machine["keys"].dump(), HasSubstr("ssh-ed25519 AAAAC3Nz"));
      EXPECT_EQ(machine["stranger"], false);
    }
  EXPECT_TRUE(found);
  EXPECT_EQ(seen(GetParam(), "create").size(), 1U);
}

TEST_P(Life, AnUnknownMachineIsGone) {
  const auto provider = client(GetParam());
  const auto got = provider->get("12345");
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(got->state, State::gone);
  EXPECT_TRUE(provider->destroy("12345"));
}

TEST_P(Life, TheKeyGoesInTheHeaderAlone) {
  const auto provider = client(GetParam());
  const auto request = request_for(*provider);
  const auto id = provider->create(request);
  ASSERT_TRUE(id);
  (void)provider->list(), (void)provider->account(), (void)provider->ssh_keys();
  (void)provider->get(*id), (void)provider->attach_key(*id, request.ssh_public_key);
  (void)provider->destroy(*id);
  const auto log = servers_->told(GetParam(), "log");
  ASSERT_GE(log.size(), 6U);
  for (const auto& one : log) {
    EXPECT_EQ(one["credential"], "right") << one.dump();
    EXPECT_NE(one["operation"], "other") << one.dump();
    EXPECT_NE(one["status"], 429) << "our own pace keeps the provider's limits: " << one.dump();
  }
}

class LambdaLifeTest : public ClientTest {};

TEST_F(LambdaLifeTest, TerminateIsBusyWhileItBootsAndSticksLater) {
  const auto lambda = client("lambda");
  const auto id = lambda->create(request_for(*lambda));
  ASSERT_TRUE(id);
  const auto refused = lambda->destroy(*id);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, FaultKind::busy);
  pace_->sleep_s(25);
  EXPECT_TRUE(lambda->destroy(*id));
  EXPECT_EQ(lambda->get(*id)->state, State::terminating);
  EXPECT_TRUE(lambda->destroy(*id)) << "an unclear error of one that is ending is success";
}

TEST_F(LambdaLifeTest, TheSameKeyIsRegisteredOnce) {
  const auto lambda = client("lambda");
  const auto first = lambda->register_key("ssh-ed25519 AAAAC3Nz one@here");
  const auto second = lambda->register_key("ssh-ed25519 AAAAC3Nz another-comment");
  ASSERT_TRUE(first && second);
  EXPECT_EQ(*first, *second);
  EXPECT_EQ(seen("lambda", "register-key").size(), 1U);
  EXPECT_EQ(lambda->ssh_keys()->size(), 1U);
}

class RunpodLifeTest : public ClientTest {};

TEST_F(RunpodLifeTest, AListInPagesIsReadWhole) {
  servers_->set("runpod", {{"page_size", 2}});
  const auto all = client("runpod")->list();
  ASSERT_TRUE(all) << all.error().message;
  EXPECT_EQ(all->size(), 3U);
}

TEST_F(RunpodLifeTest, TheProxyIsNeverTaken) {
  servers_->set("runpod", {{"public_ip", "no"}});
  const auto runpod = client("runpod");
  const auto id = runpod->create(request_for(*runpod));
  ASSERT_TRUE(id);
  pace_->sleep_s(100);
  for (int i = 0; i < 5; ++i) EXPECT_FALSE(runpod->get(*id)->ssh);
}

TEST_F(RunpodLifeTest, TheStartScriptStandsBesideTheImagesOwnStart) {
  const auto runpod = client("runpod");
  auto request = request_for(*runpod);
  request.start_script = "echo 'it''s' \"quoted\"\n";
  ASSERT_TRUE(runpod->create(request));
  const auto body = base::parse_json(seen("runpod", "create")[0]["body"].get<std::string>());
  EXPECT_EQ((*body)["args"],
            "bash -c 'echo ZWNobyAnaXQnJ3MnICJxdW90ZWQiCg== | base64 -d | sh; exec /start.sh'");
}

TEST_F(RunpodLifeTest, APodThatEndedByItselfIsDead) {
  for (const char* end : {"EXITED", "ERROR"}) {
    servers_->set("runpod", {{"ends", end}});
    const auto runpod = client("runpod");
    const auto id = runpod->create(request_for(*runpod));
    ASSERT_TRUE(id);
    pace_->sleep_s(100);
    EXPECT_THAT(runpod->get(*id)->dead_because, HasSubstr(end));
  }
}

class VastLifeTest : public ClientTest {};

TEST_F(VastLifeTest, ThreePagesOfStrangersAreReadWhole) {
  servers_->set("vast", {{"page_size", 1}});
  const auto all = client("vast")->list();
  ASSERT_TRUE(all) << all.error().message;
  EXPECT_EQ(all->size(), 3U);
}

TEST_F(VastLifeTest, WhatNeverRunsIsDead) {
  for (const char* end : {"exited", "offline", "unknown", "frozen"}) {
    servers_->set("vast", {{"ends", end}});
    const auto vast = client("vast");
    const auto id = vast->create(request_for(*vast));
    ASSERT_TRUE(id) << id.error().message;
    pace_->sleep_s(100);
    EXPECT_THAT(vast->get(*id)->dead_because, HasSubstr(end));
    ASSERT_TRUE(vast->destroy(*id));
  }
  servers_->set("vast", {{"ends", "created"}, {"status_msg", "OCI runtime create failed: x"}});
  const auto vast = client("vast");
  const auto id = vast->create(request_for(*vast));
  ASSERT_TRUE(id);
  pace_->sleep_s(100);
  EXPECT_THAT(vast->get(*id)->dead_because, HasSubstr("OCI runtime create failed"));
}

TEST_F(VastLifeTest, AnErrorThatMadeAContractTellsItsId) {
  const auto vast = client("vast");
  const auto request = request_for(*vast);
  servers_->fault("vast", "create", "error-with-contract");
  const auto id = vast->create(request);
  ASSERT_FALSE(id);
  ASSERT_NE(id.error().instance_id, "");
  EXPECT_EQ(vast->get(id.error().instance_id)->state, State::stopped);
  EXPECT_TRUE(vast->destroy(id.error().instance_id));
  EXPECT_EQ(servers_->told("vast", "machines").size(), 3U);
}

TEST_F(VastLifeTest, AnOfferThatWentAwayIsNoCapacityAndNoOldInterface) {
  const auto vast = client("vast");
  const auto request = request_for(*vast);
  ASSERT_TRUE(vast->create(request));
  const auto again = vast->create(request);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().kind, FaultKind::no_capacity);
  auto unknown = request;
  unknown.offer.id = "99999999";
  EXPECT_EQ(vast->create(unknown).error().kind, FaultKind::no_capacity);
}

TEST_F(VastLifeTest, GoneIsUnderstoodInEachOfItsForms) {
  for (const int status : {200, 404}) {
    servers_->set("vast", {{"gone_status", status}});
    EXPECT_TRUE(client("vast")->destroy("424242"));
  }
}

}  // namespace
}  // namespace gpuready::cloud
