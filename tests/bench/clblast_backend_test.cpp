/// CLBlast against an OpenCL that is made up here, because the device that test machines have is a
/// CPU, and much is different on a GPU.

#include <gmock/gmock.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "bench/memory_plan.hpp"
#include "bench/runner.hpp"
#include "host/recorded_host.hpp"
#include "tests/bench/scripted_backend.hpp"
#include "vendor/clblast.hpp"

namespace gpuready::bench {
namespace {

namespace cl = vendor::opencl;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

struct FakeDevice {
  std::string name = "Fake GPU";
  std::uint64_t type = cl::type_gpu;
  std::uint64_t memory_bytes = std::uint64_t{1} << 30U;
  std::uint64_t largest_bytes = std::uint64_t{1} << 28U;
};

/// The functions below have no other argument that could carry this.
struct World {
  std::vector<std::vector<FakeDevice>> platforms{{FakeDevice{}}};
  std::size_t room_bytes = std::size_t{1} << 40U;  ///< what a write finds
  int sgemm_code = 0, finish_code = 0, context_code = 0;
  int buffers = 0, most_buffers = 0, queues = 0, contexts = 0, events = 0;
  std::uint64_t queue_properties = 0, clock_ns = 1000, marker_step_ns = 0, cache_bytes = 0;
  bool queue_has_clock = true;
  std::size_t writes = 0;
  std::string missing;  ///< symbol that the library lacks
};
World world;

using Memory = std::vector<char>;

int get_platforms(unsigned entries, cl::Platform* platforms, unsigned* count) {
  if (count != nullptr) *count = static_cast<unsigned>(world.platforms.size());
  for (unsigned i = 0; i < entries; ++i)
    platforms[i] = reinterpret_cast<cl::Platform>(&world.platforms[i]);
  return world.platforms.empty() ? cl::platform_not_found : cl::success;
}

int get_platform_info(cl::Platform, unsigned, std::size_t, void*, std::size_t*) { return -30; }

int get_devices(cl::Platform platform, std::uint64_t, unsigned entries, cl::Device* devices,
                unsigned* count) {
  auto& list = *reinterpret_cast<std::vector<FakeDevice>*>(platform);
  if (count != nullptr) *count = static_cast<unsigned>(list.size());
  for (unsigned i = 0; i < entries; ++i) devices[i] = reinterpret_cast<cl::Device>(&list[i]);
  return list.empty() ? cl::device_not_found : cl::success;
}

int give(const void* from, std::size_t bytes, std::size_t size, void* value, std::size_t* needed) {
  if (needed != nullptr) *needed = bytes;
  if (value != nullptr) std::memcpy(value, from, std::min(bytes, size));
  return cl::success;
}

int get_device_info(cl::Device device, unsigned what, std::size_t size, void* value,
                    std::size_t* needed) {
  const auto& d = *reinterpret_cast<const FakeDevice*>(device);
  if (what == cl::device_name) return give(d.name.c_str(), d.name.size() + 1, size, value, needed);
  const std::uint64_t* number = what == cl::device_type                    ? &d.type
                                : what == cl::device_global_mem_size       ? &d.memory_bytes
                                : what == cl::device_max_mem_alloc_size    ? &d.largest_bytes
                                : what == cl::device_global_mem_cache_size ? &world.cache_bytes
                                                                           : nullptr;
  return number == nullptr ? -30 : give(number, sizeof *number, size, value, needed);
}

cl::Context create_context(const std::intptr_t*, unsigned, const cl::Device*,
                           vendor::OpenCl::Callback, void*, int* error) {
  *error = world.context_code;
  if (*error != 0) return nullptr;
  ++world.contexts;
  return reinterpret_cast<cl::Context>(&world);
}

cl::Queue create_queue(cl::Context, cl::Device, std::uint64_t properties, int* error) {
  *error = properties != 0 && !world.queue_has_clock ? -35 : cl::success;
  if (*error != cl::success) return nullptr;
  world.queue_properties = properties;
  ++world.queues;
  return reinterpret_cast<cl::Queue>(&world);
}

cl::Buffer create_buffer(cl::Context, std::uint64_t, std::size_t bytes, void*, int* error) {
  *error = cl::success;
  world.most_buffers = std::max(world.most_buffers, ++world.buffers);
  return reinterpret_cast<cl::Buffer>(new Memory(bytes));
}

int release_buffer(cl::Buffer buffer) {
  --world.buffers;
  delete reinterpret_cast<Memory*>(buffer);
  return cl::success;
}
int release_queue(cl::Queue) { return --world.queues, cl::success; }
int release_context(cl::Context) { return --world.contexts, cl::success; }
int release_event(cl::Event event) {
  --world.events;
  delete reinterpret_cast<std::uint64_t*>(event);
  return cl::success;
}
int enqueue_marker(cl::Queue, unsigned, const cl::Event*, cl::Event* event) {
  ++world.events;
  *event = reinterpret_cast<cl::Event>(new std::uint64_t(world.clock_ns));
  world.clock_ns += world.marker_step_ns;
  return cl::success;
}
int profiling_info(cl::Event event, unsigned, std::size_t size, void* value, std::size_t*) {
  if (world.queue_properties == 0) return -7;  // CL_PROFILING_INFO_NOT_AVAILABLE
  return give(event, sizeof(std::uint64_t), size, value, nullptr);
}
int finish(cl::Queue) { return world.finish_code; }

int write(cl::Queue, cl::Buffer buffer, unsigned, std::size_t offset, std::size_t bytes,
          const void* from, unsigned, const cl::Event*, cl::Event*) {
  auto& memory = *reinterpret_cast<Memory*>(buffer);
  ++world.writes;
  if (memory.size() > world.room_bytes) return cl::out_of_memory;
  if (offset + bytes > memory.size()) return -30;
  std::memcpy(memory.data() + offset, from, bytes);
  return cl::success;
}

int read(cl::Queue, cl::Buffer buffer, unsigned, std::size_t offset, std::size_t bytes, void* to,
         unsigned, const cl::Event*, cl::Event*) {
  const auto& memory = *reinterpret_cast<Memory*>(buffer);
  if (offset + bytes > memory.size()) return -30;
  std::memcpy(to, memory.data() + offset, bytes);
  return cl::success;
}

Matrix floats(cl::Buffer buffer, std::size_t rows, std::size_t columns) {
  Matrix values(Element::fp32, rows, columns);
  const auto& memory = *reinterpret_cast<const Memory*>(buffer);
  std::memcpy(values.data.data(), memory.data(), values.data.size());
  return values;
}

int sgemm(int layout, int, int, std::size_t m, std::size_t n, std::size_t k, float, cl::Buffer a,
          std::size_t, std::size_t lda, cl::Buffer b, std::size_t, std::size_t ldb, float,
          cl::Buffer c, std::size_t, std::size_t ldc, cl::Queue*, cl::Event*) {
  if (layout != vendor::clblast::layout_row_major || lda != k || ldb != n || ldc != n) return -1016;
  const Shape shape{static_cast<std::int64_t>(m), static_cast<std::int64_t>(n),
                    static_cast<std::int64_t>(k)};
  const Matrix product = testing::plain_product({shape, floats(a, m, k), floats(b, k, n)});
  std::memcpy(reinterpret_cast<Memory*>(c)->data(), product.data.data(), product.data.size());
  return world.sgemm_code;
}

template <class Function>
void* address(Function* function) {
  return reinterpret_cast<void*>(function);
}

/// A machine whose libraries are the functions above.
class FakeHost : public host::RecordedHost {
 public:
  FakeHost() : host::RecordedHost(host::Recording{}) {}
  Result<host::LibraryHandle> open_library(const std::string& name) override {
    return host::LibraryHandle{this, name};
  }
  void* symbol(const host::LibraryHandle&, const std::string& name) override {
    static const std::map<std::string, void*> symbols{
        {"clGetPlatformIDs", address(get_platforms)},
        {"clGetPlatformInfo", address(get_platform_info)},
        {"clGetDeviceIDs", address(get_devices)},
        {"clGetDeviceInfo", address(get_device_info)},
        {"clCreateContext", address(create_context)},
        {"clCreateCommandQueue", address(create_queue)},
        {"clCreateBuffer", address(create_buffer)},
        {"clEnqueueWriteBuffer", address(write)},
        {"clEnqueueReadBuffer", address(read)},
        {"clFinish", address(finish)},
        {"clReleaseMemObject", address(release_buffer)},
        {"clReleaseCommandQueue", address(release_queue)},
        {"clReleaseContext", address(release_context)},
        {"clReleaseEvent", address(release_event)},
        {"clEnqueueMarkerWithWaitList", address(enqueue_marker)},
        {"clGetEventProfilingInfo", address(profiling_info)},
        {"CLBlastSgemm", address(sgemm)},
    };
    const auto found = symbols.find(name);
    return found == symbols.end() || name == world.missing ? nullptr : found->second;
  }
};

class ClBlastTest : public ::testing::Test {
 protected:
  ClBlastTest() { world = World{}; }
  ~ClBlastTest() override {
    EXPECT_EQ(world.buffers, 0);
    EXPECT_EQ(world.queues, 0);
    EXPECT_EQ(world.contexts, 0);
    EXPECT_EQ(world.events, 0);
  }

  MeasureAnswer measure(const Shape& shape = {24, 16, 40}, const std::string& device = "opencl:0") {
    MeasureRequest request;
    request.backend = {device, "clblast", "", 1, 0};
    request.shape = shape;
    request.backend.dtype = dtype_;
    request.cold = cold_;
    request.max_time_s = 1;
    // This clock runs out fast: a second passes at every look.
    double now_s = 0;
    return bench::measure(
        host_, request, [&] { return now_s += 1; }, [](double) {});
  }
  std::string error_of(const MeasureAnswer& answer) {
    EXPECT_THAT(answer.cases, IsEmpty());
    if (answer.errors.size() != 1) return "";
    return answer.errors[0].why.key + " | " + answer.errors[0].why.args.back();
  }

  FakeHost host_;
  std::string dtype_ = "fp32";
  bool cold_ = false;
};

TEST_F(ClBlastTest, AProductOnAGpuPassesAndItsTransfersAreTimed) {
  const MeasureAnswer answer = measure();
  ASSERT_EQ(answer.cases.size(), 1U);
  const Case& c = answer.cases[0];
  EXPECT_TRUE(c.verification.passed);
  EXPECT_EQ(c.device_name, "Fake GPU");
  EXPECT_TRUE(c.with_transfers_s.known());
  EXPECT_EQ(std::ranges::count(c.flags, "pageable"), 1);
  EXPECT_THAT(c.flags, Not(Contains("opencl-on-cpu")));
}

TEST_F(ClBlastTest, InputsAreTakenInTurnFromMoreThanTheCacheHolds) {
  world.platforms[0][0].type = cl::type_accelerator;
  world.cache_bytes = 4 * (24 * 16 + 24 * 40 + 16 * 40) * 4;
  const Case c = measure().cases.at(0);
  EXPECT_GT(c.buffer_sets, 4);
  EXPECT_EQ(world.most_buffers, 3 * c.buffer_sets);
  EXPECT_THAT(c.flags, Not(Contains("cache-warm")));
}

TEST_F(ClBlastTest, AGpusOwnWordOfItsCacheIsTooLow) {
  world.cache_bytes = 16 << 10U;  // as AMD's drivers say
  EXPECT_EQ(measure().cases.at(0).buffer_sets, 64);
}

TEST_F(ClBlastTest, TheTimeBetweenTwoMarkersCountsWhereTheDeviceTellsIt) {
  // Far longer than the batches take here: the wall clock must be taken, and the doubt told.
  world.marker_step_ns = 3'600'000'000'000;
  EXPECT_THAT(measure().cases.at(0).flags, Contains("event-clock-doubtful"));
  // A queue without a clock has none to doubt.
  world.queue_has_clock = false;
  EXPECT_THAT(measure().cases.at(0).flags, Not(Contains("event-clock-doubtful")));
}

TEST_F(ClBlastTest, TypesThatTheLibraryLacksAreRefused) {
  for (const char* dtype : {"fp64", "fp16-acc16", "fp16", "bf16", "int8"}) {
    dtype_ = dtype;
    EXPECT_THAT(error_of(measure()), HasSubstr(dtype));
  }
}

TEST_F(ClBlastTest, TheCacheIsEmptiedBeforeEachProductOnRequest) {
  cold_ = true;
  world.platforms[0][0].type = cl::type_accelerator;
  EXPECT_THAT(error_of(measure()), HasSubstr("bench.error.cold"));
  world.cache_bytes = 1 << 20U;
  const MeasureAnswer answer = measure();
  ASSERT_EQ(answer.cases.size(), 1U);
  EXPECT_THAT(answer.cases[0].flags, Contains("cold"));
  EXPECT_EQ(answer.cases[0].buffer_sets, 1);
  EXPECT_EQ(world.most_buffers, 4);
}

TEST_F(ClBlastTest, DevicesAreCountedOverAllPlatforms) {
  world.platforms = {{FakeDevice{"One"}}, {}, {FakeDevice{"Two"}, FakeDevice{"Three"}}};
  EXPECT_EQ(measure({8, 8, 8}, "opencl:0").cases.at(0).device_name, "One");
  EXPECT_EQ(measure({8, 8, 8}, "opencl:2").cases.at(0).device_name, "Three");
  EXPECT_THAT(error_of(measure({8, 8, 8}, "opencl:3")),
              HasSubstr("no opencl:3: OpenCL has 3 device(s)"));
}

TEST_F(ClBlastTest, NoPlatformIsNoDevice) {
  world.platforms.clear();
  EXPECT_THAT(error_of(measure()), HasSubstr("no opencl:0: OpenCL has 0 device(s)"));
}

TEST_F(ClBlastTest, ACpuIsMarkedAndNothingTravels) {
  world.platforms[0][0].type = cl::type_cpu;
  const Case c = measure().cases.at(0);
  EXPECT_THAT(c.flags, Contains("opencl-on-cpu"));
  EXPECT_THAT(c.flags, Not(Contains("pageable")));
  EXPECT_TRUE(c.with_transfers_s.absent_for(Absence::not_applicable));
}

TEST_F(ClBlastTest, NoBufferIsLargerThanTheDeviceAllows) {
  world.platforms[0][0].largest_bytes = 4 * 32 * 32;
  const Case c = measure({64, 64, 64}).cases.at(0);
  EXPECT_EQ(c.shape, (Shape{32, 32, 32}));
  EXPECT_THAT(c.flags, Contains("shrunk"));
}

TEST_F(ClBlastTest, HalfOfTheMemoryIsLeftAlone) {
  world.platforms[0][0].memory_bytes = 2 * 3 * 4 * 32 * 32;
  EXPECT_EQ(measure({64, 64, 64}).cases.at(0).shape, (Shape{32, 32, 32}));
}

TEST_F(ClBlastTest, MemoryThatIsMissedOnlyAtTheFirstWriteMakesTheProductSmaller) {
  world.room_bytes = 4 * 40 * 40;
  const Case c = measure({64, 64, 64}).cases.at(0);
  EXPECT_THAT(c.flags, Contains("shrunk"));
  EXPECT_LE(bytes_of_c(c.shape), 4 * 40 * 40);
  EXPECT_TRUE(c.verification.passed);
}

TEST_F(ClBlastTest, FailuresAreNamed) {
  world.sgemm_code = -2046;
  EXPECT_THAT(error_of(measure()),
              HasSubstr("bench.error.run | CLBlastSgemm: CLBlastInvalidLocalMemUsage (-2046)"));
  world.sgemm_code = 0;
  world.finish_code = -5;
  EXPECT_THAT(error_of(measure()), HasSubstr("clFinish: CL_OUT_OF_RESOURCES (-5)"));
  world.finish_code = 0;
  world.context_code = -2;
  EXPECT_THAT(error_of(measure()),
              HasSubstr("bench.error.open | clCreateContext: CL_DEVICE_NOT_AVAILABLE (-2)"));
}

TEST_F(ClBlastTest, ALibraryThatCannotComputeIsRefused) {
  for (const char* name : {"clCreateContext", "clCreateCommandQueue", "clCreateBuffer",
                           "clEnqueueWriteBuffer", "clEnqueueReadBuffer", "clFinish",
                           "clReleaseMemObject", "clReleaseCommandQueue", "clReleaseContext"}) {
    world.missing = name;
    EXPECT_THAT(error_of(measure()), HasSubstr("lacks functions")) << name;
  }
}

}  // namespace
}  // namespace gpuready::bench
