/// Models from folders and files, and from a server that plays the Hub.

#include "api/model_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "api/fit_model.hpp"
#include "api/hub.hpp"
#include "api/model_folder.hpp"
#include "api/model_sources.hpp"
#include "catalog/catalog.hpp"
#include "host/real_host.hpp"
#include "host/recorded_host.hpp"
#include "net/curl_http.hpp"
#include "tests/fit/gguf_models.hpp"
#include "tests/fit/safetensors_bytes.hpp"
#include "tests/net/server.hpp"

namespace gpuready::api {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// The real machine, but with an environment of the test's own.
class TestHost : public host::RecordedHost {
 public:
  TestHost() : host::RecordedHost(host::Recording{}) {}

  Result<std::string> read_file(const std::string& path, std::size_t max_bytes) override {
    return real_->read_file(path, max_bytes);
  }
  Result<std::string> read_part(const std::string& path, std::int64_t offset,
                                std::size_t count) override {
    return real_->read_part(path, offset, count);
  }
  Result<std::vector<std::string>> list(const std::string& path) override {
    return real_->list(path);
  }
  Result<host::FileStatus> status(const std::string& path) override { return real_->status(path); }
  Result<std::string> real_path(const std::string& path) override { return real_->real_path(path); }
  void set(const std::string& name, const std::string& value) {
    recording().environment[name] = value;
  }
  host::Host& real() { return *real_; }

 private:
  std::unique_ptr<host::Host> real_ = host::make_real_host();
};

const std::string llama_config =
    R"({"architectures":["LlamaForCausalLM"],"model_type":"llama","hidden_size":64,)"
    R"("intermediate_size":96,"num_hidden_layers":1,"num_attention_heads":4,)"
    R"("num_key_value_heads":2,"vocab_size":100,"tie_word_embeddings":true,"torch_dtype":"float16",)"
    R"("max_position_embeddings":2048,"rms_norm_eps":1e-5,"hidden_act":"silu"})";

fit::SafetensorsBytes llama_part(int part) {
  fit::SafetensorsBytes bytes;
  const std::string layer = "model.layers.0.";
  if (part != 2) bytes.tensor("model.embed_tokens.weight", "F16", {100, 64});
  if (part == 1) return bytes;
  for (const char* name : {"q_proj", "o_proj"})
    bytes.tensor(layer + "self_attn." + name + ".weight", "F16", {64, 64});
  for (const char* name : {"k_proj", "v_proj"})
    bytes.tensor(layer + "self_attn." + name + ".weight", "F16", {32, 64});
  return bytes;
}
constexpr std::int64_t llama_parameters = 6400 + 2 * 4096 + 2 * 2048;

std::string gguf_file() {
  fit::GgufBytes bytes = fit::start("llama", 1);
  fit::attention(bytes, 0);
  return bytes.file();
}
constexpr std::int64_t gguf_parameters = 6400 + 64 + 4 * 4096;

class ModelFiles : public ::testing::Test {
 protected:
  void SetUp() override { fs::create_directories(root_); }
  void TearDown() override { fs::remove_all(root_); }

  void write(const std::string& file, const std::string& content) {
    fs::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file, std::ios::binary) << content;
  }
  std::string path(const std::string& file = "") { return (root_ / file).string(); }

  Result<fit::Model> local(const std::string& file, const std::string& dtype = "") {
    return read_local_model(host_, path(file), dtype);
  }
  fit::Model read(const std::string& file, const std::string& dtype = "") {
    auto model = local(file, dtype);
    if (!model) ADD_FAILURE() << model.error().text;
    return model ? *model : fit::Model{};
  }

  fs::path root_ = fs::path(::testing::TempDir()) / ("models-" + std::to_string(::getpid()));
  TestHost host_;
};

TEST_F(ModelFiles, ReadsAFolderWithConfigurationAndSafetensors) {
  write("tiny/config.json", llama_config);
  write("tiny/model.safetensors", llama_part(0).file());
  const fit::Model model = read("tiny/");
  EXPECT_EQ(model.name, "tiny");
  EXPECT_EQ(model.where, path("tiny"));
  EXPECT_EQ(model.source, fit::Source::file_header);
  EXPECT_EQ(model.parameters, llama_parameters);
  ASSERT_EQ(model.shape.layers.size(), 1U);
  EXPECT_EQ(model.shape.layers[0].kv_heads, 2);
  EXPECT_EQ(model.file_bytes, static_cast<std::int64_t>(llama_part(0).file().size()));
  EXPECT_EQ(read("tiny/model.safetensors").parameters, llama_parameters);
  EXPECT_EQ(read("tiny/model.safetensors").shape.layers.size(), 1U);
  const fit::Model computed = read("tiny/config.json");
  EXPECT_EQ(computed.source, fit::Source::configuration);
  EXPECT_EQ(computed.name, "tiny");
}

TEST_F(ModelFiles, ReadsShardsByTheirIndexOrTheirNames) {
  const std::string index =
      R"({"weight_map":{"model.embed_tokens.weight":"model-00001-of-00002.safetensors",)"
      R"("model.layers.0.self_attn.q_proj.weight":"model-00002-of-00002.safetensors"}})";
  for (const std::string folder : {"indexed/", "numbered/"}) {
    write(folder + "config.json", llama_config);
    write(folder + "model-00001-of-00002.safetensors", llama_part(1).file());
    write(folder + "model-00002-of-00002.safetensors", llama_part(2).file());
  }
  write("indexed/model.safetensors.index.json", index);
  for (const char* file :
       {"indexed", "numbered", "indexed/model-00002-of-00002.safetensors",
        "indexed/model.safetensors.index.json", "numbered/model-00001-of-00002.safetensors"})
    EXPECT_EQ(read(file).parameters, llama_parameters) << file;
  fs::remove(root_ / "indexed/model-00002-of-00002.safetensors");
  fs::remove(root_ / "numbered/model-00001-of-00002.safetensors");
  EXPECT_THAT(local("indexed").error().text,
              HasSubstr("the shard model-00002-of-00002.safetensors is missing, which"));
  EXPECT_THAT(local("numbered").error().text,
              HasSubstr("the shard model-00001-of-00002.safetensors is missing"));
}

TEST_F(ModelFiles, ChoosesAmongGgufFilesAndSaysSo) {
  for (const char* name :
       {"m-Q8_0.gguf", "m-Q4_K_M.gguf", "m-UD-Q4_K_M.gguf", "m-Q4_K_S.gguf", "m.imatrix.gguf"})
    write(std::string("ggufs/") + name, gguf_file());
  const fit::Model usual = read("ggufs");
  EXPECT_EQ(usual.parameters, gguf_parameters);
  ASSERT_EQ(usual.doubts.size(), 1U);
  EXPECT_THAT(usual.doubts[0].args, ElementsAre("m-Q4_K_M.gguf", "4"));
  EXPECT_THAT(read("ggufs", "Q4_K_S").doubts, IsEmpty());
  EXPECT_THAT(local("ggufs", "q4_k").error().text,
              HasSubstr("no GGUF file of type q4_k; there are m-Q4_K_M.gguf, m-Q4_K_S.gguf"));
  EXPECT_EQ(choose_gguf({"a/x-BF16-00001-of-00002.gguf", "a/x-BF16-00002-of-00002.gguf"}, "")->file,
            "a/x-BF16-00001-of-00002.gguf");
  EXPECT_EQ(read("ggufs/m-Q8_0.gguf").parameters, gguf_parameters);
}

TEST_F(ModelFiles, CountsTheProjectorBesideAGguf) {
  fit::GgufBytes projector;
  projector.text("general.architecture", "clip").number("clip.vision.block_count", 2);
  projector.tensor("v.blk.0.attn_q.weight", "f16", {64, 64});
  write("vlm/m-Q4_K_M.gguf", gguf_file());
  for (const char* name : {"mmproj-BF16.gguf", "mmproj-F16.gguf"})
    write(std::string("vlm/") + name, projector.file());
  const fit::Model model = read("vlm");
  EXPECT_EQ(model.parameters, gguf_parameters + 4096);
  EXPECT_EQ(model.shape.kind, fit::ModelKind::vlm);
  EXPECT_EQ(model.shape.tower.layers, 2);
  ASSERT_EQ(model.doubts.size(), 1U);
  EXPECT_THAT(model.doubts[0].args, ElementsAre("mmproj-F16.gguf"));
  EXPECT_EQ(read("vlm/m-Q4_K_M.gguf").parameters, gguf_parameters);
  EXPECT_EQ(read("vlm/mmproj-F16.gguf").shape.kind, fit::ModelKind::vision);
}

TEST_F(ModelFiles, ReadsAPipelineAsItsDenoiserWithWhatStandsBesideIt) {
  write("flux/model_index.json",
        R"({"_class_name":"FluxPipeline","scheduler":["diffusers","X"],"vae":["diffusers","V"],)"
        R"("transformer":["diffusers","T"],"text_encoder":["transformers","C"],)"
        R"("feature_extractor":[null,null]})");
  write(
      "flux/transformer/config.json",
      R"({"num_layers":2,"num_single_layers":3,"num_attention_heads":4,"attention_head_dim":16})");
  fit::SafetensorsBytes denoiser, vae, text;
  denoiser.tensor("transformer_blocks.0.attn.to_q.weight", "BF16", {64, 64});
  vae.tensor("decoder.conv_in.weight", "F32", {8, 4, 3, 3});
  text.tensor("text_model.encoder.layers.0.mlp.fc1.weight", "F16", {16, 8});
  write("flux/transformer/diffusion_pytorch_model.safetensors", denoiser.file());
  write("flux/vae/diffusion_pytorch_model.safetensors", vae.file());
  write("flux/text_encoder/model.safetensors", text.file());
  const fit::Model model = read("flux");
  EXPECT_EQ(model.shape.kind, fit::ModelKind::diffusion);
  EXPECT_EQ(model.shape.family, "FluxPipeline");
  EXPECT_EQ(model.shape.hidden, 64);
  EXPECT_EQ(model.shape.layers.size(), 5U);
  EXPECT_EQ(model.parameters, 4096);
  ASSERT_EQ(model.components.size(), 2U);
  EXPECT_EQ(model.components[0].name, "vae");
  EXPECT_EQ(model.components[0].bytes, 8 * 4 * 9 * 4);
  EXPECT_EQ(model.components[1].name, "text_encoder");
  EXPECT_EQ(model.components[1].parameters, 128);
}

TEST_F(ModelFiles, TellsWhatIsMissing) {
  write("empty/readme.txt", "");
  write("adapter/adapter_model.safetensors", llama_part(1).file());
  write("bad/config.json", "{");
  write("bad/model.safetensors", llama_part(0).file());
  EXPECT_THAT(local("none").error().text, HasSubstr("no such file or folder: "));
  EXPECT_THAT(local("empty").error().text, HasSubstr("no model in it, expected config.json"));
  EXPECT_THAT(local("empty/readme.txt").error().text, HasSubstr("no model file, expected"));
  EXPECT_THAT(local("adapter").error().text, HasSubstr("an adapter (LoRA) alone"));
  write("blobs/sha256-0123", gguf_file());
  EXPECT_EQ(read("blobs/sha256-0123").parameters, gguf_parameters);
  const fit::Model bad = read("bad");
  EXPECT_EQ(bad.parameters, llama_parameters);
  ASSERT_EQ(bad.doubts.size(), 1U);
  EXPECT_EQ(bad.doubts[0].key, "fit.doubt-config");
}

TEST_F(ModelFiles, AnIndexWithoutItsShardsIsADoubt) {
  write("bare/config.json", llama_config);
  write("bare/model.safetensors.index.json", "{}");
  const fit::Model model = read("bare");
  EXPECT_EQ(model.source, fit::Source::configuration);
  ASSERT_FALSE(model.doubts.empty());
  EXPECT_EQ(model.doubts.back().key, "fit.doubt-no-shards");
}

TEST_F(ModelFiles, WhatIsThereAndNoModelIsNotLookedUpAsAName) {
  const auto catalog = catalog::load_catalog(catalog::Override{});
  ASSERT_TRUE(catalog) << catalog.error().text;
  write("hollow/readme.txt", "");
  write("x.pt", "PK");
  const auto error = [&](const std::string& argument) {
    const auto model = find_model(host_, *catalog, argument, "");
    return model ? "found" : model.error().text;
  };
  EXPECT_THAT(error(path("hollow")), HasSubstr("no model in it"));
  EXPECT_THAT(error(path("x.pt")), HasSubstr("no model file, expected config.json"));
  EXPECT_THAT(error("pytorch_model.bin"), HasSubstr("no such file or folder"));
}

TEST_F(ModelFiles, AnImageModelInGgufAsksForItsType) {
  const auto catalog = catalog::load_catalog(catalog::Override{});
  ASSERT_TRUE(catalog) << catalog.error().text;
  const auto bare = find_model(host_, *catalog, "city96/FLUX.1-dev-gguf", "");
  ASSERT_FALSE(bare);
  EXPECT_THAT(bare.error().text, HasSubstr("say which, as --dtype q8_0"));
  EXPECT_TRUE(find_model(host_, *catalog, "city96/FLUX.1-dev-gguf", "q8_0"));
  EXPECT_EQ(find_model(host_, *catalog, "city96/FLUX.1-dev-gguf:q8_0", "")->dtype, "q8_0");
}

TEST_F(ModelFiles, TakesAsLocalWhatIsWrittenSoOrHoldsAModel) {
  write("org/config.json", "{}");
  write("other/file", "");
  for (const char* argument : {"./x", "../x", "/x", "x.gguf", "a/b.safetensors", "c.json", "."})
    EXPECT_TRUE(is_local_model(host_, argument)) << argument;
  EXPECT_TRUE(is_local_model(host_, path("org")));
  for (const char* argument : {"", "Qwen/Qwen3-0.6B", "llama"})
    EXPECT_FALSE(is_local_model(host_, argument)) << argument;
  for (const char* id : {"Qwen/Qwen3-0.6B", "gpt2", "a/b:Q4_K_M"})
    EXPECT_TRUE(is_hub_model(id)) << id;
  for (const char* id : {"", "a/b/c", "../x", "a/..", "a b", "a/b?c", "-a/b", "a/"})
    EXPECT_FALSE(is_hub_model(id)) << id;
}

class HubModels : public ModelFiles {
 protected:
  void SetUp() override {
    ModelFiles::SetUp();
    write("hub/org/tiny/config.json", llama_config);
    write("hub/org/tiny/model.safetensors", llama_part(0).file());
    write("hub/org/gguf/m-Q4_K_M.gguf", gguf_file());
    write("hub/org/gguf/m-Q8_0.gguf", gguf_file());
    write("hub/org/gated/config.json", llama_config);
    write("hub/org/gated/model.safetensors", llama_part(0).file());
    write("hub/org/gated/.gated", "");
    server_ = std::make_unique<net::Server>(path("hub"));
    ASSERT_FALSE(server_->url.empty());
    host_.set("HF_ENDPOINT", server_->url + "/");
    host_.set("HF_HUB_CACHE", path("cache"));
    if (!net::make_curl_http(host_.real())) GTEST_SKIP() << "SKIPPED: no libcurl";
  }

  Result<fit::Model> hub(const std::string& id, const std::string& dtype = "") {
    return read_hub_model(
        host_,
        [&] {
          ++connections_;
          return net::make_curl_http(host_.real());
        },
        id, dtype);
  }

  std::unique_ptr<net::Server> server_;
  int connections_ = 0;
};

TEST_F(HubModels, AreReadByRangeRequestsFromTheirHeaders) {
  const auto model = hub("org/tiny");
  ASSERT_TRUE(model) << model.error().text;
  EXPECT_EQ(model->name, "org/tiny");
  EXPECT_EQ(model->where, "org/tiny on 127.0.0.1");
  EXPECT_EQ(model->parameters, llama_parameters);
  EXPECT_EQ(model->file_bytes, static_cast<std::int64_t>(llama_part(0).file().size()));
}

TEST_F(HubModels, HaveTheirTypeAfterAColonOrAsAnOption) {
  const auto usual = hub("org/gguf");
  ASSERT_TRUE(usual) << usual.error().text;
  EXPECT_EQ(usual->parameters, gguf_parameters);
  EXPECT_EQ(usual->doubts.size(), 1U);
  EXPECT_THAT(hub("org/gguf:Q8_0")->doubts, IsEmpty());
  EXPECT_THAT(hub("org/gguf", "q8_0")->doubts, IsEmpty());
  EXPECT_THAT(hub("org/gguf:Q2_K").error().text, HasSubstr("no GGUF file of type Q2_K"));
}

TEST_F(HubModels, TellWhetherTheyExistOrAreGated) {
  const auto none = hub("org/none");
  EXPECT_THAT(none.error().text, HasSubstr("org/none on 127.0.0.1: no such model"));
  EXPECT_NE(none.error().code, network_fault);
  EXPECT_THAT(hub("org/gated").error().text, HasSubstr("and set HF_TOKEN"));
  host_.set("HF_TOKEN", "wrong-one");
  EXPECT_THAT(hub("org/gated").error().text, HasSubstr("with the account of HF_TOKEN"));
  EXPECT_THAT(hub("org/gated").error().text, Not(HasSubstr("wrong-one")));
  // The content server refuses a token: with it the file could not be read.
  host_.set("HF_TOKEN", "right");
  EXPECT_EQ(hub("org/gated")->parameters, llama_parameters);
}

TEST_F(HubModels, ComeFromTheCacheBeforeTheNetwork) {
  const std::string model = "cache/models--org--cached/";
  write(model + "refs/main", "0123abc\n");
  write(model + "snapshots/0123abc/config.json", llama_config);
  EXPECT_THAT(hub("org/cached").error().text, HasSubstr("no such model"));
  write(model + "snapshots/0123abc/model.safetensors", llama_part(0).file());
  connections_ = 0;
  EXPECT_EQ(hub("org/cached")->parameters, llama_parameters);
  EXPECT_EQ(hub("org/cached")->name, "org/cached");
  EXPECT_EQ(connections_, 0);
}

TEST_F(HubModels, AreExplainedWithoutANetwork) {
  host_.set("HF_ENDPOINT", "http://127.0.0.1:1");
  const auto offline = hub("org/tiny");
  EXPECT_EQ(offline.error().code, network_fault);
  EXPECT_THAT(offline.error().text, HasSubstr("is this machine online?"));
  const std::string model = "cache/models--org--tiny/";
  write(model + "refs/main", "0123abc");
  write(model + "snapshots/0123abc/config.json", llama_config);
  const auto computed = hub("org/tiny");
  ASSERT_TRUE(computed) << computed.error().text;
  EXPECT_EQ(computed->source, fit::Source::configuration);
  EXPECT_EQ(computed->doubts.back().key, "fit.doubt-cache");
  host_.set("HF_HUB_OFFLINE", "1");
  connections_ = 0;
  EXPECT_TRUE(hub("org/tiny"));
  EXPECT_THAT(hub("org/else").error().text, HasSubstr("HF_HUB_OFFLINE is set"));
  EXPECT_EQ(connections_, 0);
  host_.set("HF_HUB_OFFLINE", "0");
  host_.set("HF_ENDPOINT", "http://example.org");
  EXPECT_THAT(hub("org/else").error().text, HasSubstr("use https"));
}

TEST_F(HubModels, AreReadInPartsOfTheRightSize) {
  write("hub/org/large/m.gguf", std::string(600000, 'x'));
  const auto http = net::make_curl_http(host_.real());
  const auto folder = open_hub_folder(**http, hub_access(host_), "org/large");
  const auto file = std::move(*folder->open("m.gguf"));
  EXPECT_EQ(*file->size(), 600000);
  EXPECT_EQ(file->read(0, 10)->size(), 10U);
  EXPECT_EQ(file->read(250000, 100000)->size(), 100000U);
  EXPECT_EQ(file->read(599990, 100)->size(), 10U);
  EXPECT_EQ(*file->read(600000, 1), "");
  const auto gone = std::move(*folder->open("none.gguf"));
  EXPECT_THAT(gone->size().error().text, HasSubstr("org/large on 127.0.0.1: no file none.gguf"));
}

}  // namespace
}  // namespace gpuready::api
