#include "bench/patient.hpp"

#include <future>
#include <memory>
#include <system_error>
#include <thread>

namespace gpuready::bench {

bool Patient::run(std::function<void()> call) {
  if (hung_) return false;
  auto done = std::make_shared<std::promise<void>>();
  auto ended = done->get_future();
  try {
    std::thread([done, work = std::move(call)] {
      work();
      done->set_value();
    }).detach();
  } catch (const std::system_error&) {  // no more threads: the same as no answer
    hung_ = true;
    return false;
  }
  hung_ = ended.wait_for(limit_) != std::future_status::ready;
  return !hung_;
}

}  // namespace gpuready::bench
