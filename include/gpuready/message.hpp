#pragma once
/// A sentence for people: a key of the message files (po/*.po) and the values for its {0}, {1}, ...

#include <string>
#include <vector>

namespace gpuready {

struct Message {
  std::string key;
  std::vector<std::string> args;

  bool operator==(const Message&) const = default;
};

}  // namespace gpuready
