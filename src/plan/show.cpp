#include "plan/show.hpp"

#include "base/format.hpp"

namespace gpuready::plan {

std::string provider_name(const std::string& where) {
  if (where == "lambda") return "Lambda";
  if (where == "runpod") return "RunPod";
  if (where == "vast") return "Vast.ai";
  if (where == "colab") return "Colab";
  return where;
}

std::string place_words(const Choice& choice) {
  if (choice.where == "this-cpu") return "";
  const std::string gpu =
      choice.gpu_count > 1 ? base::format("{} x {}", choice.gpu_count, choice.gpu) : choice.gpu;
  if (choice.where == "this-gpu") return gpu;
  const bool plain = choice.kind.empty() || choice.kind == "on-demand";
  const std::string place = provider_name(choice.where) + ", " + gpu;
  return plain ? place : place + " (" + choice.kind + ")";
}

std::string place_key(const Choice& choice) {
  if (choice.where == "colab") return "free";
  const bool here = choice.where == "this-cpu" || choice.where == "this-gpu";
  return here ? choice.where : "rented";
}

}  // namespace gpuready::plan
