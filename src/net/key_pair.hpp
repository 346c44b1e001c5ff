#pragma once
/// A pair of SSH keys of our own, for rented machines alone.

#include <string>

#include "gpuready/result.hpp"
#include "host/host.hpp"

namespace gpuready::net {

struct KeyPair {
  std::string private_file;
  std::string public_key;  ///< one line, as in a .pub file
};

/// The ed25519 pair in `folder` (which only its owner may enter); made by ssh-keygen, without a
/// passphrase, where there is none yet. Several processes may ask at once.
Result<KeyPair> own_key_pair(host::Host& host, const std::string& folder);

}  // namespace gpuready::net
