#pragma once
/// Vast.ai's API as far as gpuready can meet it: search and single instances in version 0, the list
/// of instances in version 1.

#include "tests/cloud/servers/provider_server.hpp"

namespace gpuready::cloud::servers {

class VastServer : public ProviderServer {
 public:
  VastServer(Clock& clock, std::string key, std::int64_t offers);

 protected:
  [[nodiscard]] std::string operation_of(const Request& request) const override;
  Reply answer(const Request& request) override;
  [[nodiscard]] Reply unknown_key() const override;
  [[nodiscard]] Reply too_many() override;
  [[nodiscard]] bool is_too_often(const std::string& operation) override;
  [[nodiscard]] bool needs_key(const std::string& operation) const override;
  std::optional<Reply> own_fault(const ScriptedFault& fault, const Request& request) override;
  Machine stranger() override;
  [[nodiscard]] double bill_usd(const Machine& machine, double now_s) const override;
  [[nodiscard]] bool is_gone(const Machine& machine, double now_s) const override;
  [[nodiscard]] std::string state_of(const Machine& machine, double now_s) const override;
  [[nodiscard]] bool runs(const Machine& machine, double now_s) const override;

 private:
  Reply search(const Request& request);
  Reply create(const Request& request);
  Reply list(const Request& request);
  Reply destroy(const std::string& id);
  Reply attach(const Request& request, Machine& machine);
  Reply add_key(const Request& request);
  Machine& make(const Json& offer, const Json& body);
  [[nodiscard]] Json instance(const Machine& machine, double now_s) const;

  std::vector<Json> offers_;
};

}  // namespace gpuready::cloud::servers
