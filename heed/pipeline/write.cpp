// Pipeline::generate, Pipeline::chat and Pipeline::translate.

#include <algorithm>

#include "heed/base/fail_internal.h"
#include "heed/generate/text_stream.h"
#include "heed/pipeline/pipeline.h"
#include "heed/pipeline/read_internal.h"
#include "heed/train/choose.h"
#include "heed/train/frame.h"
#include "heed/train/pair_corpus.h"

namespace heed {
namespace {

constexpr int64_t kContinuation = 256;  // tokens after a prompt at most, if nothing is said

// A request, and what its text follows.
struct Written {
  GenerationRequest request;
  std::vector<int32_t> before = {};  // tokens of the prompt that decide about blanks
  bool is_empty = false;             // there is nothing to write
  bool cut = false;
};

std::string text_of(const std::shared_ptr<const Tokenizer>& tokenizer, const Written& written,
                    const std::vector<int32_t>& ids, const std::vector<std::string>& stops) {
  TextStream stream(tokenizer, stops);
  stream.skip(written.before);
  std::string text;
  for (const int32_t id : ids) text += stream.push(id);
  return text + stream.finish();
}

// Writes all of them, with their text cut at stop strings and told as it grows.
class Writer {
 public:
  Writer(const Pipeline& pipeline, std::vector<Written> all, const WriteOptions& options)
      : run_(pipeline.run()), all_(std::move(all)), options_(options) {
    check(options.beam.width == 1 || !options.on_text,
          "generate: with a beam the text is known at the end only; it cannot be told as it grows");
    const std::vector<int32_t> begin =
        options.begin.empty() ? std::vector<int32_t>()
                              : run_.tokenizer->encode(options.begin, SpecialNames::are_text);
    for (size_t i = 0; i < all_.size(); ++i) {
      if (all_[i].is_empty) continue;
      all_[i].request.forced = begin;
      all_[i].request.id = options.sample;
      requests_.push_back(all_[i].request);
      origin_.push_back(i);
      streams_.emplace_back(run_.tokenizer, options.stop);
      streams_.back().skip(all_[i].before);
    }
  }

  std::vector<WrittenText> run(int32_t end) {
    const bool listens = options_.beam.width == 1 && (options_.on_text || !options_.stop.empty());
    GenerateOptions generate{.max_tokens = options_.max_tokens,
                             .min_tokens = options_.min_tokens,
                             .end = end,
                             .sampling = options_.sampling,
                             .beam = options_.beam,
                             .no_repeat = options_.no_repeat,
                             .alternatives = options_.alternatives,
                             .sequences = options_.sequences,
                             .tokens = options_.batch_tokens,
                             .cancel = options_.cancel};
    if (listens) {
      generate.on_token = [this](const WrittenToken& token) {
        TextStream& stream = streams_[token.request];
        const bool goes_on = tell(token.request, stream.push(token.token));
        return goes_on && !stream.stopped();
      };
    }
    std::vector<Generation> written = Generator(*run_.model).generate(requests_, generate);
    std::vector<WrittenText> texts(all_.size());
    for (size_t i = 0; i < all_.size(); ++i) texts[i].cut = all_[i].cut;
    for (size_t r = 0; r < written.size(); ++r) {
      if (listens) tell(r, streams_[r].finish());
      const Written& of = all_[origin_[r]];
      WrittenText& text = texts[origin_[r]];
      text.generation = std::move(written[r]);
      text.text = text_of(run_.tokenizer, of, text.generation.ids, options_.stop);
      for (const Generation& other : text.generation.others) {
        text.others.push_back(text_of(run_.tokenizer, of, other.ids, options_.stop));
      }
    }
    return texts;
  }

 private:
  bool tell(size_t request, const std::string& more) const {
    return more.empty() || !options_.on_text || options_.on_text(origin_[request], more);
  }

  const LoadedRun& run_;
  std::vector<Written> all_;
  const WriteOptions& options_;
  std::vector<GenerationRequest> requests_;
  std::vector<size_t> origin_;  // of each request: which of all
  std::vector<TextStream> streams_;
};

}  // namespace

std::vector<WrittenText> Pipeline::generate(std::span<const std::string> prompts,
                                            const WriteOptions& options) const {
  check(task() == "lm",
        "this is a model for {}; only a language model (heed train lm) continues a prompt", task());
  const SpecialIds& specials = tokenizer().specials();
  const Frame frame = frame_of(run_->config, tokenizer());
  std::vector<Written> all;
  for (const std::string& prompt : prompts) {
    Written written;
    written.before = tokenizer().encode(prompt, SpecialNames::are_text);
    written.request.prompt = frame.around(written.before);
    if (written.request.prompt.empty()) {
      // Texts follow each other with an end between them.
      check(specials.eos || specials.bos,
            "generate: the prompt is empty, and the tokenizer has no token to begin with");
      written.request.prompt = {specials.eos ? *specials.eos : *specials.bos};
    }
    check(context() == 0 || static_cast<int64_t>(written.request.prompt.size()) <= context(),
          "generate: the prompt has {} tokens, but the context of the model is {}; shorten it",
          written.request.prompt.size(), context());
    written.request.max_tokens = options.max_tokens > 0 ? options.max_tokens : kContinuation;
    all.push_back(std::move(written));
  }
  return Writer(*this, std::move(all), options).run(specials.eos.value_or(-1));
}

WrittenText Pipeline::chat(std::span<const ChatMessage> messages,
                           const WriteOptions& options) const {
  const ChatTemplate& form = run_->config.chat;
  const int64_t most = options.max_tokens > 0 ? options.max_tokens : kContinuation;
  Written written;
  written.request.prompt = encode_chat_prompt(form, tokenizer(), messages);
  std::vector<ChatMessage> kept(messages.begin(), messages.end());
  const size_t first = kept[0].role == "system" ? 1 : 0;
  const auto size = [&] { return static_cast<int64_t>(written.request.prompt.size()); };
  // Room for an answer, but for no more than half of what the model can read.
  const int64_t room = context() - std::min(most, context() / 2);
  while (context() > 0 && size() > room && kept.size() > first + 2) {
    kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(first),
               kept.begin() + static_cast<std::ptrdiff_t>(first) + 2);
    written.request.prompt = encode_chat_prompt(form, tokenizer(), kept);
    written.cut = true;
  }
  check(context() == 0 || size() < context(),
        "chat: the last message makes {} tokens, but the context of the model is {}; shorten it",
        size(), context());
  written.request.max_tokens = context() > 0 ? std::min(most, context() - size()) : most;
  return Writer(*this, {std::move(written)}, options)
      .run(chat_end_token(form, tokenizer()))
      .front();
}

std::vector<WrittenText> Pipeline::translate(std::span<const std::string> texts,
                                             const WriteOptions& options) const {
  check(is_pair_task(task()),
        "this is a model for {}; translating and summarizing need one that writes a text for a "
        "text",
        task());
  const PairLayout layout = pair_layout(run_->config.settings);
  const PairTokens tokens = pair_tokens(tokenizer());
  std::vector<Written> all;
  for (const std::string& text : texts) {
    const ReadText read = read_text(*this, text);
    Written written{.request = request_for(read.ids, tokens, layout)};
    written.is_empty = read.ids.empty();
    written.cut = read.cut;
    written.request.max_tokens = options.max_tokens > 0
                                     ? options.max_tokens
                                     : 2 * static_cast<int64_t>(read.ids.size()) + 50;
    all.push_back(std::move(written));
  }
  return Writer(*this, std::move(all), options).run(tokens.eos);
}

}  // namespace heed
