// Writing: from a source or a prompt to the tokens that follow, for every model that predicts the
// next token.
//
//   const Generator generator(model);
//   const std::vector<Generation> written =
//       generator.generate({{.source = ids}}, {.max_tokens = 50, .end = eos});
//
// Without further options the choice is greedy: always the likeliest token, of equals the first.
// SamplingOptions make it random, BeamOptions search more widely.
//
// Many requests are written at once; finished ones leave and others enter. What is written for a
// request does not depend on its company, nor on the number of threads.
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
#include "heed/models/model.h"

namespace heed {

struct GenerationRequest {
  std::vector<int32_t> source = {};  // what an encoder reads
  Tensor source_rows = {};           // or rows of floats [S, W]
  std::vector<int32_t> prompt = {};  // what the decoder reads first; at least one token
  std::vector<int32_t> forced = {};  // what is written first, whatever the model would choose
  int64_t max_tokens = 0;            // written at most; 0: as many as the options say
  uint64_t id = 0;                   // with the seed it decides the random numbers
  // Each hypothesis has a copy of this and gives it its tokens, one by one; true ends the
  // hypothesis with this token. Copies may be called by different threads at once.
  std::function<bool(int32_t token)> stop = {};

  int64_t source_length() const {
    return source_rows.defined() ? source_rows.dim(0) : static_cast<int64_t>(source.size());
  }
  // Tokens to read before the first one is written.
  int64_t load() const { return source_length() + static_cast<int64_t>(prompt.size()); }
};

// A token as it is written.
struct WrittenToken {
  size_t request;  // its index among the requests
  int32_t token;
  double log_probability;
  std::span<const TokenProbability> alternatives = {};  // if wanted
  Tensor attention = {};  // [S], if wanted: where the model looked when it wrote the token
};

struct GenerateOptions {
  int64_t max_tokens = 256;  // written at most, per request
  int64_t min_tokens = 0;    // before these the end is not chosen
  int32_t end = -1;          // the token that ends a sequence; -1: none
  SamplingOptions sampling = {};
  BeamOptions beam = {};     // a width above 1 excludes sampling and penalties
  int64_t no_repeat = 0;     // no run of this many tokens is written twice; 0: any may
  int64_t alternatives = 0;  // how many of the likeliest tokens are told at every position
  int64_t sequences = 64;    // hypotheses written at once at most
  int64_t tokens = 0;        // tokens of sources and prompts at once at most; 0: any number
  // Called for every token when it is written, but not for the end; not with a beam. False ends
  // the request, with this token.
  std::function<bool(const WrittenToken&)> on_token = {};
  // The layer and the head whose weights on_token is told; empty: none.
  std::optional<AttentionChoice> attention = {};
  // Called after every step of a beam search.
  std::function<void(const BeamStep&)> on_beam = {};
  // Ends all requests, each with what it has.
  std::stop_token cancel = {};
};

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

class HEED_API Generator {
 public:
  explicit Generator(const Model& model) : model_(model) {}

  std::vector<Generation> generate(std::span<const GenerationRequest> requests,
                                   const GenerateOptions& options = {}) const;

 private:
  const Model& model_;
};

}  // namespace heed
