#include "heed/train/task_input.h"

#include "heed/base/fail_internal.h"
#include "heed/generate/generator.h"
#include "heed/train/choose.h"
#include "heed/train/frame.h"
#include "heed/train/ids_tensor_internal.h"
#include "heed/train/pair_corpus.h"

namespace heed {
namespace {

constexpr int64_t kMostWritten = 256;

std::vector<std::string> texts_of(const Tokenizer& tokenizer, const std::vector<int32_t>& ids) {
  std::vector<std::string> texts;
  texts.reserve(ids.size());
  for (const int32_t id : ids) texts.push_back(tokenizer.token(id));
  return texts;
}

void set_source(const Tokenizer& tokenizer, const std::vector<int32_t>& ids, TaskInput& input) {
  input.batch.source = ids_tensor(ids);
  input.batch.source_rows = Rows::single(static_cast<int64_t>(ids.size()));
  input.source = texts_of(tokenizer, ids);
}

void set_target(const Tokenizer& tokenizer, const std::vector<int32_t>& ids, TaskInput& input) {
  input.batch.target = ids_tensor(ids);
  input.batch.target_rows = Rows::single(static_cast<int64_t>(ids.size()));
  input.target = texts_of(tokenizer, ids);
}

void cut_to(int64_t most, std::vector<int32_t>& ids) {
  if (most > 0 && static_cast<int64_t>(ids.size()) > most) ids.resize(static_cast<size_t>(most));
}

TaskInput pair_input(const LoadedRun& run, const std::vector<int32_t>& source,
                     const std::string& target) {
  const Tokenizer& tokenizer = *run.tokenizer;
  const PairTokens tokens = pair_tokens(tokenizer);
  const PairLayout layout = pair_layout(run.config.settings);
  const GenerationRequest request = request_for(source, tokens, layout);
  std::vector<int32_t> written;
  if (!target.empty()) {
    written = tokenizer.encode(target, SpecialNames::are_text);
    const auto* transformer = std::get_if<TransformerConfig>(&run.config.model);
    if (transformer != nullptr) cut_to(transformer->context - 1, written);  // the first is read
  } else {
    written = Generator(*run.model)
                  .generate(std::span(&request, 1), {.max_tokens = kMostWritten, .end = tokens.eos})
                  .front()
                  .ids;
  }
  TaskInput input;
  if (layout == PairLayout::encoder_decoder) set_source(tokenizer, request.source, input);
  std::vector<int32_t> read = request.prompt;
  read.insert(read.end(), written.begin(), written.end());
  set_target(tokenizer, read, input);
  input.batch.prefixes = {static_cast<int64_t>(request.prompt.size())};
  if (layout == PairLayout::encoder_decoder) {
    // A row stands for the token that is written there, not for the one that was read.
    input.target = texts_of(tokenizer, written);
    input.target.push_back(tokenizer.token(tokens.eos));
  }
  return input;
}

}  // namespace

TaskInput task_input(const LoadedRun& run, const std::string& text, const std::string& target) {
  check(run.tokenizer != nullptr, "this model reads rows of floats, not text");
  const std::string& task = run.config.settings.task;
  const Frame frame = frame_of(run.config, *run.tokenizer);
  std::vector<int32_t> ids = run.tokenizer->encode(text, SpecialNames::are_text);
  cut_to(longest_text(run.config, frame), ids);
  if (is_pair_task(task)) return pair_input(run, ids, target);
  check(target.empty(), "a target is for models that write a text for a text");
  check(!ids.empty(), "the text is empty");
  TaskInput input;
  if (task == "lm") {
    set_target(*run.tokenizer, frame.around(ids), input);
  } else {
    set_source(*run.tokenizer, frame.around(ids), input);
  }
  return input;
}

}  // namespace heed
