#include "heed/generate/generator.h"

#include <algorithm>

#include "heed/generate/continuous_batcher.h"

namespace heed {
namespace {

// Long ones first, so that those read together are alike.
std::vector<size_t> order_of(std::span<const GenerationRequest> requests) {
  std::vector<size_t> order(requests.size());
  for (size_t r = 0; r < order.size(); ++r) order[r] = order.size() - 1 - r;
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return requests[a].load() > requests[b].load(); });
  return order;
}

}  // namespace

std::vector<Generation> Generator::generate(std::span<const GenerationRequest> requests,
                                            const GenerateOptions& options) const {
  validate(options);
  std::vector<Generation> results(requests.size());
  const bool has_own_limit = std::any_of(
      requests.begin(), requests.end(), [](const auto& request) { return request.max_tokens > 0; });
  if (requests.empty() || (options.max_tokens == 0 && !has_own_limit)) return results;
  ContinuousBatcher batcher(
      model_, {.sequences = options.sequences, .tokens = options.tokens, .gathers = true});
  std::exception_ptr error;
  for (const size_t r : order_of(requests)) {
    batcher.add({.request = requests[r],
                 .options = options,
                 .index = r,
                 .done = [&results, r](Generation generated) { results[r] = std::move(generated); },
                 .failed = [&error](const std::exception_ptr& one) { error = one; }});
  }
  while (batcher.step() && !error) {
  }
  if (error) std::rethrow_exception(error);
  return results;
}

}  // namespace heed
