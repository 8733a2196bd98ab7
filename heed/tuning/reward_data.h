// A reward model: the language model with a scalar on its last state, trained so that better
// answers score higher. Scores: accuracy with its interval, loss, calibration, and what length
// explains (preference_report.h).
#pragma once

#include "heed/base/export.h"
#include "heed/train/task_data.h"
#include "heed/tuning/preference_report.h"
#include "heed/tuning/ranking_corpus.h"

namespace heed {

// The score of every sequence of a batch of RankingUse::scores, [B].
HEED_API std::vector<double> reward_scores(const Model& reward, const Batch& batch);

class HEED_API RewardData final : public TaskData {
 public:
  explicit RewardData(RankingCorpus corpus) : corpus_(std::move(corpus)) {}

  const Corpus& corpus() const override { return corpus_; }
  Evaluation evaluate(const Model& model, const EvaluateOptions& options) const override;
  std::unique_ptr<Objective> objective(const Model& model) const override;
  std::vector<std::string> metrics() const override { return {"accuracy", "loss"}; }

 private:
  RankingCorpus corpus_;
};

}  // namespace heed
