#include "heed/autograd/gradient_sum.h"

#include <cmath>
#include <utility>

#include "heed/base/fail.h"
#include "heed/kernels/accumulate.h"
#include "heed/kernels/combine.h"
#include "heed/kernels/sum_squares.h"

namespace heed {
namespace {

void make_writable(Tensor& tensor) {
  if (!tensor.owns_storage()) tensor = tensor.clone();
}

}  // namespace

GradientSum::GradientSum(std::vector<Variable> parameters) : parameters_(std::move(parameters)) {
  for (const Variable& parameter : parameters_) {
    check(parameter.requires_gradient(), "gradient sum: {} is not a parameter", parameter.value());
  }
}

void GradientSum::add(const Gradients& gradients) {
  if (empty()) {
    for (const Variable& parameter : parameters_) tensors_.push_back(gradients.of(parameter));
    return;
  }
  for (size_t i = 0; i < parameters_.size(); ++i) {
    if (!gradients.reached(parameters_[i])) continue;
    make_writable(tensors_[i]);
    kernels::accumulate(tensors_[i], gradients.of(parameters_[i]));
  }
}

void GradientSum::add(const GradientSum& other) {
  check(other.parameters_.size() == parameters_.size(),
        "gradient sum: {} parameters here, {} in the other", parameters_.size(),
        other.parameters_.size());
  if (other.empty()) return;
  if (empty()) {
    tensors_ = other.tensors_;
    return;
  }
  for (size_t i = 0; i < tensors_.size(); ++i) {
    make_writable(tensors_[i]);
    kernels::accumulate(tensors_[i], other.tensors_[i]);
  }
}

void GradientSum::scale(double factor) {
  for (Tensor& x : tensors_) {
    make_writable(x);
    if (x.dtype() == DType::f32) {
      const int64_t n = x.size();
      auto* data = x.data<float>();
      kernels::scale({data, n}, static_cast<float>(factor), 1, n, data);
    } else {
      auto* data = x.data<double>();
      for (int64_t i = 0; i < x.size(); ++i) data[i] *= factor;
    }
  }
}

void GradientSum::clear() { tensors_.clear(); }

const std::vector<Tensor>& GradientSum::tensors() const {
  check(!empty() || parameters_.empty(), "gradient sum: no gradients were added yet");
  return tensors_;
}

double GradientSum::norm() const { return euclidean_norm(tensors()); }

std::optional<size_t> GradientSum::first_non_finite() const {
  for (size_t i = 0; i < tensors_.size(); ++i) {
    if (!std::isfinite(euclidean_norm({&tensors_[i], 1}))) return i;
  }
  return {};
}

void GradientTree::add(GradientSum leaf) {
  int level = 0;
  while (!waiting_.empty() && waiting_.back().level == level) {
    waiting_.back().sum.add(leaf);
    leaf = std::move(waiting_.back().sum);
    waiting_.pop_back();
    ++level;
  }
  waiting_.push_back({level, std::move(leaf)});
}

GradientSum GradientTree::total() {
  check(!waiting_.empty(), "gradient tree: no gradients were added yet");
  GradientSum sum = std::move(waiting_.back().sum);
  waiting_.pop_back();
  while (!waiting_.empty()) {
    waiting_.back().sum.add(sum);
    sum = std::move(waiting_.back().sum);
    waiting_.pop_back();
  }
  return sum;
}

double euclidean_norm(std::span<const Tensor> tensors) {
  return std::sqrt(kernels::sum_squares(tensors));
}

double clip_factor(double norm, double limit) {
  check(limit >= 0, "clip: the limit must not be negative, got {}", limit);
  return limit > 0 && std::isfinite(norm) && norm > limit ? limit / norm : 1;
}

}  // namespace heed
