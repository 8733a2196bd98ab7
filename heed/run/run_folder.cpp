#include "heed/run/run_folder.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "heed/base/fail.h"
#include "heed/base/json_nesting.h"
#include "heed/io/atomic_file.h"
#include "heed/io/safetensors.h"
#include "heed/run/task_names.h"
#include "heed/tensor/storage.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

constexpr int64_t kFormat = 1;
constexpr char kInt8[] = "int8", kFloat[] = "float32";
constexpr int64_t kLargestConfig = 16 << 20;

std::string config_path(const std::string& folder) { return folder + "/config.json"; }
std::string model_path(const std::string& folder) { return folder + "/model.safetensors"; }

std::string read_text(const std::string& path) {
  const auto file = Storage::map_file(path);
  check(static_cast<int64_t>(file->bytes()) <= kLargestConfig, "{}: larger than {} MB", path,
        kLargestConfig >> 20);
  return {reinterpret_cast<const char*>(file->data()), file->bytes()};
}

int64_t step_of(const SafetensorsFile& file) {
  const auto found = file.metadata().find("step");
  int64_t step = 0;
  if (found != file.metadata().end()) {
    std::from_chars(found->second.data(), found->second.data() + found->second.size(), step);
  }
  return step;
}

int64_t classes_of(const ModelConfig& config) {
  const auto* transformer = std::get_if<TransformerConfig>(&config);
  const bool has_classes = transformer != nullptr && transformer->head != HeadKind::next_token &&
                           transformer->head != HeadKind::states;
  return has_classes ? transformer->classes : 0;
}

// Whether the model can do what the task wants from it.
bool answers_task(const RunConfig& config) {
  const auto* transformer = std::get_if<TransformerConfig>(&config.model);
  const ModelKind model = config.settings.model;
  if (transformer == nullptr) return is_pair_task(config.settings.task) && is_recurrent(model);
  const bool is_decoder = transformer->kind == TransformerKind::decoder;
  const TransformerKind of_pairs = model == ModelKind::decoder  ? TransformerKind::decoder
                                   : model == ModelKind::prefix ? TransformerKind::prefix
                                                                : TransformerKind::encoder_decoder;
  switch (config.settings.task) {
    case Task::none: return false;
    case Task::lm: return is_decoder;
    case Task::translate:
    case Task::summarize: return !is_recurrent(model) && transformer->kind == of_pairs;
    case Task::classify: return transformer->head == HeadKind::sentence_classes;
    case Task::tag: return transformer->head == HeadKind::token_classes;
    case Task::embed: return transformer->head == HeadKind::states;
    case Task::reward: return is_decoder && transformer->classes == 1;
  }
  return false;
}

}  // namespace

bool is_run_folder(const std::string& folder) {
  return std::filesystem::exists(config_path(folder));
}

std::string to_json(const RunConfig& config) {
  Json json{{"format", kFormat},
            {"task", name_of(config.settings.task)},
            {"model", Json::parse(to_json(config.model))}};
  if (config.int8) json["weights"] = kInt8;
  if (!config.labels.empty()) json["labels"] = config.labels;
  if (!config.begin.empty()) json["begin"] = config.begin;
  if (!config.end.empty()) json["end"] = config.end;
  if (config.chat.defined()) json["chat"] = Json::parse(to_json(config.chat));
  json["settings"] = Json::parse(to_json(config.settings));
  return json.dump(2) + "\n";
}

void write_run_config(const std::string& folder, const RunConfig& config) {
  write_file(config_path(folder), to_json(config));
}

RunConfig read_run_config(const std::string& folder) {
  const std::string path = config_path(folder);
  check(is_run_folder(folder),
        "{} is not a run of heed: it has no config.json; heed train ... -o {} makes one", folder,
        folder);
  const std::string text = read_text(path);
  check_nesting(text, path);
  const Json json = Json::parse(text, nullptr, false);
  check(json.is_object(), "{}: not a JSON object", path);
  const auto format = json.find("format");
  check(format != json.end() && format->is_number_integer(), "{}: there is no format number", path);
  check(format->get<int64_t>() <= kFormat,
        "{}: format {} is newer than this program, which knows formats up to {}; use a newer heed",
        path, format->get<int64_t>(), kFormat);
  check(format->get<int64_t>() >= 1, "{}: there is no format {}", path, format->get<int64_t>());
  check(json.contains("model"), "{}: there is no model in it", path);
  RunConfig config{.model = model_config_from_json(json["model"].dump())};
  if (json.contains("weights")) {
    const Json& weights = json["weights"];
    check(weights == kInt8 || weights == kFloat, "{}: weights are \"{}\" or \"{}\", not {}", path,
          kFloat, kInt8, weights.dump());
    config.int8 = weights == kInt8;
  }
  if (json.contains("labels")) {
    check(json["labels"].is_array(), "{}: labels must be a list", path);
    for (const Json& label : json["labels"]) {
      check(label.is_string(), "{}: a label must be a string, got {}", path, label.dump());
      config.labels.push_back(label.get<std::string>());
    }
  }
  const auto read_token = [&](const char* name, std::string& token) {
    if (!json.contains(name)) return;
    check(json[name].is_string(), "{}: {} must be a token", path, name);
    token = json[name].get<std::string>();
  };
  read_token("begin", config.begin);
  read_token("end", config.end);
  if (json.contains("chat")) config.chat = chat_template_from_json(json["chat"].dump(), path);
  const auto task = json.find("task");
  check(task != json.end() && task->is_string(), "{}: there is no task in it", path);
  const auto task_name = task->get<std::string>();
  const bool is_known = read_name(task_name, config.settings.task);
  if (is_known && json.contains("settings"))
    read_json(json["settings"].dump(), path, config.settings);
  check(is_known && answers_task(config), "{}: the model is not one for the task {}", path,
        task_name);
  check(static_cast<int64_t>(config.labels.size()) == classes_of(config.model),
        "{}: there are {} labels for {} classes", path, config.labels.size(),
        classes_of(config.model));
  return config;
}

namespace {

// `tuned`: the runs with adapters that led to this one.
std::function<Tensor(const std::string& name)> stored_weights_below(
    const std::string& folder, std::vector<std::string>& tuned) {
  for (const std::string& one : tuned) {
    check(!std::filesystem::equivalent(folder, one),
          "{} holds adapters for itself{}; \"base\" in its config.json must name the run that was "
          "tuned",
          one, tuned.back() == one ? "" : ", by way of " + tuned.back());
  }
  const auto file =
      std::make_shared<const SafetensorsFile>(SafetensorsFile::open(model_path(folder)));
  // A run with adapters holds these alone; the rest is that of the run that was tuned.
  std::function<Tensor(const std::string&)> rest;
  if (is_run_folder(folder)) {
    const TrainSettings settings = read_run_config(folder).settings;
    if (settings.lora > 0) {
      check(std::filesystem::exists(model_path(settings.base)),
            "{} holds adapters for the model in {}, which is not there any more", folder,
            settings.base);
      tuned.push_back(folder);
      rest = stored_weights_below(settings.base, tuned);
    }
  }
  return [file, rest](const std::string& name) {
    if (file->contains(name)) return file->tensor(name);
    return rest ? rest(name) : Tensor();
  };
}

}  // namespace

std::function<Tensor(const std::string& name)> stored_weights(const std::string& folder) {
  std::vector<std::string> tuned;
  return stored_weights_below(folder, tuned);
}

std::function<Tensor(const std::string& name)> checkpoint_weights(const std::string& folder) {
  const std::string path = folder + "/state.safetensors";
  if (!std::filesystem::exists(path)) return {};
  const auto file = std::make_shared<const SafetensorsFile>(SafetensorsFile::open(path));
  return [file](const std::string& name) {
    return file->contains("model." + name) ? file->tensor("model." + name).clone() : Tensor();
  };
}

namespace {

// The model that config.json describes, with the weights of these names, which must be all of its.
std::unique_ptr<Model> stored_model(const std::string& folder, const RunConfig& config,
                                    const std::vector<std::string>& names) {
  std::unique_ptr<Model> model;
  try {
    model = make_model(config.model, {.stored = stored_weights(folder),
                                      .must_be_stored = true,
                                      .int8 = config.int8,
                                      .adapter_rank = config.settings.lora});
  } catch (const Error& error) {
    fail("{}: {}", folder, error.what());
  }
  const std::string left = first_unknown_name(*model, names);
  check(left.empty(),
        "{}: model.safetensors holds {}, for which the model in config.json has no place; both "
        "files must be of one run",
        folder, left);
  return model;
}

}  // namespace

LoadedRun load_run(const std::string& folder) {
  LoadedRun run{.config = read_run_config(folder), .tokenizer = nullptr, .model = nullptr};
  check(std::filesystem::exists(model_path(folder)),
        "{} has no model.safetensors: its training has not saved a model yet", folder);
  const SafetensorsFile file = SafetensorsFile::open(model_path(folder));
  run.step = step_of(file);
  const std::vector<std::string> names = file.names();
  check(!run.config.int8 ||
            std::any_of(names.begin(), names.end(),
                        [&](const std::string& name) { return file.contains(name + ".scale"); }),
        "{}: config.json says that the weights are int8, but those in model.safetensors are not",
        folder);
  run.model = stored_model(folder, run.config, names);
  const int64_t vocabulary = vocabulary_of(run.config.model);
  if (vocabulary == 0) return run;  // a tokenizer in its folder is none of its own
  const std::string tokenizer = saved_tokenizer(folder);
  check(!tokenizer.empty(), "{} has no tokenizer: tokenizer.json or spm.model is missing", folder);
  run.tokenizer = load_tokenizer(tokenizer);
  check(run.tokenizer->size() == vocabulary, "{}: the tokenizer has {} tokens, the model {}",
        folder, run.tokenizer->size(), vocabulary);
  return run;
}

void export_model(const std::string& folder, const std::vector<NamedTensor>& weights,
                  int64_t step) {
  write_safetensors(model_path(folder), weights, {{"step", std::to_string(step)}});
}

int64_t exported_step(const std::string& folder) {
  if (!std::filesystem::exists(model_path(folder))) return -1;
  try {
    return step_of(SafetensorsFile::open(model_path(folder)));
  } catch (const Error&) {  // damaged: as if there were none
    return -1;
  }
}

}  // namespace heed
