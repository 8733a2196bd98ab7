#include "heed/pipeline/prepared_generation.h"

#include <algorithm>
#include <memory>
#include <set>

#include "heed/base/fail.h"
#include "heed/generate/text_stream.h"
#include "heed/pipeline/read.h"
#include "heed/run/pair_layout.h"
#include "heed/run/special_tokens.h"
#include "heed/run/task_names.h"

namespace heed {
namespace {

constexpr int64_t kContinuation = 256;  // tokens after a prompt at most, if nothing is said

PreparedGeneration prepare_continuation(const Pipeline& pipeline, const std::string& prompt,
                                        const GenerateTextOptions& options) {
  const Tokenizer& tokenizer = pipeline.tokenizer();
  const SpecialIds& specials = tokenizer.specials();
  PreparedGeneration prepared{.end = specials.eos.value_or(-1)};
  prepared.before = tokenizer.encode(prompt, SpecialNames::are_text);
  prepared.request.prompt =
      special_tokens_of(pipeline.run().config, tokenizer).around(prepared.before);
  if (prepared.request.prompt.empty()) {
    // Texts follow each other with an end between them.
    check(specials.eos || specials.bos,
          "generate: the prompt is empty, and the tokenizer has no token to begin with");
    prepared.request.prompt = {specials.eos ? *specials.eos : *specials.bos};
  }
  const int64_t context = pipeline.context();
  check(context == 0 || static_cast<int64_t>(prepared.request.prompt.size()) <= context,
        "generate: the prompt has {} tokens, but the context of the model is {}; shorten it",
        prepared.request.prompt.size(), context);
  prepared.request.max_tokens = options.max_tokens > 0 ? options.max_tokens : kContinuation;
  return prepared;
}

PreparedGeneration prepare_answer(const Pipeline& pipeline, const std::string& text,
                                  const GenerateTextOptions& options) {
  const PairTokens tokens = pair_tokens(pipeline.tokenizer());
  const ReadText read = read_text(pipeline, text);
  PreparedGeneration prepared{
      .request = request_for(read.ids, tokens, pair_layout(pipeline.run().config.settings)),
      .end = tokens.eos,
      .is_empty = read.ids.empty(),
      .cut = read.cut};
  prepared.request.max_tokens =
      options.max_tokens > 0 ? options.max_tokens : 2 * static_cast<int64_t>(read.ids.size()) + 50;
  return prepared;
}

// Some tokenizers put a space before every text they encode. After a prompt that space is seen, so
// a text that begins with one is encoded without it.
std::vector<int32_t> forced_ids(const Pipeline& pipeline, const PreparedGeneration& prepared,
                                const std::string& begin) {
  const auto encode = [&](std::string_view text) {
    return pipeline.tokenizer().encode(text, SpecialNames::are_text);
  };
  if (begin.starts_with(' ') && !prepared.before.empty()) {
    std::vector<int32_t> fewer = encode(std::string_view(begin).substr(1));
    if (decoded_text(pipeline, prepared, fewer, {}) == begin) return fewer;
  }
  return encode(begin);
}

// What every text is generated with, whatever it follows.
void set_common(const Pipeline& pipeline, const GenerateTextOptions& options,
                PreparedGeneration& prepared) {
  if (!options.begin.empty() && !prepared.is_empty) {
    prepared.request.forced = forced_ids(pipeline, prepared, options.begin);
  }
  prepared.request.id = options.sample;
  prepared.results = options.beam.n_best;
  if (!options.stop.empty()) {
    TextStream stream(pipeline.run().tokenizer, options.stop);
    stream.skip(prepared.before);
    prepared.request.stop = [stream = std::move(stream)](int32_t token) mutable {
      stream.push(token);
      return stream.stopped();
    };
  }
}

}  // namespace

PreparedGeneration prepare_generation(const Pipeline& pipeline, const std::string& text,
                                      const GenerateTextOptions& options) {
  const bool is_pair = is_pair_task(pipeline.task());
  check(is_pair || pipeline.task() == Task::lm,
        "this is a model for {}; it does not write text (heed train lm, translate and summarize "
        "make models that do)",
        name_of(pipeline.task()));
  PreparedGeneration prepared = is_pair ? prepare_answer(pipeline, text, options)
                                        : prepare_continuation(pipeline, text, options);
  set_common(pipeline, options, prepared);
  return prepared;
}

PreparedGeneration prepare_chat(const Pipeline& pipeline, std::span<const ChatMessage> messages,
                                const GenerateTextOptions& options) {
  const ChatTemplate& form = pipeline.run().config.chat;
  const Tokenizer& tokenizer = pipeline.tokenizer();
  const int64_t context = pipeline.context();
  const int64_t max_tokens = options.max_tokens > 0 ? options.max_tokens : kContinuation;
  PreparedGeneration prepared;
  prepared.request.prompt = encode_chat_prompt(form, tokenizer, messages);
  std::vector<ChatMessage> kept(messages.begin(), messages.end());
  const size_t first = kept[0].role == "system" ? 1 : 0;
  const auto size = [&] { return static_cast<int64_t>(prepared.request.prompt.size()); };
  // Room for an answer, but for no more than half of what the model can read.
  const int64_t room = context - std::min(max_tokens, context / 2);
  while (context > 0 && size() > room && kept.size() > first + 2) {
    kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(first),
               kept.begin() + static_cast<std::ptrdiff_t>(first) + 2);
    prepared.request.prompt = encode_chat_prompt(form, tokenizer, kept);
    prepared.cut = true;
  }
  check(context == 0 || size() < context,
        "chat: the last message makes {} tokens, but the context of the model is {}; shorten it",
        size(), context);
  prepared.request.max_tokens = context > 0 ? std::min(max_tokens, context - size()) : max_tokens;
  prepared.end = chat_end_token(form, tokenizer);
  set_common(pipeline, options, prepared);
  return prepared;
}

GenerateOptions generate_options(const GenerateTextOptions& options, int32_t end) {
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

std::string decoded_text(const Pipeline& pipeline, const PreparedGeneration& prepared,
                         std::span<const int32_t> ids, const std::vector<std::string>& stops) {
  TextStream stream(pipeline.run().tokenizer, stops);
  stream.skip(prepared.before);
  std::string text;
  for (const int32_t id : ids) text += stream.push(id);
  return text + stream.finish();
}

GeneratedText generated_text(const Pipeline& pipeline, const PreparedGeneration& prepared,
                             Generation generation, const std::vector<std::string>& stops) {
  GeneratedText text;
  text.cut = prepared.cut;
  text.prompt_tokens = static_cast<int64_t>(prepared.request.prompt.size());
  text.text = decoded_text(pipeline, prepared, generation.ids, stops);
  std::vector<Generation> others = std::move(generation.others);
  text.generation = std::move(generation);
  text.generation.others.clear();
  std::set<std::string> seen = {text.text};
  for (Generation& other : others) {
    if (static_cast<int64_t>(seen.size()) >= prepared.results) break;
    std::string more = decoded_text(pipeline, prepared, other.ids, stops);
    if (!seen.insert(more).second) continue;
    text.others.push_back(std::move(more));
    text.generation.others.push_back(std::move(other));
  }
  return text;
}

GenerationTask generation_task(const Pipeline& pipeline, const PreparedGeneration& prepared,
                               const GenerateTextOptions& options, TextEvents events) {
  check(options.beam.width == 1 || !events.on_token,
        "generate: with a beam the text is known at the end only; it cannot be told as it grows");
  GenerationTask task{.request = prepared.request,
                      .options = generate_options(options, prepared.end),
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
    growing->stream.skip(prepared.before);
    task.options.on_token = [growing,
                             notify = std::move(events.on_token)](const GeneratedToken& one) {
      TextToken token{.index = growing->count++,
                      .id = one.token,
                      .text = growing->stream.push(one.token),
                      .log_probability = one.log_probability,
                      .alternatives = one.alternatives,
                      .attention = one.attention};
      return notify(token);
    };
  }
  task.done = std::move(events.generated);
  if (!task.done) {
    task.done = [pipeline, prepared, stops = options.stop,
                 done = std::move(events.done)](Generation generation) {
      if (done) done(generated_text(pipeline, prepared, std::move(generation), stops));
    };
  }
  return task;
}

}  // namespace heed
