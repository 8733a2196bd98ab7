// What is to be generated, how, and what was.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "heed/base/export.h"
#include "heed/generate/alignment.h"
#include "heed/generate/beam.h"
#include "heed/generate/sampler.h"
#include "heed/generate/token_probability.h"
#include "heed/tensor/tensor.h"

namespace heed {

struct GenerationRequest {
  std::vector<int32_t> source = {};  // what an encoder reads
  Tensor source_vectors = {};        // or rows of floats [S, W]
  std::vector<int32_t> prompt = {};  // what the decoder reads first; at least one token
  std::vector<int32_t> forced = {};  // what is generated first, whatever the model would choose
  int64_t max_tokens = 0;            // generated at most; 0: as many as the options say
  uint64_t id = 0;                   // with the seed it decides the random numbers
  // Each hypothesis has a copy of this and gives it its tokens, one by one; true ends the
  // hypothesis with this token. Copies may be called by different threads at once.
  std::function<bool(int32_t token)> stop = {};

  int64_t source_length() const {
    return source_vectors.defined() ? source_vectors.dim(0) : static_cast<int64_t>(source.size());
  }
  // Tokens to read before the first one is generated.
  int64_t load() const { return source_length() + static_cast<int64_t>(prompt.size()); }
};

// A token as it is generated.
struct GeneratedToken {
  size_t request;  // its index among the requests
  int32_t token;
  double log_probability;
  std::span<const TokenProbability> alternatives = {};  // if wanted
  Tensor attention = {};  // [S], if wanted: where the model looked when it generated the token
};

struct GenerateOptions {
  int64_t max_tokens = 256;  // generated at most, per request
  int64_t min_tokens = 0;    // before these the end is not chosen
  int32_t end = -1;          // the token that ends a sequence; -1: none
  SamplingOptions sampling = {};
  BeamOptions beam = {};     // a width above 1 excludes sampling and penalties
  int64_t no_repeat = 0;     // no run of this many tokens is generated twice; 0: any may
  int64_t alternatives = 0;  // how many of the likeliest tokens are reported at every position
  int64_t sequences = 64;    // hypotheses generated at once at most
  int64_t tokens = 0;        // tokens of sources and prompts at once at most; 0: any number
  // Called for every token when it is generated, but not for the end; not with a beam. False ends
  // the request, with this token.
  std::function<bool(const GeneratedToken&)> on_token = {};
  // The layer and the head whose weights on_token gets; empty: none.
  std::optional<AttentionChoice> attention = {};
  // Called after every step of a beam search.
  std::function<void(const BeamStep&)> on_beam = {};
  // Ends all requests, each with what it has.
  std::stop_token cancel = {};
};

// Raises an Error that names the option which cannot be meant.
HEED_API void validate(const GenerateOptions& options);

// Why a sequence is not longer.
enum class Ending : uint8_t {
  limit,      // of the tokens, or of the model's positions
  end_token,  // the end was chosen
  stopped,    // by the request's stop, or on_token wanted no more
  canceled,
};

struct Generation {
  std::vector<int32_t> ids = {};  // without the end token
  // What the model itself says, before penalties, temperature and cuts: of the ids, and of the end
  // if it was reached.
  double log_probability = 0;
  std::vector<double> log_probabilities = {};                    // of each, the end included
  std::vector<std::vector<TokenProbability>> alternatives = {};  // to each, if wanted
  double score = 0;                                              // without what was forced (beam.h)
  Ending ending = Ending::limit;
  bool at_context = false;              // the limit was that of the model's positions
  std::vector<Generation> others = {};  // the n best but the first, best first

  bool ended() const { return ending == Ending::end_token; }
};

}  // namespace heed
