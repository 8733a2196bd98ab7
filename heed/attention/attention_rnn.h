// A recurrence that attends at every step: the decoder of Bahdanau, Cho and Bengio (2015).
//
//   w_tj = softmax_j(w_v' tanh(W_q h_{t-1} + k_j))        c_t = sum_j w_tj v_j
//   s_t  = cell(gx_t + c_t W_c, s_{t-1})                  a GRU or LSTM, ops/gru_sequence.h
//
//   gx  : [N, G H]   the input's part for all rows, time-major
//   s_0 : [B, S]     sorted as the rows are; optional (0). S is H, or 2 H for an LSTM
//   k   : [M, A]     the keys, already times W_k
//   v   : [M, Dv]    W_q : [A, H]    w_v : [A]    W_c : [Dv, G H]    U : [H, G H]
//
//   result: states s_t [N, S] and contexts c_t [N, Dv], time-major
//
//   backward: through the steps in reverse, where a step needs the gradient of its query alone;
//   then one pass of the engine for k, v and w_v, and one product for each matrix
//
// The weights are those of attention() with the score Additive{W_q, W_k, w_v} and the states before
// every step as queries, bit for bit. Keys and values are packed once for all steps.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "heed/autograd/variable.h"
#include "heed/base/export.h"
#include "heed/ops/kinds.h"
#include "heed/tensor/rows.h"

namespace heed {

// What the steps attend to, packed for them. It may serve many calls.
class HEED_API AttentionRnnMemory {
 public:
  AttentionRnnMemory(Variable keys, Variable values, Rows rows);  // [M, A], [M, Dv]

  const Variable& keys() const { return keys_; }
  const Variable& values() const { return values_; }
  const Rows& rows() const { return rows_; }

  struct Packed;
  const Packed& packed() const { return *packed_; }

 private:
  Variable keys_, values_;
  Rows rows_;
  std::shared_ptr<const Packed> packed_;
};

struct AttentionRnnWeights {
  CellKind cell = CellKind::gru;
  Variable recurrent;            // U
  Variable recurrent_bias = {};  // [G H], optional
  Variable context;              // W_c
  Variable w_q;
  Variable w_v;
};

// The order of time-major rows, see nn/time_major.h.
struct AttentionRnnOrder {
  std::span<const int64_t> counts;  // sequences alive at every step
  std::span<const int64_t> order;   // which sequence of the memory stands at place i, [B]
};

struct AttentionRnnStates {
  Variable states, contexts;
};

HEED_API AttentionRnnStates attention_rnn(const Variable& gx, const AttentionRnnWeights& weights,
                                          const Variable& start, const AttentionRnnMemory& memory,
                                          const AttentionRnnOrder& order);

}  // namespace heed
