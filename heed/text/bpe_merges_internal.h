// The merges of a byte-pair encoding, and how they apply to one word.
//
// A merge (left, right) -> id has a rank; the lowest rank is applied first, at its leftmost place.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace heed {

struct BpeMerge {
  int32_t left = 0;
  int32_t right = 0;
  int32_t id = 0;
};

class BpeMerges {
 public:
  // In the order of their ranks. Of two with the same parts, the first counts.
  explicit BpeMerges(std::vector<BpeMerge> merges);

  const std::vector<BpeMerge>& list() const { return merges_; }

  // Replaces the tokens of a word by what the merges make of them. Time grows with n log n.
  void apply(std::vector<int32_t>& word) const;

 private:
  static constexpr int32_t kNone = INT32_MAX;

  // The rank of the merge of two tokens, or kNone.
  int32_t rank(int32_t left, int32_t right) const;
  void apply_to_short(std::vector<int32_t>& word) const;
  void apply_to_long(std::vector<int32_t>& word) const;

  struct Slot {
    uint64_t key = 0;
    int32_t rank = kNone;
  };
  std::vector<BpeMerge> merges_;
  std::vector<Slot> slots_;  // open addressing; the number of slots is a power of two
};

}  // namespace heed
