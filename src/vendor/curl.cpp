#include "vendor/curl.hpp"

namespace gpuready::vendor {

tl::expected<Loaded<Curl>, Missing> load_curl(host::Host& host) {
  // Conda's and Debian's Python bring theirs along only within their own folders.
  return load<Curl>(host, candidates(host, {"libcurl.so.4", "libcurl-gnutls.so.4"},
                                     {"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu",
                                      "/usr/lib64", "/usr/lib"}));
}

}  // namespace gpuready::vendor
