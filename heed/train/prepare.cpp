#include "heed/train/prepare.h"

#include <filesystem>

#include "heed/base/fail_internal.h"
#include "heed/data/hold_out.h"
#include "heed/train/choose.h"
#include "heed/train/prepare_internal.h"

namespace heed {
namespace {

void check_files(const TrainSettings& settings) {
  const size_t wanted = is_pair_task(settings.task) && settings.source_vectors.empty() ? 2 : 1;
  const auto check_list = [&](const char* option, const std::vector<std::string>& files) {
    check(settings.task == "lm" || files.size() == wanted, "{} needs {} for {}, got {}", option,
          wanted == 2 ? "two files, source and target," : "one file", settings.task, files.size());
  };
  check(!settings.train.empty(), "--train is required: the file, or files, to train on");
  check_list("--train", settings.train);
  if (!settings.valid.empty()) check_list("--valid", settings.valid);
}

}  // namespace

HeldOut::HeldOut(int64_t count, const TrainSettings& settings) {
  check(count >= 2, "the training data has {} items: too few to hold some out for validation",
        count);
  items_ = hold_out(count, {.seed = static_cast<uint64_t>(settings.seed)}).held_out;
}

bool HeldOut::contains(int64_t index) {
  while (next_ < items_.size() && items_[next_] < index) ++next_;
  return next_ < items_.size() && items_[next_] == index;
}

PreparedRun prepare_run(const TrainSettings& settings, const std::string& folder,
                        const RunConfig* saved) {
  check_files(settings);
  Preparation preparation{.settings = settings, .folder = folder};
  if (saved != nullptr) {
    preparation.labels = saved->labels;
    for (const char* file : {"/tokenizer.json", "/spm.model"}) {
      if (std::filesystem::exists(folder + file)) {
        preparation.tokenizer = load_tokenizer(folder + file);
      }
    }
  }
  PreparedRun run;
  if (settings.task == "lm") {
    prepare_stream(preparation, run);
  } else if (is_pair_task(settings.task)) {
    prepare_pairs(preparation, run);
  } else if (settings.task == "classify") {
    prepare_sentences(preparation, run);
  } else {
    prepare_tags(preparation, run);
  }
  return run;
}

std::unique_ptr<TaskData> prepare_evaluation(const LoadedRun& run, const EvaluationFiles& files,
                                             std::vector<std::string>& notes) {
  Preparation preparation{.settings = run.config.settings,
                          .folder = {},
                          .tokenizer = run.tokenizer,
                          .labels = run.config.labels};
  preparation.settings.valid = files.files;
  preparation.settings.valid_vectors = files.vectors;
  const std::string& task = run.config.settings.task;
  if (task == "lm") return evaluation_stream(preparation, notes);
  if (is_pair_task(task)) return evaluation_pairs(preparation, notes);
  if (task == "classify") return evaluation_sentences(preparation, notes);
  return evaluation_tags(preparation, notes);
}

}  // namespace heed
