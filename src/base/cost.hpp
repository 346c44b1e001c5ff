#pragma once
/// Hours and money for people.

#include <string>

namespace gpuready::base {

std::string show_hours(double hours);  ///< "25 min", "1.9 h", "3.2 days", "2.1 years"
/// "7.6 to 18 h", "20 min to 7.6 h".
std::string show_hours_range(double low, double high);
std::string show_usd(double usd);  ///< "$0.34", "$1250"; what is less than a cent is one
/// Two digits at least, without a fraction from 10 on: "0.45", "9.2", "13", "1200".
std::string show_two_digits(double value);

/// Counts of tokens and operations: "8192", "1e7", "4.98e17".
std::string show_amount(double count);

}  // namespace gpuready::base
