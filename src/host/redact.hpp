#pragma once
/// Takes out of a recording what names a person, a machine or an account. The same thing always
/// gets the same stand-in, so that equal stays equal.

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.hpp"

namespace gpuready::host {

class Redactor {
 public:
  /// `names`: words to take out wherever they stand alone (host name, user name); `homes`: home
  /// folders.
  Redactor(std::vector<std::string> host_names, std::vector<std::string> user_names,
           std::vector<std::string> homes);

  /// The text without host and user names, home paths, UUIDs, serial numbers, IP and MAC
  /// addresses, and anything that looks like a key.
  std::string text(std::string_view text);
  /// Every string of the tree, member names included.
  base::Json json(const base::Json& json);

 private:
  std::string stand_in(std::string_view kind, const std::string& found);
  std::pair<std::string, std::size_t> known_name(std::string_view text, std::size_t at);
  std::string scan(std::string_view text, std::string_view label);
  base::Json member(const base::Json& json, std::string_view name);

  std::vector<std::string> host_names_, user_names_, homes_;
  std::map<std::string, std::string> stand_ins_;
  std::map<std::string, int> counts_;
};

}  // namespace gpuready::host
