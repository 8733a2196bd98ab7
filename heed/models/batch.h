// What a model reads and should answer: the rows of several sequences, one after the other.
#pragma once

#include <cstdint>
#include <vector>

#include "heed/tensor/rows.h"
#include "heed/tensor/tensor.h"

namespace heed {

struct Batch {
  // What an encoder reads: ids [Ns], or rows of floats [Ns, W] (patches, frames).
  Tensor source;
  Rows source_rows;
  // What a decoder reads: ids [Nt].
  Tensor target;
  Rows target_rows;
  // Prefix models: how many of the first rows of each target sequence see each other.
  std::vector<int64_t> prefixes = {};
  // The right answers, int32, -1 where none is wanted: the next token of every row of the target,
  // the class of every row of the source, or the class of every sequence.
  Tensor labels = {};
  int64_t label_count = 0;  // labels that are not -1
};

}  // namespace heed
