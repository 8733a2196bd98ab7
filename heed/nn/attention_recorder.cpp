#include "heed/nn/attention_recorder.h"

#include "heed/attention/key_value_cache.h"
#include "heed/base/fail_internal.h"

namespace heed {

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
  const AttentionCall& found = call(name);
  if (found.cache != nullptr) {
    return attention_weights(found.q, *found.cache, found.query_rows, found.slots, found.options,
                             selection);
  }
  return attention_weights(found.q, found.k, found.query_rows, found.key_rows, found.options,
                           selection);
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
