#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/train/labels_internal.h"

namespace heed::labels_test {
namespace {

using Labels = std::vector<std::string>;

std::string complaint(const std::map<std::string, int64_t>& found, const Labels& known) {
  try {
    require_known_label("some.tsv", found, known);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(LabelIndex, IsThePlaceInTheList) {
  const Labels labels{"b", "a", "b"};
  const LabelIndex index(labels);
  EXPECT_EQ(index.find("b"), 0);
  EXPECT_EQ(index.find("a"), 1);
  EXPECT_EQ(index.find("c"), -1);
  EXPECT_EQ(LabelIndex(Labels{}).find("a"), -1);
}

TEST(RequireKnownLabel, NamesAFewOfEach) {
  EXPECT_EQ(complaint({{"x", 1}, {"dog", 3}}, {"cat", "dog"}), "no error");
  const std::string text = complaint({{"0", 2}, {"1", 1}}, {"a", "b", "c", "d", "e", "f"});
  EXPECT_THAT(text, testing::StartsWith("some.tsv: "));
  EXPECT_THAT(text, testing::HasSubstr("its labels are 0, 1, but training knows a, b, c, d, e, "
                                       "...; `valid` needs"));
  // A text that was taken for a label is not told to its end.
  EXPECT_THAT(complaint({{std::string(500, 'x'), 1}}, {"a", "b"}),
              testing::HasSubstr(" " + std::string(30, 'x') + "..., but"));
}

}  // namespace
}  // namespace heed::labels_test
