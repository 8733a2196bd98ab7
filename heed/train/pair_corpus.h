// Pairs of source and target to train on, laid out as in run/pair_layout.h.
#pragma once

#include <vector>

#include "heed/data/token_store.h"
#include "heed/run/pair_layout.h"
#include "heed/train/item_corpus.h"

namespace heed {

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

}  // namespace heed
