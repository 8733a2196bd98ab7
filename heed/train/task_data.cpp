#include "heed/train/task_data.h"

#include <algorithm>

#include "heed/base/fail.h"
#include "heed/generate/generator.h"
#include "heed/metrics/bleu.h"
#include "heed/metrics/chrf.h"
#include "heed/metrics/classification.h"
#include "heed/metrics/entity_f1.h"
#include "heed/metrics/exact_match.h"
#include "heed/metrics/rouge.h"
#include "heed/text/on_one_line.h"
#include "heed/train/corpus_loss.h"
#include "heed/train/labels_internal.h"
#include "heed/train/text_loss.h"

namespace heed {
namespace {

constexpr int64_t kSampleTokens = 60;
constexpr int64_t kPromptTokens = 12;

std::vector<EvaluationScore> loss_scores(const CorpusLoss& loss) {
  return {{"loss", loss.mean()}, {"tokens", static_cast<double>(loss.label_count)}};
}

bool is_in_entity(const std::string& tag) {
  return tag.size() > 2 && tag[1] == '-' &&
         std::string_view("BIES").find(tag[0]) != std::string_view::npos;
}

bool are_entity_tags(const std::vector<std::string>& labels) {
  const auto fits = [](const std::string& tag) { return tag == "O" || is_in_entity(tag); };
  return std::all_of(labels.begin(), labels.end(), fits) &&
         std::any_of(labels.begin(), labels.end(), is_in_entity);
}

}  // namespace

std::vector<int32_t> likeliest_classes(const Tensor& logits) {
  const int64_t rows = logits.dim(0), classes = logits.dim(1);
  std::vector<int32_t> result;
  for (int64_t n = 0; n < rows; ++n) {
    const float* row = logits.data<float>() + n * logits.stride(0);
    int64_t best = 0;
    for (int64_t c = 1; c < classes; ++c) best = row[c] > row[best] ? c : best;
    result.push_back(static_cast<int32_t>(best));
  }
  return result;
}

StreamData::StreamData(StreamRange range, int64_t context, uint64_t seed,
                       std::shared_ptr<const Tokenizer> tokenizer)
    : corpus_(std::move(range), context, seed), tokenizer_(std::move(tokenizer)) {}

Evaluation StreamData::evaluate(const Model& model, const EvaluateOptions& options) const {
  const Tokenizer* bytes = options.bits_per_byte ? tokenizer_.get() : nullptr;
  Evaluation result{.scores = text_loss_scores(model, corpus_, options.batch, bytes)};
  if (options.samples > 0) {
    // A model of few positions still has room to write.
    const int64_t limit = model.decoding()->limit();
    const std::vector<int32_t> prompt = corpus_.beginning(
        limit > 0 ? std::clamp<int64_t>(limit / 2, 1, kPromptTokens) : kPromptTokens);
    const GenerationRequest request{.prompt = prompt};
    const auto generated =
        Generator(model).generate(std::span(&request, 1), {.max_tokens = kSampleTokens});
    result.samples.push_back(
        on_one_line(tokenizer_->decode(prompt) + " |" + tokenizer_->decode(generated[0].ids)));
  }
  return result;
}

std::vector<std::string> StreamData::metrics() const { return {"loss", "perplexity"}; }

PairData::PairData(PairCorpus corpus, std::vector<std::string> sources,
                   std::vector<std::string> targets, Task task,
                   std::shared_ptr<const Tokenizer> tokenizer)
    : corpus_(std::move(corpus)),
      sources_(std::move(sources)),
      targets_(std::move(targets)),
      task_(task),
      tokenizer_(std::move(tokenizer)) {}

Evaluation PairData::evaluate(const Model& model, const EvaluateOptions& options) const {
  Evaluation result{.scores = loss_scores(corpus_loss(model, corpus_, options.batch))};
  int64_t count = static_cast<int64_t>(targets_.size());
  if (options.max_generated > 0) count = std::min(count, options.max_generated);
  int64_t longest = 0, tokens = 0;
  std::vector<GenerationRequest> requests;
  for (int64_t i = 0; i < count; ++i) {
    requests.push_back(corpus_.request(i));
    const auto length = static_cast<int64_t>(corpus_.target(i).size());
    longest = std::max(longest, length);
    tokens += length;
  }
  const int64_t usual = tokens / std::max<int64_t>(count, 1) + 1;
  const auto generated = Generator(model).generate(
      requests, {.max_tokens = options.usual_answers ? usual : 2 * longest + 10,
                 .end = *tokenizer_->specials().eos,
                 .beam = options.beam});
  std::vector<std::string> texts;
  texts.reserve(generated.size());
  for (const Generation& generation : generated) {
    texts.push_back(answer_text(*tokenizer_, generation.ids));
  }
  const std::span expected(targets_.data(), static_cast<size_t>(count));
  if (task_ == Task::summarize) {
    const RougeScore rouge = corpus_rouge(texts, expected);
    result.scores.push_back({"rouge1", 100 * rouge.rouge1.f1});
    result.scores.push_back({"rouge2", 100 * rouge.rouge2.f1});
    result.scores.push_back({"rougeL", 100 * rouge.rougeL.f1});
  } else {
    const BleuOptions words{.tokenizer =
                                options.tokenized ? BleuTokenizer::none : BleuTokenizer::v13a};
    const BleuScore bleu = corpus_bleu(texts, expected, words);
    result.scores.push_back({"bleu", bleu.score});
    result.bleu_signature = bleu.signature;
    result.scores.push_back({"chrf", corpus_chrf(texts, expected).score});
  }
  result.scores.push_back({"exact_match", 100 * exact_match(texts, expected).value()});
  for (int64_t i = 0; i < std::min(options.samples, count); ++i) {
    const auto at = static_cast<size_t>(i);
    const std::string source = at < sources_.size() ? sources_[at] : fmt::format("item {}", i);
    result.samples.push_back(on_one_line(source + " -> " + texts[at]));
  }
  return result;
}

std::vector<std::string> PairData::metrics() const {
  if (task_ == Task::summarize) return {"loss", "rouge1", "rouge2", "rougeL", "exact_match"};
  return {"loss", "bleu", "chrf", "exact_match"};
}

Evaluation SentenceData::evaluate(const Model& model, const EvaluateOptions& options) const {
  std::vector<int32_t> predicted, expected;
  const CorpusLoss loss = corpus_loss(
      model, *corpus_, options.batch, [&](std::span<const int64_t>, const Batch& batch) {
        const std::vector<int32_t> classes = likeliest_classes(model.logits(batch, {}));
        const int32_t* labels = batch.labels.data<int32_t>();
        for (size_t i = 0; i < classes.size(); ++i) {
          // A label that training did not know is always wrong.
          predicted.push_back(classes[i]);
          expected.push_back(labels[i] < 0 ? static_cast<int32_t>(classes_) : labels[i]);
        }
      });
  const Classification scores = classification(predicted, expected, classes_ + 1);
  Evaluation result{.scores = loss_scores(loss)};
  result.scores.push_back({"accuracy", 100 * scores.accuracy.value()});
  result.scores.push_back({"macro_f1", 100 * scores.macro.f1});
  result.scores.push_back({"micro_f1", 100 * scores.micro.f1});
  return result;
}

std::vector<std::string> SentenceData::metrics() const {
  return {"loss", "accuracy", "macro_f1", "micro_f1"};
}

std::span<const LostWord> TagData::lost_in(int64_t item) const {
  const auto is_before = [](const LostWord& word, int64_t i) { return word.item < i; };
  const auto first = std::lower_bound(lost_.begin(), lost_.end(), item, is_before);
  const auto last = std::lower_bound(first, lost_.end(), item + 1, is_before);
  return std::span(lost_).subspan(static_cast<size_t>(first - lost_.begin()),
                                  static_cast<size_t>(last - first));
}

Evaluation TagData::evaluate(const Model& model, const EvaluateOptions& options) const {
  const auto classes = static_cast<int32_t>(labels_.size());
  const int32_t unknown = classes, no_answer = classes + 1;
  const LabelIndex index(labels_);
  std::vector<int32_t> predicted, expected;
  std::vector<std::vector<std::string>> predicted_tags, expected_tags;
  const auto add = [&](int32_t answer, const std::string& tag) {
    const int32_t right = index.find(tag);
    predicted.push_back(answer);
    expected.push_back(right < 0 ? unknown : right);
    predicted_tags.back().push_back(answer < classes ? labels_[answer] : "O");
    // A tag that training never saw may be none of an entity at all; no tag has a line's end.
    expected_tags.back().push_back(tag == "O" || is_in_entity(tag) ? tag : "B-\n" + tag);
  };
  const CorpusLoss loss = corpus_loss(
      model, *corpus_, options.batch, [&](std::span<const int64_t> items, const Batch& batch) {
        const std::vector<int32_t> answers = likeliest_classes(model.logits(batch, {}));
        const int32_t* labels = batch.labels.data<int32_t>();
        for (int64_t b = 0; b < batch.source_rows.count(); ++b) {
          predicted_tags.emplace_back();
          expected_tags.emplace_back();
          std::span<const LostWord> lost = lost_in(items[b]);
          const int64_t begin = batch.source_rows.begin(b);
          for (int64_t n = begin; n < batch.source_rows.end(b); ++n) {
            const bool is_lost = !lost.empty() && lost.front().row == n - begin;
            if (labels[n] < 0 && !is_lost) continue;
            add(answers[n], is_lost ? lost.front().tag : labels_[labels[n]]);
            if (is_lost) lost = lost.subspan(1);
          }
          for (const LostWord& word : lost) add(no_answer, word.tag);
        }
      });
  const Classification scores = classification(predicted, expected, classes + 2);
  Evaluation result{.scores = loss_scores(loss)};
  result.scores.push_back({"accuracy", 100 * scores.accuracy.value()});
  result.scores.push_back({"macro_f1", 100 * scores.macro.f1});
  if (are_entity_tags(labels_)) {
    result.scores.push_back({"f1", 100 * entity_f1(predicted_tags, expected_tags).all.scores().f1});
  }
  return result;
}

std::vector<std::string> TagData::metrics() const {
  std::vector<std::string> names = {"loss", "accuracy", "macro_f1"};
  if (are_entity_tags(labels_)) names.emplace_back("f1");
  return names;
}

}  // namespace heed
