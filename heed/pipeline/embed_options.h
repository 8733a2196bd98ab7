// Which hidden states of a model stand for a text.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace heed {

// How the rows of a text become one: not at all, by their mean, or by the row of the class token of
// a classifier that was trained with one. The tokens that the model reads around a text, such as
// the end of a translator's source, have rows like the others, which count in the mean.
enum class EmbedPool : uint8_t { none, mean, cls };

// Stands for the embedded tokens, which the first layer reads.
inline constexpr int64_t kEmbeddingLayer = -1;

struct EmbedOptions {
  // K: what layer K gives, counted from 0; kEmbeddingLayer: what the first one reads. Empty: the
  // last state, the one that the output layer or the decoder reads.
  std::vector<int64_t> layers = {};
  EmbedPool pool = EmbedPool::mean;
  // Told the number of each text that was longer than the model reads; only its begin counts.
  std::function<void(size_t text)> on_cut = {};
};

}  // namespace heed
