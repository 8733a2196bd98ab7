// Positions as features: what a token embedding knows about its place.
//
//   sinusoidal   phi_2i(p) = sin(p w_i),  phi_2i+1(p) = cos(p w_i),   w_i = 10000^(-2i/C), i >= 0
//   learned      phi(p) = a row of a table; positions beyond it are an Error
//   hybrid       sinusoidal plus a learned correction for the first positions: learned where there
//                was training data, fixed and unbounded after it
//   rotary       not a feature: queries and keys are turned inside attention
//
//   add          y = x + phi(p)                      x, y : [N, C]
//   append       y = [x; phi(p)]                     x : [N, C - P]     y : [N, C]
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "heed/base/export.h"
#include "heed/nn/layer_kinds.h"
#include "heed/nn/parameters.h"
#include "heed/tensor/rows.h"

namespace heed {

struct PositionOptions {
  PositionKind kind = PositionKind::sinusoidal;
  PositionMode mode = PositionMode::add;
  int64_t width = 0;        // of phi: C, or P when appended
  int64_t learned = 0;      // rows of the learned table
  double deviation = 0.02;  // of new learned rows
};

class HEED_API Positions {
 public:
  Positions() = default;
  Positions(const ParameterScope& scope, const PositionOptions& options);

  // One position per row of x.
  Variable operator()(const Variable& x, std::span<const int64_t> positions) const;

  Variable table;  // [learned, width]; undefined if nothing is learned

 private:
  Variable features(std::span<const int64_t> positions, DType type) const;

  PositionOptions options_;
  Tensor fixed_;  // [kept, width]: the first sinusoids, float32
};

// phi for positions first .. first + count - 1, [count, width], computed in double.
HEED_API Tensor sinusoidal_positions(int64_t first, int64_t count, int64_t width,
                                     DType type = DType::f32);

// How many of them, from 0 on, a model of this context keeps: its configuration alone must not take
// much memory.
HEED_API int64_t kept_sinusoids(int64_t context, int64_t width);

// The index of every row in its sequence, plus what came before: offsets has one number per
// sequence, or none.
HEED_API std::vector<int64_t> row_positions(const Rows& rows,
                                            std::span<const int64_t> offsets = {});

}  // namespace heed
