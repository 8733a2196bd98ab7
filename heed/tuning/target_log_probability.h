// log p of the target of every row of logits, differentiable.
//
//   forward   y_n   = x_nt - log sum_j exp(x_nj)             t = target of row n
//   backward  dx_nj = dy_n ([j = t] - p_nj)                  p = softmax(x_n)
//
//   x : [N, V]     targets : [N], int32 or int64; -1: none     y : [N]
//
//   a row without a target has y = 0 and a gradient of exactly 0
#pragma once

#include "heed/autograd/variable.h"
#include "heed/base/export.h"
#include "heed/models/model.h"
#include "heed/tensor/rows.h"

namespace heed {

HEED_API Variable target_log_probability(const Variable& logits, const Tensor& targets);

// The log-probabilities of the labels of a batch, one after the other, and how many each sequence
// has. Rows without a label never reach the output layer, so that they carry no gradient at all.
struct AnswerLogs {
  Variable tokens;  // [A]
  Rows rows;        // A, by sequence
};
HEED_API AnswerLogs answer_logs(const Model& model, const Batch& batch, const Pass& pass);

// y_b = sum of the numbers of sequence b: [A] -> [B]; dx_a = dy_b. Summed in double, in order.
HEED_API Variable sequence_sums(const Variable& x, const Rows& rows);

}  // namespace heed
