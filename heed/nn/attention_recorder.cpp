#include "heed/nn/attention_recorder.h"

#include <algorithm>
#include <cmath>

#include "heed/attention/cached_attention.h"
#include "heed/base/fail.h"

namespace heed {
namespace {

Tensor weights_of(const AttentionCall& call, const WeightSelection& selection) {
  if (call.cache != nullptr) {
    return attention_weights(call.q, *call.cache, call.query_rows, call.slots, call.options,
                             selection);
  }
  return attention_weights(call.q, call.k, call.query_rows, call.key_rows, call.options, selection);
}

}  // namespace

void AttentionRecorder::attention(std::string_view name, const AttentionCall& call) {
  const std::string key(name);
  if (!calls_.contains(key)) names_.push_back(key);
  calls_[key] = call;
}

const AttentionCall& AttentionRecorder::call(const std::string& name) const {
  const auto found = calls_.find(name);
  if (found == calls_.end()) {
    std::string known;
    for (const std::string& other : names_) known += (known.empty() ? "" : ", ") + other;
    fail("attention: there is no layer \"{}\" in this model; it has {}", name, known);
  }
  return found->second;
}

int64_t AttentionRecorder::heads(const std::string& name) const {
  const Tensor& q = call(name).q;
  return q.rank() == 3 ? q.dim(1) : 1;
}

Tensor AttentionRecorder::weights(const std::string& name, const WeightSelection& selection) const {
  Tensor weights = weights_of(call(name), selection);
  const Tensor numbers = weights.to(DType::f32);
  const float* x = numbers.data<float>();
  check(std::all_of(x, x + numbers.size(), [](float value) { return std::isfinite(value); }),
        "attention: what {} computes is not finite; its weights may be damaged", name);
  return weights;
}

Tensor AttentionRecorder::mean_weights(const std::string& name, int64_t sequence) const {
  Tensor sum;
  const int64_t count = heads(name);
  for (int64_t h = 0; h < count; ++h) {
    const Tensor one = weights(name, {.sequence = sequence, .head = h}).to(DType::f32);
    if (!sum.defined()) {
      sum = Tensor::zeros(one.shape());
    }
    float* to = sum.data<float>();
    const float* from = one.data<float>();
    for (int64_t i = 0; i < one.size(); ++i) to[i] += from[i] / static_cast<float>(count);
  }
  return sum;
}

}  // namespace heed
