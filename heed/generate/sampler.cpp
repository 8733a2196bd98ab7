#include "heed/generate/sampler.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "heed/base/fail.h"
#include "heed/base/random.h"
#include "heed/generate/token_probability.h"
#include "heed/kernels/math.h"

namespace heed {
namespace {

constexpr uint64_t kSite = mix_bits(0x73616d706c65);  // apart from the draws of other operations
constexpr size_t kSamplingLanes = 8;
constexpr size_t kSamplingGroup = 64;  // tokens
constexpr float kExcluded = -std::numeric_limits<float>::infinity();

struct Weighted {
  int32_t token;
  float weight;  // p_v, up to a factor that all share
};

void penalize(std::vector<float>& x, std::span<const int32_t> before,
              const SamplingOptions& options) {
  std::vector<int32_t> sorted(before.begin(), before.end());
  std::sort(sorted.begin(), sorted.end());
  for (auto begin = sorted.begin(); begin != sorted.end();) {
    const auto end = std::upper_bound(begin, sorted.end(), *begin);
    if (*begin >= 0 && static_cast<size_t>(*begin) < x.size()) {
      float& logit = x[*begin];
      const double value = static_cast<double>(logit);
      const double repeated =
          value > 0 ? value / options.repetition_penalty : value * options.repetition_penalty;
      logit = static_cast<float>(repeated -
                                 options.frequency_penalty * static_cast<double>(end - begin));
    }
    begin = end;
  }
}

// In lanes that become vector registers.
float maximum_of(const std::vector<float>& x) {
  float lanes[kSamplingLanes];
  std::fill_n(lanes, kSamplingLanes, kExcluded);
  size_t i = 0;
  for (; i + kSamplingLanes <= x.size(); i += kSamplingLanes) {
    for (size_t j = 0; j < kSamplingLanes; ++j)
      lanes[j] = x[i + j] > lanes[j] ? x[i + j] : lanes[j];
  }
  for (; i < x.size(); ++i) lanes[0] = std::max(lanes[0], x[i]);
  return *std::max_element(lanes, lanes + kSamplingLanes);
}

// exp((x - m) / T) in place, which is p times the same factor for all.
void make_weights(std::vector<float>& x, float max, double temperature) {
  const auto maximum = static_cast<double>(max);
  if (temperature == 1) {
    for (float& value : x) value = static_cast<float>(static_cast<double>(value) - maximum);
  } else {
    for (float& value : x) {
      value = static_cast<float>((static_cast<double>(value) - maximum) / temperature);
    }
  }
  kernels::exp_nonpositive(x.data(), x.data(), static_cast<int64_t>(x.size()));
}

bool likelier(const Weighted& a, const Weighted& b) {
  return a.weight != b.weight ? a.weight > b.weight : a.token < b.token;
}

double total_of(const std::vector<Weighted>& left) {
  double total = 0;
  for (const Weighted& one : left) total += static_cast<double>(one.weight);
  return total;
}

void keep_top_k(std::vector<Weighted>& left, int64_t k) {
  const auto count = static_cast<size_t>(k);
  if (k == 0 || left.size() <= count) return;
  std::nth_element(left.begin(), left.begin() + static_cast<ptrdiff_t>(count), left.end(),
                   likelier);
  left.resize(count);
}

void keep_top_p(std::vector<Weighted>& left, double p) {
  if (p >= 1) return;
  const double total = total_of(left);
  // Tokens below this weight hold less than 1 - p together, so they need not be sorted.
  const double small = (1 - p) * total / static_cast<double>(left.size());
  std::vector<Weighted> large;
  for (const Weighted& one : left) {
    if (static_cast<double>(one.weight) >= small) large.push_back(one);
  }
  std::sort(large.begin(), large.end(), likelier);
  double held = 0;
  size_t count = 0;
  while (count < large.size() && (count == 0 || held < p * total)) {
    held += static_cast<double>(large[count++].weight);
  }
  large.resize(count);
  left = std::move(large);
}

void keep_min_p(std::vector<Weighted>& left, double p) {
  if (p <= 0) return;
  float max = 0;
  for (const Weighted& one : left) max = std::max(max, one.weight);
  const double min = p * static_cast<double>(max);
  std::erase_if(left, [&](const Weighted& one) { return static_cast<double>(one.weight) < min; });
}

// Uniform in [0, 1), 53 bits.
double uniform(const SamplingOptions& options, const DrawSite& site) {
  const RandomKey key = random_key(
      {.seed = options.seed, .site = kSite, .sequence = site.request, .position = site.position});
  const uint64_t high = random_bits(key, 0), low = random_bits(key, 1);
  return static_cast<double>((high << 21) | (low >> 11)) * 0x1p-53;
}

double group_total(const float* weights, size_t count) {
  double lanes[kSamplingLanes] = {};
  size_t i = 0;
  for (; i + kSamplingLanes <= count; i += kSamplingLanes) {
    for (size_t j = 0; j < kSamplingLanes; ++j) lanes[j] += static_cast<double>(weights[i + j]);
  }
  for (; i < count; ++i) lanes[0] += static_cast<double>(weights[i]);
  double total = 0;
  for (const double lane : lanes) total += lane;
  return total;
}

// Draws in proportion to the weights, of which one at least is above 0: first a group of tokens,
// then one of the group.
int32_t draw(const std::vector<float>& weights, double share) {
  std::vector<double> totals;
  totals.reserve(weights.size() / kSamplingGroup + 1);
  double total = 0;
  for (size_t begin = 0; begin < weights.size(); begin += kSamplingGroup) {
    totals.push_back(
        group_total(weights.data() + begin, std::min(kSamplingGroup, weights.size() - begin)));
    total += totals.back();
  }
  double rest = share * total;
  size_t group = 0;
  while (group + 1 < totals.size() && rest >= totals[group]) rest -= totals[group++];
  while (totals[group] == 0) --group;  // rounding has led beyond the last
  const size_t begin = group * kSamplingGroup,
               end = std::min(begin + kSamplingGroup, weights.size());
  size_t last = begin;
  for (size_t v = begin; v < end; ++v) {
    if (weights[v] == 0) continue;
    last = v;
    rest -= static_cast<double>(weights[v]);
    if (rest < 0) break;
  }
  return static_cast<int32_t>(last);
}

}  // namespace

void validate(const SamplingOptions& options) {
  const auto is_number = [](double value) { return std::isfinite(value); };
  check(is_number(options.temperature) && options.temperature >= 0,
        "sampling: the temperature is {}, expected 0 or more", options.temperature);
  check(options.top_k >= 0, "sampling: top_k is {}, expected 0 or more", options.top_k);
  check(options.top_p > 0 && options.top_p <= 1,
        "sampling: top_p is {}, expected more than 0 and at most 1", options.top_p);
  check(options.min_p >= 0 && options.min_p <= 1, "sampling: min_p is {}, expected 0 to 1",
        options.min_p);
  check(is_number(options.repetition_penalty) && options.repetition_penalty > 0,
        "sampling: the repetition penalty is {}, expected more than 0 (1: none)",
        options.repetition_penalty);
  check(is_number(options.frequency_penalty),
        "sampling: the frequency penalty is {}, expected a number", options.frequency_penalty);
}

int32_t sample_token(std::span<const float> logits, std::span<const int32_t> before,
                     std::span<const int32_t> excluded, const SamplingOptions& options,
                     const DrawSite& site) {
  std::vector<float> x(logits.begin(), logits.end());
  if (options.has_penalty()) penalize(x, before, options);
  for (const int32_t token : excluded) {
    if (token >= 0 && static_cast<size_t>(token) < x.size()) x[token] = kExcluded;
  }
  const float max = maximum_of(x);
  if (max == kExcluded) return -1;
  if (!options.is_random()) {
    return static_cast<int32_t>(std::find(x.begin(), x.end(), max) - x.begin());
  }
  make_weights(x, max, options.temperature);
  const double share = uniform(options, site);
  if (options.top_k == 0 && options.top_p >= 1 && options.min_p <= 0) return draw(x, share);
  std::vector<Weighted> left;
  left.reserve(x.size());
  for (size_t v = 0; v < x.size(); ++v) {
    if (x[v] > 0) left.push_back({static_cast<int32_t>(v), x[v]});
  }
  keep_top_k(left, options.top_k);
  keep_top_p(left, options.top_p);
  keep_min_p(left, options.min_p);
  // The sum below runs in an order that the cuts do not decide.
  const auto is_lower = [](const Weighted& a, const Weighted& b) { return a.token < b.token; };
  if (!std::is_sorted(left.begin(), left.end(), is_lower)) {
    std::sort(left.begin(), left.end(), is_lower);
  }
  double rest = share * total_of(left);
  for (const Weighted& one : left) {
    rest -= static_cast<double>(one.weight);
    if (rest < 0) return one.token;
  }
  return left.back().token;
}

}  // namespace heed
