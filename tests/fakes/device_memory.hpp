#pragma once
/// What the fake cuBLAS needs of the fake libcuda.so.1. It finds these functions in the library
/// that is already loaded, as the real one finds the driver.

#include <cstddef>

extern "C" {
/// Whether a context is current in this thread.
bool gpuready_fake_has_context();
/// The host memory behind a range of device memory; null where the range was never allocated.
void* gpuready_fake_host_address(unsigned long long device_pointer, std::size_t bytes);
/// Does the work now, or when the stream is no longer held back.
void gpuready_fake_enqueue(void (*work)(void*), void* given);
/// 10 * major + minor of the device whose context is current.
int gpuready_fake_capability();
}
