// The transformer as one configurable stack: encoder, decoder, encoder-decoder and prefix model are
// the same blocks under different masks (Vaswani et al. 2017).
//
//   encoder   h = blocks(embedding(source) + positions)             every token sees every other
//   decoder   y = blocks(embedding(target) + positions, h)          a token sees those before it
//   output    logits = y E^T, E the embedding table if tied; or y W + b
//
// The encoder of BERT (Devlin et al. 2019) has a norm after its embedding and, for classes of
// sentences, a pooler: the first row y_0 becomes tanh(y_0 W + b).
#pragma once

#include <vector>

#include "heed/base/export.h"
#include "heed/models/model.h"
#include "heed/models/transformer_config.h"
#include "heed/nn/block.h"
#include "heed/nn/embedding.h"
#include "heed/nn/norm.h"
#include "heed/nn/positions.h"

namespace heed {

class HEED_API Transformer final : public Model {
 public:
  explicit Transformer(const TransformerConfig& config, ParameterSource source = {});

  Variable features(const Batch& batch, const Pass& pass) const override;
  OutputLayer output() const override;
  std::unique_ptr<Decoding> decoding() const override;

  // [Ns] ids or [Ns, W] floats -> [Ns, C].
  Variable encode(const Tensor& source, const Rows& rows, const Pass& pass) const;

  // What a decoder step reads beside its tokens: one entry per layer, or none at all.
  struct Caches {
    std::vector<KeyValueCache> self;
    std::vector<KeyValueCache> memory;
    // Of a slot of `self`: the slot of `memory` that it looks at, which several may share. Empty:
    // the one of the same number.
    std::vector<int64_t> source_of = {};
  };

  // The caches of an empty Decoding.
  Caches make_caches() const;
  // Stores the memory of an encoder for later decoder steps.
  void remember(const Tensor& memory, const Rows& rows, Caches& caches,
                std::span<const int64_t> slots) const;

  // [Nt] ids -> [Nt, C], given the memory of an encoder if there is one.
  Variable decode(const Batch& batch, const Variable& memory, const Pass& pass) const;
  // The same one piece after the other: the tokens follow those in the caches.
  Variable decode_next(const Tensor& ids, const Rows& rows, bool is_prefix, Caches& caches,
                       std::span<const int64_t> slots, const Pass& pass) const;

  const TransformerConfig& config() const { return config_; }

 private:
  // One side of the model, "encoder" or "decoder".
  struct Stack {
    std::string name;
    Positions positions;
    Norm embedding_norm = {};
    std::vector<Block> blocks = {};
    Norm norm = {};  // after the last block, for pre-norm blocks
  };
  Stack make_stack(const std::string& name, int64_t layers, bool with_memory);
  Variable embed(const Variable& x, const Rows& rows, std::span<const int64_t> offsets,
                 const Stack& stack, const Pass& pass) const;
  Mask decoder_mask(const Rows& rows, const std::vector<int64_t>& prefixes) const;

  TransformerConfig config_;
  Embedding tokens_;      // shared by source and target
  Linear source_linear_;  // instead of the table, for rows of floats
  Stack encoder_, decoder_;
  Linear pooler_;
  Linear output_;  // untied, or classes
};

}  // namespace heed
