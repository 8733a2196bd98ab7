#include "heed/train/prepare_run.h"

#include <algorithm>

#include "heed/base/fail.h"
#include "heed/data/hold_out.h"
#include "heed/data/refuse_pipe.h"
#include "heed/run/task_names.h"
#include "heed/text/tokenizer.h"
#include "heed/train/choose_settings.h"
#include "heed/train/preparation.h"
#include "heed/train/starting_shape.h"

namespace heed {
namespace {

void check_files(const char* option, const std::vector<std::string>& files,
                 const TrainSettings& settings) {
  const bool pairs = is_pair_task(settings.task) && settings.source_vectors.empty();
  check(settings.task == Task::lm || files.size() == 1 || (pairs && files.size() == 2),
        "{} needs {} for {}, got {}", option,
        pairs ? "two files, source and target, or one of source<TAB>target or JSON lines,"
              : "one file",
        name_of(settings.task), files.size());
}

void check_no_pipes(const std::vector<std::string>& files) {
  for (const std::string& file : files) {
    refuse_pipe(file, "training reads its data twice; write it to a file first");
  }
}

void check_metric(const TrainSettings& settings, const TaskData& data) {
  const std::vector<std::string> names = data.metrics();
  if (std::find(names.begin(), names.end(), settings.metric) != names.end()) return;
  std::string list;
  for (size_t i = 0; i < names.size(); ++i) {
    list += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
  }
  fail("there is no metric \"{}\"; {} has {}", settings.metric, name_of(settings.task), list);
}

}  // namespace

void complete_settings(TrainSettings& settings, const DataFacts& facts, PreparedRun& run) {
  run.with_steps = [open = settings, facts](int64_t steps) {
    TrainSettings complete = open;
    complete.steps = steps;
    complete.epochs = 0;
    std::vector<std::string> told_before;
    choose_settings(complete, facts, told_before);
    return complete;
  };
  choose_settings(settings, facts, run.notes);
}

HeldOut::HeldOut(int64_t count, const TrainSettings& settings) {
  check(count >= 2,
        "the training data has {} record{}: too few to hold some out for validation; name other "
        "data with `valid`",
        count, count == 1 ? "" : "s");
  items_ = hold_out(count, {.seed = static_cast<uint64_t>(settings.seed)}).held_out;
}

bool HeldOut::contains(int64_t index) {
  while (next_ < items_.size() && items_[next_] < index) ++next_;
  return next_ < items_.size() && items_[next_] == index;
}

PreparedRun prepare_run(const TrainSettings& settings, const std::string& folder,
                        const RunConfig* saved) {
  check(!settings.train.empty(), "`train` is required: the file, or files, to train on");
  check_files("`train`", settings.train, settings);
  if (!settings.valid.empty()) check_files("`valid`", settings.valid, settings);
  check_no_pipes(settings.train);
  check_no_pipes(settings.valid);
  Preparation preparation{.settings = settings, .folder = folder};
  if (saved != nullptr) {
    preparation.labels = saved->labels;
    const std::string file = saved_tokenizer(folder);
    if (!file.empty()) preparation.tokenizer = load_tokenizer(file);
    check(preparation.tokenizer != nullptr || vocabulary_of(saved->model) == 0,
          "{} has no tokenizer (tokenizer.json or spm.model), without which it cannot go on",
          folder);
  }
  PreparedRun run;
  if (!settings.source_vectors.empty()) {
    prepare_vectors(preparation, run);
  } else if (settings.task == Task::lm) {
    prepare_stream(preparation, run);
  } else if (is_pair_task(settings.task)) {
    prepare_pairs(preparation, run);
  } else if (settings.task == Task::classify) {
    prepare_sentences(preparation, run);
  } else {
    prepare_tags(preparation, run);
  }
  check_metric(run.config.settings, *run.valid);
  if (saved != nullptr) {
    copy_details(run.config.model, saved->model);
  } else if (is_run_folder(settings.init_from)) {
    const ModelConfig from = read_run_config(settings.init_from).model;
    check_compatible(run.config.model, from, settings.init_from);
    copy_details(run.config.model, from);
  }
  return run;
}

std::unique_ptr<TaskData> prepare_evaluation(const LoadedRun& run, const EvaluationFiles& files,
                                             std::vector<std::string>& notes) {
  Preparation preparation{.settings = run.config.settings,
                          .folder = {},
                          .tokenizer = run.tokenizer,
                          .labels = run.config.labels,
                          .begin = run.config.begin,
                          .end = run.config.end};
  preparation.settings.valid = files.files;
  preparation.settings.valid_vectors = files.vectors;
  if (files.encoding) preparation.settings.encoding = *files.encoding;
  if (files.format != FileFormat::automatic) preparation.settings.format = files.format;
  const auto* transformer = std::get_if<TransformerConfig>(&run.config.model);
  if (preparation.settings.context == 0 && transformer != nullptr) {  // of a converted model
    preparation.settings.context = transformer->context;
  }
  const Task task = run.config.settings.task;
  check(task != Task::embed,
        "this model gives states of texts and no answers that could be measured");
  const int64_t width =
      std::visit([](const auto& config) { return config.source_width; }, run.config.model);
  check(width == 0 || !files.vectors.empty(),
        "this model reads rows of floats: give them with `vectors`");
  check(width > 0 || files.vectors.empty(), "this model reads text, not `vectors`");
  check_files("`data`", files.files, preparation.settings);
  if (width > 0) return evaluation_vectors(preparation, width, notes);
  if (task == Task::lm) return evaluation_stream(preparation, notes);
  if (is_pair_task(task)) return evaluation_pairs(preparation, notes);
  if (task == Task::classify) return evaluation_sentences(preparation, notes);
  return evaluation_tags(preparation, notes);
}

}  // namespace heed
