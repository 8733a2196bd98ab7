// A model: parameters, and the way from a batch to logits and to the loss.
//
// A model is const while it is used; several threads may share it. The forward pass that trains is
// the one that generates, without the tape.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "heed/base/export.h"
#include "heed/models/batch.h"
#include "heed/nn/parameters.h"
#include "heed/nn/pass.h"
#include "heed/ops/affine.h"

namespace heed {

// The last linear map, from the width of the model to the vocabulary or to the classes.
struct HEED_API OutputLayer {
  Variable weight;
  Variable bias;  // undefined without
  WeightLayout layout = WeightLayout::in_out;
  QuantizedMatrix quantized = {};  // instead of the weight, if the model is int8

  Variable operator()(const Variable& x) const;  // [N, C] -> [N, V], the logits
  int64_t size() const;                          // V
};

struct LossOptions {
  double label_smoothing = 0;
  int64_t label_count = 0;  // what the sum of losses is divided by; 0: the labels of the batch
};

// Sequences that are being written, some tokens at a time. Each lives in a slot.
class HEED_API Decoding {
 public:
  virtual ~Decoding() = default;
  // A slot per sequence of the sources, which are encoded. Without an encoder, batch.source_rows
  // only says how many.
  virtual std::vector<int64_t> begin(const Batch& batch) = 0;
  // Reads more tokens of these slots and returns the logits after the last of each, [B, V]. On a
  // new slot of a prefix model, the tokens are its prefix.
  virtual Tensor advance(std::span<const int64_t> slots, const Rows& rows, const Tensor& ids,
                         const Pass& pass) = 0;
  virtual int64_t length(int64_t slot) const = 0;  // tokens read
  virtual int64_t limit() const { return 0; }      // most tokens a slot can read; 0: no limit
  virtual int64_t fork(int64_t slot) = 0;
  virtual void remove(int64_t slot) = 0;
};

class HEED_API Model {
 public:
  virtual ~Model() = default;

  // The rows that the output layer maps, one per label: [labels, C].
  virtual Variable features(const Batch& batch, const Pass& pass) const = 0;
  virtual OutputLayer output() const = 0;
  // For models that predict the next token; an Error for others.
  virtual std::unique_ptr<Decoding> decoding() const = 0;

  Variable logits(const Batch& batch, const Pass& pass) const;
  // The mean cross entropy of the labels. The logits of the whole batch never exist.
  Variable loss(const Batch& batch, const LossOptions& options, const Pass& pass) const;

  const Parameters& parameters() const { return parameters_; }

 protected:
  explicit Model(ParameterSource source) : parameters_(std::move(source)) {}

  Parameters parameters_;
};

// The first of some stored names that is no parameter of the model; empty: each is one.
HEED_API std::string first_unknown_name(const Model& model, std::span<const std::string> names);

}  // namespace heed
