// Pipeline::score.

#include <algorithm>

#include "heed/base/fail.h"
#include "heed/base/parallel.h"
#include "heed/generate/token_probability.h"
#include "heed/pipeline/pipeline.h"
#include "heed/pipeline/read.h"
#include "heed/run/pair_layout.h"
#include "heed/run/special_tokens.h"
#include "heed/run/task_names.h"

namespace heed {
namespace {

constexpr int64_t kLogitsAtOnce = 1 << 22;
constexpr size_t kScoredAtOnce = 4096;

// Something to score: what is read, and what should come after each token read.
struct Example {
  size_t text;
  std::vector<int32_t> source = {}, target = {}, labels = {};  // labels: -1 where none counts
  int64_t prefix = 0;
};

Tensor tensor_of(const std::vector<int32_t>& ids) {
  return Tensor::from(ids, {static_cast<int64_t>(ids.size())});
}

// log p of the label of every row; 0 where there is none.
std::vector<double> label_probabilities(const Model& model, const Tensor& features,
                                        const std::vector<int32_t>& labels) {
  const int64_t V = model.output().size();
  const int64_t rows = features.dim(0), step = std::max<int64_t>(kLogitsAtOnce / V, 16);
  std::vector<double> result(labels.size());
  for (int64_t begin = 0; begin < rows; begin += step) {
    const int64_t end = std::min(rows, begin + step);
    const Tensor logits = output_logits(model, features.slice(0, begin, end));
    parallel_for(end - begin, 0.6 * static_cast<double>(logits.size()), [&](int64_t i) {
      const auto at = static_cast<size_t>(begin + i);
      if (labels[at] < 0) return;
      const std::span row(logits.data<float>() + i * V, static_cast<size_t>(V));
      result[at] = static_cast<double>(row[labels[at]]) - log_sum_exp(row);
    });
  }
  return result;
}

void score_batch(const Model& model, std::span<const Example> examples,
                 std::vector<ScoredText>& scores) {
  std::vector<int32_t> source, target, labels;
  std::vector<int64_t> source_lengths, target_lengths;
  Batch batch;
  for (const Example& one : examples) {
    source.insert(source.end(), one.source.begin(), one.source.end());
    target.insert(target.end(), one.target.begin(), one.target.end());
    labels.insert(labels.end(), one.labels.begin(), one.labels.end());
    source_lengths.push_back(static_cast<int64_t>(one.source.size()));
    target_lengths.push_back(static_cast<int64_t>(one.target.size()));
    batch.prefixes.push_back(one.prefix);
  }
  batch.source = tensor_of(source);
  batch.source_rows = Rows::from_lengths(source_lengths);
  batch.target = tensor_of(target);
  batch.target_rows = Rows::from_lengths(target_lengths);
  const NoGrad no_grad;
  const std::vector<double> found =
      label_probabilities(model, model.features(batch, {}).value(), labels);
  size_t at = 0;
  for (const Example& one : examples) {
    ScoredText& score = scores[one.text];
    for (const int32_t label : one.labels) {
      if (label >= 0) {
        score.log_probability += found[at];
        score.log_probabilities.push_back(found[at]);
      }
      ++at;
    }
  }
}

// In order, some at once.
void score_all(const Model& model, const std::vector<Example>& examples,
               std::vector<ScoredText>& scores) {
  for (size_t begin = 0; begin < examples.size();) {
    size_t tokens = 0, end = begin;
    while (end < examples.size() && (end == begin || tokens < kScoredAtOnce)) {
      tokens += examples[end].source.size() + examples[end].target.size();
      ++end;
    }
    score_batch(model, std::span(examples).subspan(begin, end - begin), scores);
    begin = end;
  }
}

}  // namespace

std::vector<ScoredText> Pipeline::score(std::span<const std::string> texts) const {
  check(task() == Task::lm, "this is a model for {}; only a language model scores a text alone",
        name_of(task()));
  const SpecialTokens special = special_tokens_of(run_->config, tokenizer());
  std::vector<Example> examples;
  for (size_t i = 0; i < texts.size(); ++i) {
    const std::vector<int32_t> ids =
        special.around(tokenizer().encode(texts[i], SpecialNames::are_text));
    const size_t window = context() > 0 ? static_cast<size_t>(context()) : ids.size();
    for (size_t begin = 0; begin + 1 < ids.size(); begin += window) {
      const auto first = ids.begin() + static_cast<ptrdiff_t>(begin);
      const auto count = static_cast<ptrdiff_t>(std::min(window, ids.size() - 1 - begin));
      examples.push_back(
          {.text = i, .target = {first, first + count}, .labels = {first + 1, first + count + 1}});
    }
  }
  std::vector<ScoredText> scores(texts.size());
  score_all(*run_->model, examples, scores);
  return scores;
}

std::vector<ScoredText> Pipeline::score(std::span<const std::string> sources,
                                        std::span<const std::string> targets) const {
  check(is_pair_task(task()), "this is a model for {}; it does not score pairs of texts",
        name_of(task()));
  check(sources.size() == targets.size(), "score: {} sources, but {} targets", sources.size(),
        targets.size());
  const PairTokens tokens = pair_tokens(tokenizer());
  const PairLayout layout = pair_layout(run_->config.settings);
  std::vector<Example> examples;
  std::vector<ScoredText> scores(sources.size());
  for (size_t i = 0; i < sources.size(); ++i) {
    const ReadText source = read_text(*this, sources[i]), target = read_text(*this, targets[i]);
    scores[i].cut = source.cut || target.cut;
    GenerationRequest request = request_for(source.ids, tokens, layout);
    Example one{.text = i,
                .source = std::move(request.source),
                .target = request.prompt,
                .labels = std::vector<int32_t>(request.prompt.size() - 1, -1),
                .prefix = static_cast<int64_t>(request.prompt.size())};
    one.target.insert(one.target.end(), target.ids.begin(), target.ids.end());
    one.labels.insert(one.labels.end(), target.ids.begin(), target.ids.end());
    one.labels.push_back(tokens.eos);
    examples.push_back(std::move(one));
  }
  score_all(*run_->model, examples, scores);
  return scores;
}

}  // namespace heed
