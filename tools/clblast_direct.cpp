// CLBlast called directly, as a user would: the yardstick of compare_clblast.py. Prints the median
// seconds of a product. Usage: clblast_direct SIZE SECONDS SETS
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <clblast_c.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

int main(int, char** argv) {
  const size_t n = std::strtoul(argv[1], nullptr, 10), sets = std::strtoul(argv[3], nullptr, 10);
  const double limit_s = std::strtod(argv[2], nullptr);
  cl_platform_id platform = nullptr;
  cl_device_id device = nullptr;
  clGetPlatformIDs(1, &platform, nullptr);
  clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr);
  cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, nullptr);
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, nullptr);
  std::vector<float> host(n * n);
  std::mt19937 random(1);
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<cl_mem> buffers(3 * sets);
  for (cl_mem& buffer : buffers) {
    for (float& x : host) x = uniform(random);
    buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, n * n * 4, nullptr, nullptr);
    clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, n * n * 4, host.data(), 0, nullptr, nullptr);
  }
  size_t next = 0;
  const auto batch = [&](int repeats) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < repeats; ++i, next = (next + 1) % sets)
      if (CLBlastSgemm(CLBlastLayoutRowMajor, CLBlastTransposeNo, CLBlastTransposeNo, n, n, n, 1,
                       buffers[3 * next], 0, n, buffers[3 * next + 1], 0, n, 0,
                       buffers[3 * next + 2], 0, n, &queue, nullptr) != CLBlastSuccess)
        std::exit(1);
    clFinish(queue);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  for (int i = 0; i < 3; ++i) batch(1);
  const int repeats = std::max(1, static_cast<int>(0.02 / batch(1)));
  std::vector<double> times;
  for (double sum = 0; times.size() < 5 || sum < limit_s; sum += times.back() * repeats)
    times.push_back(batch(repeats) / repeats);
  std::nth_element(times.begin(), times.begin() + static_cast<long>(times.size() / 2), times.end());
  std::printf("%.9f\n", times[times.size() / 2]);
}
