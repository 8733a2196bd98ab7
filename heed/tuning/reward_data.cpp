#include "heed/tuning/reward_data.h"

#include "heed/ops/reshape.h"
#include "heed/tuning/plackett_luce.h"
#include "heed/tuning/small_loss_internal.h"

namespace heed {
namespace {

Variable scores_of(const Model& model, const Batch& batch, const Pass& pass) {
  return reshape(model.logits(batch, pass), {batch.target_rows.count()});
}

class RankingObjective final : public Objective {
 public:
  RankingObjective(const Model& model, const RankingCorpus& corpus)
      : model_(model), corpus_(corpus) {}

  Variable loss(const Batch& batch, const LossOptions& options, const Pass& pass) override {
    return plackett_luce(scores_of(model_, batch, pass), corpus_.sizes(batch), options.label_count);
  }

 private:
  const Model& model_;
  const RankingCorpus& corpus_;
};

}  // namespace

std::vector<double> reward_scores(const Model& reward, const Batch& batch) {
  const NoGrad no_grad;
  return numbers_of(scores_of(reward, batch, {}), "reward");
}

Evaluation RewardData::evaluate(const Model& model, const EvaluateOptions& options) const {
  const NoGrad no_grad;
  std::vector<double> scores;
  std::vector<int64_t> lengths, sizes;
  double loss = 0;
  for (const std::vector<int64_t>& items : corpus_.evaluation_plan(options.batch)) {
    const Batch batch = corpus_.evaluation_batch(items);
    const Variable found = scores_of(model, batch, {});
    const std::vector<int64_t> more = corpus_.sizes(batch);
    loss += plackett_luce(found, more, 1).value().item();
    sizes.insert(sizes.end(), more.begin(), more.end());
    const std::vector<double> values = numbers_of(found, "reward");
    scores.insert(scores.end(), values.begin(), values.end());
    for (const int64_t item : items) {
      for (const auto& answer : corpus_.ranking(item).answers) {
        lengths.push_back(static_cast<int64_t>(answer.size()));
      }
    }
  }
  const PreferenceReport report = preference_report(scores, lengths, sizes);
  return {.scores = {{"accuracy", report.accuracy},
                     {"low", report.interval.low},
                     {"high", report.interval.high},
                     {"loss", loss / static_cast<double>(corpus_.size())},
                     {"calibration", report.calibration},
                     {"longer", report.longer},
                     {"length_bias", report.length_bias},
                     {"length_r", report.length_correlation}}};
}

std::unique_ptr<Objective> RewardData::objective(const Model& model) const {
  return std::make_unique<RankingObjective>(model, corpus_);
}

}  // namespace heed
