// Pipeline::generate, Pipeline::chat and Pipeline::translate.

#include "heed/base/fail.h"
#include "heed/generate/text_stream.h"
#include "heed/pipeline/pipeline.h"
#include "heed/pipeline/prepared_generation.h"
#include "heed/run/task_names.h"

namespace heed {
namespace {

// Generates all of them, with their text cut at stop strings and told as it grows.
class TextGenerator {
 public:
  TextGenerator(const Pipeline& pipeline, std::vector<PreparedGeneration> all,
                const GenerateTextOptions& options)
      : pipeline_(pipeline), options_(options), all_(std::move(all)) {
    check(options.beam.width == 1 || !options.on_text,
          "generate: with a beam the text is known at the end only; it cannot be told as it grows");
    for (size_t i = 0; i < all_.size(); ++i) {
      if (all_[i].is_empty) continue;
      requests_.push_back(all_[i].request);
      origin_.push_back(i);
      streams_.emplace_back(pipeline.run().tokenizer, options.stop);
      streams_.back().skip(all_[i].before);
    }
  }

  std::vector<GeneratedText> run() {
    std::vector<GeneratedText> texts(all_.size());
    for (size_t i = 0; i < all_.size(); ++i) texts[i].cut = all_[i].cut;
    if (requests_.empty()) return texts;
    GenerateOptions generate = generate_options(options_, all_[0].end);
    if (options_.on_text) {
      generate.on_token = [this](const GeneratedToken& token) {
        return notify(token.request, streams_[token.request].push(token.token));
      };
    }
    std::vector<Generation> generated =
        Generator(*pipeline_.run().model).generate(requests_, generate);
    for (size_t r = 0; r < generated.size(); ++r) {
      if (options_.on_text) notify(r, streams_[r].finish());
      const size_t i = origin_[r];
      texts[i] = generated_text(pipeline_, all_[i], std::move(generated[r]), options_.stop);
    }
    return texts;
  }

 private:
  bool notify(size_t request, const std::string& more) const {
    return more.empty() || options_.on_text(origin_[request], more);
  }

  const Pipeline& pipeline_;
  const GenerateTextOptions& options_;
  std::vector<PreparedGeneration> all_;
  std::vector<GenerationRequest> requests_;
  std::vector<size_t> origin_;  // of each request: which of all
  std::vector<TextStream> streams_;
};

std::vector<GeneratedText> generate_all(const Pipeline& pipeline,
                                        std::span<const std::string> texts,
                                        const GenerateTextOptions& options) {
  std::vector<PreparedGeneration> all;
  for (const std::string& text : texts) all.push_back(prepare_generation(pipeline, text, options));
  return TextGenerator(pipeline, std::move(all), options).run();
}

}  // namespace

std::vector<GeneratedText> Pipeline::generate(std::span<const std::string> prompts,
                                              const GenerateTextOptions& options) const {
  check(task() == Task::lm,
        "this is a model for {}; only a language model (heed train lm) continues a prompt",
        name_of(task()));
  return generate_all(*this, prompts, options);
}

GeneratedText Pipeline::chat(std::span<const ChatMessage> messages,
                             const GenerateTextOptions& options) const {
  return TextGenerator(*this, {prepare_chat(*this, messages, options)}, options).run().front();
}

std::vector<GeneratedText> Pipeline::translate(std::span<const std::string> texts,
                                               const GenerateTextOptions& options) const {
  check(is_pair_task(task()),
        "this is a model for {}; translating and summarizing need one that writes a text for a "
        "text",
        name_of(task()));
  return generate_all(*this, texts, options);
}

}  // namespace heed
