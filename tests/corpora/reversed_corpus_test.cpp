#include "heed/corpora/reversed_corpus.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "heed/base/error.h"

namespace heed {
namespace {

TEST(ReversedCorpus, IsAFunctionOfPartSeedAndIndex) {
  EXPECT_EQ(reversed_pair(CorpusPart::train, 5, 17), reversed_pair(CorpusPart::train, 5, 17));
  EXPECT_NE(reversed_pair(CorpusPart::train, 5, 17), reversed_pair(CorpusPart::train, 5, 18));
  EXPECT_NE(reversed_pair(CorpusPart::train, 5, 17), reversed_pair(CorpusPart::train, 6, 17));
}

TEST(ReversedCorpus, TheTargetIsTheSourceBackwards) {
  std::set<size_t> lengths;
  std::set<std::string> train;
  for (int64_t i = 0; i < 5000; ++i) {
    const TextPair pair = reversed_pair(CorpusPart::train, 1, i, 7);
    EXPECT_EQ(std::string(pair.source.rbegin(), pair.source.rend()), pair.target);
    lengths.insert((pair.source.size() + 1) / 2);
    train.insert(pair.source);
  }
  EXPECT_EQ(lengths, (std::set<size_t>{1, 2, 3, 4, 5, 6, 7}));
  for (int64_t i = 0; i < 5000; ++i) {
    const TextPair pair = reversed_pair(CorpusPart::test, 1, i, 7);
    if (pair.source.size() < 7) continue;  // fewer than four letters
    EXPECT_FALSE(train.contains(pair.source)) << pair.source;
  }
}

TEST(ReversedCorpus, BadLengths) {
  EXPECT_THROW(reversed_pair(CorpusPart::train, 1, 1, 0), Error);
  EXPECT_THROW(reversed_pair(CorpusPart::train, 1, 1, 10001), Error);
}

}  // namespace
}  // namespace heed
