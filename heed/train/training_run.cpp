#include "heed/train/training_run.h"

#include <bit>
#include <charconv>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "heed/base/fail.h"
#include "heed/io/safetensors.h"
#include "heed/run/run_folder.h"
#include "heed/train/run_log.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;
using Metadata = std::map<std::string, std::string>;

constexpr char kStateFormat[] = "heed-state-1";
constexpr char kBest[] = "best.";

constexpr int64_t kMaxProbed = 4 << 20;  // bytes of probe.jsonl

std::string state_path(const std::string& folder) { return folder + "/state.safetensors"; }

int64_t number(const Metadata& metadata, const std::string& name, const std::string& path) {
  const auto found = metadata.find(name);
  check(found != metadata.end(), "{}: \"{}\" is missing", path, name);
  int64_t value = 0;
  const char* end = found->second.data() + found->second.size();
  const auto result = std::from_chars(found->second.data(), end, value);
  check(result.ec == std::errc() && result.ptr == end, "{}: \"{}\" is not a number: {}", path, name,
        found->second);
  return value;
}

int64_t count_in(const Metadata& metadata, const std::string& name, const std::string& path) {
  const int64_t value = number(metadata, name, path);
  check(value >= 0, "{}: \"{}\" must not be negative, got {}", path, name, value);
  return value;
}

// Doubles travel as their bits, so that they come back as they were.
int64_t bits_of(double value) { return std::bit_cast<int64_t>(value); }
double from_bits(int64_t bits) { return std::bit_cast<double>(bits); }

// JSON has no infinity or NaN.
Json finite(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

}  // namespace

struct TrainingRun::Progress {
  int64_t best_step = -1;
  double best_score = 0;
  double best_loss = 0;           // decides between equal scores
  std::vector<NamedTensor> best;  // copies of the best weights
  int64_t stale = 0;              // validations since the best
  int64_t evaluated_step = -1;
  int64_t saved_step = -1;
  bool ended = false;
  std::optional<RunLog> log, probe;
  std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
  double seconds_before = 0;  // spent before the run was resumed

  double seconds() const {
    return seconds_before +
           std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }
};

TrainingRun::TrainingRun(const Model& model, Trainer& trainer, Evaluate evaluate,
                         const RunOptions& options)
    : model_(model),
      trainer_(trainer),
      evaluate_(std::move(evaluate)),
      options_(options),
      progress_(std::make_unique<Progress>()) {}

TrainingRun::~TrainingRun() = default;

bool TrainingRun::was_finished() const { return progress_->ended; }

bool TrainingRun::resume() {
  const std::string path = state_path(options_.folder);
  if (!std::filesystem::exists(path)) return false;
  const SafetensorsFile file = SafetensorsFile::open(path);
  const Metadata& metadata = file.metadata();
  const auto format = metadata.find("format");
  check(format != metadata.end() && format->second == kStateFormat,
        "{}: not a checkpoint that this version of heed can read", path);
  check(static_cast<uint64_t>(number(metadata, "fingerprint", path)) == options_.fingerprint,
        "resume: the training data is not that of the checkpoint; begin anew in another folder");
  std::vector<NamedTensor> state, best;
  for (const std::string& name : file.names()) {
    if (name.starts_with(kBest)) {
      best.push_back({name.substr(sizeof(kBest) - 1), file.tensor(name).clone()});
    } else {
      state.push_back({name, file.tensor(name)});
    }
  }
  check_best(best, path);
  trainer_.load_state(state, {.step = count_in(metadata, "step", path),
                              .epoch = count_in(metadata, "epoch", path),
                              .batch = count_in(metadata, "batch", path)});
  progress_->best_step = number(metadata, "best_step", path);
  progress_->best_score = from_bits(number(metadata, "best_score", path));
  progress_->best_loss = from_bits(number(metadata, "best_loss", path));
  progress_->stale = count_in(metadata, "stale", path);
  progress_->evaluated_step = number(metadata, "evaluated_step", path);
  progress_->seconds_before = from_bits(number(metadata, "seconds", path));
  progress_->saved_step = trainer_.position().step;
  progress_->best = std::move(best);
  if (progress_->best.empty() && progress_->best_step == trainer_.position().step) remember_best();
  const bool by_patience = options_.patience > 0 && progress_->stale >= options_.patience;
  progress_->ended =
      (trainer_.finished() || by_patience) && progress_->evaluated_step == trainer_.position().step;
  // The export may lag behind, if the run was killed between the two writes.
  if (!progress_->best.empty() && exported_step(options_.folder) != progress_->best_step) {
    export_model(options_.folder, progress_->best, progress_->best_step);
  }
  return true;
}

// The best weights become the model: there must be one of each, of its shape, or none at all.
void TrainingRun::check_best(const std::vector<NamedTensor>& best, const std::string& path) const {
  if (best.empty()) return;
  std::map<std::string, const Tensor*> found;
  for (const NamedTensor& tensor : best) found[tensor.name] = &tensor.tensor;
  size_t wanted = 0;
  for (const NamedParameter& parameter : model_.parameters().list()) {
    if (options_.only_trained && !parameter.variable.requires_gradient()) continue;
    ++wanted;
    const auto at = found.find(parameter.name);
    check(at != found.end() && at->second->shape() == parameter.variable.shape() &&
              at->second->dtype() == parameter.variable.value().dtype(),
          "{}: the best weights do not fit the model at {}", path, parameter.name);
  }
  check(found.size() == wanted, "{}: there are best weights for {} parameters, the model has {}",
        path, found.size(), wanted);
}

bool TrainingRun::wants_evaluation(int64_t step) const {
  return step != progress_->evaluated_step &&
         (trainer_.finished() || (options_.eval_every > 0 && step % options_.eval_every == 0));
}

void TrainingRun::remember_best() {
  progress_->best.clear();
  for (const NamedParameter& parameter : model_.parameters().list()) {
    if (options_.only_trained && !parameter.variable.requires_gradient()) continue;
    progress_->best.push_back({parameter.name, parameter.variable.value().clone()});
  }
}

std::string TrainingRun::evaluate_now(RunEvents& events) {
  const int64_t step = trainer_.position().step;
  if (trainer_.has_average()) trainer_.swap_average();
  const Evaluation evaluation = evaluate_();
  const auto score = evaluation.find(options_.metric);
  if (!score) {
    std::string names;
    for (const EvaluationScore& s : evaluation.scores)
      names += (names.empty() ? "" : ", ") + s.name;
    fail("training: there is no metric \"{}\"; this task has {}", options_.metric, names);
  }
  const auto loss = evaluation.find("loss");
  if (loss && !(*loss < kExploded)) {
    throw Diverged(fmt::format(
        "training: the loss of the validation after step {} is {}; {}. Try a lower learning rate, "
        "a longer warm-up or stronger clipping",
        step, *loss,
        progress_->saved_step < 0
            ? std::string("there is no checkpoint yet")
            : fmt::format("the checkpoint of step {} is kept", progress_->saved_step)));
  }
  const bool better = *score == progress_->best_score    ? loss.value_or(0) < progress_->best_loss
                      : lower_is_better(options_.metric) ? *score < progress_->best_score
                                                         : *score > progress_->best_score;
  const bool is_best = progress_->best_step < 0 || better;
  progress_->evaluated_step = step;
  if (is_best) {
    progress_->best_step = step;
    progress_->best_score = *score;
    progress_->best_loss = loss.value_or(0);
    progress_->stale = 0;
    remember_best();
    export_model(options_.folder, progress_->best, step);
  } else {
    ++progress_->stale;
  }
  if (progress_->probe) progress_->probe->write(options_.probe(step));
  if (trainer_.has_average()) trainer_.swap_average();
  Json line{{"step", step}, {"seconds", progress_->seconds()}};
  for (const EvaluationScore& s : evaluation.scores) line["valid"][s.name] = finite(s.value);
  line["best"] = is_best;
  if (!evaluation.samples.empty()) line["samples"] = evaluation.samples;
  if (!evaluation.stop.empty()) line["stop"] = evaluation.stop;
  progress_->log->write(line.dump(-1, ' ', false, Json::error_handler_t::replace));
  // Before anything is reported, which may take long or fail. With a running average, the loss was
  // that of the average: the weights beside it are not known to be good.
  save(events);
  events.evaluated(step, evaluation, is_best);
  return evaluation.stop;
}

void TrainingRun::save(RunEvents& events) {
  const int64_t step = trainer_.position().step;
  std::vector<NamedTensor> tensors = trainer_.state();
  for (const NamedTensor& tensor : progress_->best) {
    tensors.push_back({kBest + tensor.name, tensor.tensor});
  }
  const Metadata metadata = {
      {"format", kStateFormat},
      {"step", std::to_string(step)},
      {"epoch", std::to_string(trainer_.position().epoch)},
      {"batch", std::to_string(trainer_.position().batch)},
      {"best_step", std::to_string(progress_->best_step)},
      {"best_score", std::to_string(bits_of(progress_->best_score))},
      {"best_loss", std::to_string(bits_of(progress_->best_loss))},
      {"stale", std::to_string(progress_->stale)},
      {"evaluated_step", std::to_string(progress_->evaluated_step)},
      {"seconds", std::to_string(bits_of(progress_->seconds()))},
      {"fingerprint", std::to_string(static_cast<int64_t>(options_.fingerprint))}};
  write_safetensors(state_path(options_.folder), tensors, metadata);
  progress_->saved_step = step;
  events.saved(step);
}

RunResult TrainingRun::go(RunEvents& events) {
  progress_->begin = std::chrono::steady_clock::now();
  const int64_t first = trainer_.position().step;
  progress_->log.emplace(options_.folder + "/log.jsonl", first);
  if (options_.probe) {
    progress_->probe.emplace(options_.folder + "/probe.jsonl", first == 0 ? -1 : first, kMaxProbed);
    if (first == 0) progress_->probe->write(options_.probe(0));
  }
  RunEnd end = RunEnd::all_steps;
  std::string reason;
  const auto exhausted = [&] {
    return options_.patience > 0 && progress_->stale >= options_.patience;
  };
  bool due = false;  // a checkpoint of the present step
  while (!progress_->ended) {
    if (wants_evaluation(trainer_.position().step) && trainer_.position().step > 0) {
      reason = evaluate_now(events);
    }
    if (trainer_.finished() || exhausted()) break;
    if (!reason.empty()) {
      end = RunEnd::ran_away;
      break;
    }
    if (events.stop_requested()) {
      end = RunEnd::interrupted;
      break;
    }
    // A checkpoint that is due replaces the one before when a step has found its weights good.
    const bool is_due = due && progress_->saved_step != trainer_.position().step;
    due = false;
    const StepReport report = is_due ? trainer_.step([&] { save(events); }) : trainer_.step();
    if (report.step % options_.log_every == 0 || report.step == 1) {
      Json line{{"step", report.step},
                {"epoch", report.epoch},
                {"loss", report.loss},
                {"lr", report.learning_rate},
                {"norm", report.gradient_norm},
                {"tokens", report.label_count},
                {"seconds", progress_->seconds()}};
      for (const EvaluationScore& number : report.numbers) line[number.name] = finite(number.value);
      progress_->log->write(line.dump());
    }
    events.stepped(report);
    due = options_.save_every > 0 && report.step % options_.save_every == 0 &&
          !wants_evaluation(report.step);
    if (due && !trainer_.keeps_state_in_step()) save(events);
  }
  if (end == RunEnd::all_steps && exhausted()) end = RunEnd::no_improvement;
  if (progress_->saved_step != trainer_.position().step) save(events);
  if (progress_->best_step < 0) {  // interrupted before the first validation: the present weights
    remember_best();
    export_model(options_.folder, progress_->best, trainer_.position().step);
  }
  return {.end = end,
          .step = trainer_.position().step,
          .best_step = progress_->best_step,
          .best_score = progress_->best_score,
          .reason = reason};
}

}  // namespace heed
