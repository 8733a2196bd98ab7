// Recurrent layers: GRU or LSTM, stacked, in one direction or in both.
//
//   layer    gx = x W + b_x        h = gru_sequence or lstm_sequence (gx, U, b_h)
//   both     y = [h forward; h from the end]
//   stacked  the next layer reads y, after dropout in training
//
// W : [In, G H]     U : [H, G H]     b_x, b_h : [G H]; an LSTM has b_x alone
//
// A state is [B, S], S = H for a GRU and 2 H for an LSTM: h, then c. The states that a call returns
// may be given to the next one, so that sequences can be read a few rows at a time, with the same
// bits; a layer in both directions has to see the whole.
#pragma once

#include <cstdint>
#include <vector>

#include "heed/base/export.h"
#include "heed/nn/parameters.h"
#include "heed/nn/pass.h"
#include "heed/nn/time_major.h"
#include "heed/ops/kinds.h"

namespace heed {

// The parameters of one layer in one direction, and its loop over time.
class HEED_API RecurrentLayer {
 public:
  RecurrentLayer() = default;
  RecurrentLayer(const ParameterScope& scope, CellKind cell, int64_t in, int64_t hidden);

  Variable input_gates(const Variable& x) const;  // x W + b_x: [N, In] -> [N, G H]
  // The states [N, S] of time-major gates, from the states at the start [B, S] (undefined: 0).
  Variable states(const Variable& gx, const Variable& start,
                  const std::vector<int64_t>& counts) const;
  Variable hidden(const Variable& states) const;  // the h part: [.., S] -> [.., H]

  Variable weight;          // [In, G H]
  Variable bias;            // [G H]
  Variable recurrent;       // [H, G H]
  Variable recurrent_bias;  // [G H]; undefined for an LSTM

 private:
  CellKind cell_ = CellKind::gru;
  int64_t width_ = 0;
};

struct RecurrentOptions {
  CellKind cell = CellKind::gru;
  int64_t hidden = 0;  // H
  int64_t layers = 1;
  bool bidirectional = false;
  double dropout = 0;  // between layers
};

struct RecurrentResult {
  Variable y;                  // [N, H], or [N, 2 H] in both directions
  std::vector<Variable> last;  // the last state [B, S] of each layer; both directions: forward,
                               // reversed of the first layer, then of the second, ..
};

class HEED_API Recurrent {
 public:
  Recurrent() = default;
  Recurrent(const ParameterScope& scope, int64_t in, const RecurrentOptions& options);

  RecurrentResult operator()(const Variable& x, const Rows& rows, const Pass& pass,
                             const std::vector<Variable>& start = {}) const;

  int64_t width() const { return options_.hidden * (options_.bidirectional ? 2 : 1); }  // of y

  std::vector<RecurrentLayer> layers;  // as in RecurrentResult::last

 private:
  RecurrentOptions options_;
  std::vector<uint64_t> sites_;  // of the dropout before each layer
};

}  // namespace heed
