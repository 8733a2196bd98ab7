#include "heed/generate/generator.h"
#include "heed/text/on_one_line.h"
#include "heed/tuning/answering_internal.h"

namespace heed {
namespace {

constexpr int64_t kSampleTokens = 48;
constexpr size_t kShownPrompt = 60;  // bytes

}  // namespace

std::string sample_line(const Model& model, const ChatTemplate& form, const Tokenizer& tokenizer,
                        std::span<const ChatMessage> prompt) {
  const GenerationRequest request{.prompt = encode_chat_prompt(form, tokenizer, prompt)};
  const auto generated = Generator(model).generate(
      std::span(&request, 1),
      {.max_tokens = kSampleTokens, .end = chat_end_token(form, tokenizer)});
  std::string question = prompt.back().content;
  if (question.size() > kShownPrompt) {
    size_t end = kShownPrompt;
    while (end > 0 && (static_cast<unsigned char>(question[end]) & 0xC0) == 0x80) --end;
    question = question.substr(0, end) + "..";
  }
  return on_one_line(question + " | " + tokenizer.decode(generated[0].ids));
}

}  // namespace heed
