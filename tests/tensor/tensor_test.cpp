#include "heed/tensor/tensor.h"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "heed/base/error.h"
#include "heed/base/parallel.h"

namespace heed {
namespace {

Tensor counted(const Shape& shape) {
  Tensor x = Tensor::empty(shape);
  for (int64_t i = 0; i < x.size(); ++i) x.data<float>()[i] = static_cast<float>(i);
  return x;
}

std::vector<float> values(const Tensor& x) {
  const Tensor flat = x.contiguous();
  return {flat.data<float>(), flat.data<float>() + flat.size()};
}

using Floats = std::vector<float>;

TEST(Tensor, Undefined) {
  const Tensor x;
  EXPECT_FALSE(x.defined());
  EXPECT_EQ(x.size(), 0);
  EXPECT_EQ(x.text(), "undefined");
  EXPECT_THROW(x.data<float>(), Error);
  EXPECT_FALSE(x.clone().defined());
  EXPECT_THROW(x.to(DType::f64), Error);
}

TEST(Tensor, HandlesShareTheirNumbers) {
  Tensor a = Tensor::zeros({2});
  Tensor b = a, c = a.clone();
  a.data<float>()[0] = 5;
  EXPECT_EQ(b.data<float>()[0], 5);
  EXPECT_EQ(c.data<float>()[0], 0);
}

TEST(Tensor, OwnsStorage) {
  Tensor a = Tensor::zeros({2, 3});
  EXPECT_TRUE(a.owns_storage());
  {
    const Tensor view = a.slice(0, 1, 2);
    EXPECT_FALSE(a.owns_storage());
    EXPECT_FALSE(view.owns_storage());
  }
  EXPECT_TRUE(a.owns_storage());
  EXPECT_FALSE(Tensor().owns_storage());
}

TEST(Tensor, MakeAndRead) {
  const Tensor x = Tensor::from<int32_t>(std::vector<int32_t>{1, 2, 3, 4, 5, 6}, {2, 3});
  EXPECT_EQ(x.text(), "int32 [2, 3]");
  EXPECT_EQ(x.dim(-1), 3);
  EXPECT_EQ(x.stride(0), 3);
  EXPECT_EQ(Tensor::full({1, 1}, 2.5).item(), 2.5);
  EXPECT_EQ(Tensor::full(Shape{}, 7, DType::i64).item(), 7);
  EXPECT_THROW(x.item(), Error);
  EXPECT_THROW(x.data<float>(), Error);
  EXPECT_THROW(x.dim(2), Error);
  EXPECT_THROW(x.dim(-3), Error);
  EXPECT_THROW(Tensor::from<float>(std::vector<float>{1, 2}, {3}), Error);
}

TEST(Tensor, Slices) {
  const Tensor x = counted({4, 6});
  EXPECT_EQ(values(x.slice(0, 1, 2)), (Floats{6, 7, 8, 9, 10, 11}));
  const Tensor columns = x.slice(1, 2, 4);
  EXPECT_FALSE(columns.is_contiguous());
  EXPECT_EQ(values(columns), (Floats{2, 3, 8, 9, 14, 15, 20, 21}));
  EXPECT_EQ(values(columns.slice(0, 1, 3).slice(-1, 1, 2)), (Floats{9, 15}));
  EXPECT_EQ(x.slice(0, 2, 2).size(), 0);
  EXPECT_THROW(x.slice(0, 3, 5), Error);
  EXPECT_THROW(x.slice(0, 3, 2), Error);
  EXPECT_THROW(x.slice(0, -1, 2), Error);
  EXPECT_THROW(x.slice(2, 0, 1), Error);
}

TEST(Tensor, Select) {
  const Tensor x = counted({2, 3, 4});
  EXPECT_EQ(values(x.select(0, 1).slice(0, 0, 1)), (Floats{12, 13, 14, 15}));
  const Tensor middle = x.select(1, 2);
  EXPECT_EQ(middle.shape(), (Shape{2, 4}));
  EXPECT_EQ(values(middle), (Floats{8, 9, 10, 11, 20, 21, 22, 23}));
  EXPECT_THROW(x.select(2, 0), Error);
  EXPECT_THROW(x.select(0, 2), Error);
  EXPECT_THROW(x.select(0, -1), Error);
}

TEST(Tensor, Heads) {
  const Tensor x = counted({2, 6});
  const Tensor heads = x.split_heads(3);
  EXPECT_EQ(heads.shape(), (Shape{2, 3, 2}));
  EXPECT_EQ(values(heads.select(1, 1)), (Floats{2, 3, 8, 9}));
  EXPECT_EQ(values(heads.join_heads()), values(x));
  const Tensor some = heads.slice(1, 1, 3);  // adjacent heads are still one run
  EXPECT_EQ(values(some.join_heads()), (Floats{2, 3, 4, 5, 8, 9, 10, 11}));
  EXPECT_THROW(x.split_heads(4), Error);
  EXPECT_THROW(x.split_heads(0), Error);
  EXPECT_THROW(heads.slice(2, 0, 1).join_heads(), Error);
  EXPECT_THROW(counted({3}).join_heads(), Error);
}

TEST(Tensor, Reshape) {
  const Tensor x = counted({2, 6});
  Tensor view = x.reshape({3, 4});
  view.data<float>()[0] = 100;
  EXPECT_EQ(x.data<float>()[0], 100);
  EXPECT_EQ(values(x.slice(1, 1, 3).reshape({4})), (Floats{1, 2, 7, 8}));
  EXPECT_THROW(x.reshape({5}), Error);
}

TEST(Tensor, IsContiguous) {
  const Tensor x = counted({3, 4});
  EXPECT_TRUE(x.slice(0, 1, 3).is_contiguous());
  EXPECT_FALSE(x.slice(1, 0, 2).is_contiguous());
  EXPECT_TRUE(x.slice(1, 0, 2).slice(0, 1, 2).is_contiguous());  // a single row
  EXPECT_TRUE(x.slice(1, 0, 2).slice(0, 1, 1).is_contiguous());  // no rows
  EXPECT_TRUE(Tensor::zeros({0, 5}).is_contiguous());
}

TEST(Tensor, CopyAndFillReachOnlyTheView) {
  Tensor x = Tensor::zeros({3, 4});
  x.slice(1, 1, 3).fill(2);
  EXPECT_EQ(values(x), (Floats{0, 2, 2, 0, 0, 2, 2, 0, 0, 2, 2, 0}));
  x.slice(1, 0, 2).copy_from(counted({3, 2}));
  EXPECT_EQ(values(x), (Floats{0, 1, 2, 0, 2, 3, 2, 0, 4, 5, 2, 0}));
  EXPECT_THROW(x.copy_from(counted({4, 3})), Error);
  EXPECT_THROW(x.copy_from(Tensor::zeros({3, 4}, DType::f64)), Error);
  Tensor none = x.slice(1, 0, 2).slice(0, 0, 0);
  none.fill(9);
  none.copy_from(none.clone());
}

// Every element of a strided copy, to and from views of all ranks; the large ones are cut into
// tasks.
TEST(Tensor, StridedCopies) {
  const std::vector<Shape> shapes = {{7},          {5, 7},       {3, 5, 7},        {2, 3, 5, 7},
                                     {300'001},    {2'000, 300}, {3, 30'000, 7},   {2, 90, 40, 65},
                                     {2, 200'000}, {70'000, 1},  {5, 1, 70'000, 1}};
  for (const Shape& shape : shapes) {
    SCOPED_TRACE(shape.text());
    Shape wide = shape;
    for (int axis = 0; axis < wide.rank(); ++axis) wide[axis] += 2;
    const auto inner = [&](Tensor x) {
      for (int axis = 0; axis < x.rank(); ++axis) x = x.slice(axis, 1, 1 + shape[axis]);
      return x;
    };
    const Tensor numbers = counted(shape);
    for (const int count : {1, 3}) {
      const ThreadScope scope(count);
      const Tensor around = Tensor::full(wide, -1);
      Tensor view = inner(around);
      view.copy_from(numbers);  // to a view
      EXPECT_EQ(values(view), values(numbers));
      const Tensor other = Tensor::full(wide, -1);
      inner(other).copy_from(view);  // from a view to a view
      EXPECT_EQ(values(inner(other)), values(numbers));
      int64_t outside = 0;
      const float* all = other.data<float>();
      for (int64_t i = 0; i < other.size(); ++i) outside += all[i] == -1 ? 1 : 0;
      EXPECT_EQ(outside, other.size() - numbers.size());
      EXPECT_EQ(values(numbers.clone()), values(numbers));  // contiguous to contiguous
    }
  }
}

TEST(Tensor, CopiesWithinOneStorage) {
  Tensor x = counted({10});
  x.slice(0, 2, 10).copy_from(x.slice(0, 0, 8));
  EXPECT_EQ(values(x), Floats({0, 1, 0, 1, 2, 3, 4, 5, 6, 7}));
  // Views that overlap in a row, and from row to row.
  Tensor y = counted({2, 4});
  y.slice(1, 1, 4).copy_from(y.slice(1, 0, 3));
  EXPECT_EQ(values(y), Floats({0, 0, 1, 2, 4, 4, 5, 6}));
  Tensor z = counted({3, 3});
  z.slice(1, 0, 2).slice(0, 1, 3).copy_from(z.slice(1, 0, 2).slice(0, 0, 2));
  EXPECT_EQ(values(z), Floats({0, 1, 2, 0, 1, 5, 3, 4, 8}));
}

TEST(Tensor, Converts) {
  const Tensor x = Tensor::from<float>(std::vector<float>{-1.5f, 0, 2.75f, 300}, {2, 2});
  const Tensor columns = x.slice(1, 0, 1);
  EXPECT_EQ(columns.to(DType::f64).data<double>()[1], 2.75);
  EXPECT_EQ(x.to(DType::i32).data<int32_t>()[3], 300);
  EXPECT_EQ(x.to(DType::i64).data<int64_t>()[0], -1);
  EXPECT_EQ(x.to(DType::boolean).data<bool>()[0], true);
  EXPECT_EQ(x.to(DType::boolean).data<bool>()[1], false);
  EXPECT_EQ(x.to(DType::f16).to(DType::f32).data<float>()[2], 2.75f);
  EXPECT_EQ(x.to(DType::bf16).to(DType::f64).data<double>()[3], 300);
  EXPECT_EQ(Tensor::full({1}, 1, DType::boolean).to(DType::f32).item(), 1);
  EXPECT_EQ(Tensor::zeros({0, 3}).to(DType::f64).size(), 0);
  EXPECT_EQ(Tensor::zeros({3, 0}).to(DType::f64).size(), 0);
  Tensor same = x.to(DType::f32);  // the same handle
  EXPECT_EQ(same.data<float>(), std::as_const(x).data<float>());
}

TEST(Tensor, ConvertsWhatDoesNotFit) {
  const Tensor x = Tensor::from<float>(
      std::vector<float>{1e30f, -1e30f, NAN, INFINITY, 127.9f, -128.9f, 255.5f, -0.5f}, {8});
  const Tensor i8 = x.to(DType::i8), u8 = x.to(DType::u8), i64 = x.to(DType::i64);
  const int expected8[] = {127, -128, 0, 127, 127, -128, 127, 0};
  const int expected_u8[] = {255, 0, 0, 255, 127, 0, 255, 0};
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(i8.data<int8_t>()[i], expected8[i]) << i;
    EXPECT_EQ(u8.data<uint8_t>()[i], expected_u8[i]) << i;
  }
  EXPECT_EQ(i64.data<int64_t>()[0], INT64_MAX);
  EXPECT_EQ(i64.data<int64_t>()[1], INT64_MIN);
}

}  // namespace
}  // namespace heed
