// The same score written in two ways.
//
//   Gaussian   -|q - k|^2 / 2 = q.k - |k|^2 / 2 - |q|^2 / 2
//              softmax does not see the last term, which is the same for all keys; it sees the
//              second unless all keys have the same norm
//   additive   w_v' tanh(W_q q + W_k k) = w_v' tanh(W [q; k])     W = [W_q W_k]
//              an MLP with one hidden layer on the concatenation, without biases
#pragma once

#include <vector>

#include "heed/attention/score.h"
#include "heed/base/export.h"
#include "heed/tensor/tensor.h"

namespace heed {

struct GaussianForms {
  std::vector<double> direct;    // -|q - k_j|^2 / 2
  std::vector<double> expanded;  // q.k_j - |k_j|^2 / 2 - |q|^2 / 2
  // Weights: softmax of the score, without the term of q, and of q.k alone.
  std::vector<double> weights, without_q, dot_only;
};

// q [D], keys [m, D].
HEED_API GaussianForms gaussian_forms(const Tensor& q, const Tensor& keys);

struct AdditiveForms {
  std::vector<double> additive;  // by the attention engine's score
  std::vector<double> mlp;       // by a matrix product on [q; k_j], tanh, and a product with w_v
};

// q [Dq], keys [m, Dk].
HEED_API AdditiveForms additive_forms(const Tensor& q, const Tensor& keys, const Additive& score);

// Scores and softmax weights (sum for the kernels) of one query against keys [m, D].
struct ScoredKeys {
  std::vector<double> scores;
  std::vector<double> weights;
};

HEED_API ScoredKeys score_keys(const Tensor& q, const Tensor& keys, const Score& score);

}  // namespace heed
