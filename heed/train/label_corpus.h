// Sentences with classes: one per sentence (classification) or one per token (tagging).
//
//   sentences   source: special tokens around t_1 .. t_n   labels: the class of each sentence
//   tokens      source: t_1 .. t_n                    labels: the class of each token; -1: none
#pragma once

#include <memory>

#include "heed/data/token_store.h"
#include "heed/run/special_tokens.h"
#include "heed/train/item_corpus.h"

namespace heed {

class HEED_API SentenceCorpus final : public ItemCorpus {
 public:
  SentenceCorpus(TokenStore texts, std::vector<int32_t> classes, SpecialTokens special);

  uint64_t fingerprint() const override;
  const std::vector<int32_t>& classes() const { return classes_; }

 private:
  Batch make_batch(std::span<const int64_t> items) const override;

  TokenStore texts_;
  std::vector<int32_t> classes_;
  SpecialTokens special_;
};

class HEED_API TokenCorpus final : public ItemCorpus {
 public:
  // The classes are stored plus 1: 0 stands for none.
  TokenCorpus(TokenStore texts, TokenStore classes_plus_one);

  uint64_t fingerprint() const override;

 private:
  Batch make_batch(std::span<const int64_t> items) const override;

  TokenStore texts_, classes_;
};

}  // namespace heed
