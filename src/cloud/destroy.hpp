#pragma once
/// Ends a machine, and is sure of it.

#include <string>
#include <vector>

#include "cloud/provider.hpp"

namespace gpuready::cloud {

/// What a list or an answer may lag behind: facts of providers tell of 30 to 60 s.
inline constexpr double settle_s = 60;
/// The longest wait that a provider may ask for: longer ones are for nobody who pays by the second.
inline constexpr double longest_wait_s = 65;

struct DestroyRequest {
  std::string id;
  /// Seconds since it was asked for; a young machine that nobody has seen may only not show yet.
  double age_s = 0;
  bool seen = false;
  double patience_s = 600;  ///< Lambda refuses to end a machine that boots
};

struct Destroyed {
  bool confirmed = false;
  double accepted_at_s = 0;  ///< by the pace's clock: when the provider first took the request
  std::string why;           ///< one line, where it is not confirmed
};

/// Asks until the provider itself says that the machine is gone. An answer that fails is unknown,
/// never gone.
Destroyed destroy_until_gone(Provider& provider, net::Pace& pace, const DestroyRequest& request);

enum class Found { yes, no, unknown };
struct TokenSearch {
  Found found = Found::unknown;
  Instance instance;
  std::vector<std::string> twins;  ///< ids of other machines with the same name
  std::string why;                 ///< of unknown
};

/// Looks for the machine named after the token until it shows, or until the list has been read
/// without it once `age_s` has passed settle_s.
TokenSearch find_by_token(Provider& provider, net::Pace& pace, const std::string& token,
                          double age_s);

}  // namespace gpuready::cloud
