#include "heed/run/task_input.h"

#include <algorithm>

#include "heed/base/fail.h"
#include "heed/generate/generator.h"
#include "heed/run/pair_layout.h"
#include "heed/run/text_ids.h"
#include "heed/tensor/ids_tensor.h"
#include "heed/text/token_label.h"

namespace heed {
namespace {

constexpr int64_t kMaxGenerated = 256;

std::vector<std::string> labels_of(const Tokenizer& tokenizer, const std::vector<int32_t>& ids) {
  std::vector<std::string> labels;
  labels.reserve(ids.size());
  for (const int32_t id : ids) labels.push_back(token_label(tokenizer, id));
  return labels;
}

void set_source(const Tokenizer& tokenizer, const std::vector<int32_t>& ids, TaskInput& input) {
  input.batch.source = ids_tensor(ids);
  input.batch.source_rows = Rows::single(static_cast<int64_t>(ids.size()));
  input.source = labels_of(tokenizer, ids);
  input.source_ids = ids;
}

void set_target(const Tokenizer& tokenizer, const std::vector<int32_t>& ids, TaskInput& input) {
  input.batch.target = ids_tensor(ids);
  input.batch.target_rows = Rows::single(static_cast<int64_t>(ids.size()));
  input.target = labels_of(tokenizer, ids);
  input.target_ids = ids;
}

// Whether anything was cut.
bool cut_to(int64_t max_tokens, std::vector<int32_t>& ids) {
  if (max_tokens <= 0 || static_cast<int64_t>(ids.size()) <= max_tokens) return false;
  ids.resize(static_cast<size_t>(max_tokens));
  return true;
}

// Room for a text beside the tokens around it.
int64_t room(int64_t max_tokens, int64_t around) {
  return max_tokens > 0 ? std::max<int64_t>(max_tokens - around, 1) : 0;
}

TaskInput pair_input(const TaskReader& reader, const std::vector<int32_t>& source,
                     const std::string& target) {
  const Tokenizer& tokenizer = reader.tokenizer;
  const PairTokens tokens = pair_tokens(tokenizer);
  const PairLayout layout = pair_layout(reader.config.settings);
  const GenerationRequest request = request_for(source, tokens, layout);
  std::vector<int32_t> generated;
  TaskInput input;
  if (!target.empty()) {
    generated = tokenizer.encode(target, SpecialNames::are_text);
    const auto* transformer = std::get_if<TransformerConfig>(&reader.config.model);
    if (transformer != nullptr) {  // beside what is read before it
      const auto before = static_cast<int64_t>(request.prompt.size());
      input.is_cut = cut_to(room(transformer->context, before), generated);
    }
    input.is_cut = cut_to(room(reader.max_tokens, 1), generated) || input.is_cut;
  } else {
    const int64_t max_tokens = reader.max_tokens > 0 ? room(reader.max_tokens, 1) : kMaxGenerated;
    generated = Generator(reader.model)
                    .generate(std::span(&request, 1), {.max_tokens = max_tokens, .end = tokens.eos})
                    .front()
                    .ids;
  }
  if (layout == PairLayout::encoder_decoder) set_source(tokenizer, request.source, input);
  std::vector<int32_t> read = request.prompt;
  read.insert(read.end(), generated.begin(), generated.end());
  set_target(tokenizer, read, input);
  input.batch.prefixes = {static_cast<int64_t>(request.prompt.size())};
  if (layout == PairLayout::encoder_decoder) {
    // A row stands for the token that is written there, not for the one that was read.
    generated.push_back(tokens.eos);
    input.target = labels_of(tokenizer, generated);
    input.target_ids = std::move(generated);
  }
  return input;
}

// The first rows of the first sequence.
Tensor first_rows(const Tensor& all, const Rows& rows, int64_t max_tokens) {
  return all.slice(0, 0, std::min(rows.length(0), max_tokens));
}

void name_rows(const Tensor& rows, const Tokenizer* tokenizer, std::vector<std::string>& labels,
               std::vector<int32_t>& ids) {
  if (rows.rank() == 1) {
    check(tokenizer != nullptr, "a batch of ids needs the tokenizer they are of");
    ids.assign(rows.data<int32_t>(), rows.data<int32_t>() + rows.dim(0));
    labels = labels_of(*tokenizer, ids);
    return;
  }
  for (int64_t n = 0; n < rows.dim(0); ++n) labels.push_back(std::to_string(n + 1));
}

}  // namespace

TaskInput task_input(const TaskReader& reader, const std::string& text, const std::string& target) {
  const Task task = reader.config.settings.task;
  const SpecialTokens special = special_tokens_of(reader.config, reader.tokenizer);
  std::vector<int32_t> ids = text_ids(reader.config, reader.tokenizer, text);
  check(!ids.empty(), "the text is empty");
  bool is_cut = cut_to(longest_text(reader.config, special), ids);
  if (is_pair_task(task)) {
    is_cut = cut_to(room(reader.max_tokens, 1), ids) || is_cut;
    TaskInput input = pair_input(reader, ids, target);
    input.is_cut = input.is_cut || is_cut;
    return input;
  }
  check(target.empty(), "a target is for models that write a text for a text");
  is_cut = cut_to(room(reader.max_tokens, special.size()), ids) || is_cut;
  TaskInput input;
  input.is_cut = is_cut;
  if (task == Task::lm) {
    set_target(reader.tokenizer, special.around(ids), input);
  } else {
    set_source(reader.tokenizer, special.around(ids), input);
  }
  return input;
}

TaskInput task_input(const LoadedRun& run, const std::string& text, const std::string& target) {
  check(run.tokenizer != nullptr, "this model reads rows of floats, not text");
  return task_input({.config = run.config, .tokenizer = *run.tokenizer, .model = *run.model}, text,
                    target);
}

TaskInput task_input(const Batch& batch, const Tokenizer* tokenizer, int64_t max_tokens) {
  TaskInput input;
  const bool has_source = batch.source_rows.count() > 0, has_target = batch.target_rows.count() > 0;
  if (has_source) {
    input.batch.source = first_rows(batch.source, batch.source_rows, max_tokens);
    input.batch.source_rows = Rows::single(input.batch.source.dim(0));
    name_rows(input.batch.source, tokenizer, input.source, input.source_ids);
  }
  if (has_target) {
    input.batch.target = first_rows(batch.target, batch.target_rows, max_tokens);
    input.batch.target_rows = Rows::single(input.batch.target.dim(0));
    // Between two stacks, a row stands for the token that is written there.
    name_rows(
        has_source ? first_rows(batch.labels, batch.target_rows, max_tokens) : input.batch.target,
        tokenizer, input.target, input.target_ids);
    if (!batch.prefixes.empty()) {
      input.batch.prefixes = {std::min(batch.prefixes[0], input.batch.target.dim(0))};
    }
  }
  return input;
}

}  // namespace heed
