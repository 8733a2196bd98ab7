// Linear probes: what can be read off the states of each layer of a model?
//
// For every layer a linear classifier is trained to tell the tag of a word from the state of its
// last token, with the model left as it is (Alain and Bengio 2016). Its accuracy on other sentences
// says how plainly the layer shows what the tags mean. A sentence is its words with spaces between
// them. A tagger instead reads words as it was trained to, and the first token of a word counts.
//
//   y = softmax(W (x - mean) / deviation + b)
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heed/base/export.h"
#include "heed/pipeline/pipeline.h"

namespace heed {

struct ProbeOptions {
  // A column of CoNLL-U: upos, xpos, feats or deprel; or a feature of feats, such as Number. Empty:
  // the tag of the file.
  std::string label = {};
  int64_t epochs = 20;
  double rate = 0.01;         // of AdamW, falling linearly to 0
  int64_t sentences = 0;      // of each file at most; 0: all
  bool only_labeled = false;  // words whose label is "_" are read, but not asked for
};

struct LayerProbe {
  int64_t layer = kEmbeddingLayer;  // or a number from 0
  double train_accuracy = 0;
  double valid_accuracy = 0;
};

struct ProbeReport {
  std::vector<LayerProbe> layers;
  std::vector<std::string> labels;  // of the training file
  int64_t train_words = 0, valid_words = 0;
  double majority = 0;  // accuracy on the second file of always saying the most frequent label
};

// Files of tagged sentences (data/tagged.h). Words whose label is not in the first one count as
// wrong.
HEED_API ProbeReport probe(const Pipeline& pipeline, const std::string& train_file,
                           const std::string& valid_file, const ProbeOptions& options = {});

}  // namespace heed
