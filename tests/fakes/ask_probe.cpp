/// What the child of a vendor probe does, alone: prints the answer for nvml, cuda or opencl.

#include <cstdio>

#include "host/real_host.hpp"
#include "probe/vendor_child.hpp"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const auto host = gpuready::host::make_real_host();
  const std::string answer = gpuready::probe::answer_as_json(*host, argv[1]);
  std::fwrite(answer.data(), 1, answer.size(), stdout);
  return answer.empty() ? 2 : 0;
}
