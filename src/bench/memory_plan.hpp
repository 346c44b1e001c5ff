#pragma once
/// How large a product may be. Bytes are doubles here: the product of two sides can pass 2^63.

#include <functional>
#include <optional>

#include "bench/element.hpp"
#include "gpuready/measurements.hpp"

namespace gpuready::bench {

/// How A and B, and C, are stored.
struct Storage {
  Element input = Element::fp32, output = Element::fp32;
};

double bytes_of_a(const Shape& shape, const Storage& storage = {});
double bytes_of_b(const Shape& shape, const Storage& storage = {});
double bytes_of_c(const Shape& shape, const Storage& storage = {});
double bytes_of_all(const Shape& shape, const Storage& storage = {});

struct MemoryLimits {
  double device_bytes = 0;          ///< for A, B and C together
  double largest_matrix_bytes = 0;  ///< for each of them
  double host_bytes = 0;            ///< for everything on the host
};

/// `host_need` is what the shape takes on the host in all.
bool fits(const Shape& shape, const MemoryLimits& limits, double host_need,
          const Storage& storage = {});

/// How many sets of A, B and C to take in turn, so that the inputs are never found in the cache:
/// twice the cache, and at least `fewest` sets (two on a GPU, as CUTLASS's page on measuring
/// products asks for).
std::int64_t wanted_sets(const Shape& shape, const Storage& storage, double cache_bytes,
                         std::int64_t fewest);

/// The wanted shape, or the largest one of the same proportions with sides that are multiples of 8;
/// nothing where not even sides of 8 fit.
std::optional<Shape> largest_that_fits(const Shape& wanted,
                                       const std::function<bool(const Shape&)>& acceptable);

}  // namespace gpuready::bench
