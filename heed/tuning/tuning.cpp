#include "heed/tuning/tuning.h"

#include <algorithm>

#include "heed/base/fail.h"
#include "heed/run/task_names.h"
#include "heed/train/choose_settings.h"
#include "heed/tuning/tuning_internal.h"

namespace heed {
namespace {

std::shared_ptr<const Tokenizer> tokenizer_in(const std::string& folder) {
  const std::string file = saved_tokenizer(folder);
  check(!file.empty(), "{} has no tokenizer (tokenizer.json or spm.model)", folder);
  return load_tokenizer(file);
}

// Settings of the shape are those of the base: what a run is made of is in its config.json.
void copy_shape(TrainSettings& settings, const TrainSettings& base) {
  for (const Setting& setting : settings_table()) {
    const std::string name = setting.name;
    if (setting.group != SettingGroup::model || name == "freeze" || name == "init-from") continue;
    if (name == "dropout" && settings.dropout >= 0) continue;
    copy_setting(setting, base, settings);
  }
  settings.tokenizer = base.tokenizer;
}

// Training settings that were left open.
void fill_tuning(TrainSettings& s, int64_t items, const TuningDefaults& defaults) {
  if (s.batch == 0 && s.batch_tokens == 0) s.batch = defaults.batch;
  const int64_t per_epoch = s.batch > 0 ? std::max<int64_t>(items / (s.batch * s.accumulate), 1)
                                        : std::max<int64_t>(items / 8, 1);
  if (s.steps == 0 && s.epochs == 0) {
    s.steps = defaults.steps;
    if (s.steps == 0) s.epochs = defaults.epochs;
  }
  const int64_t steps = s.steps > 0 ? s.steps : s.epochs * per_epoch;
  if (!s.schedule) s.schedule = defaults.schedule;
  if (s.lr == 0) s.lr = defaults.lr;
  if (s.warmup < 0) s.warmup = std::clamp<int64_t>(steps / 20, 1, 100);
  if (s.beta2 == 0) s.beta2 = 0.99;
  if (s.label_smoothing < 0) s.label_smoothing = 0;
  if (s.eval_every == 0) {
    const int64_t usual = defaults.steps > 0 ? std::min(per_epoch, steps / 8) : per_epoch;
    s.eval_every = std::clamp<int64_t>(usual, 20, 500);
  }
  if (s.patience < 0) s.patience = defaults.patience;
  if (s.metric.empty()) s.metric = defaults.metric;
}

}  // namespace

Tuning begin_tuning(const TrainSettings& settings, const std::string& folder,
                    const RunConfig* saved) {
  Tuning tuning;
  tuning.settings = settings;
  if (saved != nullptr) {
    tuning.config = *saved;
    tuning.tokenizer = tokenizer_in(folder);
  } else {
    check(!settings.base.empty(), "there is no model to tune; name its folder: `base`");
    tuning.config = read_run_config(settings.base);
    check(tuning.config.settings.task == Task::lm,
          "{} is a model for {}; only a language model can be tuned to answer", settings.base,
          name_of(tuning.config.settings.task));
    check(!tuning.config.int8,
          "the weights of {} are int8, which is for inference; tune the float32 "
          "model that they were made from",
          settings.base);
    check(tuning.config.settings.lora == 0,
          "{} has adapters; merge them first (heed average `merge`)", settings.base);
    tuning.tokenizer = tokenizer_in(settings.base);
    copy_shape(tuning.settings, tuning.config.settings);
    if (!settings.chat_template.empty()) {
      tuning.config.chat = named_chat_template(settings.chat_template, *tuning.tokenizer);
    } else if (!tuning.config.chat.defined()) {
      tuning.config.chat = default_chat_template(*tuning.tokenizer);
    }
  }
  chat_end_token(tuning.config.chat, *tuning.tokenizer);
  auto& model = std::get<TransformerConfig>(tuning.config.model);
  check(settings.lora <= model.width,
        "`lora` {}: the model is {} wide, and adapters are for a much lower rank, such as 8",
        settings.lora, model.width);
  if (settings.dropout >= 0) model.dropout = settings.dropout;
  tuning.settings.dropout = model.dropout;
  tuning.context = model.context;
  tuning.on_mistake = settings.bad_records;
  return tuning;
}

void choose_tuning(TrainSettings& settings, int64_t items, const TuningDefaults& defaults,
                   PreparedRun& run) {
  run.with_steps = [open = settings, items, defaults](int64_t steps) {
    TrainSettings complete = open;
    complete.steps = steps;
    complete.epochs = 0;
    fill_tuning(complete, items, defaults);
    return complete;
  };
  fill_tuning(settings, items, defaults);
}

void note_records(const RecordReport& report, std::vector<std::string>& notes) {
  if (report.skipped == 0) return;
  notes.push_back(fmt::format("warning: {} of {} records skipped; the first: {}", report.skipped,
                              report.skipped + report.used, report.first_mistake));
}

const std::string& only_file(const char* option, const std::vector<std::string>& files) {
  check(files.size() == 1, "{} needs one file, got {}", option, files.size());
  return files[0];
}

}  // namespace heed
