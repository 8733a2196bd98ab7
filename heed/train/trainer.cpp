#include "heed/train/trainer.h"

#include <algorithm>
#include <cmath>

#include "heed/base/fail.h"
#include "heed/optim/sgd.h"

namespace heed {
namespace {

constexpr char kModel[] = "model.", kOptimizer[] = "optimizer.", kAverage[] = "average.",
               kObjective[] = "objective.";

std::vector<OptimizedParameter> optimized(const Model& model) {
  std::vector<OptimizedParameter> result;
  for (const NamedParameter& parameter : model.parameters().list()) {
    if (parameter.variable.requires_gradient()) {
      result.push_back({parameter.name, parameter.variable});
    }
  }
  const auto all = model.parameters().list();
  check(std::none_of(all.begin(), all.end(),
                     [](const NamedParameter& parameter) {
                       return parameter.variable.value().dtype() == DType::i8;
                     }),
        "training: the weights are int8, which is for inference; train the float32 model that they "
        "were made from");
  check(!result.empty(), "training: every parameter is frozen, so there is nothing to train");
  return result;
}

std::unique_ptr<Optimizer> make_optimizer(const Model& model, const TrainerOptions& options) {
  if (options.optimizer == OptimizerKind::sgd) {
    return std::make_unique<Sgd>(
        optimized(model),
        SgdOptions{.momentum = options.momentum, .weight_decay = options.adamw.weight_decay});
  }
  return std::make_unique<AdamW>(optimized(model), options.adamw);
}

// The tensors whose names begin with a prefix, without it.
std::vector<NamedTensor> with_prefix(const std::vector<NamedTensor>& tensors,
                                     const std::string& prefix) {
  std::vector<NamedTensor> result;
  for (const NamedTensor& tensor : tensors) {
    if (tensor.name.starts_with(prefix)) {
      result.push_back({tensor.name.substr(prefix.size()), tensor.tensor});
    }
  }
  return result;
}

void append(std::vector<NamedTensor>& to, const std::string& prefix,
            const std::vector<NamedTensor>& tensors) {
  for (const NamedTensor& tensor : tensors) to.push_back({prefix + tensor.name, tensor.tensor});
}

// The items of one shard: every shards-th.
std::vector<int64_t> shard_of(const std::vector<int64_t>& items, int64_t shard, int64_t shards) {
  std::vector<int64_t> result;
  for (size_t i = static_cast<size_t>(shard); i < items.size(); i += static_cast<size_t>(shards)) {
    result.push_back(items[i]);
  }
  return result;
}

int64_t rows_of(const Batch& batch) {
  return batch.source_rows.total() + batch.target_rows.total();
}

}  // namespace

Trainer::Trainer(const Model& model, const Corpus& corpus, const TrainerOptions& options,
                 Objective* objective)
    : model_(model),
      corpus_(corpus),
      options_(options),
      objective_(objective),
      parameters_(model.parameters().trainable()),
      optimizer_(make_optimizer(model, options)) {
  check(options.accumulate > 0 && options.shards > 0,
        "training: expected at least 1 batch and 1 shard per step, got {} and {}",
        options.accumulate, options.shards);
  check(options.steps > 0 || options.epochs > 0, "training: give a number of steps or of epochs");
  if (options.average > 0) {
    average_ = std::make_unique<WeightAverage>(optimized(model), options.average);
  }
  load_plan(0);
  total_steps_ = options.steps;
  if (total_steps_ == 0) {
    const int64_t batches = batches_per_epoch() * options.epochs;
    total_steps_ = (batches + options.accumulate - 1) / options.accumulate;
  }
  if (options_.schedule.total_steps == 0) options_.schedule.total_steps = total_steps_;
}

Trainer::~Trainer() = default;

void Trainer::load_plan(int64_t epoch) {
  if (epoch == plan_epoch_) return;
  plan_ = corpus_.plan(options_.batch, static_cast<uint64_t>(epoch));
  check(!plan_.empty(), "training: there is no training data");
  plan_epoch_ = epoch;
}

// The items of the next batch. A batch belongs to one epoch.
std::vector<int64_t> Trainer::next_items() {
  load_plan(position_.epoch);
  if (position_.batch >= batches_per_epoch()) {
    ++position_.epoch;
    position_.batch = 0;
    load_plan(position_.epoch);
  }
  return plan_[position_.batch++];
}

StepReport Trainer::step(const std::function<void()>& found_good) {
  check(!finished(), "training: all {} steps are made", total_steps_);
  const TrainerPosition before = position_;
  // All batches of the step come first: their labels together divide every loss.
  std::vector<std::vector<Batch>> batches(static_cast<size_t>(options_.shards));
  StepReport report;
  for (int64_t i = 0; i < options_.accumulate; ++i) {
    const std::vector<int64_t> items = next_items();
    for (int64_t s = 0; s < options_.shards; ++s) {
      const std::vector<int64_t> own = shard_of(items, s, options_.shards);
      if (own.empty()) continue;
      Batch batch = corpus_.batch(own, static_cast<uint64_t>(position_.epoch));
      report.tokens += rows_of(batch);
      report.label_count += batch.label_count;
      batches[s].push_back(std::move(batch));
    }
  }
  const Pass pass{
      .training = true, .seed = options_.seed, .step = static_cast<uint64_t>(before.step)};
  const LossOptions loss_options{.label_smoothing = options_.label_smoothing,
                                 .label_count = std::max<int64_t>(report.label_count, 1)};
  GradientTree tree;
  for (const std::vector<Batch>& shard : batches) {
    GradientSum sum(parameters_);
    for (const Batch& batch : shard) {
      const Variable loss = objective_ != nullptr ? objective_->loss(batch, loss_options, pass)
                                                  : model_.loss(batch, loss_options, pass);
      report.loss += loss.value().item();
      sum.add(backward(loss));
    }
    if (!sum.empty()) tree.add(std::move(sum));
  }
  const GradientSum total = tree.total();
  report.gradient_norm = total.norm();
  if (!(report.loss < kExploded) || !std::isfinite(report.gradient_norm)) {
    position_ = before;
    const auto worst = total.first_non_finite();
    throw Diverged(fmt::format(
        "training: the loss at step {} is {}, the norm of the gradient {}{}; the parameters are "
        "still those of step {}. Try a lower learning rate, a longer warm-up or stronger clipping",
        before.step + 1, report.loss, report.gradient_norm,
        worst ? " (first in " + optimizer_->parameters()[*worst].name + ")" : "", before.step));
  }
  if (found_good) {
    const TrainerPosition after = position_;
    position_ = before;
    found_good();
    position_ = after;
  }
  report.learning_rate = learning_rate(options_.schedule, before.step);
  optimizer_->step(total.tensors(),
                   {.rate = report.learning_rate,
                    .gradient_scale = clip_factor(report.gradient_norm, options_.clip)});
  if (average_) average_->update();
  report.step = ++position_.step;
  report.epoch = position_.epoch;
  if (objective_ != nullptr) report.numbers = objective_->report();
  return report;
}

void Trainer::swap_average() {
  check(has_average(), "training: no average of the weights is kept");
  average_->swap();
}

std::vector<NamedTensor> Trainer::state() const {
  std::vector<NamedTensor> result;
  for (const NamedParameter& parameter : model_.parameters().list()) {
    result.push_back({kModel + parameter.name, parameter.variable.value()});
  }
  append(result, kOptimizer, optimizer_->state());
  if (average_) append(result, kAverage, average_->state());
  if (objective_ != nullptr) append(result, kObjective, objective_->state());
  return result;
}

void Trainer::load_state(const std::vector<NamedTensor>& state, const TrainerPosition& position) {
  const std::vector<NamedTensor> weights = with_prefix(state, kModel);
  check(weights.size() == model_.parameters().list().size(),
        "training: the saved state has {} parameters, the model {}", weights.size(),
        model_.parameters().list().size());
  std::vector<std::pair<Tensor, Tensor>> copies;  // to, from
  for (const NamedParameter& parameter : model_.parameters().list()) {
    const auto saved = std::find_if(weights.begin(), weights.end(),
                                    [&](const NamedTensor& t) { return t.name == parameter.name; });
    check(saved != weights.end() && saved->tensor.shape() == parameter.variable.shape(),
          "training: the saved state does not fit the model at {}", parameter.name);
    // A frozen parameter is what the model was made with.
    if (parameter.variable.requires_gradient()) {
      copies.emplace_back(parameter.variable.value(), saved->tensor);
    }
  }
  optimizer_->load_state(with_prefix(state, kOptimizer));
  if (average_) average_->load_state(with_prefix(state, kAverage));
  if (objective_ != nullptr) objective_->load_state(with_prefix(state, kObjective));
  for (auto& [to, from] : copies) to.copy_from(from);
  position_ = position;
  load_plan(position.epoch);
}

}  // namespace heed
