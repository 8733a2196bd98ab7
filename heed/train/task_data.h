// The data of a task: examples to train on, and how well a model answers them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "heed/base/export.h"
#include "heed/generate/beam.h"
#include "heed/models/model.h"
#include "heed/text/tokenizer.h"
#include "heed/train/corpus.h"
#include "heed/train/evaluation.h"
#include "heed/train/label_corpus.h"
#include "heed/train/objective.h"
#include "heed/train/pair_corpus.h"
#include "heed/train/stream_corpus.h"

namespace heed {

struct EvaluateOptions {
  BatchOptions batch = {.budget = 4096};
  int64_t max_generated = 0;   // answers generated at most, for scores of texts; 0: all
  int64_t samples = 0;         // answers to show
  bool tokenized = false;      // words are what stands between spaces: BLEU cuts no further
  bool bits_per_byte = false;  // of language models, beside the perplexity
  BeamOptions beam = {};       // how answers to texts are searched
  // Answers end at the usual length of the right ones, for a model that does not know yet when to
  // stop: to see how long the validations of a run will take.
  bool usual_answers = false;
};

class HEED_API TaskData {
 public:
  virtual ~TaskData() = default;
  virtual const Corpus& corpus() const = 0;
  // Every task gives "loss" (nats per label) and "tokens" (labels), and scores of its own.
  virtual Evaluation evaluate(const Model& model, const EvaluateOptions& options) const = 0;
  // What training on this data makes small; null: the cross entropy of the labels. The model and
  // the data must outlive it.
  virtual std::unique_ptr<Objective> objective(const Model& /*model*/) const { return nullptr; }
  // The names of the scores that a model can be chosen by.
  virtual std::vector<std::string> metrics() const = 0;
};

// lm: perplexity; bits_per_byte if it is asked for.
class HEED_API StreamData final : public TaskData {
 public:
  StreamData(StreamRange range, int64_t context, uint64_t seed,
             std::shared_ptr<const Tokenizer> tokenizer);
  const Corpus& corpus() const override { return corpus_; }
  Evaluation evaluate(const Model& model, const EvaluateOptions& options) const override;
  std::vector<std::string> metrics() const override;

 private:
  StreamCorpus corpus_;
  std::shared_ptr<const Tokenizer> tokenizer_;
};

// translate: bleu, chrf, exact_match; summarize: rouge1, rouge2, rougeL, exact_match.
class HEED_API PairData final : public TaskData {
 public:
  // `targets` are the right answers as text, one per item; `sources` too, to be shown.
  PairData(PairCorpus corpus, std::vector<std::string> sources, std::vector<std::string> targets,
           Task task, std::shared_ptr<const Tokenizer> tokenizer);
  const Corpus& corpus() const override { return corpus_; }
  Evaluation evaluate(const Model& model, const EvaluateOptions& options) const override;
  std::vector<std::string> metrics() const override;

 private:
  PairCorpus corpus_;
  std::vector<std::string> sources_, targets_;
  Task task_;
  std::shared_ptr<const Tokenizer> tokenizer_;
};

// classify: accuracy, macro_f1, micro_f1.
class HEED_API SentenceData final : public TaskData {
 public:
  SentenceData(std::unique_ptr<Corpus> corpus, int64_t classes)
      : corpus_(std::move(corpus)), classes_(classes) {}
  const Corpus& corpus() const override { return *corpus_; }
  Evaluation evaluate(const Model& model, const EvaluateOptions& options) const override;
  std::vector<std::string> metrics() const override;

 private:
  std::unique_ptr<Corpus> corpus_;
  int64_t classes_;
};

// A word that no answer is right for: its tag is not one of the labels, or it was cut off.
struct LostWord {
  int64_t item = 0;
  int64_t row = -1;  // of the item; -1: cut off
  std::string tag = {};
};

// tag: accuracy, macro_f1; f1 of entities if the tags are of the form B-X, I-X, O. Lost words, in
// the order of the data, count as wrong.
class HEED_API TagData final : public TaskData {
 public:
  TagData(std::unique_ptr<Corpus> corpus, std::vector<std::string> labels,
          std::vector<LostWord> lost = {})
      : corpus_(std::move(corpus)), labels_(std::move(labels)), lost_(std::move(lost)) {}
  const Corpus& corpus() const override { return *corpus_; }
  Evaluation evaluate(const Model& model, const EvaluateOptions& options) const override;
  std::vector<std::string> metrics() const override;

 private:
  std::span<const LostWord> lost_in(int64_t item) const;

  std::unique_ptr<Corpus> corpus_;
  std::vector<std::string> labels_;
  std::vector<LostWord> lost_;
};

// The index of the largest of each row of logits [N, V], the first if there are several.
HEED_API std::vector<int32_t> likeliest_classes(const Tensor& logits);

}  // namespace heed
