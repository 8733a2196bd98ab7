#include "heed/generate/generator.h"

#include <algorithm>

#include "heed/base/fail_internal.h"
#include "heed/generate/continuous_writer.h"

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

void validate(const GenerateOptions& options) {
  check(options.sequences > 0, "generate: expected at least 1 sequence at once, got {}",
        options.sequences);
  check(options.max_tokens >= 0 && options.min_tokens >= 0 && options.tokens >= 0 &&
            options.no_repeat >= 0 && options.alternatives >= 0,
        "generate: max_tokens {}, min_tokens {}, tokens {}, no_repeat {} and alternatives {} must "
        "be 0 or more",
        options.max_tokens, options.min_tokens, options.tokens, options.no_repeat,
        options.alternatives);
  validate(options.sampling);
  const BeamOptions& beam = options.beam;
  check(beam.width >= 1, "generate: the beam has a width of {}, expected 1 or more", beam.width);
  check(beam.n_best >= 1 && beam.n_best <= beam.width,
        "generate: the {} best of a beam of {} are wanted; expected 1 to {}", beam.n_best,
        beam.width, beam.width);
  check(beam.width == 1 || (!options.sampling.is_random() && !options.sampling.has_penalty()),
        "generate: a beam excludes sampling and penalties; leave the temperature and the "
        "penalties, or take a width of 1");
  check(beam.width == 1 || !options.on_token,
        "generate: with a beam the tokens are known at the end only, so on_token cannot be called");
}

std::vector<Generation> Generator::generate(std::span<const GenerationRequest> requests,
                                            const GenerateOptions& options) const {
  validate(options);
  std::vector<Generation> results(requests.size());
  const bool writes = std::any_of(requests.begin(), requests.end(),
                                  [](const auto& request) { return request.max_tokens > 0; });
  if (requests.empty() || (options.max_tokens == 0 && !writes)) return results;
  ContinuousWriter writer(
      model_, {.sequences = options.sequences, .tokens = options.tokens, .gathers = true});
  std::exception_ptr error;
  for (const size_t r : order_of(requests)) {
    writer.add({.request = requests[r],
                .options = options,
                .index = r,
                .done = [&results, r](Generation written) { results[r] = std::move(written); },
                .failed = [&error](const std::exception_ptr& one) { error = one; }});
  }
  while (writer.step() && !error) {
  }
  if (error) std::rethrow_exception(error);
  return results;
}

}  // namespace heed
