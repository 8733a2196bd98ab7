// Checks of an operation, given as a function of variables:
//
//   check_gradients([](const Inputs& in) { return multiply(in[0], in[1]); },
//                   {random_tensor({3, 5}, 1), random_tensor({3, 5}, 2)});
//
// The output is reduced to sum_i w_i y_i with fixed random weights w, so every element of the
// backward is tested. Use sizes that differ and are at least 2.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "heed/autograd/variable.h"
#include "heed/base/parallel.h"
#include "heed/base/random.h"
#include "heed/kernels/stream.h"

namespace heed {

using Inputs = std::vector<Variable>;
using Operation = std::function<Variable(const Inputs&)>;

// Numbers in [low, high), a function of the seed. Large tensors repeat them: drawing millions takes
// long without optimization, and after a prime number of them no two rows are the same.
inline Tensor random_tensor(const Shape& shape, uint64_t seed, DType type = DType::f64,
                            double low = -1, double high = 1) {
  Tensor result = Tensor::empty(shape, DType::f64);
  double* out = result.data<double>();
  const int64_t drawn = std::min<int64_t>(result.size(), (1 << 19) - 1);
  for (int64_t i = 0; i < drawn; ++i) {
    const RandomKey key = random_key({.seed = seed, .position = static_cast<uint64_t>(i)});
    out[i] = low + (high - low) * random_bits(key, 0) * 0x1p-32;
  }
  for (int64_t i = drawn; i < result.size(); i += drawn) {
    std::copy_n(out, std::min(drawn, result.size() - i), out + i);
  }
  return result.to(type);
}

// A B by plain loops, for float64 matrices of any strides between rows.
inline Tensor plain_product(const Tensor& a, const Tensor& b) {
  Tensor y = Tensor::zeros({a.dim(0), b.dim(1)}, DType::f64);
  for (int64_t i = 0; i < a.dim(0); ++i) {
    for (int64_t j = 0; j < b.dim(1); ++j) {
      for (int64_t k = 0; k < a.dim(1); ++k) {
        y.data<double>()[i * b.dim(1) + j] +=
            a.data<double>()[i * a.stride(0) + k] * b.data<double>()[k * b.stride(0) + j];
      }
    }
  }
  return y;
}

inline Tensor plain_transpose(const Tensor& a) {
  Tensor y = Tensor::empty({a.dim(1), a.dim(0)}, DType::f64);
  for (int64_t i = 0; i < a.dim(0); ++i) {
    for (int64_t j = 0; j < a.dim(1); ++j) {
      y.data<double>()[j * a.dim(0) + i] = a.data<double>()[i * a.stride(0) + j];
    }
  }
  return y;
}

// A value, the gradients of all inputs, all contiguous, and the gradient of the output that they
// start from.
struct Derivatives {
  Tensor y;
  std::vector<Tensor> dx;
  Tensor dy;
};

// What differentiate() starts from if it is given no dy.
inline Tensor random_dy(const Shape& shape, DType type = DType::f64) {
  return random_tensor(shape, 77, type);
}

inline Derivatives differentiate(const Operation& f, const std::vector<Tensor>& inputs,
                                 const Tensor& dy = {}) {
  Inputs parameters;
  for (const Tensor& x : inputs) parameters.push_back(Variable::parameter(x));
  const Variable y = f(parameters);
  const Tensor w = dy.defined() ? dy : random_dy(y.shape(), y.value().dtype());
  const Variable loss =
      record(Tensor::zeros({1}, w.dtype()), {y}, [w](const Tensor&) { return std::vector{w}; });
  const Gradients gradients = backward(loss);
  Derivatives result{y.value().contiguous(), {}, w};
  for (const Variable& p : parameters) result.dx.push_back(gradients.of(p).contiguous());
  return result;
}

inline double largest(const Tensor& t) {
  const Tensor x = t.to(DType::f64).contiguous();
  double max = 0;
  for (int64_t i = 0; i < x.size(); ++i) max = std::max(max, std::abs(x.data<double>()[i]));
  return max;
}

// |a - b| <= tolerance * the largest |b|, element by element.
inline void expect_close(const Tensor& a, const Tensor& b, double tolerance, const char* what) {
  ASSERT_EQ(a.shape(), b.shape()) << what;
  const Tensor left = a.to(DType::f64).contiguous(), right = b.to(DType::f64).contiguous();
  const double scale = largest(right);
  for (int64_t i = 0; i < left.size(); ++i) {
    ASSERT_NEAR(left.data<double>()[i], right.data<double>()[i], tolerance * scale)
        << what << ", element " << i << " of " << b.text();
  }
}

inline void expect_same_bits(const Tensor& a, const Tensor& b, const char* what) {
  ASSERT_EQ(a.text(), b.text()) << what;
  const auto bytes = static_cast<size_t>(a.size()) * byte_size(a.dtype());
  const Tensor left = a.contiguous(), right = b.contiguous();
  const bool same = a.dtype() == DType::f32
                        ? std::memcmp(left.data<float>(), right.data<float>(), bytes) == 0
                        : std::memcmp(left.data<double>(), right.data<double>(), bytes) == 0;
  ASSERT_TRUE(same) << what << " differs in bits";
}

// The backward of f against central finite differences, in float64.
inline void check_gradients(const Operation& f, const std::vector<Tensor>& inputs,
                            double tolerance = 1e-7, double step = 1e-5) {
  const Derivatives analytic = differentiate(f, inputs);
  const NoGrad no_grad;
  const Tensor w = random_tensor(analytic.y.shape(), 77);
  const auto loss = [&](const std::vector<Tensor>& at) {
    const Tensor y = f(Inputs(at.begin(), at.end())).value().contiguous();
    double sum = 0;
    for (int64_t i = 0; i < y.size(); ++i) sum += w.data<double>()[i] * y.data<double>()[i];
    return sum;
  };
  for (size_t k = 0; k < inputs.size(); ++k) {
    std::vector<Tensor> moved = inputs;
    moved[k] = inputs[k].clone();
    Tensor numeric = Tensor::empty(inputs[k].shape(), DType::f64);
    for (int64_t i = 0; i < numeric.size(); ++i) {
      double& x = moved[k].data<double>()[i];
      const double x0 = x;
      x = x0 + step;
      const double above = loss(moved);
      x = x0 - step;
      const double below = loss(moved);
      x = x0;
      numeric.data<double>()[i] = (above - below) / (2 * step);
    }
    expect_close(analytic.dx[k], numeric, tolerance,
                 ("gradient of input " + std::to_string(k)).c_str());
  }
}

// float32, the fast path, against float64, the reference, on the same numbers.
inline void check_float32(const Operation& f, const std::vector<Tensor>& inputs,
                          double tolerance = 1e-5) {
  std::vector<Tensor> narrow, wide;
  for (const Tensor& x : inputs) {
    narrow.push_back(x.to(DType::f32));
    wide.push_back(narrow.back().to(DType::f64));
  }
  const Derivatives fast = differentiate(f, narrow), reference = differentiate(f, wide);
  expect_close(fast.y, reference.y, tolerance, "float32 output");
  for (size_t k = 0; k < inputs.size(); ++k) {
    expect_close(fast.dx[k], reference.dx[k], tolerance,
                 ("float32 gradient of input " + std::to_string(k)).c_str());
  }
}

// The same bits, forward and backward, whatever the number of threads. Give it enough work (some
// hundred thousand elements) to be spread over threads at all. Returns what one thread computes.
inline Derivatives check_threads(const Operation& f, const std::vector<Tensor>& inputs) {
  const auto run = [&](int count, const Tensor& dy) {
    const ThreadScope scope(count);
    return differentiate(f, inputs, dy);
  };
  const Derivatives one = run(1, {});
  for (int count : {2, 3, 8, 16}) {
    const Derivatives many = run(count, one.dy);
    const std::string label = " with " + std::to_string(count) + " threads";
    expect_same_bits(many.y, one.y, ("output" + label).c_str());
    for (size_t k = 0; k < inputs.size(); ++k) {
      expect_same_bits(many.dx[k], one.dx[k],
                       ("gradient of input " + std::to_string(k) + label).c_str());
    }
  }
  return one;
}

// The rows [begin, end) of the inputs, put through f alone, have the bits that they have in `all`,
// forward and backward. What has another length than the first input, like a gain, weights or a
// loss, belongs to no row: it is given whole, and not compared.
inline void check_rows_alone(const Operation& f, const std::vector<Tensor>& inputs,
                             const Derivatives& all, int64_t begin, int64_t end) {
  SCOPED_TRACE("rows " + std::to_string(begin) + " to " + std::to_string(end) + " alone");
  const int64_t N = inputs[0].dim(0);
  const auto has_rows = [&](const Tensor& t) { return t.dim(0) == N; };
  const auto part = [&](const Tensor& t) { return has_rows(t) ? t.slice(0, begin, end) : t; };
  std::vector<Tensor> parts;
  for (const Tensor& x : inputs) parts.push_back(part(x));
  const Derivatives alone = differentiate(f, parts, part(all.dy));
  if (has_rows(all.y)) expect_same_bits(alone.y, part(all.y), "output");
  for (size_t k = 0; k < inputs.size(); ++k) {
    if (!has_rows(inputs[k])) continue;
    expect_same_bits(alone.dx[k], part(all.dx[k]),
                     ("gradient of input " + std::to_string(k)).c_str());
  }
}

// So many rows of 1024 floats and more bypass the caches when they are stored. No multiple of what
// a task takes.
inline constexpr int64_t kLargeRows = 2051;
static_assert(kLargeRows * 1024 * 4 >= kernels::kStreamBytes);

// An operation on kLargeRows rows: the same bits for any number of threads, and as some of the rows
// have alone, which are too few to bypass the caches.
inline void check_large(const Operation& f, const std::vector<Tensor>& inputs) {
  const Derivatives all = check_threads(f, inputs);
  for (const int64_t begin : {int64_t{0}, kLargeRows / 2, kLargeRows - 8}) {
    check_rows_alone(f, inputs, all, begin, begin + 8);
  }
}

}  // namespace heed
