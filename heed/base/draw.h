// Numbers drawn one after the other for one thing: an epoch, a sentence of a generated corpus.
//
//   Draw draw{seed, kSite, index};
//   const uint64_t day = draw.below(31);
//
// The k-th draw is a function of (numbers of the thing, k) alone, the same with every library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <span>
#include <utility>

#include "heed/base/random.h"

namespace heed {

// A hash of a few numbers.
constexpr uint64_t hash_numbers(std::initializer_list<uint64_t> numbers) {
  uint64_t h = 0;
  for (const uint64_t number : numbers) h = mix_bits(h ^ number);
  return h;
}

class Draw {
 public:
  Draw(std::initializer_list<uint64_t> thing) : state_(hash_numbers(thing)) {}

  uint64_t bits() {
    state_ += 0x9e3779b97f4a7c15u;
    return mix_bits(state_);
  }

  // Uniform in 0 .. n - 1, for n from 1 to 2^32. Probabilities are right up to a factor of
  // 1 + n / 2^32.
  uint64_t below(uint64_t n) { return ((bits() >> 32) * n) >> 32; }

  bool chance(uint64_t percent) { return below(100) < percent; }

  template <typename List>
  const auto& one_of(const List& list) {
    return *(std::begin(list) + static_cast<std::ptrdiff_t>(below(std::size(list))));
  }

  // Fisher and Yates, as Durstenfeld wrote it.
  template <typename T>
  void shuffle(std::span<T> items) {
    for (uint64_t left = items.size(); left > 1; --left) {
      std::swap(items[left - 1], items[below(left)]);
    }
  }

 private:
  uint64_t state_;
};

}  // namespace heed
