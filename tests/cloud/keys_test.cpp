#include "cloud/keys.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "host/real_host.hpp"

namespace gpuready::cloud {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// This computer with another environment.
class OtherEnvironment : public host::Host {
 public:
  std::map<std::string, std::string> variables;

  Result<std::string> read_file(const std::string& path, std::size_t most) override {
    return real_->read_file(path, most);
  }
  Result<std::string> read_part(const std::string& path, std::int64_t offset,
                                std::size_t count) override {
    return real_->read_part(path, offset, count);
  }
  Result<std::vector<std::string>> list(const std::string& folder) override {
    return real_->list(folder);
  }
  Result<host::FileStatus> status(const std::string& path) override { return real_->status(path); }
  Result<std::string> read_link(const std::string& path) override { return real_->read_link(path); }
  Result<std::string> real_path(const std::string& path) override { return real_->real_path(path); }
  Result<bool> try_open(const std::string& path) override { return real_->try_open(path); }
  Result<bool> try_access(const std::string& path) override { return real_->try_access(path); }
  std::optional<std::string> env(const std::string& name) override {
    const auto it = variables.find(name);
    return it == variables.end() ? std::nullopt : std::optional<std::string>(it->second);
  }
  std::vector<std::string> env_names() override { return {}; }
  std::vector<host::CommandResult> run_all(const std::vector<host::Command>& commands) override {
    return real_->run_all(commands);
  }
  Result<host::LibraryHandle> open_library(const std::string& name) override {
    return real_->open_library(name);
  }
  void* symbol(const host::LibraryHandle& library, const std::string& name) override {
    return real_->symbol(library, name);
  }
  std::string self() override { return real_->self(); }
  std::string libc_version() override { return real_->libc_version(); }
  std::int64_t now() override { return real_->now(); }

 private:
  std::unique_ptr<host::Host> real_ = host::make_real_host();
};

class Keys : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = ::testing::TempDir() + "keysXXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    home_ = name;
    host_.variables = {{"HOME", home_}, {"XDG_CONFIG_HOME", home_ + "/config"}};
  }
  void TearDown() override { std::filesystem::remove_all(home_); }

  std::string write(const std::string& path, const std::string& text, mode_t mode = 0600) {
    const std::string file = home_ + "/" + path;
    std::filesystem::create_directories(std::filesystem::path(file).parent_path());
    std::ofstream(file) << text;
    ::chmod(file.c_str(), mode);
    return file;
  }
  Answer<FoundKey> find(const char* provider = "lambda") {
    return find_key(host_, *find_provider(provider));
  }

  std::string home_;
  OtherEnvironment host_;
};

TEST_F(Keys, TheEnvironmentComesFirstThenOurFileThenThoseOfOthers) {
  write(".lambda_cloud/lambda_keys", "api_key = others-key-0003\n");
  EXPECT_EQ(find()->key.reveal(), "others-key-0003");
  const auto own = write("config/gpuready/lambda.key", "own-file-key-0002\n");
  EXPECT_EQ(find()->key.reveal(), "own-file-key-0002");
  EXPECT_EQ(find()->source, own);
  host_.variables["LAMBDA_API_KEY"] = "environment-0001";
  EXPECT_EQ(find()->key.reveal(), "environment-0001");
  EXPECT_EQ(find()->source, "LAMBDA_API_KEY");
  EXPECT_EQ(find()->last4, "0001");
  host_.variables["LAMBDA_API_KEY"] = "  \n";
  EXPECT_EQ(find()->key.reveal(), "own-file-key-0002");
}

TEST_F(Keys, FilesOfOtherProgramsAreRead) {
  write(".runpod/config.toml", "[default]\napi_key = \"toml-key-of-runpod\"\n");
  EXPECT_EQ(find("runpod")->key.reveal(), "toml-key-of-runpod");
  write(".runpod/config.toml", "apikey = 'toml-key-of-runpodctl'\n");
  EXPECT_EQ(find("runpod")->key.reveal(), "toml-key-of-runpodctl");
  write(".config/vastai/vast_api_key", "bare-key-of-vast");
  EXPECT_EQ(find("vast")->key.reveal(), "bare-key-of-vast");
}

TEST_F(Keys, AFileThatOthersMayReadIsRefusedWithTheCure) {
  for (const mode_t mode : {0644, 0640, 0604, 0660, 0601}) {
    const auto file = write("config/gpuready/lambda.key", "marker-secret-key", mode);
    const auto key = find();
    ASSERT_FALSE(key) << mode;
    EXPECT_EQ(key.error().kind, FaultKind::refused);
    EXPECT_THAT(key.error().message, HasSubstr("chmod 600 " + file));
    EXPECT_THAT(key.error().message, Not(HasSubstr("marker-secret")));
  }
}

TEST_F(Keys, OfAnotherShapeAreRefusedAndNotShown) {
  for (const char* text :
       {"two words", "a\tb", "line\nline", "esc\x1b[31m", "", "  \n", "k\xc3\xa4se"}) {
    write("config/gpuready/lambda.key", text);
    const auto key = find();
    ASSERT_FALSE(key) << text;
    EXPECT_EQ(key.error().kind, FaultKind::refused);
    EXPECT_THAT(key.error().message, HasSubstr("lambda.key"));
    EXPECT_THAT(key.error().message, Not(HasSubstr("two words")));
  }
  host_.variables["LAMBDA_API_KEY"] = "marker two words";
  EXPECT_THAT(find().error().message, HasSubstr("LAMBDA_API_KEY"));
  EXPECT_THAT(find().error().message, Not(HasSubstr("marker")));
}

TEST_F(Keys, LineBreaksOfCopyingAreCutOff) {
  host_.variables["LAMBDA_API_KEY"] = " marker-key-1234\r\n";
  EXPECT_EQ(find()->key.reveal(), "marker-key-1234");
}

TEST_F(Keys, AFolderOrALargeFileIsNoKey) {
  std::filesystem::create_directories(home_ + "/config/gpuready/lambda.key");
  EXPECT_THAT(find().error().message, HasSubstr("not a file"));
  std::filesystem::remove_all(home_ + "/config");
  write("config/gpuready/lambda.key", std::string(100000, 'k'));
  EXPECT_FALSE(find());
}

TEST_F(Keys, NoneSaysWhereToGetOneAndWhereToPutIt) {
  for (const char* name : {"lambda", "runpod", "vast"}) {
    const auto key = find(name);
    ASSERT_FALSE(key);
    EXPECT_EQ(key.error().kind, FaultKind::no_key);
    EXPECT_THAT(key.error().message, HasSubstr("_API_KEY"));
    EXPECT_THAT(key.error().message, HasSubstr("https://"));
    EXPECT_THAT(key.error().message, HasSubstr(std::string("gpuready/") + name + ".key"));
  }
  host_.variables.clear();
  EXPECT_EQ(find().error().kind, FaultKind::no_key);
}

TEST_F(Keys, ShortOnesShowNothingOfThemselves) {
  host_.variables["LAMBDA_API_KEY"] = "abcdefgh";
  EXPECT_EQ(find()->last4, "");
}

TEST_F(Keys, TheAddressIsTheUsualOneOrAnotherThatIsSafe) {
  const ProviderRow& vast = *find_provider("vast");
  EXPECT_EQ(*base_url_of(host_, vast), "https://console.vast.ai");
  host_.variables["GPUREADY_VAST_URL"] = "http://127.0.0.1:8080/";
  EXPECT_EQ(*base_url_of(host_, vast), "http://127.0.0.1:8080");
  for (const char* url : {"http://example.com", "ftp://x", "console.vast.ai", "https://u:p@x",
                          "http://127.0.0.1.example.com", "https://x/?api_key=1", "https://x y"}) {
    host_.variables["GPUREADY_VAST_URL"] = url;
    const auto base = base_url_of(host_, vast);
    ASSERT_FALSE(base) << url;
    EXPECT_THAT(base.error().text, HasSubstr("GPUREADY_VAST_URL"));
  }
}

}  // namespace
}  // namespace gpuready::cloud
