// Writing: from a source or a prompt to the tokens that follow, for every model that predicts the
// next token.
//
//   const Generator generator(model);
//   const std::vector<Generation> written =
//       generator.generate({{.source = ids}}, {.max_tokens = 50, .end = eos});
//
// Many requests are written at once; finished ones leave and others enter. What is written for a
// request does not depend on its company.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "heed/base/export.h"
#include "heed/models/model.h"

namespace heed {

struct GenerationRequest {
  std::vector<int32_t> source = {};  // what an encoder reads
  Tensor source_rows = {};           // or rows of floats [S, W]
  std::vector<int32_t> prompt = {};  // what the decoder reads first; at least one token
};

struct GenerateOptions {
  int64_t max_tokens = 256;  // written at most, per request
  int32_t end = -1;          // the token that ends a sequence; -1: none
  int64_t sequences = 64;    // written at once at most
};

struct Generation {
  std::vector<int32_t> ids;    // without the end token
  double log_probability = 0;  // of the ids, and of the end if it was reached
  bool ended = false;          // by the end token, not by a limit
};

class HEED_API Generator {
 public:
  explicit Generator(const Model& model) : model_(model) {}

  // Greedy: always the likeliest token, of equals the first.
  std::vector<Generation> generate(std::span<const GenerationRequest> requests,
                                   const GenerateOptions& options = {}) const;

 private:
  const Model& model_;
};

}  // namespace heed
