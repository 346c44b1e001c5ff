#pragma once
/// A folder of model files, wherever it is, and how it becomes a model.

#include <memory>
#include <string>
#include <vector>

#include "fit/byte_source.hpp"
#include "fit/model.hpp"
#include "gpuready/result.hpp"

namespace gpuready::api {

class ModelFolder {
 public:
  ModelFolder() = default;
  ModelFolder(const ModelFolder&) = delete;
  ModelFolder& operator=(const ModelFolder&) = delete;
  virtual ~ModelFolder() = default;

  /// For messages: a path, or "org/name on huggingface.co".
  [[nodiscard]] virtual std::string name() const = 0;
  /// What the model is called.
  [[nodiscard]] virtual std::string model_name() const = 0;
  /// Names of its files, with "folder/" before those one level down.
  virtual Result<std::vector<std::string>> files() = 0;
  /// The folder must outlive what it opens.
  virtual Result<std::unique_ptr<fit::ByteSource>> open(const std::string& file) = 0;
};

/// The model of a folder: a pipeline (model_index.json), config.json with safetensors, GGUF files,
/// or config.json alone. `dtype` says which of several GGUF files is meant (q4_k_m); empty: Q4_K_M
/// where it is there, and a doubt says what was taken. The error names what is missing.
Result<fit::Model> read_model_folder(ModelFolder& folder, const std::string& dtype);

/// A small text file of the folder.
Result<std::string> read_text(ModelFolder& folder, const std::string& file);

/// Of these files, the GGUF that is meant (the first shard of a split one); the error lists them.
struct GgufChoice {
  std::string file;
  std::size_t of = 1;  ///< models that there were to choose from, when no type was named
};
Result<GgufChoice> choose_gguf(const std::vector<std::string>& files, const std::string& dtype);

/// The projector (mmproj) beside GGUF files of this folder, in 16 bits where there are several;
/// empty where there is none.
std::string choose_projector(const std::vector<std::string>& files, const std::string& prefix);

/// The safetensors files of one model (`prefix` is its folder in the pipeline, or empty), without
/// an index: those of adapters and of other programs are left out. The error names a missing shard.
Result<std::vector<std::string>> choose_safetensors(const std::vector<std::string>& files,
                                                    const std::string& prefix);

}  // namespace gpuready::api
