#include "fit/weight_groups.hpp"

#include <algorithm>

namespace gpuready::fit {

namespace {

bool add_to(std::int64_t& sum, std::int64_t part) {
  return !__builtin_add_overflow(sum, part, &sum);
}

bool add_to(WeightGroup& sum, const WeightGroup& part) {
  return add_to(sum.tensors, part.tensors) && add_to(sum.elements, part.elements) &&
         add_to(sum.parameters, part.parameters) && add_to(sum.bytes, part.bytes);
}

/// Parameters of experts that one token does not use.
std::int64_t idle_parameters(const Model& model, const WeightGroup& group) {
  if (group.role != Role::experts) return 0;
  const std::vector<Layer>& layers = model.shape.layers;
  const bool in_layer = group.layer >= 0 && group.layer < static_cast<std::int64_t>(layers.size());
  const std::int64_t experts = in_layer ? layers[static_cast<std::size_t>(group.layer)].experts : 0;
  const std::int64_t used = model.shape.experts_per_token;
  if (experts <= 0 || used <= 0 || used >= experts) return 0;
  return group.parameters / experts * (experts - used);
}

}  // namespace

Result<void> WeightGroups::add(const Place& place, std::string_view dtype,
                               const WeightGroup& tensor) {
  if (!add_to(total_, tensor)) return failure("more weights than 64 bits count");
  WeightGroup& group = groups_[{place.role, place.layer, place.stays_on_host, std::string(dtype)}];
  group.role = place.role, group.layer = place.layer;
  group.stays_on_host = place.stays_on_host, group.dtype = dtype;
  add_to(group, tensor);
  return {};
}

std::vector<WeightGroup> WeightGroups::groups() const {
  std::vector<WeightGroup> list;
  for (const auto& [key, group] : groups_) list.push_back(group);
  return list;
}

std::string WeightGroups::main_dtype() const {
  std::map<std::string, std::int64_t> bytes;
  for (const auto& [key, group] : groups_) bytes[group.dtype] += group.bytes;
  const auto most =
      std::ranges::max_element(bytes, {}, [](const auto& pair) { return pair.second; });
  return most == bytes.end() ? std::string() : most->first;
}

void count_parameters(Model& model) {
  model.parameters = 0, model.mtp_parameters = 0;
  std::int64_t idle = 0, beside = 0;
  for (const WeightGroup& group : model.weights) {
    model.parameters += group.parameters;
    if (group.role == Role::mtp) model.mtp_parameters += group.parameters;
    if (group.role == Role::mtp || group.role == Role::tower) beside += group.parameters;
    idle += idle_parameters(model, group);
  }
  model.active_parameters = idle > 0 ? model.parameters - idle - beside : 0;
}

}  // namespace gpuready::fit
