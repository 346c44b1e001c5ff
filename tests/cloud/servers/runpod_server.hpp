#pragma once
/// RunPod's REST API, version 2, as far as gpuready can meet it; what is left of version 1 says
/// 410.

#include <deque>

#include "tests/cloud/servers/provider_server.hpp"

namespace gpuready::cloud::servers {

class RunpodServer : public ProviderServer {
 public:
  using ProviderServer::ProviderServer;

 protected:
  [[nodiscard]] std::string operation_of(const Request& request) const override;
  Reply answer(const Request& request) override;
  [[nodiscard]] Reply unknown_key() const override;
  [[nodiscard]] Reply too_many() override;
  [[nodiscard]] bool is_too_often(const std::string& operation) override;
  std::optional<Reply> own_fault(const ScriptedFault& fault, const Request& request) override;
  Machine stranger() override;
  [[nodiscard]] double bill_usd(const Machine& machine, double now_s) const override;
  [[nodiscard]] bool is_gone(const Machine& machine, double now_s) const override;
  [[nodiscard]] std::string state_of(const Machine& machine, double now_s) const override;
  [[nodiscard]] bool runs(const Machine& machine, double now_s) const override;

 private:
  Reply route(const Request& request);
  Reply catalog(const Request& request);
  Reply create(const Request& request);
  Reply list(const Request& request);
  Reply put_keys(const Request& request);
  Reply act(const Request& request, Machine& machine);
  Json pod(const Machine& machine, double now_s) const;
  [[nodiscard]] Json ssh_of(const Machine& machine, double now_s) const;

  std::deque<double> calls_;  ///< times of the last minute's
};

}  // namespace gpuready::cloud::servers
