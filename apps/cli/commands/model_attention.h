// heed attention -m: the attention of a model for a text.
#pragma once

#include <cstdint>
#include <string>

namespace heed::cli {

struct ModelAttentionArguments {
  std::string model;    // folder of a run
  std::string text;     // what the model reads
  std::string target;   // of a translation; empty: what the model writes
  std::string kind;     // "self" or "cross"; empty: cross if there is any
  std::string layer;    // a name, a number among those of the kind, or "all"; empty: the last
  std::string head;     // a number or "all"; empty: the mean of all heads
  int64_t top = 0;      // of each token only the keys with the largest weights; 0: all
  std::string output;   // .svg, .html, .json, .npy or .csv
  std::string weights;  // the weights, .npy or .csv
  bool json = false;
};

void show_model_attention(const ModelAttentionArguments& arguments);

}  // namespace heed::cli
