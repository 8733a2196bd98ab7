// Source and target, for translation and summarization.
//
//   encoder-decoder   source  s_1 .. s_n eos
//                     target  bos t_1 .. t_m
//                     labels  t_1 .. t_m eos
//   one stack         target  s_1 .. s_n sep t_1 .. t_m
//                     labels  none .. none t_1 .. t_m eos
//
// In one stack (decoder or prefix model) the separator stands for both the end of the source and
// the begin of the target, and is the last token of the prefix.
#pragma once

#include <memory>

#include "heed/data/token_store.h"
#include "heed/generate/generator.h"
#include "heed/text/tokenizer.h"
#include "heed/train/item_corpus.h"
#include "heed/train/settings.h"

namespace heed {

enum class PairLayout : uint8_t { encoder_decoder, one_stack };

// How the model of these settings reads a pair.
HEED_API PairLayout pair_layout(const TrainSettings& settings);

struct PairTokens {
  int32_t bos = -1, eos = -1, separator = -1;
};
// Raises an Error if the tokenizer lacks one.
HEED_API PairTokens pair_tokens(const Tokenizer& tokenizer);

// What a model has written, as text. Tokens that only mark a place (begin, end, separator, class)
// are left out.
HEED_API std::string answer_text(const Tokenizer& tokenizer, std::span<const int32_t> ids);

class HEED_API PairCorpus final : public ItemCorpus {
 public:
  PairCorpus(TokenStore sources, TokenStore targets, const PairTokens& tokens, PairLayout layout);
  // Rows of floats [sum of lengths, W] as sources, for encoder-decoders.
  PairCorpus(Tensor vectors, Rows vector_rows, TokenStore targets, const PairTokens& tokens);

  uint64_t fingerprint() const override;

  // What a generator gets to write the target of an item.
  GenerationRequest request(int64_t item) const;
  std::vector<int32_t> source(int64_t item) const;
  std::vector<int32_t> target(int64_t item) const;

 private:
  Batch make_batch(std::span<const int64_t> items) const override;
  Batch two_stacks(std::span<const int64_t> items) const;
  Batch one_stack(std::span<const int64_t> items) const;

  TokenStore sources_, targets_;
  Tensor vectors_;
  Rows vector_rows_;
  PairTokens tokens_;
  PairLayout layout_;
};

// The request for one source.
HEED_API GenerationRequest request_for(std::span<const int32_t> source, const PairTokens& tokens,
                                       PairLayout layout);

}  // namespace heed
