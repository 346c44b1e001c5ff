#include "fit/weight_book.hpp"

namespace gpuready::fit {

namespace {

bool multiply(std::int64_t a, std::int64_t b, std::int64_t& out) {
  return a >= 0 && b >= 0 && !__builtin_mul_overflow(a, b, &out);
}

}  // namespace

void WeightBook::matrix(Role role, std::int64_t layer, std::int64_t rows, std::int64_t columns,
                        std::int64_t count) {
  std::int64_t one = 0, all = 0;
  if (!multiply(rows, columns, one) || !multiply(one, count, all)) {
    sound_ = false;
    return;
  }
  if (all == 0) return;
  WeightGroup more;
  more.role = role, more.layer = layer, more.tensors = count, more.parameters = all;
  put(more);
}

void WeightBook::host_table(std::int64_t rows, std::int64_t columns) {
  WeightGroup more;
  more.role = Role::embedding, more.tensors = 1, more.stays_on_host = true;
  if (!multiply(rows, columns, more.parameters)) sound_ = false;
  if (sound_ && more.parameters > 0) put(more);
}

void WeightBook::vector(std::int64_t layer, std::int64_t width, std::int64_t count) {
  matrix(Role::norm, layer, width, 1, count);
}

void WeightBook::add(const WeightGroup& group) {
  if (group.parameters < 0) sound_ = false;
  if (group.parameters != 0) put(group);
}

void WeightBook::put(const WeightGroup& more) {
  WeightGroup& group = groups_[{more.layer, more.role, more.stays_on_host}];
  group.role = more.role, group.layer = more.layer, group.stays_on_host = more.stays_on_host;
  if (__builtin_add_overflow(group.tensors, more.tensors, &group.tensors) ||
      __builtin_add_overflow(group.parameters, more.parameters, &group.parameters) ||
      __builtin_add_overflow(parameters_, more.parameters, &parameters_))
    sound_ = false;
}

std::vector<WeightGroup> WeightBook::groups() const {
  std::vector<WeightGroup> out;
  out.reserve(groups_.size());
  for (const auto& [key, group] : groups_) out.push_back(group);
  return out;
}

}  // namespace gpuready::fit
