#include "heed/tensor/rows.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "heed/base/error.h"

namespace heed {
namespace {

TEST(Rows, FromLengths) {
  const Rows rows = Rows::from_lengths({5, 0, 3});
  EXPECT_EQ(rows.count(), 3);
  EXPECT_EQ(rows.total(), 8);
  EXPECT_EQ(rows.begin(2), 5);
  EXPECT_EQ(rows.end(2), 8);
  EXPECT_EQ(rows.length(1), 0);
  EXPECT_EQ(rows.id(2), 2u);
  EXPECT_EQ(rows.max_length(), 5);
}

TEST(Rows, Ids) {
  const Rows rows = Rows::from_lengths(std::vector<int64_t>{1, 2}, std::vector<uint64_t>{40, 41});
  EXPECT_EQ(rows.id(0), 40u);
  EXPECT_EQ(rows.id(1), 41u);
  EXPECT_EQ(Rows::single(4, 9).id(0), 9u);
  EXPECT_EQ(Rows::single(4).total(), 4);
}

TEST(Rows, Empty) {
  EXPECT_EQ(Rows().count(), 0);
  EXPECT_EQ(Rows().total(), 0);
  EXPECT_EQ(Rows().max_length(), 0);
  EXPECT_EQ(Rows::from_lengths({}).count(), 0);
}

TEST(Rows, BadInput) {
  EXPECT_THROW(Rows::from_lengths({3, -1}), Error);
  EXPECT_THROW(Rows::from_lengths(std::vector<int64_t>{1, 2}, std::vector<uint64_t>{1}), Error);
  const int64_t huge = int64_t{1} << 62;
  EXPECT_THROW(Rows::from_lengths({huge, huge}), Error);
}

TEST(Rows, RequireTotalNamesTheCaller) {
  const Rows rows = Rows::from_lengths({2, 3});
  EXPECT_NO_THROW(rows.require_total(5, "softmax"));
  try {
    rows.require_total(6, "dropout");
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("dropout"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("6"), std::string::npos);
  }
}

}  // namespace
}  // namespace heed
