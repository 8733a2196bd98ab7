// Rows of floats as sources: patches of pictures, frames of sound.
#pragma once

#include <span>
#include <string>

#include "heed/tensor/rows.h"
#include "heed/tensor/tensor.h"

namespace heed {

struct SourceVectors {
  Tensor rows;  // [N, W], contiguous float32
  Rows layout;

  Tensor sequence(int64_t item) const {
    return rows.slice(0, layout.begin(item), layout.end(item));
  }
};

// F.npy of [N, W] with the lengths of the sequences in F.lengths.npy, or of [B, L, W].
SourceVectors read_vectors(const std::string& path);

// Some of the sequences, one after the other; of each the first `max_length` rows (0: all).
SourceVectors choose_sequences(const SourceVectors& all, std::span<const int64_t> items,
                               int64_t max_length);

}  // namespace heed
