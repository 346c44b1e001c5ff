/// Everything that can go wrong between us and a provider, and what each means.

#include "tests/cloud/client_fixture.hpp"

namespace gpuready::cloud {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class Faults : public ClientTest, public ::testing::WithParamInterface<std::string> {};

INSTANTIATE_TEST_SUITE_P(Providers, Faults, ::testing::Values("lambda", "runpod", "vast"),
                         [](const auto& one) { return one.param; });

TEST_P(Faults, AWrongKeyIsABadKeyInEachProvidersWords) {
  const std::string wrong = "marker-of-a-wrong-key-42";
  const auto provider = client(GetParam(), wrong);
  for (const auto& fault :
       {provider->list().error(), provider->get("1").error(), provider->destroy("1").error(),
        provider->account().error(), provider->ssh_keys().error()}) {
    EXPECT_EQ(fault.kind, FaultKind::bad_key) << fault.message;
    EXPECT_THAT(fault.message, HasSubstr(GetParam()));
    EXPECT_THAT(fault.message, Not(HasSubstr(wrong)));
  }
}

TEST_P(Faults, AnUnreadableListIsAFaultAndNeverEmpty) {
  const auto provider = client(GetParam());
  for (const auto& [word, kind] :
       std::vector<std::pair<std::string, FaultKind>>{{"html", FaultKind::server},
                                                      {"truncate", FaultKind::garbled},
                                                      {"big", FaultKind::garbled},
                                                      {"break-off", FaultKind::garbled},
                                                      {"drop-before", FaultKind::network},
                                                      {"status:500", FaultKind::server},
                                                      {"status:503", FaultKind::server},
                                                      {"redirect", FaultKind::garbled},
                                                      {"too-old", FaultKind::too_old},
                                                      {"status:410", FaultKind::too_old},
                                                      {"forbidden", FaultKind::forbidden},
                                                      {"rate-limit", FaultKind::rate_limited}}) {
    servers_->fault(GetParam(), "list", word, 0);
    const auto all = provider->list();
    ASSERT_FALSE(all) << word;
    EXPECT_EQ(all.error().kind, kind) << word << ": " << all.error().message;
    EXPECT_EQ(all.error().message.find('\n'), std::string::npos);
    EXPECT_THAT(all.error().message, Not(HasSubstr(servers_->key(GetParam()))));
    servers_->reset();
  }
}

TEST_P(Faults, AListOfAnotherShapeIsGarbled) {
  const auto provider = client(GetParam());
  for (const char* body : {"{}", "[]", "null", "{\"data\":{}}", "{\"data\":[{}]}", "{\"pods\":{}}",
                           "{\"pods\":[{\"id\":\"../../x\"}]}", "{\"instances\":null}",
                           "{\"instances\":[{\"id\":null}]}",
                           "{\"data\":[{\"id\":\"a b\"}],\"pods\":[null],\"instances\":[3]}"}) {
    servers_->control(GetParam(), "/_control",
                      {{"on", "list"}, {"fault", "status:200"}, {"body", body}});
    const auto all = provider->list();
    ASSERT_FALSE(all) << body;
    EXPECT_EQ(all.error().kind, FaultKind::garbled) << body;
  }
}

TEST_P(Faults, WhatMayBeRepeatedIsRepeatedAndWhatMayNotIsNot) {
  const auto provider = client(GetParam());
  for (const char* word : {"drop-before", "status:502", "rate-limit", "html"}) {
    servers_->fault(GetParam(), "list", word);
    const auto all = provider->list();
    EXPECT_TRUE(all) << word << ": " << all.error().message;
  }
  const auto request = request_for(*provider);
  for (const char* word : {"drop-before", "status:502", "rate-limit", "html"}) {
    pace_->sleep_s(20);
    servers_->fault(GetParam(), "create", word);
    EXPECT_FALSE(provider->create(request)) << word;
  }
  EXPECT_EQ(seen(GetParam(), "create").size(), 4U) << "one each: creating is never repeated";
}

TEST_P(Faults, ALostReplyOfCreateSaysThatItMayHaveHappened) {
  const auto provider = client(GetParam());
  const auto request = request_for(*provider);
  for (const char* word :
       {"drop-after", "truncate", "html-after", "status-after:500", "break-off", "big-after"}) {
    pace_->sleep_s(20);
    servers_->fault(GetParam(), "create", word);
    const auto id = provider->create(request);
    ASSERT_FALSE(id) << word;
    EXPECT_TRUE(may_have_happened(id.error().kind)) << word << ": " << id.error().message;
    const auto all = provider->list();
    ASSERT_TRUE(all) << all.error().message;
    EXPECT_EQ(std::ranges::count(*all, request.name, &Instance::name), 1) << word;
    for (const Instance& one : *all)
      if (one.name == request.name) {
        pace_->sleep_s(30);
        EXPECT_TRUE(provider->destroy(one.id));
        pace_->sleep_s(60);
      }
  }
}

TEST_P(Faults, WhatWasNotCarriedOutSaysWhy) {
  const auto provider = client(GetParam());
  const auto request = request_for(*provider);
  const bool lambda = GetParam() == "lambda";
  for (const auto& [word, kind] : std::vector<std::pair<std::string, FaultKind>>{
           {"no-capacity", FaultKind::no_capacity},
           {"no-money", lambda ? FaultKind::refused : FaultKind::no_money},
           {"forbidden", FaultKind::forbidden},
           {"bad-key", FaultKind::bad_key},
           {"rate-limit", FaultKind::rate_limited},
           {"too-old", FaultKind::too_old}}) {
    pace_->sleep_s(20);
    servers_->fault(GetParam(), "create", word);
    const auto id = provider->create(request);
    ASSERT_FALSE(id) << word;
    EXPECT_EQ(id.error().kind, kind) << word << ": " << id.error().message;
    EXPECT_FALSE(may_have_happened(id.error().kind)) << word;
  }
  EXPECT_EQ(servers_->told(GetParam(), "machines").size(), 3U);
}

TEST_P(Faults, NoKeyFollowsARedirect) {
  const auto provider = client(GetParam());
  servers_->fault(GetParam(), "any", "redirect", 0);
  (void)provider->list(), (void)provider->get("1"), (void)provider->destroy("1");
  (void)provider->offers({}), (void)provider->account();
  EXPECT_EQ(servers_->told("trap", "log").dump(), "[]");
}

TEST_P(Faults, APageInPlaceOfNotFoundIsNotGone) {
  const auto provider = client(GetParam());
  servers_->control(GetParam(), "/_control",
                    {{"on", "get"}, {"fault", "status:404"}, {"body", "<html>not found</html>"}});
  const auto got = provider->get("123");
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().kind, FaultKind::garbled);
}

TEST_P(Faults, NotFoundIsBelievedOnlyWithTheList) {
  const auto provider = client(GetParam());
  const auto id = provider->create(request_for(*provider));
  ASSERT_TRUE(id);
  const base::Json body{{"error", {{"code", "global/object-does-not-exist"}, {"message", "no"}}},
                        {"detail", "not found"},
                        {"msg", "no_such_instance"}};
  servers_->control(GetParam(), "/_control",
                    {{"on", "get"}, {"fault", "status:404"}, {"body", body}});
  const auto got = provider->get(*id);
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_NE(got->state, State::gone) << "the list still has it";
  servers_->control(GetParam(), "/_control",
                    {{"on", "get"}, {"fault", "status:404"}, {"body", body}});
  servers_->fault(GetParam(), "list", "html", 0);
  EXPECT_FALSE(provider->get(*id)) << "without a list nothing is known";
}

TEST_P(Faults, DestroyThatFailsIsNoSuccess) {
  const auto provider = client(GetParam());
  const auto id = provider->create(request_for(*provider));
  ASSERT_TRUE(id);
  pace_->sleep_s(60);
  for (const char* word : {"drop-before", "status:500", "html", "bad-key", "forbidden", "too-old",
                           "rate-limit", "redirect"}) {
    servers_->fault(GetParam(), "destroy", word, 0);
    EXPECT_FALSE(provider->destroy(*id)) << word;
    servers_->control(GetParam(), "/_control/clear", base::Json::object());
  }
  EXPECT_TRUE(provider->destroy(*id));
}

TEST_P(Faults, AStopEndsTheRepeats) {
  const auto provider = client(GetParam());
  servers_->fault(GetParam(), "list", "drop-before", 0);
  pace_->stopped_ = true;
  EXPECT_FALSE(provider->list());
  EXPECT_EQ(seen(GetParam(), "list").size(), 1U);
}

TEST_P(Faults, WhatAProviderSaysIsOneLineWithoutEscapesAndWithoutOurKey) {
  const auto provider = client(GetParam());
  const std::string key = servers_->key(GetParam());
  const std::string words = "bad\x1b[31m red\nline " + key + " end";
  const base::Json body{
      {"error", {{"code", "global/x"}, {"message", words}}}, {"detail", words}, {"msg", words}};
  servers_->control(GetParam(), "/_control",
                    {{"on", "list"}, {"fault", "status:400"}, {"body", body}, {"times", 0}});
  const auto all = provider->list();
  ASSERT_FALSE(all);
  ASSERT_FALSE(key.empty());
  for (const std::string& part : {std::string("\x1b"), std::string("\n"), key})
    EXPECT_THAT(all.error().message, Not(HasSubstr(part)));
  EXPECT_THAT(all.error().message, HasSubstr("red"));
}

class VastFaults : public ClientTest {};

TEST_F(VastFaults, PagesThatRepeatAreGarbled) {
  servers_->set("vast", {{"page_size", 1}, {"cursor", "repeats"}});
  const auto all = client("vast")->list();
  ASSERT_FALSE(all);
  EXPECT_EQ(all.error().kind, FaultKind::garbled);
}

TEST_F(VastFaults, AListThatLacksRowsIsGarbled) {
  servers_->control("vast", "/_control",
                    {{"on", "list"},
                     {"fault", "status:200"},
                     {"body", {{"instances", base::Json::array()}, {"total_instances", 2}}}});
  EXPECT_EQ(client("vast")->list().error().kind, FaultKind::garbled);
}

TEST_F(VastFaults, ABadKeyIsOneInAllOfItsForms) {
  for (const int status : {401, 403, 404}) {
    servers_->set("vast", {{"bad_key_status", status}});
    const auto vast = client("vast", "another-wrong-key");
    EXPECT_EQ(vast->list().error().kind, FaultKind::bad_key) << status;
    EXPECT_EQ(vast->ssh_keys().error().kind, FaultKind::bad_key) << status;
    EXPECT_EQ(vast->get("1").error().kind, FaultKind::bad_key) << status;
  }
}

class RunpodFaults : public ClientTest {};

TEST_F(RunpodFaults, ALongRetryAfterIsNotWaitedForAndAShortOneIs) {
  const auto runpod = client("runpod");
  servers_->set("runpod", {{"retry_after_s", 1800}});
  servers_->fault("runpod", "list", "rate-limit");
  const double before = pace_->slept_s;
  const auto all = runpod->list();
  ASSERT_FALSE(all);
  EXPECT_EQ(all.error().kind, FaultKind::rate_limited);
  EXPECT_EQ(all.error().retry_after_s, 1800);
  EXPECT_EQ(pace_->slept_s, before);
  servers_->set("runpod", {{"retry_after_s", 42}});
  servers_->fault("runpod", "list", "rate-limit");
  EXPECT_TRUE(runpod->list());
  EXPECT_EQ(pace_->slept_s, before + 42);
}

TEST_F(RunpodFaults, ACursorThatRepeatsIsGarbled) {
  const base::Json body{{"pods", base::Json::array()}, {"nextCursor", "x"}};
  servers_->control("runpod", "/_control",
                    {{"on", "list"}, {"fault", "status:200"}, {"body", body}, {"times", 0}});
  EXPECT_EQ(client("runpod")->list().error().kind, FaultKind::garbled);
}

}  // namespace
}  // namespace gpuready::cloud
