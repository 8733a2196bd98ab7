// Rows of floats as sources: patches of pictures, frames of sound.
#pragma once

#include <string>

#include "heed/tensor/rows.h"
#include "heed/tensor/tensor.h"

namespace heed {

struct SourceVectors {
  Tensor rows;  // [N, W]
  Rows layout;
};

// F.npy of [N, W] with the lengths of the sequences in F.lengths.npy, or of [B, L, W].
SourceVectors read_vectors(const std::string& path);

}  // namespace heed
