// Direct preference optimization as a task: rankings, and the log-probabilities that the starting
// model gives to every answer. Scores: loss, accuracy (how often the better answer has become more
// likelier than the worse), margin (mean difference of the implied rewards), and those of
// answer_report.h.
#pragma once

#include "heed/base/export.h"
#include "heed/train/task_data.h"
#include "heed/tuning/answer_report.h"
#include "heed/tuning/ranking_corpus.h"

namespace heed {

class HEED_API DpoData final : public TaskData {
 public:
  // The meter holds the starting model; without prompts it measures nothing.
  DpoData(RankingCorpus corpus, AnswerMeter meter, double beta);

  const Corpus& corpus() const override { return corpus_; }
  Evaluation evaluate(const Model& model, const EvaluateOptions& options) const override;
  std::unique_ptr<Objective> objective(const Model& model) const override;
  std::vector<std::string> metrics() const override { return {"loss", "accuracy", "true"}; }

 private:
  RankingCorpus corpus_;
  AnswerMeter meter_;
  double beta_;
  std::vector<double> reference_;  // of each sequence
};

}  // namespace heed
