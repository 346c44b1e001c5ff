#include "plan/work.hpp"

#include "base/cost.hpp"
#include "base/format.hpp"

namespace gpuready::plan {

namespace {

double active_parameters(const ModelSummary& model) {
  return static_cast<double>(model.active_parameters > 0 ? model.active_parameters
                                                         : model.parameters);
}

bool reads_tokens(const ModelSummary& model) {
  return model.kind == "llm" || model.kind == "vlm" || model.kind == "encoder" ||
         model.kind == "embedding" || model.kind.empty();
}

Fact<double> not_of_this() {
  return Fact<double>::absent(Absence::not_applicable, "of another kind of work");
}

Result<PlanWork> training(const PlanRequest& request, const ModelSummary& model, PlanWork work) {
  if (!reads_tokens(model))
    return failure(
        base::format("{}: a model of kind {} is not trained on tokens of text; say how "
                     "much work it is with --flops or --cpu-hours",
                     model.name, model.kind));
  const TrainingOptions& options = request.fit.training;
  const double epochs = request.epochs > 0 ? request.epochs : 1;
  const double tokens = request.train_tokens * epochs;
  const double each = training_flops_per_token(model, options);
  work.kind = WorkKind::training;
  work.dtype = options.precision == "fp32" ? "fp32" : "half";
  work.tokens = Fact<double>(tokens, "--train-tokens, --epochs");
  work.flops = Fact<double>(tokens * each, "operations for each token and parameter");
  work.how = {"plan.work.training",
              {base::show_amount(tokens), base::show_amount(each),
               base::show_amount(active_parameters(model)), base::show_amount(tokens * each)}};
  return work;
}

Result<PlanWork> generation(const PlanRequest& request, const ModelSummary& model, PlanWork work) {
  work.kind = WorkKind::generation;
  work.dtype = "half";
  work.tokens = Fact<double>(request.tokens, "--tokens");
  work.prompt_tokens = Fact<double>(request.prompt_tokens, "--prompt-tokens");
  // A forward pass: a multiplication and an addition for each active parameter.
  const double each = 2 * active_parameters(model);
  work.flops = Fact<double>(each * (request.tokens + request.prompt_tokens), "2 per parameter");
  work.how = {"plan.work.generation",
              {base::show_amount(request.tokens), base::show_amount(request.prompt_tokens),
               base::show_amount(each)}};
  return work;
}

}  // namespace

double training_flops_per_token(const ModelSummary& model, const TrainingOptions& options) {
  const bool adapters = options.task == "lora" || options.task == "qlora";
  double passes = adapters ? 4 : 6;
  if (options.checkpointing == "full") passes += 2;
  const double scores = 6.0 * static_cast<double>(model.layers) *
                        static_cast<double>(model.hidden) * static_cast<double>(options.seq);
  return passes * active_parameters(model) + scores * passes / 6;
}

Result<PlanWork> work_of(const PlanRequest& request, const ModelSummary* model) {
  PlanWork work;
  work.flops = work.tokens = work.prompt_tokens = work.cpu_hours = not_of_this();
  work.dtype = request.dtype.empty() ? "fp32" : request.dtype;
  if (request.cpu_hours > 0) {
    work.kind = WorkKind::cpu_hours;
    work.cpu_hours = Fact<double>(request.cpu_hours, "--cpu-hours");
    work.how = {"plan.work.cpu-hours", {base::format("{:.4g}", request.cpu_hours), work.dtype}};
    return work;
  }
  if (request.flops > 0) {
    work.kind = WorkKind::flops;
    work.flops = Fact<double>(request.flops, "--flops");
    work.how = {"plan.work.flops", {base::show_amount(request.flops), work.dtype}};
    return work;
  }
  if (model == nullptr)
    return failure("plan: tokens need a MODEL: a catalogue name, a Hub id, a folder or a file");
  return request.train_tokens > 0 ? training(request, *model, std::move(work))
                                  : generation(request, *model, std::move(work));
}

}  // namespace gpuready::plan
