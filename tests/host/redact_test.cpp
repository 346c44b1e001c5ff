#include "host/redact.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gpuready::host {
namespace {

Redactor redactor() { return Redactor({"mybox"}, {"alice", "root", "al"}, {"/data/people/alice"}); }

std::string redact(const std::string& text) { return redactor().text(text); }

TEST(Redact, NamesOfPeopleAndMachinesGo) {
  EXPECT_EQ(redact("alice@mybox: malice in toybox-mybox"), "user@host: malice in toybox-host");
  EXPECT_EQ(redact("root runs al.so as al"), "root runs al.so as al");
}

TEST(Redact, HomeFoldersGoAndEqualStaysEqual) {
  EXPECT_EQ(redact("/home/bob/x /home/eve/y /home/bob/z"),
            "/home/user/x /home/user-2/y /home/user/z");
  EXPECT_EQ(redact("/data/people/alice/.venv alice"), "/home/user/.venv user");
  EXPECT_EQ(redact("/mnt/c/Users/Bob/AppData C:\\Users\\Bob\\x"),
            "/mnt/c/Users/user/AppData C:\\Users\\user\\x");
  EXPECT_EQ(redact("/home/ubuntu/a /root/b"), "/home/ubuntu/a /root/b");
}

TEST(Redact, UuidsKeepTheirForm) {
  const std::string first = "GPU-8932f937-d72c-4106-c12f-20bd9faed9f6";
  const std::string stand_in = "GPU-00000000-0000-0000-0000-000000000001";
  EXPECT_EQ(redact(first + " MIG-12345678-1234-1234-1234-123456789abc " + first),
            stand_in + " MIG-00000000-0000-0000-0000-000000000002 " + stand_in);
  EXPECT_EQ(redact("CUDA_VISIBLE_DEVICES=GPU-8932f937 " + first),
            "CUDA_VISIBLE_DEVICES=" + stand_in + " " + stand_in);
  EXPECT_EQ(redact("GPU-8932F937-D72C-4106-C12F-20BD9FAED9F6 " + first), stand_in + " " + stand_in);
}

TEST(Redact, SerialNumbersGo) {
  EXPECT_EQ(redact("Serial Number : 1320220012345\nName: x"), "Serial Number : serial-1\nName: x");
  EXPECT_EQ(redact("Serial Number: N/A"), "Serial Number: N/A");
  const base::Json json{{"serial", "0324"}, {"board_serial", 42}, {"text", "0324"}};
  EXPECT_EQ(redactor().json(json).dump(),
            R"({"serial":"serial-1","board_serial":"serial-2","text":"0324"})");
}

TEST(Redact, NetworkAddressesGo) {
  EXPECT_EQ(redact("from 10.1.2.3 to 192.168.0.7, again 10.1.2.3"),
            "from 192.0.2.1 to 192.0.2.2, again 192.0.2.1");
  EXPECT_EQ(redact("http://8.8.8.8:8080/x"), "http://192.0.2.1:8080/x");
  EXPECT_EQ(redact("link aa:bb:cc:dd:ee:0f up"), "link 02:00:00:00:00:01 up");
  EXPECT_EQ(redact("inet6 fe80::1ff:fe23:4567:890a/64"), "inet6 2001:db8::1/64");
  EXPECT_EQ(redact("a 2a00:1450:4001:81b:0:0:0:200e b"), "a 2001:db8::1 b");
  EXPECT_EQ(redact("x ::ffff:10.0.0.1 y"), "x ::ffff:192.0.2.1 y");
}

TEST(Redact, VersionsAddressesOfTheBusAndTimesSurvive) {
  for (const std::string text :
       {"cuDNN 9.10.2.21",
        "libcublas.so.13.0.0.19",
        "nvidia_cublas_cu12-12.8.4.1.dist-info",
        "cu126 (9.10.2.21)",
        "version: 12.8.4.1",
        "0000:01:00.0",
        "00000000:AF:00.0",
        "2026-12-01T02:10:03Z",
        "12:30:45",
        "127.0.0.1",
        "0.0.0.0",
        "::1",
        "0::/user.slice/user-1000.slice",
        "12:cpu,cpuacct:/docker",
        "580.95.05",
        "std::string",
        "libcuda.so.580.95.05",
        "sk-learn-something-quite-long-name",
        "_ZN8gpuready5probe17probe_environmentERNS_4host4HostE12345",
        "avx512f avx512_vnni Cpus_allowed_list",
        "max_tokens: 4096",
        "tokenizer=gpt2x",
        "/opt/conda/envs/ml/lib/python3.12/site-packages/torch/lib/libtorch_cuda.so",
        "cutlass_80_tensorop_s1688gemm_128x128_16x4_nn_align4"})
    EXPECT_EQ(redact(text), text);
}

TEST(Redact, AVersionIsKnownByItsMembersName) {
  const base::Json json{{"version", "12.8.4.1"}, {"address", "12.8.4.1"}};
  EXPECT_EQ(redactor().json(json).dump(), R"({"version":"12.8.4.1","address":"192.0.2.1"})");
}

TEST(Redact, KeysGo) {
  for (const std::string key :
       {"sk-abcdefghij0123456789abcd", "hf_AbCdEfGhIjKlMnOpQrSt1", "ghp_0123456789abcdefghij0123",
        "github_pat_11ABCDEFG0123456789", "glpat-abcdefgh12345678ijkl",
        "xoxb-123456789012-abcdefghijkl", "AKIA0123456789ABCDEF", "AIzaSyA1234567890abcdefghij",
        "ya29.a0AbCdEf1234567890xyz", "rpa_0123456789ABCDEFGHIJ",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc123"})
    EXPECT_EQ(redact("a " + key + " b"), "a redacted-key-1 b") << key;
  EXPECT_EQ(redact("-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----\nx"),
            "redacted-key-1\nx");
  EXPECT_EQ(redact("-----BEGIN OPENSSH PRIVATE KEY-----\nabc"), "redacted-key-1");
}

TEST(Redact, ValuesOfSecretNamesGo) {
  EXPECT_EQ(redact("db_password=hunter2 x"), "db_password=redacted-key-1 x");
  EXPECT_EQ(redact("jupyter_token: abc, next"), "jupyter_token: redacted-key-1, next");
  EXPECT_EQ(redact(R"("api_key": "abc")"), R"("api_key": "redacted-key-1")");
  EXPECT_EQ(redact("Authorization: Bearer abc.def"), "Authorization: Bearer redacted-key-1");
  EXPECT_EQ(redact("?token=abc&x=1"), "?token=redacted-key-1&x=1");
  EXPECT_EQ(redactor().json({{"SECRET", "two words"}}).dump(), R"({"SECRET":"redacted-key-1"})");
}

TEST(Redact, LongRandomWordsGo) {
  EXPECT_EQ(redact("/docker/4f5d0c1b2a39485766758493a2b1c0df4f5d0c1b2a39485766758493a2b1c0df/x"),
            "/docker/redacted-id-1/x");
  EXPECT_EQ(redact("x9Kq2LmZ8vR4tY7uW1pS5aD3fG6hJ0bN"), "redacted-id-1");
}

TEST(Redact, JsonIsRedactedInNamesValuesAndInnerJson) {
  const base::Json json{{"/home/bob/x", "/home/bob/y"},
                        {"list", {"alice", 7, true}},
                        {"output", R"({"serial": "99", "home": "/home/bob"})"}};
  EXPECT_EQ(
      redactor().json(json).dump(),
      R"({"/home/user/x":"/home/user/y","list":["user-2",7,true],"output":"{\"serial\":\"serial-1\",\"home\":\"/home/user\"}"})");
}

TEST(Redact, RedactingTwiceChangesNothing) {
  const std::string text =
      "alice@mybox /home/bob GPU-8932f937-d72c-4106-c12f-20bd9faed9f6 10.1.2.3 fe80::1:2 "
      "aa:bb:cc:dd:ee:0f\nSerial: 77\npassword=x sk-abcdefghij0123456789abcd "
      "x9Kq2LmZ8vR4tY7uW1pS5aD3fG6hJ0bN";
  Redactor one = redactor();
  const std::string once = one.text(text);
  EXPECT_EQ(one.text(once), once);
  EXPECT_EQ(redact(once), once);
  for (const std::string secret : {"alice", "mybox", "bob", "8932f937", "10.1.2.3", "fe80", "dd:ee",
                                   "77", "=x ", "abcdefghij", "x9Kq"})
    EXPECT_EQ(once.find(secret), std::string::npos) << secret;
}

TEST(Redact, AdversarialTextIsReadInLinearTime) {
  std::string text;
  for (const char* const part :
       {"aa:", "a-", "1.", "-----BEGIN ", "serial ", "f", "1:", "::", "x_"})
    for (int i = 0; i < 20000; ++i) text += part;
  EXPECT_FALSE(redact(text).empty());
}

}  // namespace
}  // namespace gpuready::host
