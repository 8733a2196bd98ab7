#include "heed/metrics/exact_match.h"

#include <gtest/gtest.h>

#include <vector>

#include "heed/base/error.h"

namespace heed {
namespace {

using Texts = std::vector<std::string>;
using Ids = std::vector<int32_t>;

TEST(ExactMatch, Texts) {
  const Proportion share =
      exact_match(Texts{"a b ", "\u2003c", "D", "e  f"}, Texts{"a b", "c\n", "d", "e f"});
  EXPECT_EQ(share.correct, 2);
  EXPECT_EQ(share.total, 4);
  EXPECT_THROW(exact_match(Texts{"a"}, Texts{}), Error);
}

TEST(ExactMatch, Tokens) {
  const Proportion share = token_accuracy(Ids{1, 2, 3, 4}, Ids{1, -1, 3, 5});
  EXPECT_EQ(share.correct, 2);
  EXPECT_EQ(share.total, 3);
  EXPECT_EQ(token_accuracy(Ids{1, 2}, Ids{1, 2}, 2).total, 1);
  EXPECT_THROW(token_accuracy(Ids{1}, Ids{}), Error);
}

}  // namespace
}  // namespace heed
