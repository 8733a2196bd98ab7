#include "heed/text/bpe_merges_internal.h"

#include <algorithm>

#include "tests/text/samples.h"

namespace heed {
namespace {

// The rule itself: the lowest rank first, at its leftmost place.
std::vector<int32_t> plain_apply(const std::vector<BpeMerge>& merges, std::vector<int32_t> word) {
  for (bool found = true; found;) {
    found = false;
    for (const BpeMerge& merge : merges) {
      for (size_t i = 0; i + 1 < word.size() && !found; ++i) {
        if (word[i] != merge.left || word[i + 1] != merge.right) continue;
        word[i] = merge.id;
        word.erase(word.begin() + static_cast<std::ptrdiff_t>(i) + 1);
        found = true;
      }
      if (found) break;
    }
  }
  return word;
}

TEST(BpeMerges, ShortAndLongWordsFollowTheRule) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    std::vector<BpeMerge> merges;
    int32_t tokens = 3;
    for (int i = 0; i < 12; ++i) {
      const auto any = [&] { return static_cast<int32_t>(random() % static_cast<size_t>(tokens)); };
      const BpeMerge merge{any(), any(), tokens};
      const auto same = [&](const BpeMerge& m) {
        return m.left == merge.left && m.right == merge.right;
      };
      if (std::any_of(merges.begin(), merges.end(), same)) continue;
      merges.push_back(merge);
      ++tokens;
    }
    std::shuffle(merges.begin(), merges.end(), random);  // files need not be in a natural order
    const BpeMerges applied(merges);
    for (const size_t length : {0, 1, 2, 3, 7, 47, 48, 49, 50, 130}) {
      std::vector<int32_t> word(length);
      for (int32_t& token : word) token = static_cast<int32_t>(random() % 3);
      const std::vector<int32_t> expected = plain_apply(merges, word);
      applied.apply(word);
      ASSERT_EQ(word, expected);
    }
  }
}

TEST(BpeMerges, NoMerges) {
  std::vector<int32_t> word{1, 2, 3};
  BpeMerges({}).apply(word);
  EXPECT_EQ(word, (std::vector<int32_t>{1, 2, 3}));
}

}  // namespace
}  // namespace heed
