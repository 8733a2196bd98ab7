// heed attention -m: the attention of a model for a text.
#pragma once

#include <string>

namespace heed::cli {

struct ModelAttentionArguments {
  std::string model;   // folder of a run
  std::string text;    // what the model reads
  std::string target;  // of a translation; empty: what the model writes
  std::string layer;   // such as "decoder.1.cross"; empty: the last, cross if there is one
  int64_t head = -1;   // -1: the mean of all heads
  std::string svg;     // a picture
  std::string output;  // the weights, .npy or .csv
  std::string page;    // a page for the browser, .html
  bool json = false;
};

void show_model_attention(const ModelAttentionArguments& arguments);

}  // namespace heed::cli
