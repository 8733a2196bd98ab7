// Pipeline::generate, Pipeline::chat and Pipeline::translate.

#include "heed/base/fail.h"
#include "heed/generate/text_stream.h"
#include "heed/pipeline/pipeline.h"
#include "heed/pipeline/text_writing.h"

namespace heed {
namespace {

// Writes all of them, with their text cut at stop strings and told as it grows.
class Writer {
 public:
  Writer(const Pipeline& pipeline, std::vector<TextWriting> all, const WriteOptions& options)
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

  std::vector<WrittenText> run() {
    std::vector<WrittenText> texts(all_.size());
    for (size_t i = 0; i < all_.size(); ++i) texts[i].cut = all_[i].cut;
    if (requests_.empty()) return texts;
    GenerateOptions generate = generate_options(options_, all_[0].end);
    if (options_.on_text) {
      generate.on_token = [this](const WrittenToken& token) {
        return tell(token.request, streams_[token.request].push(token.token));
      };
    }
    std::vector<Generation> written =
        Generator(*pipeline_.run().model).generate(requests_, generate);
    for (size_t r = 0; r < written.size(); ++r) {
      if (options_.on_text) tell(r, streams_[r].finish());
      const size_t i = origin_[r];
      texts[i] = written_answer(pipeline_, all_[i], std::move(written[r]), options_.stop);
    }
    return texts;
  }

 private:
  bool tell(size_t request, const std::string& more) const {
    return more.empty() || options_.on_text(origin_[request], more);
  }

  const Pipeline& pipeline_;
  const WriteOptions& options_;
  std::vector<TextWriting> all_;
  std::vector<GenerationRequest> requests_;
  std::vector<size_t> origin_;  // of each request: which of all
  std::vector<TextStream> streams_;
};

std::vector<WrittenText> write_all(const Pipeline& pipeline, std::span<const std::string> texts,
                                   const WriteOptions& options) {
  std::vector<TextWriting> all;
  for (const std::string& text : texts) all.push_back(prepare_writing(pipeline, text, options));
  return Writer(pipeline, std::move(all), options).run();
}

}  // namespace

std::vector<WrittenText> Pipeline::generate(std::span<const std::string> prompts,
                                            const WriteOptions& options) const {
  check(task() == Task::lm,
        "this is a model for {}; only a language model (heed train lm) continues a prompt",
        name_of(task()));
  return write_all(*this, prompts, options);
}

WrittenText Pipeline::chat(std::span<const ChatMessage> messages,
                           const WriteOptions& options) const {
  return Writer(*this, {prepare_chat(*this, messages, options)}, options).run().front();
}

std::vector<WrittenText> Pipeline::translate(std::span<const std::string> texts,
                                             const WriteOptions& options) const {
  check(is_pair_task(task()),
        "this is a model for {}; translating and summarizing need one that writes a text for a "
        "text",
        name_of(task()));
  return write_all(*this, texts, options);
}

}  // namespace heed
