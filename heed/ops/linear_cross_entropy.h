// The output layer and its loss in one: cross_entropy(affine(x, W, b), targets) without the logits.
//
//   forward   z = x W + b        y = sum over n of loss_n / count     (ops/cross_entropy.h)
//   backward  dz = (softmax(z) - q) / count
//             dx = dy dz Wᵀ      dW = dy xᵀ dz      db = dy sum over rows of dz
//
//   x : [N, C]     W : [V, C], an embedding table, or [C, V]     b : [V], optional     y : [1]
//
// Rows are taken in blocks of 384: the logits of a block, its loss, its dz in place of the logits,
// its dx, and its share of dW. So [384, V] is the largest intermediate and no [N, V] exists. When
// recording, the gradients are computed here, in the forward pass, and kept: dx, dW and db;
// backward multiplies them by dy. When not recording, only the loss is computed.
//
// The block is the slice of kernels::gemm. With fewer rows, reading and writing dW once per block
// would cost more than the arithmetic; with just these, the sums of dW are the chain of one product
// over all rows. Guaranteed: y, dx and dW are bit for bit those of affine and cross_entropy with
// dy = 1, for any number of threads; db is the sum of blocks in order, equal within rounding.
#pragma once

#include "heed/autograd/variable.h"
#include "heed/base/export.h"
#include "heed/ops/affine.h"
#include "heed/ops/cross_entropy.h"

namespace heed {

struct LinearCrossEntropyOptions {
  CrossEntropyOptions loss = {};
  WeightLayout weight_layout = WeightLayout::out_in;  // out_in: W is [V, C]; in_out: [C, V]
};

HEED_API Variable linear_cross_entropy(const Variable& x, const Variable& w, const Variable& b,
                                       const Tensor& targets,
                                       const LinearCrossEntropyOptions& options = {});

}  // namespace heed
