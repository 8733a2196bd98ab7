#include "heed/pipeline/text_writing.h"

#include <algorithm>
#include <memory>
#include <set>

#include "heed/base/fail.h"
#include "heed/generate/text_stream.h"
#include "heed/pipeline/read.h"
#include "heed/run/special_tokens.h"
#include "heed/run/pair_layout.h"

namespace heed {
namespace {

constexpr int64_t kContinuation = 256;  // tokens after a prompt at most, if nothing is said

TextWriting prepare_continuation(const Pipeline& pipeline, const std::string& prompt,
                                 const WriteOptions& options) {
  const Tokenizer& tokenizer = pipeline.tokenizer();
  const SpecialIds& specials = tokenizer.specials();
  TextWriting writing{.end = specials.eos.value_or(-1)};
  writing.before = tokenizer.encode(prompt, SpecialNames::are_text);
  writing.request.prompt = frame_of(pipeline.run().config, tokenizer).around(writing.before);
  if (writing.request.prompt.empty()) {
    // Texts follow each other with an end between them.
    check(specials.eos || specials.bos,
          "generate: the prompt is empty, and the tokenizer has no token to begin with");
    writing.request.prompt = {specials.eos ? *specials.eos : *specials.bos};
  }
  const int64_t context = pipeline.context();
  check(context == 0 || static_cast<int64_t>(writing.request.prompt.size()) <= context,
        "generate: the prompt has {} tokens, but the context of the model is {}; shorten it",
        writing.request.prompt.size(), context);
  writing.request.max_tokens = options.max_tokens > 0 ? options.max_tokens : kContinuation;
  return writing;
}

TextWriting prepare_answer(const Pipeline& pipeline, const std::string& text,
                           const WriteOptions& options) {
  const PairTokens tokens = pair_tokens(pipeline.tokenizer());
  const ReadText read = read_text(pipeline, text);
  TextWriting writing{
      .request = request_for(read.ids, tokens, pair_layout(pipeline.run().config.settings)),
      .end = tokens.eos,
      .is_empty = read.ids.empty(),
      .cut = read.cut};
  writing.request.max_tokens =
      options.max_tokens > 0 ? options.max_tokens : 2 * static_cast<int64_t>(read.ids.size()) + 50;
  return writing;
}

// Some tokenizers put a blank before every text they encode. After a prompt that blank is seen, so
// a text that begins with one is encoded without it.
std::vector<int32_t> forced_ids(const Pipeline& pipeline, const TextWriting& writing,
                                const std::string& begin) {
  const auto encode = [&](std::string_view text) {
    return pipeline.tokenizer().encode(text, SpecialNames::are_text);
  };
  if (begin.starts_with(' ') && !writing.before.empty()) {
    std::vector<int32_t> fewer = encode(std::string_view(begin).substr(1));
    if (written_text(pipeline, writing, fewer, {}) == begin) return fewer;
  }
  return encode(begin);
}

// What every text is written with, whatever it follows.
void set_common(const Pipeline& pipeline, const WriteOptions& options, TextWriting& writing) {
  if (!options.begin.empty() && !writing.is_empty) {
    writing.request.forced = forced_ids(pipeline, writing, options.begin);
  }
  writing.request.id = options.sample;
  writing.results = options.beam.n_best;
  if (!options.stop.empty()) {
    TextStream stream(pipeline.run().tokenizer, options.stop);
    stream.skip(writing.before);
    writing.request.stop = [stream = std::move(stream)](int32_t token) mutable {
      stream.push(token);
      return stream.stopped();
    };
  }
}

}  // namespace

TextWriting prepare_writing(const Pipeline& pipeline, const std::string& text,
                            const WriteOptions& options) {
  const bool is_pair = is_pair_task(pipeline.task());
  check(is_pair || pipeline.task() == Task::lm,
        "this is a model for {}; it does not write text (heed train lm, translate and summarize "
        "make models that do)",
        name_of(pipeline.task()));
  TextWriting writing = is_pair ? prepare_answer(pipeline, text, options)
                                : prepare_continuation(pipeline, text, options);
  set_common(pipeline, options, writing);
  return writing;
}

TextWriting prepare_chat(const Pipeline& pipeline, std::span<const ChatMessage> messages,
                         const WriteOptions& options) {
  const ChatTemplate& form = pipeline.run().config.chat;
  const Tokenizer& tokenizer = pipeline.tokenizer();
  const int64_t context = pipeline.context();
  const int64_t most = options.max_tokens > 0 ? options.max_tokens : kContinuation;
  TextWriting writing;
  writing.request.prompt = encode_chat_prompt(form, tokenizer, messages);
  std::vector<ChatMessage> kept(messages.begin(), messages.end());
  const size_t first = kept[0].role == "system" ? 1 : 0;
  const auto size = [&] { return static_cast<int64_t>(writing.request.prompt.size()); };
  // Room for an answer, but for no more than half of what the model can read.
  const int64_t room = context - std::min(most, context / 2);
  while (context > 0 && size() > room && kept.size() > first + 2) {
    kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(first),
               kept.begin() + static_cast<std::ptrdiff_t>(first) + 2);
    writing.request.prompt = encode_chat_prompt(form, tokenizer, kept);
    writing.cut = true;
  }
  check(context == 0 || size() < context,
        "chat: the last message makes {} tokens, but the context of the model is {}; shorten it",
        size(), context);
  writing.request.max_tokens = context > 0 ? std::min(most, context - size()) : most;
  writing.end = chat_end_token(form, tokenizer);
  set_common(pipeline, options, writing);
  return writing;
}

GenerateOptions generate_options(const WriteOptions& options, int32_t end) {
  BeamOptions beam = options.beam;
  if (beam.n_best > 1) beam.n_best = beam.width;  // some may have the same text
  return {.max_tokens = options.max_tokens,
          .min_tokens = options.min_tokens,
          .end = end,
          .sampling = options.sampling,
          .beam = beam,
          .no_repeat = options.no_repeat,
          .alternatives = options.alternatives,
          .sequences = options.sequences,
          .tokens = options.batch_tokens,
          .cancel = options.cancel};
}

std::string written_text(const Pipeline& pipeline, const TextWriting& writing,
                         std::span<const int32_t> ids, const std::vector<std::string>& stops) {
  TextStream stream(pipeline.run().tokenizer, stops);
  stream.skip(writing.before);
  std::string text;
  for (const int32_t id : ids) text += stream.push(id);
  return text + stream.finish();
}

WrittenText written_answer(const Pipeline& pipeline, const TextWriting& writing,
                           Generation generation, const std::vector<std::string>& stops) {
  WrittenText text;
  text.cut = writing.cut;
  text.prompt_tokens = static_cast<int64_t>(writing.request.prompt.size());
  text.text = written_text(pipeline, writing, generation.ids, stops);
  std::vector<Generation> others = std::move(generation.others);
  text.generation = std::move(generation);
  text.generation.others.clear();
  std::set<std::string> seen = {text.text};
  for (Generation& other : others) {
    if (static_cast<int64_t>(seen.size()) >= writing.results) break;
    std::string more = written_text(pipeline, writing, other.ids, stops);
    if (!seen.insert(more).second) continue;
    text.others.push_back(std::move(more));
    text.generation.others.push_back(std::move(other));
  }
  return text;
}

WritingTask text_task(const Pipeline& pipeline, const TextWriting& writing,
                      const WriteOptions& options, TextEvents events) {
  check(options.beam.width == 1 || !events.on_token,
        "generate: with a beam the text is known at the end only; it cannot be told as it grows");
  WritingTask task{.request = writing.request,
                   .options = generate_options(options, writing.end),
                   .failed = std::move(events.failed)};
  task.options.on_beam = std::move(events.on_beam);
  task.options.attention = events.attention;
  if (events.on_token) {
    struct Growing {
      TextStream stream;
      size_t count = 0;
    };
    auto growing = std::make_shared<Growing>(
        Growing{.stream = TextStream(pipeline.run().tokenizer, options.stop)});
    growing->stream.skip(writing.before);
    task.options.on_token = [growing, tell = std::move(events.on_token)](const WrittenToken& one) {
      TextToken token{.index = growing->count++,
                      .id = one.token,
                      .text = growing->stream.push(one.token),
                      .log_probability = one.log_probability,
                      .alternatives = one.alternatives,
                      .attention = one.attention};
      return tell(token);
    };
  }
  task.done = std::move(events.generated);
  if (!task.done) {
    task.done = [pipeline, writing, stops = options.stop,
                 done = std::move(events.done)](Generation generation) {
      if (done) done(written_answer(pipeline, writing, std::move(generation), stops));
    };
  }
  return task;
}

}  // namespace heed
