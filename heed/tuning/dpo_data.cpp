#include "heed/tuning/dpo_data.h"

#include <algorithm>

#include "heed/tuning/dpo.h"
#include "heed/tuning/small_loss_internal.h"
#include "heed/tuning/target_log_probability.h"

namespace heed {
namespace {

constexpr int64_t kBudget = 4096;  // tokens that are read at once

Variable sums_of(const Model& model, const Batch& batch, const Pass& pass) {
  const AnswerLogs logs = answer_logs(model, batch, pass);
  return sequence_sums(logs.tokens, logs.rows);
}

std::vector<double> reference_of(const Batch& batch, const std::vector<double>& all) {
  std::vector<double> reference;
  for (int64_t b = 0; b < batch.target_rows.count(); ++b) {
    reference.push_back(all[batch.target_rows.id(b)]);
  }
  return reference;
}

// What ranks right and by how much, of the pairs (first, last) of rankings.
struct Margins {
  double right = 0, sum = 0;
  int64_t count = 0;

  void add(std::span<const double> implied, std::span<const int64_t> sizes) {
    size_t begin = 0;
    for (const int64_t size : sizes) {
      const size_t last = begin + static_cast<size_t>(size) - 1;
      const double margin = implied[begin] - implied[last];
      right += margin > 0 ? 1 : margin == 0 ? 0.5 : 0;
      sum += margin;
      ++count;
      begin = last + 1;
    }
  }
  double accuracy() const { return right / static_cast<double>(std::max<int64_t>(count, 1)); }
  double mean() const { return sum / static_cast<double>(std::max<int64_t>(count, 1)); }
};

std::vector<double> implied_rewards(const Variable& logs, std::span<const double> reference,
                                    double beta) {
  std::vector<double> implied = numbers_of(logs, "dpo");
  for (size_t i = 0; i < implied.size(); ++i) implied[i] = beta * (implied[i] - reference[i]);
  return implied;
}

class DpoObjective final : public Objective {
 public:
  DpoObjective(const Model& model, const RankingCorpus& corpus, double beta,
               const std::vector<double>& reference)
      : model_(model), corpus_(corpus), beta_(beta), reference_(reference) {}

  Variable loss(const Batch& batch, const LossOptions& options, const Pass& pass) override {
    const Variable logs = sums_of(model_, batch, pass);
    const std::vector<double> reference = reference_of(batch, reference_);
    const std::vector<int64_t> sizes = corpus_.sizes(batch);
    margins_.add(implied_rewards(logs, reference, beta_), sizes);
    return dpo(logs, reference, sizes, {.beta = beta_, .count = options.label_count});
  }

  std::vector<EvaluationScore> report() override {
    const Margins m = margins_;
    margins_ = {};
    return {{"accuracy", m.accuracy()}, {"margin", m.mean()}};
  }

 private:
  const Model& model_;
  const RankingCorpus& corpus_;
  double beta_;
  const std::vector<double>& reference_;
  Margins margins_;
};

}  // namespace

DpoData::DpoData(RankingCorpus corpus, AnswerMeter meter, double beta)
    : corpus_(std::move(corpus)), meter_(std::move(meter)), beta_(beta) {
  const NoGrad no_grad;
  reference_.resize(static_cast<size_t>(corpus_.sequences()));
  for (const std::vector<int64_t>& items : corpus_.evaluation_plan({.budget = kBudget})) {
    const Batch batch = corpus_.evaluation_batch(items);
    const std::vector<double> sums = numbers_of(sums_of(*meter_.reference, batch, {}), "dpo");
    for (int64_t b = 0; b < batch.target_rows.count(); ++b) {
      reference_[batch.target_rows.id(b)] = sums[b];
    }
  }
}

Evaluation DpoData::evaluate(const Model& model, const EvaluateOptions& options) const {
  const NoGrad no_grad;
  double loss = 0;
  Margins margins;
  for (const std::vector<int64_t>& items : corpus_.evaluation_plan(options.batch)) {
    const Batch batch = corpus_.evaluation_batch(items);
    const Variable logs = sums_of(model, batch, {});
    const std::vector<double> reference = reference_of(batch, reference_);
    const std::vector<int64_t> sizes = corpus_.sizes(batch);
    loss += dpo(logs, reference, sizes, {.beta = beta_, .count = 1}).value().item();
    margins.add(implied_rewards(logs, reference, beta_), sizes);
  }
  Evaluation evaluation{.scores = {{"loss", loss / static_cast<double>(corpus_.size())},
                                   {"accuracy", margins.accuracy()},
                                   {"margin", margins.mean()}}};
  add_answers(meter_, measure_answers(meter_, model, options.samples), evaluation);
  return evaluation;
}

std::unique_ptr<Objective> DpoData::objective(const Model& model) const {
  return std::make_unique<DpoObjective>(model, corpus_, beta_, reference_);
}

}  // namespace heed
