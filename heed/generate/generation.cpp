#include "heed/generate/generation.h"

#include "heed/base/fail.h"

namespace heed {

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

}  // namespace heed
