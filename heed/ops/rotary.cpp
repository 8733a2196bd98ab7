#include "heed/ops/rotary.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "heed/base/parallel.h"
#include "heed/kernels/rotary.h"
#include "heed/ops/operand_checks.h"

namespace heed {
namespace {

// cos t and sin t of every pair at every position that occurs.
template <typename T>
struct Angles {
  int64_t pairs;                // R / 2
  std::vector<int64_t> index;   // [N]: which row of the tables
  std::vector<T> cosine, sine;  // [positions, R / 2]
};

// Positions usually repeat from sequence to sequence, so the tables cover their range once; if the
// range is wider than the rows are many, there is one entry per row. The numbers are the same.
template <typename T>
Angles<T> make_angles(std::span<const int64_t> positions, int64_t rotated,
                      const RotaryOptions& options) {
  Angles<T> angles{rotated / 2, std::vector<int64_t>(positions.size()), {}, {}};
  if (positions.empty()) return angles;
  const auto [min, max] = std::minmax_element(positions.begin(), positions.end());
  const int64_t first = *min;
  const bool by_position = *max - first < static_cast<int64_t>(positions.size());
  const int64_t entries = by_position ? *max - first + 1 : static_cast<int64_t>(positions.size());
  for (size_t n = 0; n < positions.size(); ++n) {
    angles.index[n] = by_position ? positions[n] - first : static_cast<int64_t>(n);
  }
  std::vector<double> frequency(static_cast<size_t>(angles.pairs));
  for (int64_t i = 0; i < angles.pairs; ++i) {
    const double exponent = -2.0 * static_cast<double>(i) / static_cast<double>(rotated);
    frequency[i] = std::pow(options.base, exponent);
  }
  angles.cosine.resize(static_cast<size_t>(entries * angles.pairs));
  angles.sine.resize(angles.cosine.size());
  parallel_for(entries, static_cast<double>(entries * angles.pairs) * 40, [&](int64_t entry) {
    const int64_t p = by_position ? first + entry : positions[entry];
    for (int64_t i = 0; i < angles.pairs; ++i) {
      const double t = static_cast<double>(p + options.offset) * frequency[i];
      const auto at = static_cast<size_t>(entry * angles.pairs + i);
      angles.cosine[at] = static_cast<T>(std::cos(t));
      angles.sine[at] = static_cast<T>(std::sin(t));
    }
  });
  return angles;
}

// The queries and keys of all layers of a pass are turned by the same angles, so a thread keeps
// those it used last.
template <typename T>
std::shared_ptr<const Angles<T>> last_angles(std::span<const int64_t> positions, int64_t rotated,
                                             const RotaryOptions& options) {
  struct KeptAngles {
    std::vector<int64_t> positions;
    int64_t rotated = -1, offset = 0;
    double base = 0;
    std::shared_ptr<const Angles<T>> angles;
  };
  thread_local KeptAngles kept;
  const bool is_same = kept.rotated == rotated && kept.offset == options.offset &&
                       kept.base == options.base && std::ranges::equal(kept.positions, positions);
  if (!is_same) {
    kept = {
        .positions = {positions.begin(), positions.end()},
        .rotated = rotated,
        .offset = options.offset,
        .base = options.base,
        .angles = std::make_shared<const Angles<T>>(make_angles<T>(positions, rotated, options))};
  }
  return kept.angles;
}

using kernels::Pairs;
using kernels::RotaryRow;

// (a, b) -> (a cos t - b sin t, b cos t + a sin t)
void rotate(const RotaryRow& row, const double* x, const double* cosine, const double* sine,
            double* y) {
  const bool adjacent = row.pairs == Pairs::adjacent;
  for (int64_t h = 0; h < row.H; ++h, x += row.x_stride, y += row.D) {
    for (int64_t i = 0; i < row.P; ++i) {
      const int64_t first = adjacent ? 2 * i : i;
      const int64_t second = adjacent ? 2 * i + 1 : i + row.P;
      const double a = x[first], b = x[second], s = sine[i] * static_cast<double>(row.direction);
      y[first] = a * cosine[i] - b * s;
      y[second] = b * cosine[i] + a * s;
    }
    std::copy(x + 2 * row.P, x + row.D, y + 2 * row.P);
  }
}

void rotate(const RotaryRow& row, const float* x, const float* cosine, const float* sine,
            float* y) {
  kernels::rotary_row(row, x, cosine, sine, y);
}

// The backward of a rotation is the rotation back: direction -1.
template <typename T>
Tensor rotate_all(const Tensor& x, const Angles<T>& angles, Pairs pairs, float direction) {
  const int64_t N = x.dim(0), H = x.dim(1), D = x.dim(2);
  Tensor y = Tensor::empty(x.shape(), x.dtype());
  const RotaryRow row{H, D, angles.pairs, x.stride(1), pairs, direction};
  const T* from = x.data<T>();
  T* to = y.data<T>();
  parallel_for(N, static_cast<double>(N * H * D) * 0.5, [&](int64_t n) {
    const int64_t at = angles.index[n] * angles.pairs;
    rotate(row, from + n * x.stride(0), angles.cosine.data() + at, angles.sine.data() + at,
           to + n * H * D);
  });
  return y;
}

// Beyond this an angle in double has lost its meaning.
constexpr int64_t kFarthest = int64_t{1} << 40;

// Checks the operands; returns R.
int64_t checked_width(const Tensor& x, std::span<const int64_t> positions,
                      const RotaryOptions& options) {
  check(x.defined() && x.rank() == 3, "rotary: x must be [N, H, D], got {}", x);
  check(static_cast<int64_t>(positions.size()) == x.dim(0),
        "rotary: {} positions for the {} rows of {}", positions.size(), x.dim(0), x);
  for (int64_t p : positions) {
    check(p >= -kFarthest && p <= kFarthest, "rotary: position {} is out of reach", p);
  }
  check(options.offset >= -kFarthest && options.offset <= kFarthest,
        "rotary: offset {} is out of reach", options.offset);
  check(options.base > 0, "rotary: base must be positive, got {}", options.base);
  const int64_t rotated = options.rotated == 0 ? x.dim(2) : options.rotated;
  check(rotated >= 0 && rotated % 2 == 0 && rotated <= x.dim(2),
        "rotary: the rotated width must be even and at most D = {}, got {}", x.dim(2), rotated);
  return rotated;
}

}  // namespace

Variable rotary_at(const Variable& x, std::span<const int64_t> positions,
                   const RotaryOptions& options) {
  const int64_t rotated = checked_width(x, positions, options);
  const Pairs pairs = options.pairs == RotaryPairs::adjacent ? Pairs::adjacent : Pairs::halves;
  return with_real(x, "rotary: x", [&](auto zero) {
    using T = decltype(zero);
    const auto angles = last_angles<T>(positions, rotated, options);
    return record(rotate_all<T>(x, *angles, pairs, 1), {x},
                  [angles, pairs](const Tensor& dy) -> std::vector<Tensor> {
                    return {rotate_all<T>(dy, *angles, pairs, -1)};
                  });
  });
}

Variable rotary(const Variable& x, const Rows& rows, const RotaryOptions& options) {
  check(x.value().defined() && x.value().rank() == 3, "rotary: x must be [N, H, D], got {}",
        x.value());
  rows.require_total(x.shape()[0], "rotary");
  std::vector<int64_t> positions;
  positions.reserve(static_cast<size_t>(rows.total()));
  for (int64_t b = 0; b < rows.count(); ++b) {
    for (int64_t p = 0; p < rows.length(b); ++p) positions.push_back(p);
  }
  return rotary_at(x, positions, options);
}

}  // namespace heed
