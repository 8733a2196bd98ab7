// The options of attention(), and which part of its weights is wanted.
#pragma once

#include <cstdint>
#include <vector>

#include "heed/attention/mask.h"
#include "heed/attention/score.h"
#include "heed/autograd/variable.h"

namespace heed {

struct AttentionOptions {
  Score score = ScaledDot{};
  Mask mask = {};
  Normalizer normalizer = Normalizer::softmax;
  // Added to the scores; -inf excludes. [T, S], [B, T, S] or [B, H, T, S]; an axis of 1 is
  // repeated.
  Variable bias = {};
  // One slope per head: adds -slope |p - j|, p the position of the query.
  std::vector<double> slopes = {};
  double softcap = 0;           // c > 0: scores become c tanh(a / c), before bias
  bool allow_negative = false;  // a negative weight under `sum` is an error unless allowed
  // Weights are dropped with this probability, the others scaled by 1 / (1 - p); not under one_hot.
  // What is dropped is a function of (seed, step, site, sequence id, head, query position, key
  // position).
  double dropout = 0;
  uint64_t seed = 0;
  uint64_t step = 0;
  uint64_t site = 0;
};

// Which part of the weights, see weights.h.
struct WeightSelection {
  int64_t sequence = 0;
  int64_t head = 0;
  int64_t first_row = 0;  // of the sequence
  int64_t rows = -1;      // -1: to the end
};

}  // namespace heed
