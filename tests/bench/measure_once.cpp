/// Reads a MeasureRequest from standard input and writes the MeasureAnswer to standard output.

#include <chrono>
#include <cstdio>
#include <iostream>
#include <iterator>

#include "base/json.hpp"
#include "bench/runner.hpp"
#include "host/real_host.hpp"

namespace base = gpuready::base;
namespace bench = gpuready::bench;

int main() {
  const std::string text{std::istreambuf_iterator<char>(std::cin), {}};
  const auto json = base::parse_json(text);
  bench::MeasureRequest request;
  if (!json || !base::JsonReader().read(*json, request)) return 2;
  const auto host = gpuready::host::make_real_host();
  const auto clock = [] {
    const auto since = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration<double>(since).count();
  };
  const auto answer = bench::measure(*host, request, clock, [](double) {});
  const std::string out =
      base::dump_json(base::JsonWriter(base::keep_message).write(answer), false);
  std::fwrite(out.data(), 1, out.size(), stdout);
  return 0;
}
