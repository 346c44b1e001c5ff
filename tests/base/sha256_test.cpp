#include "base/sha256.hpp"

#include <gtest/gtest.h>

namespace gpuready::base {
namespace {

// NIST, FIPS 180-4 examples (SHA256.pdf), and the SHA-256 short and long messages of the CAVP.
TEST(Sha256, GivesTheExamplesOfTheStandard) {
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(Sha256, GivesTheMillionOfTheStandard) {
  EXPECT_EQ(sha256(std::string(1000000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, TellsEveryLengthAroundABlockApart) {
  std::string last;
  for (std::size_t length = 50; length < 140; ++length) {
    const std::string now = sha256(std::string(length, 'x'));
    EXPECT_EQ(now.size(), 64U);
    EXPECT_NE(now, last);
    last = now;
  }
}

}  // namespace
}  // namespace gpuready::base
