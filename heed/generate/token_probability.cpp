#include "heed/generate/token_probability.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "heed/base/fail.h"
#include "heed/kernels/cross_entropy.h"

namespace heed {
namespace {

constexpr size_t kBlock = 256;
constexpr size_t kLanes = 16;
constexpr float kLowest = -std::numeric_limits<float>::infinity();

// The maximum of a block, in lanes that become vector registers. A NaN is passed over.
float block_maximum(const float* x) {
  float lanes[kLanes];
  std::fill_n(lanes, kLanes, kLowest);
  for (size_t i = 0; i < kBlock; i += kLanes) {
    for (size_t j = 0; j < kLanes; ++j) lanes[j] = x[i + j] > lanes[j] ? x[i + j] : lanes[j];
  }
  return *std::max_element(lanes, lanes + kLanes);
}

struct Found {
  float logit;
  int32_t token;
};

// The best so far, in order; a row is long and the list is short, so that few tokens enter it.
class Best {
 public:
  explicit Best(size_t count) : count_(count) {}

  // What a logit must exceed to enter. A later token that is equal stays out.
  float threshold() const { return found_.size() < count_ ? kLowest : found_.back().logit; }

  void enter(float logit, int32_t token) {
    const auto place = std::find_if(found_.begin(), found_.end(),
                                    [&](const Found& other) { return logit > other.logit; });
    found_.insert(place, {logit, token});
    if (found_.size() > count_) found_.pop_back();
  }

  const std::vector<Found>& found() const { return found_; }

 private:
  size_t count_;
  std::vector<Found> found_;
};

}  // namespace

double log_sum_exp(std::span<const float> logits) {
  check(!logits.empty(), "generate: a row of logits is empty");
  const auto row =
      kernels::cross_entropy_row(logits.data(), static_cast<int64_t>(logits.size()), 0, 0);
  const double result = static_cast<double>(row.maximum) + std::log(static_cast<double>(row.sum));
  check(std::isfinite(result),
        "generate: the model's logits are not finite; its weights may be damaged");
  return result;
}

std::vector<TokenProbability> likeliest_tokens(std::span<const float> logits, double log_sum,
                                               int64_t count, std::span<const int32_t> excluded) {
  if (count <= 0) return {};
  Best best(static_cast<size_t>(count));
  const auto look = [&](size_t begin, size_t end) {
    for (size_t v = begin; v < end; ++v) {
      const auto token = static_cast<int32_t>(v);
      if (!(logits[v] > best.threshold())) continue;
      if (std::find(excluded.begin(), excluded.end(), token) != excluded.end()) continue;
      best.enter(logits[v], token);
    }
  };
  size_t at = 0;
  for (; at + kBlock <= logits.size(); at += kBlock) {
    if (block_maximum(logits.data() + at) > best.threshold()) look(at, at + kBlock);
  }
  look(at, logits.size());
  std::vector<TokenProbability> result;
  result.reserve(best.found().size());
  for (const Found& found : best.found()) {
    result.push_back({found.token, static_cast<double>(found.logit) - log_sum});
  }
  return result;
}

}  // namespace heed
