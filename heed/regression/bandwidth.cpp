#include "heed/regression/bandwidth.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

#include "heed/attention/score_width.h"
#include "heed/base/fail.h"
#include "heed/base/parallel.h"
#include "heed/base/stratified_sample.h"
#include "heed/regression/column_scale.h"
#include "heed/regression/regression_normalizer_internal.h"

namespace heed {
namespace {

using Point = std::vector<double>;

struct Minimum {
  Point at;
  double value = 0;
};

// Nelder and Mead's simplex, with their coefficients 1, 2, 1/2, 1/2.
Minimum minimize(const Point& start, double step, int64_t evaluations,
                 const std::function<double(const Point&)>& f) {
  const size_t n = start.size();
  std::vector<Minimum> simplex{{start, f(start)}};
  for (size_t i = 0; i < n; ++i) {
    Point corner = start;
    corner[i] += step;
    simplex.push_back({corner, f(corner)});
  }
  int64_t used = static_cast<int64_t>(n) + 1;
  const auto better = [](const Minimum& a, const Minimum& b) { return a.value < b.value; };
  while (used < evaluations) {
    std::stable_sort(simplex.begin(), simplex.end(), better);
    double size = 0;
    for (size_t i = 0; i < n; ++i) {
      size = std::max(size, std::abs(simplex.back().at[i] - simplex.front().at[i]));
    }
    if (size < 1e-6) break;
    Point center(n, 0);
    for (size_t k = 0; k < n; ++k) {
      for (size_t i = 0; i < n; ++i) center[i] += simplex[k].at[i] / static_cast<double>(n);
    }
    Minimum& worst = simplex.back();
    const auto along = [&](double factor) {
      Point at(n);
      for (size_t i = 0; i < n; ++i) at[i] = center[i] + factor * (worst.at[i] - center[i]);
      ++used;
      return Minimum{at, f(at)};
    };
    const Minimum reflected = along(-1);
    if (reflected.value < simplex.front().value) {
      const Minimum expanded = along(-2);
      worst = better(expanded, reflected) ? expanded : reflected;
    } else if (reflected.value < simplex[n - 1].value) {
      worst = reflected;
    } else {
      const Minimum contracted = along(reflected.value < worst.value ? -0.5 : 0.5);
      if (contracted.value < std::min(reflected.value, worst.value)) {
        worst = contracted;
      } else {
        for (size_t k = 1; k <= n; ++k) {
          for (size_t i = 0; i < n; ++i) {
            simplex[k].at[i] = (simplex[k].at[i] + simplex[0].at[i]) / 2;
          }
          simplex[k].value = f(simplex[k].at);
          ++used;
        }
      }
    }
  }
  return *std::min_element(simplex.begin(), simplex.end(), better);
}

constexpr double kWidest = 6;  // that is tried, in deviations of the data

// Where wider kernels do as well, the widest of them: a plateau says nothing for narrow ones, which
// would leave rows alone. First all widths together, then one after the other.
void widen(Minimum& best, double same, const std::function<double(const Point&)>& f) {
  const size_t n = best.at.size();
  for (size_t which = 0; which <= n; ++which) {
    if (which > 0 && n == 1) return;
    for (;;) {
      Point wider = best.at;
      bool is_far = false;
      for (size_t i = 0; i < n; ++i) {
        if (which > 0 && which != i + 1) continue;
        wider[i] += 0.2;
        is_far = is_far || wider[i] > std::log(kWidest);
      }
      if (is_far || !(f(wider) <= best.value + same)) break;
      best.at = wider;
    }
  }
}

void require(const Tensor& x, const Tensor& y) {
  check(x.defined() && x.rank() == 2 && x.dim(0) >= 2,
        "bandwidth: x must be [M, D] with at least 2 rows, got {}", x);
  check(y.defined() && y.rank() == 2 && y.dim(0) == x.dim(0),
        "bandwidth: y must be [{}, C], a row for each of x, got {}", x.dim(0), y);
}

// Rows that were drawn first, then the others: query i then is key i, and the mask leaves it
// out.
struct Sampled {
  Tensor x, y;
  int64_t rows = 0;
  std::vector<int64_t> nearest = {};  // of the first rows, once they are wanted
};

// The nearest other row of each of the first ones.
std::vector<int64_t> nearest_others(const Sampled& data) {
  const Tensor x = data.x.to(DType::f64).contiguous();
  const int64_t M = x.dim(0);
  const int64_t D = x.dim(1);
  const double* all = std::as_const(x).data<double>();
  std::vector<int64_t> nearest(static_cast<size_t>(data.rows), 0);
  const auto pairs = static_cast<double>(data.rows) * static_cast<double>(M * D);
  parallel_for(data.rows, pairs, [&](int64_t i) {
    double min = std::numeric_limits<double>::infinity();
    for (int64_t j = 0; j < M; ++j) {
      if (j == i) continue;
      double apart = 0;
      for (int64_t d = 0; d < D; ++d) apart += std::pow(all[i * D + d] - all[j * D + d], 2);
      if (apart < min) {
        min = apart;
        nearest[i] = j;
      }
    }
  });
  return nearest;
}

Sampled sample(const Tensor& x, const Tensor& y, int64_t rows) {
  const int64_t M = x.dim(0);
  if (rows <= 0 || rows >= M) return {x, y, M};
  std::vector<bool> is_taken(static_cast<size_t>(M), false);
  std::vector<int64_t> order;
  for (const int64_t row : stratified_sample(M, rows, 1, 3)) {
    order.push_back(row);
    is_taken[row] = true;
  }
  for (int64_t i = 0; i < M; ++i) {
    if (!is_taken[i]) order.push_back(i);
  }
  Sampled result{Tensor::empty(x.shape(), x.dtype()), Tensor::empty(y.shape(), y.dtype()), rows};
  for (int64_t i = 0; i < M; ++i) {
    const int64_t from = order[i];
    result.x.slice(0, i, i + 1).copy_from(x.slice(0, from, from + 1));
    result.y.slice(0, i, i + 1).copy_from(y.slice(0, from, from + 1));
  }
  return result;
}

double sampled_error(Sampled& data, const Score& kernel) {
  const NoGrad no_gradients;
  const AttentionOptions options{
      .score = kernel, .mask = Mask::exclude_self(), .normalizer = regression_normalizer(kernel)};
  const AttentionResult found =
      attention_with_statistics(data.x.slice(0, 0, data.rows), data.x, data.y,
                                Rows::single(data.rows), Rows::single(data.x.dim(0)), options);
  const Tensor predicted = found.output.value().to(DType::f64).contiguous();
  const Tensor sums = found.statistics.sum.to(DType::f64).contiguous();
  const Tensor truth = data.y.to(DType::f64).contiguous();
  const int64_t C = truth.dim(1);
  double error = 0;
  for (int64_t i = 0; i < data.rows; ++i) {
    const bool is_alone = std::as_const(sums).data<double>()[i] == 0;
    if (is_alone && data.nearest.empty()) data.nearest = nearest_others(data);
    for (int64_t c = 0; c < C; ++c) {
      const double f = is_alone ? std::as_const(truth).data<double>()[data.nearest[i] * C + c]
                                : std::as_const(predicted).data<double>()[i * C + c];
      error += std::pow(f - std::as_const(truth).data<double>()[i * C + c], 2);
    }
  }
  return error / static_cast<double>(data.rows);
}

}  // namespace

double leave_one_out_error(const Tensor& x, const Tensor& y, const Score& kernel, int64_t rows) {
  require(x, y);
  Sampled data = sample(x.contiguous(), y.contiguous(), rows);
  return sampled_error(data, kernel);
}

Bandwidth choose_bandwidth(const Tensor& x, const Tensor& y, const Score& kernel,
                           const BandwidthOptions& options) {
  require(x, y);
  const int64_t M = x.dim(0);
  const int64_t D = x.dim(1);
  const ColumnScale scale = ColumnScale::of(x);
  const Tensor numbers = x.to(DType::f64).contiguous();
  for (int64_t c = 0; c < D; ++c) {
    bool is_constant = true;
    for (int64_t i = 1; i < M && is_constant; ++i) {
      is_constant = std::as_const(numbers).data<double>()[i * D + c] ==
                    std::as_const(numbers).data<double>()[c];
    }
    check(!is_constant,
          "bandwidth: coordinate {} of x is the same in every row: no width fits it; leave it out",
          c);
  }
  // Few rows are cheap enough in double.
  const DType type = M <= 1000 ? DType::f64 : DType::f32;
  Sampled data = sample(scale.scaled(x, type), ColumnScale::of(y).scaled(y, type), options.rows);
  Bandwidth result;
  result.rows = data.rows;
  const size_t free = options.shared ? 1 : static_cast<size_t>(D);
  const auto cv = [&](const Point& logarithms) {
    ++result.evaluations;
    std::vector<double> widths;
    for (int64_t c = 0; c < D; ++c) {
      // Far outside of the data nothing changes any more, and float32 would end.
      const double log = logarithms[options.shared ? 0 : static_cast<size_t>(c)];
      widths.push_back(std::exp(std::clamp(log, -12.0, 12.0)));
    }
    const double error =
        sampled_error(data, with_width(kernel, Tensor::from(widths, {D}).to(type)));
    return std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
  };
  // Errors that are equal but for rounding, in units of the variance of y.
  const double same = type == DType::f64 ? 1e-10 : 1e-6;
  Minimum best{{}, std::numeric_limits<double>::infinity()};
  for (double width = 0.02; width < kWidest; width *= 1.6) {
    const Point at(free, std::log(width));
    const double value = cv(at);
    if (best.at.empty() || value < best.value + same) {
      best = {at, std::min(value, best.value)};
    }
  }
  const Minimum found = minimize(best.at, 0.3, options.evaluations, cv);
  if (found.value < best.value - same) best = found;
  widen(best, same, cv);
  for (int64_t c = 0; c < D; ++c) {
    const double log = best.at[options.shared ? 0 : static_cast<size_t>(c)];
    result.widths.push_back(std::exp(std::clamp(log, -12.0, 12.0)) * scale.deviation[c]);
  }
  // Back in the units of y: the columns were scaled by their own deviations.
  const Tensor widths = Tensor::from(result.widths, {D});
  result.error = leave_one_out_error(x.to(DType::f64), y.to(DType::f64), with_width(kernel, widths),
                                     std::min<int64_t>(data.rows, 1000));
  return result;
}

}  // namespace heed
