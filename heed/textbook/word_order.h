// Without positions, attention sees a bag of words.
//
//   "dog bites man" and "man bites dog": every word gets the same embedding in both sentences as
//   long as all words see all words. A causal mask tells the orders apart, because a word then sees
//   only those before it; so do positions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heed/base/export.h"
#include "heed/tensor/tensor.h"

namespace heed {

struct WordOrderOptions {
  bool causal = false;
  bool positions = false;  // adds sinusoids to the embeddings
  int64_t width = 8;
  uint64_t seed = 1;
};

struct WordOrder {
  std::vector<std::string> words;   // in the order of the first sentence
  Tensor first, second;             // [n, width]: the words' embeddings after one layer of
                                    // self-attention, both in the order of the first sentence
  std::vector<double> differences;  // the largest per word
  bool same = false;                // all differences below 1e-12
};

// Two sentences of the same words.
HEED_API WordOrder word_order(const std::vector<std::string>& first,
                              const std::vector<std::string>& second,
                              const WordOrderOptions& options = {});

}  // namespace heed
