#pragma once
/// What a rented machine is rented for: gpuready copied there, doctor, then the command.

#include <string>
#include <vector>

#include "cloud/session.hpp"
#include "net/remote_program.hpp"
#include "net/ssh.hpp"

namespace gpuready::api {

struct CloudJob {
  net::Ssh& ssh;
  net::Pace& pace;
  host::Host& host;
  std::vector<std::string> command;  ///< empty: the page with a quick bench
  double scale = 1;                  ///< of time, in tests
  bool json = false;                 ///< our own commands are to answer in JSON
  std::function<void(const char* stage)> begin;
  net::ProgramFile program{};  ///< read when the first machine is ready
};

/// What came back; not trusted, but strictly parsed where it is JSON.
struct CloudAnswer {
  std::string text;
  bool is_json = false;
  int exit_code = 0;
  std::vector<std::string> notes;
};

/// Whether the words name a command of gpuready ("doctor --json") rather than one of the machine.
bool is_own_command(const std::vector<std::string>& command);

cloud::Used use_machine(CloudJob& job, const cloud::Ready& ready, CloudAnswer& answer);

}  // namespace gpuready::api
