#include "heed/optim/weight_average.h"

#include <algorithm>
#include <utility>

#include "heed/base/fail.h"
#include "heed/kernels/lerp.h"
#include "heed/kernels/pieces.h"
#include "heed/optim/named_state_internal.h"

namespace heed {
namespace {

template <typename T>
void mean_into(std::span<const Tensor> tensors, Tensor& mean) {
  kernels::for_pieces({mean.size()}, static_cast<double>(tensors.size()),
                      [&](const kernels::Piece& piece) {
                        std::vector<double> sums(static_cast<size_t>(piece.count), 0.0);
                        for (const Tensor& tensor : tensors) {
                          const T* x = tensor.data<T>() + piece.begin;
                          for (size_t i = 0; i < sums.size(); ++i)
                            sums[i] += static_cast<double>(x[i]);
                        }
                        T* y = mean.data<T>() + piece.begin;
                        const auto count = static_cast<double>(tensors.size());
                        for (size_t i = 0; i < sums.size(); ++i)
                          y[i] = static_cast<T>(sums[i] / count);
                      });
}

template <typename T>
void swap_numbers(Tensor& a, Tensor& b) {
  std::swap_ranges(a.data<T>(), a.data<T>() + a.size(), b.data<T>());
}

}  // namespace

WeightAverage::WeightAverage(std::vector<OptimizedParameter> parameters, double decay)
    : parameters_(std::move(parameters)), decay_(decay) {
  check(decay >= 0 && decay < 1, "weight average: decay must be in [0, 1), got {}", decay);
  for (const OptimizedParameter& parameter : parameters_) {
    const Tensor& value = parameter.variable.value();
    check(value.defined() && is_real(value.dtype()) && value.is_contiguous(),
          "weight average: cannot average \"{}\", {}", parameter.name, value);
    averages_.push_back(value.clone());
  }
}

void WeightAverage::update() {
  std::vector<Tensor> values;
  for (const OptimizedParameter& parameter : parameters_) {
    values.push_back(parameter.variable.value());
  }
  const auto n = static_cast<double>(updates_++);
  kernels::lerp(averages_, values, 1 - std::min(decay_, (1 + n) / (10 + n)));
}

void WeightAverage::swap() {
  for (size_t i = 0; i < parameters_.size(); ++i) {
    Tensor value = parameters_[i].variable.value();
    if (value.dtype() == DType::f32) {
      swap_numbers<float>(value, averages_[i]);
    } else {
      swap_numbers<double>(value, averages_[i]);
    }
  }
}

std::vector<NamedTensor> WeightAverage::state() const {
  std::vector<NamedTensor> result = {
      {"updates", Tensor::from(std::vector<int64_t>{updates_}, {1})}};
  for (size_t i = 0; i < parameters_.size(); ++i) {
    result.push_back({"average." + parameters_[i].name, averages_[i]});
  }
  return result;
}

void WeightAverage::load_state(std::span<const NamedTensor> saved) {
  const std::vector<NamedTensor> now = state();
  const Tensor& updates = now[0].tensor;  // a copy, unlike the others
  copy_state(now, saved, "weight average");
  updates_ = updates.data<int64_t>()[0];
}

Tensor mean_of_tensors(std::span<const Tensor> tensors) {
  check(!tensors.empty(), "mean of tensors: there are none");
  std::vector<Tensor> all;
  for (const Tensor& x : tensors) {
    check(is_real(x.dtype()) && x.shape() == tensors[0].shape() && x.dtype() == tensors[0].dtype(),
          "mean of tensors: {} and {} do not fit together", tensors[0], x);
    all.push_back(x.contiguous());
  }
  Tensor mean = Tensor::empty(all[0].shape(), all[0].dtype());
  if (mean.dtype() == DType::f32) {
    mean_into<float>(all, mean);
  } else {
    mean_into<double>(all, mean);
  }
  return mean;
}

}  // namespace heed
