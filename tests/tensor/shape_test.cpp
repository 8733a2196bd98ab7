#include "heed/tensor/shape.h"

#include <gtest/gtest.h>

#include <vector>

#include "heed/base/error.h"

namespace heed {
namespace {

TEST(Shape, SizesAndText) {
  const Shape shape{2, 3, 4};
  EXPECT_EQ(shape.rank(), 3);
  EXPECT_EQ(shape.size(), 24);
  EXPECT_EQ(shape[1], 3);
  EXPECT_EQ(shape.text(), "[2, 3, 4]");
  EXPECT_EQ(Shape{}.size(), 1);
  EXPECT_EQ(Shape{}.text(), "[]");
  EXPECT_EQ((Shape{5, 0}).size(), 0);
}

TEST(Shape, Equality) {
  EXPECT_EQ((Shape{2, 3}), (Shape{2, 3}));
  EXPECT_NE((Shape{2, 3}), (Shape{3, 2}));
  EXPECT_NE((Shape{2, 3}), (Shape{2, 3, 1}));
  EXPECT_NE(Shape{}, Shape{1});
}

TEST(Shape, BadSizes) {
  EXPECT_THROW((Shape{2, -1}), Error);
  EXPECT_THROW(Shape(std::vector<int64_t>(7, 1)), Error);
  const int64_t huge = int64_t{1} << 40;
  EXPECT_THROW((Shape{huge, huge}), Error);
  EXPECT_THROW((Shape{huge, 0, huge}), Error);  // no elements, but no sensible axes either
}

}  // namespace
}  // namespace heed
