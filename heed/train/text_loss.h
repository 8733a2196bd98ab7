// How well a language model predicts text.
//
//   perplexity    = exp(nats per label)
//   bits per byte = nats per label / ln 2 * labels / bytes
//
// bytes: of the text that the labels stand for, so that models with different tokens compare. A
// token that begins, ends or separates texts stands for none, and neither does an unknown one, whose
// text is lost.
#pragma once

#include <cstdint>
#include <vector>

#include "heed/models/model.h"
#include "heed/text/tokenizer.h"
#include "heed/train/corpus.h"
#include "heed/train/evaluation.h"

namespace heed {

// A label is decoded as if the token that its row reads stood before it: a word comes with the space
// between them. Labels below 0 do not count.
HEED_API int64_t label_bytes(const Batch& batch, const Tokenizer& tokenizer);

// "loss", "tokens" and "perplexity"; with a tokenizer "bits_per_byte", too, unless there is no byte.
std::vector<EvaluationScore> text_loss_scores(const Model& model, const Corpus& corpus,
                                              const BatchOptions& options,
                                              const Tokenizer* tokenizer);

}  // namespace heed
