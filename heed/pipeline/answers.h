// What a model says about a text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heed/tensor/tensor.h"

namespace heed {

struct ClassifiedText {
  std::string label;                  // the likeliest
  std::vector<double> probabilities;  // of all labels, in the model's order
  bool cut = false;                   // the text was longer than the model reads
};

struct TaggedWord {
  std::string word;
  std::string tag;
  size_t begin = 0, end = 0;  // where it stands in the text, in bytes
};

struct ScoredText {
  double log_probability = 0;                  // natural logarithm
  std::vector<double> log_probabilities = {};  // of each token that counts
  bool cut = false;                            // a text was longer than the model reads
};

// The weights of one attention layer with the tokens they belong to.
struct AttentionMap {
  Tensor weights;                          // [T, S]
  std::vector<std::string> queries, keys;  // T and S tokens
  std::string layer;
  std::vector<std::string> layers;  // all of the model
  int64_t heads = 0;                // of this layer
};

}  // namespace heed
