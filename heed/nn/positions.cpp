#include "heed/nn/positions.h"

#include <algorithm>
#include <cmath>

#include "heed/base/fail.h"
#include "heed/ops/add.h"
#include "heed/ops/concatenate.h"
#include "heed/ops/gather.h"

namespace heed {
namespace {

// Sinusoids kept: those of the context, at least and at most this many positions, and at most this
// many numbers (128 MB). Others are computed when needed, to the same bits.
constexpr int64_t kFewestKept = 1024, kMaxKept = 1 << 14, kMaxNumbers = 1 << 25;

template <typename T>
void write_sinusoids(int64_t position, int64_t width, T* row) {
  for (int64_t c = 0; c < width; ++c) {
    const double exponent = -static_cast<double>(c - c % 2) / static_cast<double>(width);
    const double angle = static_cast<double>(position) * std::pow(10000.0, exponent);
    row[c] = static_cast<T>(c % 2 == 0 ? std::sin(angle) : std::cos(angle));
  }
}

bool is_fixed(PositionKind kind) {
  return kind == PositionKind::sinusoidal || kind == PositionKind::hybrid;
}

bool is_learned(PositionKind kind) {
  return kind == PositionKind::learned || kind == PositionKind::hybrid;
}

Tensor index_tensor(const std::vector<int64_t>& values) {
  return Tensor::from(values, {static_cast<int64_t>(values.size())});
}

}  // namespace

Tensor sinusoidal_positions(int64_t first, int64_t count, int64_t width, DType type) {
  check(first >= 0 && count >= 0 && width > 0,
        "positions: expected a first position and a count of at least 0 and a width of at least 1, "
        "got {}, {} and {}",
        first, count, width);
  Tensor result = Tensor::empty({count, width}, type);
  for (int64_t n = 0; n < count; ++n) {
    if (type == DType::f64) {
      write_sinusoids(first + n, width, result.data<double>() + n * width);
    } else {
      write_sinusoids(first + n, width, result.data<float>() + n * width);
    }
  }
  return result;
}

int64_t kept_sinusoids(int64_t context, int64_t width) {
  return std::min(std::clamp(context, kFewestKept, kMaxKept),
                  kMaxNumbers / std::max<int64_t>(width, 1));
}

std::vector<int64_t> row_positions(const Rows& rows, std::span<const int64_t> offsets) {
  check(offsets.empty() || static_cast<int64_t>(offsets.size()) == rows.count(),
        "positions: {} offsets for {} sequences", offsets.size(), rows.count());
  std::vector<int64_t> result;
  result.reserve(static_cast<size_t>(rows.total()));
  for (int64_t b = 0; b < rows.count(); ++b) {
    const int64_t offset = offsets.empty() ? 0 : offsets[b];
    for (int64_t i = 0; i < rows.length(b); ++i) result.push_back(offset + i);
  }
  return result;
}

Positions::Positions(const ParameterScope& scope, const PositionOptions& options)
    : options_(options) {
  if (is_learned(options.kind)) {
    check(options.learned > 0, "positions: learned positions need to know how many");
    // The correction of hybrid positions starts at 0.
    const bool correction = options.kind == PositionKind::hybrid;
    table = scope.create(
        "table", {options.learned, options.width},
        correction ? Initializer::constant(0) : Initializer::normal(options.deviation));
  }
  if (is_fixed(options.kind)) {
    const int64_t kept = kept_sinusoids(options.learned, options.width);
    fixed_ = sinusoidal_positions(0, kept, options.width);
  }
}

Variable Positions::features(std::span<const int64_t> positions, DType type) const {
  const int64_t rows = static_cast<int64_t>(positions.size());
  int64_t last = -1;
  for (const int64_t p : positions) {
    check(p >= 0, "positions: {} is negative", p);
    last = std::max(last, p);
  }
  const Tensor ids = index_tensor({positions.begin(), positions.end()});
  if (options_.kind == PositionKind::learned) {
    check(last < options_.learned,
          "positions: position {} is beyond the {} that were learned; shorten the input, or train "
          "with `context` {} or with sinusoidal, hybrid or rotary positions",
          last, options_.learned, last + 1);
    return gather(table, ids);
  }
  Variable fixed;
  if (type == DType::f32 && last < fixed_.dim(0)) {
    fixed = gather(fixed_, ids);
  } else {
    Tensor own = Tensor::empty({rows, options_.width}, type);
    for (int64_t n = 0; n < rows; ++n) {
      const int64_t position = positions[n];
      if (type == DType::f64) {
        write_sinusoids(position, options_.width, own.data<double>() + n * options_.width);
      } else {
        write_sinusoids(position, options_.width, own.data<float>() + n * options_.width);
      }
    }
    fixed = own;
  }
  if (options_.kind == PositionKind::sinusoidal) return fixed;
  // Rows past the learned ones take a row of zeros after the table.
  std::vector<int64_t> picks(positions.begin(), positions.end());
  for (int64_t& p : picks) p = std::min(p, options_.learned);
  const Variable padded =
      last < options_.learned
          ? table
          : concatenate({table, Variable(Tensor::zeros({1, options_.width}, type))});
  return add(fixed, gather(padded, index_tensor(picks)));
}

Variable Positions::operator()(const Variable& x, std::span<const int64_t> positions) const {
  if (!is_fixed(options_.kind) && !is_learned(options_.kind)) return x;
  check(static_cast<int64_t>(positions.size()) == x.value().dim(0),
        "positions: {} positions for {} rows", positions.size(), x.value().dim(0));
  const Variable phi = features(positions, x.value().dtype());
  return options_.mode == PositionMode::add ? add(x, phi) : concatenate({x, phi}, 1);
}

}  // namespace heed
