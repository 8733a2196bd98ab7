// Generation: from a source or a prompt to the tokens that follow, for every model that predicts
// the next token.
//
//   const Generator generator(model);
//   const std::vector<Generation> generated =
//       generator.generate({{.source = ids}}, {.max_tokens = 50, .end = eos});
//
// Without further options the choice is greedy: always the likeliest token; ties go to the first.
// SamplingOptions make it random, BeamOptions search more widely.
//
// Many requests are generated at once; finished ones leave and others enter. What is generated for
// a request does not depend on its company, nor on the number of threads.
#pragma once

#include <span>
#include <vector>

#include "heed/base/export.h"
#include "heed/generate/generation.h"
#include "heed/models/model.h"

namespace heed {

class HEED_API Generator {
 public:
  explicit Generator(const Model& model) : model_(model) {}

  std::vector<Generation> generate(std::span<const GenerationRequest> requests,
                                   const GenerateOptions& options = {}) const;

 private:
  const Model& model_;
};

}  // namespace heed
