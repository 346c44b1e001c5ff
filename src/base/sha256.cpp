#include "base/sha256.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

namespace gpuready::base {

namespace {

using State = std::array<std::uint32_t, 8>;
constexpr std::size_t block_bytes = 64;

/// FIPS 180-4, 4.2.2.
constexpr std::array<std::uint32_t, 64> constants{
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

std::uint32_t byte_at(std::string_view text, std::size_t i) {
  return static_cast<std::uint8_t>(text[i]);
}

/// 6.2.2, step 1.
std::array<std::uint32_t, 64> schedule(std::string_view block) {
  std::array<std::uint32_t, 64> w{};
  for (std::size_t i = 0; i < 16; ++i)
    w[i] = byte_at(block, 4 * i) << 24U | byte_at(block, 4 * i + 1) << 16U |
           byte_at(block, 4 * i + 2) << 8U | byte_at(block, 4 * i + 3);
  for (std::size_t i = 16; i < 64; ++i) {
    const std::uint32_t a = w[i - 15], b = w[i - 2];
    const std::uint32_t low = std::rotr(a, 7) ^ std::rotr(a, 18) ^ (a >> 3U);
    const std::uint32_t high = std::rotr(b, 17) ^ std::rotr(b, 19) ^ (b >> 10U);
    w[i] = w[i - 16] + low + w[i - 7] + high;
  }
  return w;
}

void add_block(State& state, std::string_view block) {
  const auto w = schedule(block);
  State s = state;
  for (std::size_t i = 0; i < 64; ++i) {
    const std::uint32_t sum1 = std::rotr(s[4], 6) ^ std::rotr(s[4], 11) ^ std::rotr(s[4], 25);
    const std::uint32_t choice = (s[4] & s[5]) ^ (~s[4] & s[6]);
    const std::uint32_t t1 = s[7] + sum1 + choice + constants[i] + w[i];
    const std::uint32_t sum0 = std::rotr(s[0], 2) ^ std::rotr(s[0], 13) ^ std::rotr(s[0], 22);
    const std::uint32_t majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
    // Each letter takes the one before it; the first is set below.
    for (std::size_t letter = s.size() - 1; letter > 0; --letter) s[letter] = s[letter - 1];
    s[4] += t1;
    s[0] = t1 + sum0 + majority;
  }
  for (std::size_t i = 0; i < state.size(); ++i) state[i] += s[i];
}

}  // namespace

std::string sha256(std::string_view bytes) {
  State state{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
              0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  const std::uint64_t bits = static_cast<std::uint64_t>(bytes.size()) * 8;
  std::size_t done = 0;
  for (; bytes.size() - done >= block_bytes; done += block_bytes)
    add_block(state, bytes.substr(done, block_bytes));
  std::string tail(bytes.substr(done));
  tail += static_cast<char>(0x80);
  while (tail.size() % block_bytes != block_bytes - 8) tail += '\0';
  for (unsigned shift = 64; shift > 0; shift -= 8)
    tail += static_cast<char>((bits >> (shift - 8)) & 0xffU);
  for (std::size_t i = 0; i < tail.size(); i += block_bytes)
    add_block(state, std::string_view(tail).substr(i, block_bytes));
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (const std::uint32_t word : state)
    for (unsigned shift = 32; shift > 0; shift -= 4) text += digits[(word >> (shift - 4)) & 0xfU];
  return text;
}

}  // namespace gpuready::base
