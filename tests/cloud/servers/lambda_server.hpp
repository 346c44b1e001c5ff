#pragma once
/// Lambda Cloud's API (OpenAPI 1.10.0), as far as gpuready can meet it.

#include "tests/cloud/servers/provider_server.hpp"

namespace gpuready::cloud::servers {

class LambdaServer : public ProviderServer {
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
  Reply launch(const Request& request);
  Reply terminate(const Request& request);
  Reply add_key(const Request& request);
  Json instance(const Machine& machine, double now_s) const;
};

}  // namespace gpuready::cloud::servers
