// One text that is being generated beside others: from what is asked to tokens, and from tokens to
// text as it grows.
//
//   PreparedGeneration prepared = prepare_generation(pipeline, "Once upon", options);
//   worker.generate(0, generation_task(pipeline, prepared, options,
//                                      {.on_token = show, .done = keep}));
//
// The text is what Pipeline::generate and Pipeline::translate give, whatever is generated beside
// it.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "heed/base/export.h"
#include "heed/generate/continuous_batcher.h"
#include "heed/pipeline/pipeline.h"

namespace heed {

struct PreparedGeneration {
  GenerationRequest request = {};
  std::vector<int32_t> before = {};  // tokens of the prompt that decide about spaces
  int32_t end = -1;                  // the token that ends the text
  int64_t results = 1;               // texts wanted at most
  bool is_empty = false;             // there is nothing to generate
  bool cut = false;                  // the text to read was too long, and was cut
};

// The continuation of a prompt by a language model, or the answer to a text by a model that
// generates one for another. Any thread may prepare.
HEED_API PreparedGeneration prepare_generation(const Pipeline& pipeline, const std::string& text,
                                               const GenerateTextOptions& options);

// The next answer of a conversation (Pipeline::chat).
HEED_API PreparedGeneration prepare_chat(const Pipeline& pipeline,
                                         std::span<const ChatMessage> messages,
                                         const GenerateTextOptions& options);

struct TextToken {
  size_t index = 0;  // among the tokens of the text
  int32_t id = 0;
  std::string text = {};  // what can be shown now: whole characters, nothing of a stop string
  double log_probability = 0;
  std::span<const TokenProbability> alternatives = {};
  Tensor attention = {};  // [S], if wanted
};

struct TextEvents {
  std::function<bool(const TextToken&)> on_token = {};  // not with a beam; false ends the text
  std::function<void(const BeamStep&)> on_beam = {};
  std::function<void(GeneratedText)> done = {};
  // Instead of `done`: what was generated, of which another thread makes the generated_text().
  std::function<void(Generation)> generated = {};
  std::function<void(std::exception_ptr)> failed = {};
  std::optional<AttentionChoice> attention = {};  // whose weights on_token gets
};

// The options on_text, sequences and batch_tokens do not count here.
HEED_API GenerationTask generation_task(const Pipeline& pipeline,
                                        const PreparedGeneration& prepared,
                                        const GenerateTextOptions& options, TextEvents events);

// The text of some tokens, cut at stop strings.
HEED_API std::string decoded_text(const Pipeline& pipeline, const PreparedGeneration& prepared,
                                  std::span<const int32_t> ids,
                                  const std::vector<std::string>& stops);

// The whole answer, of what was generated. Of hypotheses with the same text the best counts. Any
// thread may ask.
HEED_API GeneratedText generated_text(const Pipeline& pipeline, const PreparedGeneration& prepared,
                                      Generation generation, const std::vector<std::string>& stops);

// The options of the generator.
HEED_API GenerateOptions generate_options(const GenerateTextOptions& options, int32_t end);

}  // namespace heed
