// What a model that writes has to read and to compute, counted from its parameters, whatever an
// implementation really does.
#pragma once

#include <cstdint>

#include "heed/models/model.h"

namespace heed::bench {

// Weights that are used together.
struct WeightCount {
  double bytes = 0;    // of all of them
  double factors = 0;  // numbers in matrices: a row costs 2 operations for each
};

struct ModelWork {
  explicit ModelWork(const Model& model);

  WeightCount source;  // once per source token: the encoder, keys and values of cross attention
  WeightCount target;  // once per token that the decoder reads
  WeightCount output;  // once per token to choose

  // Of one position of one sequence in all caches, and of a query on it; 0 for other models than
  // transformers.
  double cache_bytes = 0;
  double cache_flops = 0;
  double source_flops = 0;  // of a query on a key in all layers of the encoder
};

// Whether a model reads a source beside what it continues.
bool has_encoder(const Model& model);

int64_t vocabulary_of(const Model& model);

}  // namespace heed::bench
