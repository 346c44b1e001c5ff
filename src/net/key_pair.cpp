#include "net/key_pair.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/text.hpp"

namespace gpuready::net {

namespace {

Result<KeyPair> read_pair(host::Host& host, const std::string& file) {
  const auto status = host.status(file);
  if (!status) return tl::unexpected<Error>(status.error());
  if ((status->mode & 077U) != 0)
    return failure(file + ": others may read this private key; remove it and " + file + ".pub");
  const auto text = host.read_file(file + ".pub");
  if (!text) return tl::unexpected<Error>(text.error());
  const std::string key(base::trim(*text));
  if (!base::starts_with(key, "ssh-ed25519 ") || key.find('\n') != std::string::npos)
    return failure(file + ".pub: not one ed25519 public key; remove it and " + file);
  return KeyPair{file, key};
}

Result<KeyPair> make_pair(host::Host& host, const std::string& file) {
  host::Command keygen;
  keygen.argv = {"ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "gpuready", "-f", file};
  keygen.input = "y\n";  // half a pair that is left of a crash is replaced
  const auto made = host.run(keygen);
  if (made.end != host::End::exited || made.code != 0)
    return failure("ssh-keygen " + host::describe(made, keygen) +
                   ", so there is no key for a rented machine; install openssh-client (" +
                   base::printable(base::trim(made.errors)) + ")");
  return read_pair(host, file);
}

}  // namespace

Result<KeyPair> own_key_pair(host::Host& host, const std::string& folder) {
  const std::string file = folder + "/id_ed25519", lock_file = folder + "/key.lock";
  if (auto pair = read_pair(host, file); pair || pair.error().code != ENOENT) return pair;
  const int lock = ::open(lock_file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (lock < 0) return failure(lock_file + ": " + std::strerror(errno), errno);
  int locked = 0;
  do {
    locked = ::flock(lock, LOCK_EX);
  } while (locked != 0 && errno == EINTR);
  auto pair = read_pair(host, file);  // another process may have been faster
  if (!pair && pair.error().code == ENOENT) pair = make_pair(host, file);
  ::close(lock);
  return pair;
}

}  // namespace gpuready::net
