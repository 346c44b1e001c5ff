#include "bench/verify.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <set>

#include "bench/stats.hpp"
#include "bench/verify_sums.hpp"

namespace gpuready::bench {

namespace {

/// A row or column may be off by this many times the typical one: among 30720 emulated rows in
/// three precisions the largest was 4.6.
constexpr double largest_over_typical = 6;
/// The median of |x| for a normal x of standard deviation 1.
constexpr double median_of_half_normal = 0.6745;
/// With fewer lines than this their median is no measure of the others.
constexpr std::size_t fewest_lines = 64;
/// How many rows are recomputed at random places.
constexpr std::size_t random_rows = 8;
/// The error that follows from rounding both inputs to TF32 or fp16 is 2.7e-4 to 3.0e-4, to bf16
/// about 2.3e-3; 5e-5 is above anything that fp32 gives.
constexpr double smallest_reduced = 5e-5;
constexpr double largest_reduced = 5e-3;

struct Matrices {
  const Matrix &a, &b, &c;
};

std::vector<double> random_signs(std::size_t count, std::mt19937_64& random) {
  std::vector<double> signs(count);
  for (double& sign : signs) sign = (random() >> 63U) != 0 ? 1 : -1;
  return signs;
}

double sum(const std::vector<double>& values) {
  double all = 0;
  for (const double value : values) all += value;
  return all;
}

double sum_of_squared_differences(const std::vector<double>& x, const std::vector<double>& y) {
  double all = 0;
  for (std::size_t i = 0; i < x.size(); ++i) all += (x[i] - y[i]) * (x[i] - y[i]);
  return all;
}

/// Squared size that each line of C has, or would be expected to have where chance made it small.
std::vector<double> scales(const std::vector<double>& squares, const std::vector<double>& expected,
                           double other_squares, double k) {
  std::vector<double> result(squares.size());
  for (std::size_t i = 0; i < squares.size(); ++i)
    result[i] =
        std::max({squares[i], expected[i] * other_squares / k, std::numeric_limits<double>::min()});
  return result;
}

/// What a line of so many elements may be off by, whatever the others are. The errors of many
/// elements add up to a normal one; those of a few have longer tails (a right product of one row
/// was refused), and are judged as single elements are.
double least_limit(std::size_t lines, std::size_t elements, const Tolerance& tolerance) {
  const double usual = lines < fewest_lines ? tolerance.frobenius : tolerance.frobenius / 10;
  return elements < fewest_lines ? std::max(usual, tolerance.element) : usual;
}

/// First line whose error, over its size, stands out from that of the median line.
std::optional<std::int64_t> first_outlier(const std::vector<double>& found,
                                          const std::vector<double>& right,
                                          const std::vector<double>& squares, double floor) {
  std::vector<double> errors(found.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    const double difference = std::abs(found[i] - right[i]);
    errors[i] = difference == 0 ? 0 : difference / std::sqrt(squares[i]);
  }
  const double typical = median(errors) / median_of_half_normal;
  const double limit = std::max(largest_over_typical * typical, floor);
  for (std::size_t i = 0; i < errors.size(); ++i)
    if (!(errors[i] <= limit)) return static_cast<std::int64_t>(i);
  return {};
}

/// First and last row, both sides of the edges of usual tiles, and some at random.
std::vector<std::size_t> rows_to_check(std::size_t count, std::mt19937_64& random) {
  std::set<std::size_t> rows;
  for (const std::size_t row : {std::size_t{0}, std::size_t{63}, std::size_t{64}, std::size_t{65},
                                std::size_t{127}, std::size_t{128}, std::size_t{129}, count - 1})
    if (row < count) rows.insert(row);
  for (std::size_t i = 0; i < random_rows; ++i) rows.insert(random() % count);
  return {rows.begin(), rows.end()};
}

struct Place {
  double error = 0;
  std::size_t row = 0, column = 0;
};

Place worst_element(const Matrices& of, const std::vector<std::size_t>& rows) {
  const std::vector<double> right = exact_rows(of.a, of.b, rows);
  const std::size_t n = of.c.columns;
  Place worst;
  std::vector<double> found(n);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    of.c.read_row(rows[i], found.data());
    for (std::size_t j = 0; j < n; ++j) {
      const double error = std::abs(found[j] - right[i * n + j]);
      if (error > worst.error) worst = {error, rows[i], j};
    }
  }
  return worst;
}

/// Recomputes some rows: fills the worst element's error, and where it is if it is too large.
void compare_rows(const Matrices& of, double mean_square, double tolerance, std::mt19937_64& random,
                  Check& check) {
  const auto rows = rows_to_check(of.c.rows, random);
  const Place worst = worst_element(of, rows);
  check.verification.rows_checked = static_cast<std::int64_t>(rows.size());
  check.verification.worst_element_error = worst.error / std::sqrt(mean_square);
  if (check.verification.worst_element_error <= tolerance) return;
  if (!check.bad_row) check.bad_row = static_cast<std::int64_t>(worst.row);
  if (!check.bad_column) check.bad_column = static_cast<std::int64_t>(worst.column);
}

/// Freivalds' test: fills the error and the outliers. Returns the squared size of C.
double freivalds(const Matrices& of, const Tolerance& tolerance, std::mt19937_64& random,
                 Check& check) {
  const auto first = random_signs(of.c.columns, random);
  const auto second = random_signs(of.c.columns, random);
  const auto left = random_signs(of.c.rows, random);
  const RightSums br = multiply_right(of.b, first, second);
  const RightSums abr = multiply_right(of.a, br.first, br.second);
  const RightSums cr = multiply_right(of.c, first, second);
  const LeftSums la = multiply_left(left, of.a);
  const LeftSums lab = multiply_left(la.sums, of.b);
  const LeftSums lc = multiply_left(left, of.c);

  const double k = static_cast<double>(of.a.columns);
  const double a_squares = sum(abr.row_squares);
  const double b_squares = sum(br.row_squares);
  // A product of zeros has no size; then any error is too large.
  const double c_squares = std::max(
      {sum(cr.row_squares), a_squares * b_squares / k, std::numeric_limits<double>::min()});
  const double difference = (sum_of_squared_differences(cr.first, abr.first) +
                             sum_of_squared_differences(cr.second, abr.second)) /
                            2;
  check.verification.error = std::sqrt(difference / c_squares);

  const double row_floor = least_limit(of.c.rows, of.c.columns, tolerance);
  const double column_floor = least_limit(of.c.columns, of.c.rows, tolerance);
  const auto row_scales = scales(cr.row_squares, abr.row_squares, b_squares, k);
  check.bad_row = first_outlier(cr.first, abr.first, row_scales, row_floor);
  if (!check.bad_row) check.bad_row = first_outlier(cr.second, abr.second, row_scales, row_floor);
  check.bad_column = first_outlier(
      lc.sums, lab.sums, scales(lc.column_squares, lab.column_squares, a_squares, k), column_floor);
  return c_squares;
}

}  // namespace

std::string fingerprint(double error) {
  struct Bin {
    double largest;
    const char* name;
  };
  // Between the errors that the types give: see dtypes.cpp, and above.
  constexpr std::array bins{
      Bin{0, "exact"},           Bin{1e-12, "fp64"}, Bin{smallest_reduced, "fp32"},
      Bin{1e-3, "tf32 or fp16"}, Bin{6e-3, "bf16"},  Bin{1e-1, "fp8"}};
  for (const Bin& bin : bins)
    if (error <= bin.largest) return bin.name;
  return "none";
}

Check verify(const Operands& operands, const Matrix& c, const Tolerance& tolerance,
             std::uint64_t seed) {
  Check check;
  Verification& result = check.verification;
  result.tolerance = tolerance.frobenius;
  result.non_finite = count_non_finite(c.element, c.data.data(), c.size());
  if (result.non_finite > 0) {
    result.error = std::numeric_limits<double>::infinity();
    result.fingerprint = "none";
    return check;
  }
  const Matrices of{operands.a, operands.b, c};
  std::mt19937_64 random(seed);
  const double c_squares = freivalds(of, tolerance, random, check);
  check.same_everywhere = !check.bad_row && !check.bad_column;
  result.fingerprint = fingerprint(result.error);
  const double mean_square = c_squares / static_cast<double>(c.size());
  compare_rows(of, mean_square, tolerance.element, random, check);
  result.passed = result.error <= tolerance.frobenius && !check.bad_row && !check.bad_column &&
                  result.worst_element_error <= tolerance.element;
  return check;
}

bool looks_like_reduced_precision(const Check& check) {
  const double error = check.verification.error;
  return check.same_everywhere && error >= smallest_reduced && error <= largest_reduced;
}

}  // namespace gpuready::bench
