// Random numbers as a function: no generator state, so a draw depends only on what it is for.
//
//   key  = random_key({seed, step, site, sequence, position})     one row
//   bits = random_bits(key, column)                                one element of it
//
// The same (seed, step, site, sequence id, position, column) gives the same number whatever the
// threads, the batch or the order of evaluation.
#pragma once

#include <cmath>
#include <cstdint>

namespace heed {

struct RandomSite {
  uint64_t seed = 0;
  uint64_t step = 0;      // training step
  uint64_t site = 0;      // which layer or operation draws
  uint64_t sequence = 0;  // Rows::id of the sequence
  uint64_t position = 0;  // position of the row in its sequence
};

struct RandomKey {
  uint32_t low, high;
};

// A bijective mix of 64 bits (the finalizer of SplitMix64, Steele, Lea & Flood 2014).
constexpr uint64_t mix_bits(uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

constexpr RandomKey random_key(const RandomSite& at) {
  uint64_t h = mix_bits(at.seed);
  h = mix_bits(h ^ at.step);
  h = mix_bits(h ^ at.site);
  h = mix_bits(h ^ at.sequence);
  h = mix_bits(h ^ at.position);
  return {static_cast<uint32_t>(h), static_cast<uint32_t>(h >> 32)};
}

// 32 uniform bits. Three multiply-xorshift rounds on 32-bit lanes, so that the fast path is one
// SIMD loop over columns; the constants are Chris Wellons' three-round hash (triple32, 2018).
constexpr uint32_t random_bits(RandomKey key, uint32_t column) {
  uint32_t x = column ^ key.low;
  x ^= x >> 17;
  x *= 0xed5ad4bbu;
  x += key.high;
  x ^= x >> 11;
  x *= 0xac4c1b51u;
  x ^= x >> 15;
  x *= 0x31848babu;
  return x ^ (x >> 14);
}

// Uniform in [0, 1): the upper 24 bits.
constexpr float random_uniform(RandomKey key, uint32_t column) {
  return static_cast<float>(random_bits(key, column) >> 8) * 0x1p-24f;
}

// Normal with mean 0 and variance 1 (Box and Muller 1958). Takes the bits of two columns, so
// columns count by their own numbers here, independent of random_uniform's.
inline double random_normal(RandomKey key, uint32_t column) {
  const double u = (random_bits(key, 2 * column) + 0.5) * 0x1p-32;  // in (0, 1): log is finite
  const double angle = 6.283185307179586 * (random_bits(key, 2 * column + 1) * 0x1p-32);
  return std::sqrt(-2 * std::log(u)) * std::cos(angle);
}

}  // namespace heed
