#pragma once
/// Quantities for people: GiB, seconds, FLOP/s, parameters, money.

#include <cstdint>
#include <string>
#include <string_view>

#include "gpuready/result.hpp"

namespace gpuready::base {

std::string show_bytes(std::int64_t bytes);  ///< "23.5 GiB", "512 MiB"
std::string show_seconds(double seconds);    ///< "1.23 s", "4.56 ms", "780 us"
/// "61.2 ms (60.6 to 62.4)": a time and its interval in one unit.
std::string show_seconds_interval(double seconds, double low, double high);
std::string show_flops(double flop_per_second);    ///< "54.2 TFLOP/s"
std::string show_rate(double bytes_per_second);    ///< "21.4 GB/s": powers of ten, as data sheets
std::string show_parameters(std::int64_t count);   ///< "11.7 B", "350 M"
std::string show_ratio(double ratio);              ///< "148x", "1.3x": three digits at most
std::string show_small(double value);              ///< "2.3e-07", for errors and tolerances
std::string show_fixed(double value, int digits);  ///< "0.7130"
std::string show_usd_per_hour(double usd);         ///< "$0.34/h"
/// "24GiB", "24 GB", "512MiB" in bytes; GB are 10^9, GiB 2^30. A bare number is an error.
Result<std::int64_t> parse_bytes(std::string_view text);

}  // namespace gpuready::base
