#include <algorithm>

#include "fit/overhead.hpp"
#include "fit/range.hpp"
#include "fit/training.hpp"

namespace gpuready::fit {

namespace {

/// Bytes of a parameter in `parameters`, which counts them in 16 bits.
constexpr double counted = 2;

Range range_of(const Span& span) { return between(span.low, span.expected, span.high); }

Span scaled(const Span& span, double factor) {
  return {span.low * factor, span.expected * factor, span.high * factor};
}

struct Job {
  const Architecture& shape;
  const Weights& parameters;
  const Weights& base;
  const TrainingPlan& plan;
};

/// A pipeline stage: its layers, and the ends that it holds.
struct Stage {
  std::size_t begin = 0, end = 0;
  bool first = true, last = true;
  double in_flight = 1;  ///< micro-batches whose activations are alive (1F1B)
};

Stage stage_of(const Job& job, double index) {
  const auto layers = static_cast<double>(job.shape.layers.size());
  Stage stage;
  stage.begin = static_cast<std::size_t>(std::ceil(layers * index / job.plan.pp));
  stage.end = static_cast<std::size_t>(std::ceil(layers * (index + 1) / job.plan.pp));
  stage.first = index < 1, stage.last = index + 1 >= job.plan.pp;
  stage.in_flight = job.plan.pp - index;
  return stage;
}

/// What `weights` holds of a stage, on one tensor rank: matrices of the layers, and all else.
struct Held {
  double matrices = 0, rest = 0, root = 0, largest_layer = 0;
  [[nodiscard]] double all() const { return matrices + rest; }
};

Held held(const Job& job, const Weights& weights, const Stage& stage) {
  Held out;
  for (std::size_t i = stage.begin; i < stage.end; ++i) {
    const double layer = weights.layers[i].dense + weights.layers[i].experts;
    out.matrices += layer, out.largest_layer = std::max(out.largest_layer, layer);
  }
  const double embedding = weights.embedding + weights.host_embedding;
  if (stage.first) out.root += embedding, out.rest += weights.tower;
  if (stage.last) out.root += weights.output + weights.other;
  if (stage.last && !stage.first && job.shape.tied_embeddings) out.root += embedding;
  out.rest += out.root;
  for (double* part : {&out.matrices, &out.rest, &out.root, &out.largest_layer})
    *part /= job.plan.tp;
  return out;
}

Span states(const Held& n, const Span& matrix, const Span& rest) {
  Span out = scaled(matrix, n.matrices / counted);
  out += scaled(rest, n.rest / counted);
  return out;
}

/// Gradients that stay on the GPU where the optimizer does not: those of the largest part.
double largest_part(const Held& n) { return std::max(n.largest_layer, n.root) / counted; }

void add_full_states(const Job& job, const Stage& stage, DeviceTerms& out) {
  const TrainingPlan& plan = job.plan;
  const Held n = held(job, job.parameters, stage);
  const StateBytes matrix = state_bytes_of(plan.precision, plan.optimizer, true);
  const StateBytes rest = state_bytes_of(plan.precision, plan.optimizer, false);
  const double shards = plan.shards();
  Span weights = scaled(states(n, matrix.weights, rest.weights), plan.zero >= 3 ? 1 / shards : 1);
  Span gradients =
      scaled(states(n, matrix.gradients, rest.gradients), plan.zero >= 2 ? 1 / shards : 1);
  Span optimizer =
      scaled(states(n, matrix.optimizer, rest.optimizer), plan.zero >= 1 ? 1 / shards : 1);
  if (plan.offload != TrainingOffload::none) {
    optimizer = {};
    const Span largest = scaled(matrix.gradients, largest_part(n));
    gradients = {std::min(gradients.low, largest.low),
                 std::min(gradients.expected, largest.expected),
                 std::min(gradients.high, largest.high)};
  }
  if (plan.offload == TrainingOffload::all) weights = {};
  out[TermName::weights] = range_of(weights);
  out[TermName::gradients] = range_of(gradients);
  out[TermName::optimizer] = range_of(optimizer);
}

void add_adapter_states(const Job& job, const Stage& stage, DeviceTerms& out) {
  const TrainingPlan& plan = job.plan;
  const double shards = plan.zero >= 3 ? plan.shards() : 1;
  double bytes = held(job, job.base, stage).all() / shards;
  Span weights{bytes * job.base.low, bytes, bytes * job.base.high};
  // peft's preparation for k-bit training turns what is not quantised into 32 bits; others don't.
  if (plan.quantised && shards <= 1) weights.high += job.base.kept_bytes / plan.tp / plan.pp;
  if (plan.offload == TrainingOffload::all) weights = {};
  out[TermName::weights] = range_of(weights);
  double adapters = 0;
  for (std::size_t i = stage.begin; i < stage.end; ++i)
    adapters += adapter_parameters(job.shape.layers[i], job.shape, plan);
  const StateBytes wide = state_bytes_of("fp32", plan.optimizer, true);
  const StateBytes narrow = state_bytes_of("bf16", plan.optimizer, true);
  const auto sum = [](const StateBytes& s) {
    return s.weights.expected + s.gradients.expected + s.optimizer.expected;
  };
  adapters /= shards * plan.tp;
  out[TermName::adapters] =
      between(adapters * sum(narrow), adapters * sum(wide), adapters * sum(wide));
}

/// Buffers of the exchange between ranks. DeepSpeed's defaults: 5e8 elements to reduce and 5e8 to
/// gather, of stage 3 at most 1e9 alive; FSDP: two gathered blocks, and the root.
Span bucket_bytes(const Job& job, const Stage& stage) {
  const TrainingPlan& plan = job.plan;
  if (plan.shards() <= 1 && plan.offload == TrainingOffload::none) return {};
  const Held n = held(job, plan.adapters ? job.base : job.parameters, stage);
  const double trained = plan.adapters ? 0 : 1;
  if (plan.zero >= 3) {
    const double blocks = 2 * n.largest_layer * (1 + trained);
    Span out{blocks + n.root, blocks + n.root, blocks + n.root * (1 + trained)};
    if (plan.fsdp) return out;
    constexpr double bucket = 5e8, live = 1e9;
    const double parameters = n.all() / counted;
    out.expected += 2 * std::min(bucket, parameters) * trained;
    out.high += 2 * std::min(bucket, parameters) * trained + 2 * std::min(live, parameters);
    return out;
  }
  if (plan.adapters) return {};
  const double parameters = n.all() / counted;
  if (plan.zero >= 1) {
    constexpr double bucket = 5e8;
    const double one = 2 * std::min(bucket, parameters);
    return {one, 2 * one, 3 * one};
  }
  if (plan.data_ranks <= 1) return {};
  const double gradients =
      state_bytes_of(plan.precision, plan.optimizer, true).gradients.expected * parameters;
  return {0, gradients, gradients};
}

/// A convolution net keeps maps of images; an adapter beside each convolution keeps them again
/// (peft #2196: 1310.95 MiB without, 2618.32 with adapters).
Span map_span(const TrainingPlan& plan) {
  const double bytes = plan.conv_elements * plan.activation_bytes * plan.micro_batch;
  const double all = plan.adapters ? 2 * bytes : bytes;
  return {0.9 * all, all, 1.15 * all};
}

Span activation_span(const Job& job, const Stage& stage) {
  const TrainingPlan& plan = job.plan;
  if (plan.conv_elements > 0) return map_span(plan);
  const double tokens = plan.micro_batch * plan.seq / plan.cp;
  const double whole = undivided_bytes_per_token(job.shape, plan);
  const auto divided = [&](double bytes) {
    return plan.tp > 1 ? std::min(whole, bytes) + std::max(bytes - whole, 0.0) / plan.tp : bytes;
  };
  double kept = 0, live = 0, upcast = 0;
  for (std::size_t i = stage.begin; i < stage.end; ++i) {
    const Layer& layer = job.shape.layers[i];
    kept += divided(kept_bytes_per_token(layer, job.shape, plan));
    live = std::max(live, divided(activation_bytes_per_token(layer, job.shape, plan)));
    // Norms that work in 32 bits keep their input so.
    upcast += 6 * static_cast<double>(job.shape.hidden);
    if (!plan.flash) upcast += 4 * static_cast<double>(layer.heads) * plan.seq;
  }
  const bool recomputes = plan.checkpointing != Checkpointing::none;
  if (recomputes)
    kept = kept * stage.in_flight + live, upcast = 0;
  else
    kept *= stage.in_flight;
  const double expected = kept * tokens;
  return {expected * 0.8, expected, expected * 1.1 + upcast * tokens * stage.in_flight};
}

/// What one product with packed weights unpacks; what Muon's step takes for the largest matrix.
Span step_bytes(const Job& job) {
  const double matrix = 2 * job.parameters.largest_linear_elements / job.plan.tp;
  if (job.plan.quantised) return {matrix, matrix, 2 * matrix};
  if (!job.plan.adapters && job.plan.optimizer == "muon")
    return {2 * matrix, 3 * matrix, 4 * matrix};
  return {};
}

DeviceTerms stage_terms(const Job& job, const Stage& stage, const Device& device, double world) {
  DeviceTerms out;
  out.layers = static_cast<std::int64_t>(stage.end - stage.begin);
  if (job.plan.adapters) {
    add_adapter_states(job, stage, out);
  } else {
    add_full_states(job, stage, out);
  }
  out[TermName::buckets] = range_of(bucket_bytes(job, stage));
  out[TermName::activations] = range_of(activation_span(job, stage));
  out[TermName::compute] = range_of(step_bytes(job));
  if (stage.last) {
    const double loss = loss_bytes(job.shape, job.plan);
    out[TermName::logits] = between(0.6 * loss, loss, 1.1 * loss);
  }
  const auto allocated = static_cast<double>(out.total().expected_bytes);
  out[TermName::reserve] = range_of(reserve_bytes(Runtime::train, allocated));
  out[TermName::context] = range_of(context_bytes(device, Runtime::train, world));
  return out;
}

double host_bytes(const Job& job) {
  const TrainingPlan& plan = job.plan;
  if (plan.offload == TrainingOffload::none) return 0;
  if (plan.adapters) return plan.offload == TrainingOffload::all ? job.base.total_bytes() : 0;
  const StateBytes each = state_bytes_of(plan.precision, plan.optimizer, true);
  // A copy of the weights, the gradients that arrive, and the states.
  return job.parameters.total_bytes() / counted *
         (2 * each.weights.expected + each.optimizer.expected);
}

}  // namespace

Training training_terms(const Model& model, const Weights& parameters, const Weights& base,
                        const TrainingPlan& plan, const std::vector<Device>& devices) {
  const Job job{model.shape, parameters, base, plan};
  const double ranks = plan.tp * plan.pp * plan.cp * plan.data_ranks;
  const double world = std::min(ranks, static_cast<double>(devices.size()));
  Training out;
  for (std::size_t d = 0; d < static_cast<std::size_t>(world); ++d) {
    const double stage = std::floor(static_cast<double>(d) * plan.pp / ranks);
    DeviceTerms terms = stage_terms(job, stage_of(job, stage), devices[d], world);
    terms.device = static_cast<std::int64_t>(d);
    out.shares.push_back(terms);
  }
  out.host = host_bytes(job);
  return out;
}

}  // namespace gpuready::fit
