// Pictures of two colored shapes, and the sentences that describe them.
//
//   "a red circle left of a blue square"        "a green triangle above a yellow circle"
//
// A picture is 32 x 32 pixels of red, green and blue from 0 to 1, on a light ground with a little
// noise. The shape that stands left, or above, is named first. Four colors, three shapes and two
// relations make 264 sentences about two shapes that differ; of these a hash keeps one in ten for
// `test`, so that a model that writes them right has not learned sentences by heart.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heed/base/export.h"
#include "heed/corpora/corpus_part.h"
#include "heed/tensor/tensor.h"

namespace heed {

inline constexpr int64_t kPictureSize = 32;

struct Picture {
  Tensor pixels;  // [32, 32, 3], float32
  std::string sentence;
  std::vector<uint8_t> shapes;  // [32, 32]: 1 and 2 where the two shapes are, else 0
};

// A function of (part, seed, index).
HEED_API Picture draw_picture(CorpusPart part, uint64_t seed, int64_t index);

// Squares of `size` pixels, row by row: [(32 / size)^2, 3 size^2], numbers from -1 to 1. An Error
// unless the size divides 32.
HEED_API Tensor picture_patches(const Tensor& pixels, int64_t size);

}  // namespace heed
