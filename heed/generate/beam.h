// Beam search: the best of several continuations that are written side by side.
//
//   score(y) = log p(y) / length(y)^alpha        length: the tokens of y, the end among them
//
// In each step every live hypothesis is extended by every token. Of all extensions the likeliest
// `width` are looked at: those that end are finished, and the likeliest `width` of the others live
// on. One hypothesis, the default, is the greedy choice.
#pragma once

#include <cstdint>

namespace heed {

struct BeamOptions {
  int64_t width = 1;          // hypotheses kept at once
  int64_t n_best = 1;         // results wanted, at most `width`
  double length_penalty = 1;  // alpha; 0: the likeliest, more: longer ones
  // Ends when `width` hypotheses are finished. Otherwise only when nothing that lives can still get
  // among the n best.
  bool early_stopping = true;
};

}  // namespace heed
