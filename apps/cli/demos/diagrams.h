// Attention as boxes and arrows: the schemes of the textbook with the numbers of a demo in them.
#pragma once

#include <string>
#include <vector>

#include "heed/figure/diagram.h"
#include "heed/tensor/tensor.h"

namespace heed::cli {

// One query against m keys. Of more than eight keys, those with the largest weights are drawn.
struct PoolingPicture {
  std::string title;
  Tensor query;                     // [D]
  Tensor keys;                      // [m, D]
  std::vector<double> scores = {};  // m of them, with softmax after them; none: left out
  std::vector<double> weights;      // m of them
  Tensor values;                    // [m, Dv]
  Tensor output;                    // [Dv]
};
Diagram pooling_diagram(const PoolingPicture& picture);

// Words in a row; arcs from one of them to all others, as thick as its weights.
Diagram word_arcs(const std::string& title, const std::vector<std::string>& words, size_t from,
                  const std::vector<double>& weights);

// An encoder below and a decoder above: the chain of states of both, and what the decoder reads. Of
// a fixed context that is the last state; otherwise every state by its weight [T, S].
struct Seq2seqPicture {
  std::string title;
  std::vector<std::string> source, target;  // S and T tokens
  Tensor weights = {};                      // undefined: a fixed context
};
Diagram seq2seq_diagram(const Seq2seqPicture& picture);

}  // namespace heed::cli
