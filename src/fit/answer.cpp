#include "fit/answer.hpp"

#include "fit/explain.hpp"
#include "fit/solver.hpp"
#include "fit/speed.hpp"
#include "fit/suggest.hpp"

namespace gpuready::fit {

Result<Estimate> estimate_fully(const Model& model, const FitRequest& request,
                                const Devices& devices, const std::vector<catalog::Gpu>& gpus) {
  Forward forward(model, devices);
  const auto outcome = forward(request);
  if (!outcome) return tl::unexpected(outcome.error());
  Estimate out = explained(model, request, devices, *outcome);
  out.limits = limits_of(forward, request, outcome->runtime, gpus);
  out.suggestions = suggestions_for(forward, request, *outcome, out.limits);
  out.speed = speed_of(model, *outcome, devices);
  return out;
}

}  // namespace gpuready::fit
