#pragma once
/// Recognises what may name a person, a machine or an account; pure, and linear in the text.

#include <cstddef>
#include <string>
#include <string_view>

namespace gpuready::host {

enum class Secret { none, private_key, key, random_word, uuid, serial, ipv4, ipv6, mac, account };

struct Match {
  Secret kind = Secret::none;
  std::size_t keep = 0;    ///< characters in front that stay as they are (a name, "/home/")
  std::size_t length = 0;  ///< characters after them to be replaced

  explicit operator bool() const { return kind != Secret::none; }
};

/// What starts at `at`. `label`: the name of the member that the text is the value of, if any.
/// Known names (hosts, users) are the Redactor's business.
Match match_at(std::string_view text, std::size_t at, std::string_view label);

/// Whether a member of that name holds a secret ("api_key", "password"), or a serial number.
bool is_secret_name(std::string_view name);
bool is_serial_name(std::string_view name);

/// Letters and digits of ASCII.
bool is_word(char c);

}  // namespace gpuready::host
