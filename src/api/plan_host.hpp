#pragma once
/// The world as plan asks for it: the Hub left alone where nobody may be asked.

#include "host/host.hpp"
#include "plan/candidates.hpp"

namespace gpuready::api {

/// A host that says HF_HUB_OFFLINE=1 where `offline`; all else is the other's.
class PlanHost : public host::Host {
 public:
  PlanHost(host::Host& real, bool offline) : real_(real), offline_(offline) {}

  Result<std::string> read_file(const std::string& path, std::size_t max_bytes) override {
    return real_.read_file(path, max_bytes);
  }
  Result<std::string> read_part(const std::string& path, std::int64_t offset,
                                std::size_t count) override {
    return real_.read_part(path, offset, count);
  }
  Result<std::vector<std::string>> list(const std::string& folder) override {
    return real_.list(folder);
  }
  Result<host::FileStatus> status(const std::string& path) override { return real_.status(path); }
  Result<std::string> read_link(const std::string& path) override { return real_.read_link(path); }
  Result<std::string> real_path(const std::string& path) override { return real_.real_path(path); }
  Result<bool> try_open(const std::string& path) override { return real_.try_open(path); }
  Result<bool> try_access(const std::string& path) override { return real_.try_access(path); }
  std::optional<std::string> env(const std::string& name) override {
    if (offline_ && name == "HF_HUB_OFFLINE") return "1";
    return real_.env(name);
  }
  std::vector<std::string> env_names() override { return real_.env_names(); }
  std::vector<host::CommandResult> run_all(const std::vector<host::Command>& commands) override {
    return real_.run_all(commands);
  }
  Result<host::LibraryHandle> open_library(const std::string& name) override {
    return real_.open_library(name);
  }
  void* symbol(const host::LibraryHandle& library, const std::string& name) override {
    return real_.symbol(library, name);
  }
  std::string self() override { return real_.self(); }
  std::string libc_version() override { return real_.libc_version(); }
  std::int64_t now() override { return real_.now(); }

 private:
  host::Host& real_;
  bool offline_;
};

/// Fills in what providers offer now, and who answered. Asks nobody where the request says offline.
void ask_market(host::Host& host, const PlanRequest& request, const std::vector<catalog::Gpu>& gpus,
                plan::Market& market);

}  // namespace gpuready::api
