// The certified search: cells in order of their bound, until what is left cannot matter.

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "heed/attention/score_width.h"
#include "heed/base/fail.h"
#include "heed/base/parallel.h"
#include "heed/database/database_internal.h"
#include "heed/kernels/gemm.h"

namespace heed {
namespace {

// A float32 dot product of n numbers is off by at most about n 2^-24 |a| |b|.
constexpr double kUnit = 1.0 / (1 << 23);

// What the scores have in common: q.k scaled, or a distance in widths.
struct Metric {
  bool is_gaussian = false;
  double scale = 1;            // of a dot product
  std::vector<float> inverse;  // 1 / width per coordinate, Gaussian
  double smallest_width = 1;
};

Metric metric_of(const DatabaseQuery& options, int64_t D) {
  Metric metric;
  if (std::holds_alternative<Dot>(options.score)) return metric;
  if (const auto* scaled = std::get_if<ScaledDot>(&options.score)) {
    metric.scale = scaled->scale.value_or(1 / std::sqrt(static_cast<double>(D)));
    return metric;
  }
  check(
      std::holds_alternative<Gaussian>(options.score) && options.normalizer == Normalizer::softmax,
      "database: max_error needs the score dot, scaled dot or Gaussian, and softmax");
  metric.is_gaussian = true;
  metric.inverse.assign(static_cast<size_t>(D), 1);
  const Variable width = width_of(options.score);
  if (!width.value().defined()) return metric;
  const Tensor w = width.value().to(DType::f64).contiguous();
  check(w.size() == 1 || w.size() == D, "database: a width must be [1] or [{}], got {}", D, w);
  metric.smallest_width = std::numeric_limits<double>::infinity();
  for (int64_t i = 0; i < D; ++i) {
    const double one = std::as_const(w).data<double>()[w.size() == 1 ? 0 : i];
    check(one > 0, "database: a width must be positive, got {}", one);
    metric.inverse[i] = static_cast<float>(1 / one);
    metric.smallest_width = std::min(metric.smallest_width, one);
  }
  return metric;
}

// Sixteen sums side by side, which the compiler turns into vectors; their order is fixed.
constexpr int64_t kLanes = 16;

template <typename Term>
float sum_of(int64_t n, const Term& term) {
  float sums[kLanes] = {};
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (int64_t lane = 0; lane < kLanes; ++lane) sums[lane] += term(i + lane);
  }
  for (int64_t lane = 0; i < n; ++i, ++lane) sums[lane] += term(i);
  for (int64_t half = kLanes / 2; half > 0; half /= 2) {
    for (int64_t lane = 0; lane < half; ++lane) sums[lane] += sums[lane + half];
  }
  return sums[0];
}

float score_of(const Metric& metric, const float* q, const float* k, int64_t D) {
  if (!metric.is_gaussian) {
    return static_cast<float>(metric.scale) * sum_of(D, [&](int64_t i) { return q[i] * k[i]; });
  }
  const float* inverse = metric.inverse.data();
  return -sum_of(D, [&](int64_t i) {
    const float u = (q[i] - k[i]) * inverse[i];
    return u * u;
  }) / 2;
}

struct Cell {
  const Database::Part* part;
  int64_t begin, end;
  double bound;   // of the scores
  double spread;  // of the values around the common origin
};

// Everything that one query has read so far, relative to exp(reference).
struct Sums {
  double total = 0;
  std::vector<double> values;  // sum of weights times (v - origin)
  double reference = 0;
};

class Search {
 public:
  Search(std::span<const std::shared_ptr<const Database::Part>> parts, const DatabaseQuery& options)
      : parts_(parts),
        D_(parts[0]->keys.dim(1)),
        Dv_(parts[0]->values.dim(1)),
        metric_(metric_of(options, D_)),
        max_error_(options.max_error),
        origin_(parts[0]->origin) {}

  // Returns the certified error; `y` receives Dv numbers, `read` the keys that were read.
  double answer(const float* q, float* y, int64_t& read) const {
    std::vector<Cell> cells = bounded_cells(q);
    std::stable_sort(cells.begin(), cells.end(),
                     [](const Cell& a, const Cell& b) { return a.bound > b.bound; });
    Sums sums;
    sums.values.assign(static_cast<size_t>(Dv_), 0);
    sums.reference = cells.front().bound;
    // What the cells from i on can weigh, and how far their values lie, from the end.
    const size_t n = cells.size();
    std::vector<double> weight(n + 1, 0);
    std::vector<double> spread(n + 1, 0);
    for (size_t i = n; i-- > 0;) {
      const auto count = static_cast<double>(cells[i].end - cells[i].begin);
      weight[i] = weight[i + 1] + count * std::exp(cells[i].bound - sums.reference);
      spread[i] = std::max(spread[i + 1], cells[i].spread);
    }
    double error = std::numeric_limits<double>::infinity();
    read = 0;
    for (size_t i = 0; i < n && error > max_error_; ++i) {
      add(q, cells[i], sums);
      read += cells[i].end - cells[i].begin;
      error = left_error(sums, weight[i + 1], spread[i + 1]);
    }
    if (!(sums.total > 0)) {
      // The bounds were so loose that every weight underflowed; everything has been read. Again,
      // relative to the largest score itself.
      sums.reference = -std::numeric_limits<double>::infinity();
      for (const auto& part : parts_) {
        sums.reference = std::max(sums.reference, scan_bound(q, *part));
      }
      for (const Cell& cell : cells) add(q, cell, sums);
      error = 0;
    }
    for (int64_t d = 0; d < Dv_; ++d) {
      y[d] = static_cast<float>(sums.values[d] / sums.total + origin_.data<double>()[d]);
    }
    return error;
  }

 private:
  // An upper bound of the scores of each cell; a part without cells is one of its own.
  std::vector<Cell> bounded_cells(const float* q) const {
    double norm = 0;
    for (int64_t i = 0; i < D_; ++i) norm += static_cast<double>(q[i]) * q[i];
    norm = std::sqrt(norm);
    const double slack = static_cast<double>(D_ + 8) * kUnit;
    std::vector<Cell> cells;
    for (const auto& part : parts_) {
      const double away = distance(part->origin);
      if (part->cells.count() == 0) {
        cells.push_back({part.get(), 0, part->size(), std::numeric_limits<double>::infinity(), 0});
        continue;
      }
      const DatabaseCells& table = part->cells;
      for (int64_t c = 0; c < table.count(); ++c) {
        const auto at = static_cast<size_t>(c);
        if (table.begins[at] == table.begins[at + 1]) continue;
        const float* center = table.centers.data<float>() + c * D_;
        const double score = score_of(metric_, q, center, D_);
        double bound = 0;
        if (metric_.is_gaussian) {
          const double u = std::sqrt(std::max(0.0, -2 * score)) * (1 - slack) -
                           table.radius[at] / metric_.smallest_width;
          bound = u > 0 ? -u * u / 2 : 0;
        } else {
          // |c| <= max |k|; its rounding counts like that of a key.
          double center_norm = 0;
          for (int64_t i = 0; i < D_; ++i)
            center_norm += static_cast<double>(center[i]) * center[i];
          const double size = std::abs(metric_.scale) * norm;
          bound = score + size * (table.radius[at] + slack * std::sqrt(center_norm));
        }
        cells.push_back(
            {part.get(), table.begins[at], table.begins[at + 1], bound, table.spread[at] + away});
      }
    }
    // Parts without cells are read first and set no reference.
    double highest = -std::numeric_limits<double>::infinity();
    for (const Cell& cell : cells) {
      if (std::isfinite(cell.bound)) highest = std::max(highest, cell.bound);
    }
    for (Cell& cell : cells) {
      if (!std::isfinite(cell.bound)) cell.bound = std::max(highest, scan_bound(q, *cell.part));
    }
    return cells;
  }

  // The largest score of a part that has no cells.
  double scan_bound(const float* q, const Database::Part& part) const {
    float best = -std::numeric_limits<float>::infinity();
    const float* keys = part.keys.data<float>();
    for (int64_t i = 0; i < part.size(); ++i) {
      best = std::max(best, score_of(metric_, q, keys + i * D_, D_));
    }
    return best;
  }

  double distance(const Tensor& origin) const {
    double sum = 0;
    for (int64_t d = 0; d < Dv_; ++d) {
      sum += std::pow(origin.data<double>()[d] - origin_.data<double>()[d], 2);
    }
    return std::sqrt(sum);
  }

  void add(const float* q, const Cell& cell, Sums& sums) const {
    const float* keys = cell.part->keys.data<float>();
    const float* values = cell.part->values.data<float>();
    const double* origin = origin_.data<double>();
    for (int64_t i = cell.begin; i < cell.end; ++i) {
      const double w = std::exp(score_of(metric_, q, keys + i * D_, D_) - sums.reference);
      if (w == 0) continue;
      sums.total += w;
      const float* value = values + i * Dv_;
      for (int64_t d = 0; d < Dv_; ++d) {
        sums.values[d] += w * (value[d] - origin[d]);
      }
    }
  }

  static double left_error(const Sums& sums, double left, double spread) {
    if (left == 0) return 0;
    if (!(sums.total > 0)) return std::numeric_limits<double>::infinity();
    double norm = 0;
    for (const double x : sums.values) norm += x * x;
    norm = std::sqrt(norm) / sums.total;
    return left / (sums.total + left) * (spread + norm);
  }

  std::span<const std::shared_ptr<const Database::Part>> parts_;
  int64_t D_, Dv_;
  Metric metric_;
  double max_error_;
  Tensor origin_;
};

}  // namespace

DatabaseAnswer approximate_query(std::span<const std::shared_ptr<const Database::Part>> parts,
                                 const Tensor& queries, const DatabaseQuery& options) {
  check(options.normalizer == Normalizer::softmax,
        "database: max_error needs the score dot, scaled dot or Gaussian, and softmax");
  const Tensor q = queries.to(DType::f32).contiguous();
  const Search search(parts, options);
  const int64_t N = q.dim(0);
  const int64_t Dv = parts[0]->values.dim(1);
  DatabaseAnswer answer;
  answer.value = Tensor::empty({N, Dv});
  answer.error = Tensor::empty({N}, DType::f64);
  std::vector<int64_t> read(static_cast<size_t>(N), 0);
  float* y = answer.value.data<float>();
  double* error = answer.error.data<double>();
  parallel_for(N, 1e6 * static_cast<double>(N), [&](int64_t i) {
    error[i] = search.answer(std::as_const(q).data<float>() + i * q.dim(1), y + i * Dv, read[i]);
  });
  answer.keys_read = std::accumulate(read.begin(), read.end(), int64_t{0});
  return answer;
}

}  // namespace heed
