#include "heed/kernels/sum_rows.h"

#include "tests/ops/gradient_check.h"

namespace heed::kernels {
namespace {

// Straight sums in double.
std::vector<double> reference(const Tensor& x) {
  const Tensor wide = x.to(DType::f64).contiguous();
  const int64_t C = wide.dim(1);
  std::vector<double> sums(static_cast<size_t>(C));
  for (int64_t i = 0; i < wide.size(); ++i) sums[i % C] += wide.data<double>()[i];
  return sums;
}

template <typename T>
void check_shape(int64_t N, int64_t C) {
  const Tensor x = random_tensor({N, C + 3}, 5, dtype_of<T>()).slice(1, 1, C + 1);
  Tensor y = Tensor::full({C}, 2, dtype_of<T>());
  sum_rows(x.data<T>(), x.stride(0), N, C, y.data<T>());
  Tensor added = Tensor::full({C}, 2, dtype_of<T>());
  sum_rows(x.data<T>(), x.stride(0), N, C, added.data<T>(), true);
  const std::vector<double> expected = reference(x);
  for (int64_t c = 0; c < C; ++c) {
    const double want = expected[c];
    const double tolerance = (sizeof(T) == 4 ? 1e-6 : 1e-14) * (static_cast<double>(N) + 2);
    ASSERT_NEAR(y.data<T>()[c], want, tolerance) << N << " x " << C << " column " << c;
    ASSERT_NEAR(added.data<T>()[c], want + 2, tolerance) << N << " x " << C << " column " << c;
  }
}

TEST(SumRows, AgreesWithDouble) {
  for (int64_t N : {0, 1, 3, 64, 65, 200, 1024, 1025, 5000}) {
    for (int64_t C : {1, 2, 17, 64, 300}) {
      check_shape<float>(N, C);
      check_shape<double>(N, C);
    }
  }
}

TEST(SumRows, SameBitsForAnyThreads) {
  const Tensor x = random_tensor({3001, 515}, 6, DType::f32);
  Tensor one = Tensor::zeros({515}), many = Tensor::zeros({515});
  {
    const ThreadScope scope(1);
    sum_rows(x.data<float>(), 515, 3001, 515, one.data<float>());
  }
  for (int count : {2, 3, 8, 16}) {
    const ThreadScope scope(count);
    sum_rows(x.data<float>(), 515, 3001, 515, many.data<float>());
    expect_same_bits(many, one, "sum");
  }
}

TEST(SumRows, AColumnDoesNotDependOnTheOthers) {
  const Tensor x = random_tensor({700, 40}, 7, DType::f32);
  Tensor all = Tensor::zeros({40}), some = Tensor::zeros({5});
  sum_rows(x.data<float>(), 40, 700, 40, all.data<float>());
  sum_rows(x.data<float>() + 13, 40, 700, 5, some.data<float>());
  expect_same_bits(some, all.slice(0, 13, 18), "columns");
}

}  // namespace
}  // namespace heed::kernels
