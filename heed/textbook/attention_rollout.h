// How much of each input word is in each word after all layers (Abnar and Zuidema 2020).
//
//   R_0 = I,   R_{l+1} = (A_l + I) / 2  R_l
//
// A_l [T, T] are the weights of layer l, the mean of its heads; I stands for the residual
// connection. The rows of R sum to 1 if those of every A do. It is an account of the weights alone:
// what the values and the feed-forward networks do to the vectors does not enter.
#pragma once

#include <span>

#include "heed/base/export.h"
#include "heed/tensor/tensor.h"

namespace heed {

// float64 [T, T], from matrices of float32 or float64, the first layer first.
HEED_API Tensor attention_rollout(std::span<const Tensor> layers);

}  // namespace heed
