#pragma once
/// What the forward function gives before it is put into words: the solver asks for thousands of
/// these.

#include <map>
#include <vector>

#include "fit/diffusion.hpp"
#include "fit/plan.hpp"
#include "fit/range.hpp"
#include "fit/resolve_request.hpp"
#include "fit/training.hpp"
#include "fit/weights.hpp"

namespace gpuready::fit {

struct Outcome {
  Runtime runtime = Runtime::llama_cpp;
  const Weights* weights = nullptr;  ///< lives as long as the Forward that made it
  InferencePlan inference;           ///< of inference alone
  TrainingPlan training;             ///< of training alone
  std::vector<DeviceTerms> shares;   ///< one for each device that takes part
  std::size_t fullest = 0;           ///< of `shares`: nearest to its limit, or farthest beyond it
  std::int64_t host_bytes = 0;
  FitVerdict verdict = FitVerdict::unknown;
  std::vector<Message> assumptions;
};

/// The forward function for one model and one set of devices. Weights are counted once for each
/// type. The references must outlive it.
class Forward {
 public:
  Forward(const Model& model, const Devices& devices) : model_(model), devices_(devices) {}

  Result<Outcome> operator()(const FitRequest& request);
  [[nodiscard]] const Model& model() const { return model_; }
  [[nodiscard]] const Devices& devices() const { return devices_; }

 private:
  const Weights& weights(const WeightChoice& choice);

  const Model& model_;
  const Devices& devices_;
  std::map<const catalog::Quant*, Weights> known_;
};

/// Memory that the runtime may take on a device.
double limit_bytes(const Device& device, const Outcome& outcome);

/// Inference on every device, with what stands in main memory.
struct Inference {
  std::vector<DeviceTerms> shares;
  double host = 0;
};
Inference inference_terms(const Model& model, const Weights& weights, const InferencePlan& plan,
                          const std::vector<Device>& devices);

inline Range range_of(const Span& span) { return between(span.low, span.expected, span.high); }

}  // namespace gpuready::fit
