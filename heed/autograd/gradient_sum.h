// Gradients of several backward passes, added up: what lies between backward() and an optimizer.
//
//   GradientSum sum(parameters);
//   for (const Batch& batch : batches) sum.add(backward(loss_of(batch)));
//   const double norm = sum.norm();
//   optimizer.step(sum.tensors(), {.rate = rate, .gradient_scale = clip_factor(norm, 1)});
//
// The result depends on the order of the calls and on nothing else, whatever the number of threads.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "heed/autograd/variable.h"
#include "heed/base/export.h"
#include "heed/tensor/tensor.h"

namespace heed {

class HEED_API GradientSum {
 public:
  // A sum of nothing. Takes no memory before the first gradients come.
  explicit GradientSum(std::vector<Variable> parameters);

  // Later gradients are added in place to the first, which are not copied unless the caller keeps
  // handles on them.
  void add(const Gradients& gradients);
  void add(const GradientSum& other);  // of the same parameters
  void scale(double factor);
  void clear();  // back to a sum of nothing
  bool empty() const { return tensors_.empty(); }

  // One contiguous tensor per parameter, in order; zeros where no loss depends on the parameter.
  // Handles that the caller keeps are not written to later. An error if the sum is empty.
  const std::vector<Tensor>& tensors() const;

  // The Euclidean norm over all elements of all gradients; infinite or NaN if one of them is.
  double norm() const;

  // The first parameter whose gradient holds infinity or NaN: the one to blame for such a norm.
  std::optional<size_t> first_non_finite() const;

 private:
  std::vector<Variable> parameters_;
  std::vector<Tensor> tensors_;
};

// The sum over shards in a fixed binary tree: leaves 2i and 2i + 1 first, then pairs of these, and
// so on; what is left over at the end is added from the right. It depends on the order of the
// leaves alone, so that whoever computes an aligned block of 2^k shards may add them up beforehand.
// Holds one sum per level of the tree.
class HEED_API GradientTree {
 public:
  void add(GradientSum leaf);
  GradientSum total();  // and begins anew; an error without leaves

 private:
  struct Subtree {
    int level;
    GradientSum sum;
  };
  std::vector<Subtree> waiting_;  // levels fall
};

// The Euclidean norm over all elements of some float32 or float64 tensors. Summed in double, in an
// order that depends on the sizes alone.
HEED_API double euclidean_norm(std::span<const Tensor> tensors);

// What gradients of this norm are multiplied with, so that it does not exceed the limit. 1 if it
// does not anyway, if the limit is 0 (none), or if the norm is not a number.
HEED_API double clip_factor(double norm, double limit);

}  // namespace heed
