#include "fit/parameters.hpp"

#include <algorithm>
#include <utility>

#include "fit/storage.hpp"

namespace gpuready::fit {

namespace {

void count_embeddings(const Blueprint& plan, WeightBook& book) {
  const Architecture& shape = plan.shape;
  const Extras& extras = plan.extras;
  const std::int64_t width = extras.embedding_width > 0 ? extras.embedding_width : shape.hidden;
  book.matrix(Role::embedding, -1, shape.vocab, width);
  book.host_table(extras.positions, shape.hidden);
  book.host_table(extras.token_types, shape.hidden);
  if (width != shape.hidden) book.matrix(Role::other, -1, width, shape.hidden, 2);
  if (extras.embedding_norm) count_norms(plan.norm, -1, shape.hidden, 1, book);
  if (!plan.head) return;
  if (!shape.tied_embeddings) book.matrix(Role::output, -1, shape.vocab, width);
  if (plan.biases.head) book.vector(-1, shape.vocab);
}

/// Experts of one layer that one token does not use.
std::int64_t idle_parameters(const WeightGroup& group, const Architecture& shape) {
  if (group.role != Role::experts || group.layer < 0) return 0;
  const std::int64_t all = shape.layers[static_cast<std::size_t>(group.layer)].experts;
  if (all <= 0 || shape.experts_per_token <= 0 || shape.experts_per_token >= all) return 0;
  return group.parameters / all * (all - shape.experts_per_token);
}

/// Biases of the experts that one token does not use; they stand with the norms.
std::int64_t idle_biases(const Architecture& shape, bool experts_have_biases) {
  if (!experts_have_biases) return 0;
  const std::int64_t inputs = shape.feed_forward == FeedForward::gated ? 2 : 1;
  std::int64_t idle = 0;
  for (const Layer& layer : shape.layers)
    idle += std::max<std::int64_t>(layer.experts - shape.experts_per_token, 0) *
            (layer.expert_ffn * inputs + shape.hidden);
  return idle;
}

/// As usually published: embeddings and head count, towers and MTP do not.
std::int64_t active_parameters(const Model& model, bool experts_have_biases) {
  std::int64_t active = model.parameters;
  std::int64_t idle = idle_biases(model.shape, experts_have_biases);
  for (const WeightGroup& group : model.weights) {
    idle += idle_parameters(group, model.shape);
    if (group.role == Role::tower || group.role == Role::mtp) active -= group.parameters;
  }
  return idle > 0 ? active - idle : 0;
}

}  // namespace

void count_norms(NormKind kind, std::int64_t layer, std::int64_t width, std::int64_t count,
                 WeightBook& book) {
  if (kind == NormKind::without_weights) return;
  book.vector(layer, width, kind == NormKind::layer ? 2 * count : count);
}

void count_block(const Blueprint& plan, const Block& block, std::int64_t index, WeightBook& book) {
  count_mixer(plan, block, index, book);
  count_feed_forward(plan, block, index, book);
  count_norms(plan.norm, index, plan.shape.hidden, plan.norms, book);
}

Result<Model> model_of(Blueprint plan, std::string native_dtype, Quantisation quantisation) {
  WeightBook book;
  count_embeddings(plan, book);
  for (std::size_t i = 0; i < plan.blocks.size(); ++i)
    count_block(plan, plan.blocks[i], static_cast<std::int64_t>(i), book);
  if (plan.final_norm) count_norms(plan.norm, -1, plan.shape.hidden, 1, book);
  for (const WeightGroup& part : plan.parts) book.add(part);
  if (!book.sound()) return failure("these sizes give more than 2^63 parameters");

  Model model;
  model.shape = std::move(plan.shape);
  for (const Block& block : plan.blocks) model.shape.layers.push_back(block.layer);
  model.native_dtype = std::move(native_dtype);
  model.quantisation = std::move(quantisation);
  model.parameters = book.parameters();
  model.weights = book.groups();
  for (const WeightGroup& group : model.weights)
    if (group.role == Role::mtp) model.mtp_parameters += group.parameters;
  model.active_parameters = active_parameters(model, plan.biases.experts);
  if (auto stored = store_weights(model); !stored) return tl::unexpected(stored.error());
  return model;
}

}  // namespace gpuready::fit
