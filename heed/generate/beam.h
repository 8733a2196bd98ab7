// Beam search: the best of several continuations that are generated side by side.
//
//   score(y) = log p(y) / length(y)^alpha        length: the tokens of y, the end among them
//
// In each step every live hypothesis is extended by every token. Of all extensions the likeliest
// `width` are looked at: those that end are finished, and the likeliest `width` of the others live
// on; one, the default, is the greedy choice. Forced tokens count neither in p nor in the length.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace heed {

struct BeamOptions {
  int64_t width = 1;          // hypotheses kept at once
  int64_t n_best = 1;         // results wanted, at most `width`
  double length_penalty = 1;  // alpha; 0: the likeliest, more: longer ones
  // Ends when `width` hypotheses are finished. Otherwise only when nothing that lives can still get
  // among the n best.
  bool early_stopping = true;
};

// What becomes of an extension of a hypothesis.
enum class BeamState : uint8_t {
  live,      // among the best: it is extended in the next step
  finished,  // by the end token or a stop
  dropped,
};

// A node of the tree that a search grows: a hypothesis and its last token.
struct BeamNode {
  int64_t id = 0;       // in the order of the search, from 0
  int64_t parent = -1;  // the node that was extended; -1: the prompt
  int32_t token = 0;
  double log_probability = 0;  // of the token
  double total = 0;            // of the hypothesis
  double score = 0;            // its score, see above
  BeamState state = BeamState::live;
};

// One step of a search: all extensions that were looked at, the likeliest first.
struct BeamStep {
  size_t request = 0;  // its index among the requests
  int64_t step = 0;    // from 0
  std::vector<BeamNode> nodes = {};
};

}  // namespace heed
