#pragma once
/// The real clients through the real libcurl against the servers of tests/cloud/servers. Waits pass
/// at once, and the servers' time with them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>

#include "catalog/gpus.hpp"
#include "cloud/fault.hpp"
#include "cloud/providers.hpp"
#include "tests/cloud/cloud_servers.hpp"

namespace gpuready::cloud {

/// A clock that jumps instead of waiting, and takes the servers with it.
class JumpingPace : public net::Pace {
 public:
  explicit JumpingPace(CloudServers& servers) : servers_(servers) {}
  double now_s() override { return now_s_; }
  void sleep_s(double seconds) override {
    slept_s += seconds, now_s_ += seconds;
    servers_.advance(seconds);
  }
  bool stopped() override { return stopped_; }

  double slept_s = 0;
  bool stopped_ = false;

 private:
  CloudServers& servers_;
  double now_s_ = 1000;
};

class ClientTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { servers_ = std::make_unique<CloudServers>(); }
  static void TearDownTestSuite() { servers_.reset(); }

  void SetUp() override {
    ASSERT_TRUE(servers_->ready()) << "is cloud_server built, and libcurl there?";
    servers_->reset();
    servers_->advance(3600);  // limits of the test before are past
    http_ = *net::make_curl_http(*host_);
    pace_ = std::make_unique<JumpingPace>(*servers_);
    gpus_ = *catalog::load_gpus({});
  }

  std::unique_ptr<Provider> client(const std::string& name, const std::string& key = "") {
    return find_provider(name)->make({*http_, *pace_, gpus_,
                                      net::Secret(key.empty() ? servers_->key(name) : key),
                                      servers_->url(name)});
  }

  /// The first offer that can be had, with this in its id.
  static Offer offer_of(Provider& provider, const std::string& part) {
    const auto offers = provider.offers({1, 0});
    if (!offers) ADD_FAILURE() << offers.error().message;
    for (const Offer& offer : offers.value_or(std::vector<Offer>{}))
      if (offer.available.value_or(true) &&
          (offer.id.find(part) != std::string::npos || offer.gpu_as_told == part))
        return offer;
    ADD_FAILURE() << "no offer " << part;
    return {};
  }

  /// What create() needs, ready for the provider.
  CreateRequest request_for(Provider& provider) {
    CreateRequest request;
    const std::string name(provider.name());
    request.offer = offer_of(provider, name == "lambda"   ? "gpu_1x_a10@"
                                       : name == "runpod" ? "secure:1:NVIDIA A40"
                                                          : "RTX 3090");
    request.name = "gpuready-0123456789abcdef";
    request.ssh_public_key = "ssh-ed25519 AAAAC3Nz test@here";
    const auto registered = provider.register_key(request.ssh_public_key);
    if (!registered) ADD_FAILURE() << registered.error().message;
    request.ssh_key_name = registered.value_or("");
    return request;
  }

  /// Requests of an operation that the server saw.
  base::Json seen(const std::string& name, const std::string& operation) {
    base::Json out = base::Json::array();
    for (const base::Json& one : servers_->told(name, "log"))
      if (one["operation"] == operation) out.push_back(one);
    return out;
  }

  static std::unique_ptr<CloudServers> servers_;
  std::unique_ptr<host::Host> host_ = host::make_real_host();
  std::unique_ptr<net::Http> http_;
  std::unique_ptr<JumpingPace> pace_;
  std::vector<catalog::Gpu> gpus_;
};

inline std::unique_ptr<CloudServers> ClientTest::servers_;

}  // namespace gpuready::cloud
