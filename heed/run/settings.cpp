#include "heed/run/settings.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>

#include "heed/run/setting_names.h"
#include "heed/base/fail.h"
#include "heed/base/json_nesting.h"
#include "heed/text/utf8.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;
using S = TrainSettings;
using G = SettingGroup;

constexpr double kMany = 1e12;

template <auto member>
ChoiceMember choice() {
  return {
      .name = [](const S& settings) -> std::string_view { return name_of(settings.*member); },
      .read = [](std::string_view name, S& settings) { return read_name(name, settings.*member); }};
}

std::vector<Setting> make_table() {
  return {
      {"train", G::data, &S::train, "The training data: one file, or source and target"},
      {"valid", G::data, &S::valid,
       "Validation data in the same form (default: 5 % of the training data, not more than 2000 "
       "texts or 200,000 tokens)"},
      {"encoding",
       G::data,
       choice<&S::encoding>(),
       "Of the text files: utf-8 (default) or latin1",
       {"utf-8", "utf8", "latin1"}},
      {"format",
       G::data,
       choice<&S::format>(),
       "Of the data, if its name does not say: tsv, csv, csv-no-header, conll, conllu",
       {"", "tsv", "csv", "csv-no-header", "conll", "conllu"}},
      {"text-column", G::data, &S::text_column, "CSV: the column with the text"},
      {"label-column", G::data, &S::label_column, "CSV: the column with the label"},
      {"token-column",
       G::data,
       &S::token_column,
       "CoNLL: the column with the word, from 1; -1: the last",
       {},
       -1000,
       1000},
      {"tag-column",
       G::data,
       &S::tag_column,
       "CoNLL: the column with the tag, from 1; -1: the last",
       {},
       -1000,
       1000},
      {"source-vectors", G::data, &S::source_vectors,
       "Rows of floats (F.npy, F.lengths.npy) instead of source text; `train` has a line for each "
       "sequence: target, class or tags"},
      {"valid-vectors", G::data, &S::valid_vectors, "The same for `valid`"},
      {"tokenizer", G::data, &S::tokenizer,
       "byte, char, word, bpe or spm, trained on the data; or a tokenizer file or folder (default "
       "with "
       "`init-from`: that of the run)"},
      {"vocab-size", G::data, &S::vocab_size, "Tokens of the vocabulary at most", {}, 1, 1 << 24},
      {"max-length", G::data, &S::max_length, "Cut inputs after this many tokens", {}, 1, kMany},

      {"preset",
       G::model,
       choice<&S::preset>(),
       "Size: tiny, small or base (default: from the data)",
       {"", "tiny", "small", "base"}},
      {"model",
       G::model,
       choice<&S::model>(),
       "transformer, decoder, prefix, rnn-attention or rnn (fixed context)",
       {"", "transformer", "decoder", "prefix", "rnn-attention", "rnn"}},
      {"layers", G::model, &S::layers, "Layers of each stack", {}, 1, 1024},
      {"enc-layers", G::model, &S::enc_layers, "Layers of the encoder", {}, 1, 1024},
      {"dec-layers", G::model, &S::dec_layers, "Layers of the decoder", {}, 1, 1024},
      {"heads", G::model, &S::heads, "Attention heads", {}, 1, 4096},
      {"kv-heads",
       G::model,
       &S::kv_heads,
       "Heads of keys and values, a divisor of `heads`",
       {},
       1,
       4096},
      {"dim", G::model, &S::dim, "Width of the model", {}, 1, 1 << 20},
      {"ffn", G::model, &S::ffn, "Width of the feed-forward network", {}, 1, 1 << 22},
      {"context", G::model, &S::context, "Tokens the model sees at once", {}, 1, 1 << 24},
      {"window",
       G::model,
       &S::window,
       "Self-attention sees this many tokens back (default: all)",
       {},
       1,
       1 << 24},
      {"positions",
       G::model,
       choice<&S::positions>(),
       "sinusoidal (default of translate and classify), learned, hybrid, rotary (default of the "
       "others) or none",
       {"", "sinusoidal", "learned", "hybrid", "rotary", "none"}},
      {"position-mode",
       G::model,
       choice<&S::position_mode>(),
       "add (default) or append",
       {"add", "append"}},
      {"score",
       G::model,
       choice<&S::score>(),
       "scaled-dot (default), dot, additive or bilinear",
       {"scaled-dot", "dot", "additive", "bilinear"}},
      {"norm",
       G::model,
       choice<&S::norm>(),
       "pre (default) or post: where a block normalizes",
       {"pre", "post"}},
      {"norm-kind", G::model, choice<&S::norm_kind>(), "layer (default) or rms", {"layer", "rms"}},
      {"activation",
       G::model,
       choice<&S::activation>(),
       "relu, gelu, gelu-exact or silu-gated",
       {"", "relu", "gelu", "gelu-exact", "silu-gated"}},
      {"cell",
       G::model,
       choice<&S::cell>(),
       "Of recurrent models: gru (default) or lstm",
       {"gru", "lstm"}},
      {"rnn-score",
       G::model,
       choice<&S::rnn_score>(),
       "Of rnn-attention: additive (Bahdanau, default), dot or general (Luong)",
       {"additive", "dot", "general"}},
      {"pool",
       G::model,
       choice<&S::pool>(),
       "A sentence as one row: mean (default), cls or cls-end",
       {"mean", "cls", "cls-end"}},
      {"tied",
       G::model,
       choice<&S::tied>(),
       "Embeddings serve as output layer: yes (default) or no",
       {"yes", "no"}},
      {"dropout", G::model, &S::dropout, "Probability of dropping a number", {}, 0, 0.99},
      {"attention-dropout",
       G::model,
       &S::attention_dropout,
       "Probability of dropping an attention weight",
       {},
       0,
       0.99},
      {"init-from", G::model, &S::init_from,
       "Begin with the parameters of this run that fit by name and shape, except a head of other "
       "classes, in a model of its kind: heads, positions, ... are those of the run"},
      {"freeze", G::model, &S::freeze,
       "Do not train parameters whose names begin so: encoder, tokens; several: a,b"},

      {"batch", G::training, &S::batch, "Sequences per batch", {}, 1, 1 << 24},
      {"batch-tokens",
       G::training,
       &S::batch_tokens,
       "Tokens per batch, instead of `batch`",
       {},
       1,
       kMany},
      {"accumulate", G::training, &S::accumulate, "Batches per step (default: 1)", {}, 1, 1 << 20},
      {"shards",
       G::training,
       &S::shards,
       "Parts of a step whose gradients are added in a fixed tree (default: 1)",
       {},
       1,
       1 << 16},
      {"steps", G::training, &S::steps, "Steps to train", {}, 1, kMany, true},
      {"epochs", G::training, &S::epochs, "Passes over the data to train", {}, 1, kMany, true},
      {"optimizer",
       G::training,
       choice<&S::optimizer>(),
       "adamw (default) or sgd",
       {"adamw", "sgd"}},
      {"schedule",
       G::training,
       choice<&S::schedule>(),
       "Of the learning rate: cosine, inverse-sqrt, linear or constant",
       {"", "cosine", "inverse-sqrt", "linear", "constant"},
       0,
       0,
       true},
      {"lr", G::training, &S::lr, "The highest learning rate", {}, 1e-12, 1e6, true},
      {"warmup",
       G::training,
       &S::warmup,
       "Steps until the learning rate is highest",
       {},
       0,
       kMany,
       true},
      {"weight-decay", G::training, &S::weight_decay, "Of matrices (default: 0.01)", {}, 0, 1e6},
      {"beta1", G::training, &S::beta1, "Of adamw (default: 0.9)", {}, 0, 0.999999},
      {"beta2", G::training, &S::beta2, "Of adamw (default: 0.98, lm: 0.99)", {}, 1e-9, 0.9999999},
      {"clip",
       G::training,
       &S::clip,
       "Largest norm of the gradient (default: 1; 0: no limit)",
       {},
       0,
       1e12,
       true},
      {"label-smoothing",
       G::training,
       &S::label_smoothing,
       "Part of the target spread over all answers",
       {},
       0,
       0.99},
      {"average",
       G::training,
       &S::average,
       "Decay of a running average of the weights, such as 0.999",
       {},
       0,
       0.9999999},
      {"seed", G::training, &S::seed, "Of everything random (default: 1)", {}, 0, kMany},
      {"eval-every", G::training, &S::eval_every, "Steps between validations", {}, 1, kMany},
      {"save-every", G::training, &S::save_every, "Steps between checkpoints", {}, 1, kMany, true},
      {"log-every",
       G::training,
       &S::log_every,
       "Steps between lines of log.jsonl (default: 10)",
       {},
       1,
       kMany},
      {"patience",
       G::training,
       &S::patience,
       "Stop after this many validations without improvement, 0: never (default: never with "
       "`steps` or `epochs`)",
       {},
       0,
       kMany,
       true},
      {"metric", G::training, &S::metric,
       "What the best model is chosen by, such as loss, bleu or accuracy. By loss, validations "
       "score "
       "the first 200 texts that a translator writes, otherwise all"},
      {"probe", G::training, &S::probe,
       "The text, or source and target, whose attention is written at each validation (default: an "
       "example of the validation data)"},

      {"base", G::tuning, &S::base, "The run to tune"},
      {"template", G::tuning, &S::chat_template,
       "Chat template: heed, text, chatml, llama2, llama3, mistral, zephyr, phi3, gemma or alpaca "
       "(default: the model's own, else heed)"},
      {"bad-records",
       G::tuning,
       choice<&S::bad_records>(),
       "A record that cannot be used: fail (default), or skip it and tell how many",
       {"fail", "skip"}},
      {"lora",
       G::tuning,
       &S::lora,
       "Train adapters of this rank instead of the matrices",
       {},
       1,
       1 << 16},
      {"method",
       G::tuning,
       choice<&S::method>(),
       "reinforce, ppo or dpo",
       {"", "reinforce", "ppo", "dpo"}},
      {"reward", G::tuning, &S::reward, "The run of a reward model"},
      {"judge",
       G::tuning,
       &S::judge,
       "A generated task whose true score is told beside: world",
       {"", "world"}},
      {"beta",
       G::tuning,
       &S::beta,
       "Weight of the KL to the starting model (default: 0.1)",
       {},
       0,
       1e6},
      {"samples", G::tuning, &S::samples, "Answers for each prompt (default: 4)", {}, 2, 4096},
      {"passes",
       G::tuning,
       &S::passes,
       "Steps on the same answers (default: ppo 4, reinforce 1)",
       {},
       1,
       1024},
      {"answer-tokens", G::tuning, &S::answer_tokens, "Of an answer at most", {}, 1, 1 << 20},
      {"clip-range",
       G::tuning,
       &S::clip_range,
       "ppo: how far a ratio may leave 1 (default: 0.2)",
       {},
       0,
       1e12},
      {"max-kl",
       G::tuning,
       &S::max_kl,
       "Stop when the KL of an answer is above this (default: 20)",
       {},
       1e-9,
       1e12,
       true},
      {"max-growth",
       G::tuning,
       &S::max_growth,
       "Stop when answers are this many times as long as at the start (default: 3)",
       {},
       1,
       1e6,
       true},
  };
}

bool is_number(const Setting& setting) {
  return std::holds_alternative<int64_t S::*>(setting.member) ||
         std::holds_alternative<double S::*>(setting.member);
}

void check_number(const Setting& setting, double value, const std::string& file) {
  if (setting.min >= setting.max) return;
  check(value >= setting.min && value <= setting.max, "{}: {} is {}, expected {} to {}", file,
        setting.name, value, setting.min, setting.max);
}

// Names of files may have any bytes, JSON may not.
void require_utf8(const Setting& setting, const std::string& value) {
  check(valid_utf8_bytes(value) == value.size(),
        "`{}` {}: the name is not UTF-8, as config.json must be; rename it, or give a link to it "
        "that has another name",
        setting.name, value);
}
void require_utf8(const Setting& setting, const std::vector<std::string>& values) {
  for (const std::string& value : values) require_utf8(setting, value);
}
template <typename T>
void require_utf8(const Setting&, const T&) {}

// A setting as JSON: the number, text, list of texts, or name of the choice.
Json json_of(const Setting& setting, const TrainSettings& settings) {
  if (const auto* choice = std::get_if<ChoiceMember>(&setting.member)) {
    return choice->name(settings);
  }
  return std::visit(
      [&](auto pointer) -> Json {
        if constexpr (std::is_member_pointer_v<decltype(pointer)>) {
          require_utf8(setting, settings.*pointer);
          return settings.*pointer;
        } else {
          return nullptr;
        }
      },
      setting.member);
}

// "tiny, small, base"
std::string list_of(const std::vector<std::string>& choices) {
  std::string list;
  for (const std::string& choice : choices) {
    if (!choice.empty()) list += (list.empty() ? "" : ", ") + choice;
  }
  return list;
}

struct Reader {
  const Setting& setting;
  const Json& value;
  const std::string& file;
  TrainSettings& settings;

  void operator()(int64_t S::*pointer) const {
    check(value.is_number_integer(), "{}: {} must be a whole number, got {}", file, setting.name,
          value.dump());
    settings.*pointer = value.get<int64_t>();
  }
  void operator()(double S::*pointer) const {
    check(value.is_number(), "{}: {} must be a number, got {}", file, setting.name, value.dump());
    settings.*pointer = value.get<double>();
  }
  void operator()(std::string S::*pointer) const {
    check(value.is_string(), "{}: {} must be a string, got {}", file, setting.name, value.dump());
    settings.*pointer = value.get<std::string>();
    if (!(settings.*pointer).empty() && !setting.choices.empty()) {
      require_choice(settings.*pointer);
    }
  }
  void operator()(const ChoiceMember& choice) const {
    check(value.is_string(), "{}: {} must be a string, got {}", file, setting.name, value.dump());
    const auto text = value.get<std::string>();
    if (text.empty()) return;
    require_choice(text);
    choice.read(text, settings);
  }
  void operator()(std::vector<std::string> S::*pointer) const {
    const bool strings =
        value.is_array() &&
        std::all_of(value.begin(), value.end(), [](const Json& v) { return v.is_string(); });
    check(strings, "{}: {} must be a list of strings, got {}", file, setting.name, value.dump());
    settings.*pointer = value.get<std::vector<std::string>>();
  }

  void require_choice(const std::string& text) const {
    const auto& choices = setting.choices;
    check(std::find(choices.begin(), choices.end(), text) != choices.end(),
          "{}: {} cannot be \"{}\"; it can be {}", file, setting.name, text, list_of(choices));
  }
};

void read_setting(const Setting& setting, const Json& value, const std::string& file,
                  TrainSettings& settings) {
  TrainSettings read;
  std::visit(Reader{setting, value, file, read}, setting.member);
  if (value == "" || is_left_open(setting, read)) return;
  if (is_number(setting)) check_number(setting, value.get<double>(), file);
  copy_setting(setting, read, settings);
}

}  // namespace

std::span<const Setting> settings_table() {
  static const std::vector<Setting> table = make_table();
  return table;
}

void copy_setting(const Setting& setting, const TrainSettings& from, TrainSettings& to) {
  std::visit(
      [&](auto member) {
        if constexpr (std::is_member_pointer_v<decltype(member)>) {
          to.*member = from.*member;
        } else {
          member.read(member.name(from), to);
        }
      },
      setting.member);
}

bool are_equal(const Setting& setting, const TrainSettings& a, const TrainSettings& b) {
  return std::visit(
      [&](auto member) {
        if constexpr (std::is_member_pointer_v<decltype(member)>) {
          return a.*member == b.*member;
        } else {
          return member.name(a) == member.name(b);
        }
      },
      setting.member);
}

bool is_left_open(const Setting& setting, const TrainSettings& settings) {
  static const TrainSettings defaults;
  return std::visit(
      [&](auto member) {
        if constexpr (!std::is_member_pointer_v<decltype(member)>) {
          return member.name(settings).empty();
        } else {
          const auto& value = settings.*member;
          if constexpr (std::is_arithmetic_v<std::decay_t<decltype(value)>>) {
            return value == defaults.*member && setting.min < setting.max &&
                   static_cast<double>(value) < setting.min;
          } else {
            return value.empty();
          }
        }
      },
      setting.member);
}

std::string to_json(const TrainSettings& settings) {
  Json json{{"task", name_of(settings.task)}};
  for (const Setting& setting : settings_table()) json[setting.name] = json_of(setting, settings);
  return json.dump(2);
}

void read_json(std::string_view text, const std::string& file, TrainSettings& settings) {
  check_nesting(text, file);
  const Json json = Json::parse(text, nullptr, false);
  check(json.is_object(), "{}: expected a JSON object with settings", file);
  for (const auto& item : json.items()) {
    if (item.key() == "task") {
      check(item.value().is_string(), "{}: task must be a string", file);
      const auto name = item.value().get<std::string>();
      Task task{};
      check(read_name(name, task),
            "{}: there is no task \"{}\"; there are lm, translate, summarize, classify "
            "and tag",
            file, name);
      check(settings.task == Task::none || settings.task == task,
            "{}: these are settings for the task {}, not {}", file, name, name_of(settings.task));
      settings.task = task;
      continue;
    }
    const auto table = settings_table();
    const auto found = std::find_if(table.begin(), table.end(),
                                    [&](const Setting& s) { return s.name == item.key(); });
    check(found != table.end(), "{}: there is no setting \"{}\"", file, item.key());
    read_setting(*found, item.value(), file, settings);
  }
}

namespace {

// Where the data is and how it is read. Whether it is the same data is known by the fingerprint in
// the checkpoint.
bool finds_data(const SettingMember& member) {
  const SettingMember names[] = {&S::train,         &S::valid,        &S::source_vectors,
                                 &S::valid_vectors, &S::token_column, &S::tag_column};
  return std::find(std::begin(names), std::end(names), member) != std::end(names);
}

// As it is typed.
std::string typed(const Setting& setting, const TrainSettings& settings) {
  if (is_left_open(setting, settings)) return "not set";
  if (const auto* texts = std::get_if<std::vector<std::string> S::*>(&setting.member)) {
    return fmt::format("{}", fmt::join(settings.**texts, " "));
  }
  const Json value = json_of(setting, settings);
  return value.is_string() ? value.get<std::string>() : value.dump();
}

// The option that begins a run with the model of this one.
const char* option_to_begin_with(const TrainSettings& settings) {
  if (settings.base.empty()) return "`init-from`";
  return settings.task == Task::lm ? "`base`" : nullptr;  // a reward model is not tuned further
}

}  // namespace

std::vector<std::string> changed_settings(const TrainSettings& saved, const TrainSettings& now) {
  const Json before = Json::parse(to_json(saved)), after = Json::parse(to_json(now));
  std::vector<std::string> changed;
  for (const Setting& setting : settings_table()) {
    if (before[setting.name] == after[setting.name]) continue;
    changed.push_back(
        fmt::format("{} {} -> {}", setting.name, typed(setting, saved), typed(setting, now)));
  }
  return changed;
}

void require_resumable(const std::string& folder, const TrainSettings& saved,
                       const TrainSettings& now, bool has_checkpoint) {
  const Json before = Json::parse(to_json(saved)), after = Json::parse(to_json(now));
  std::string differences;
  for (const Setting& setting : settings_table()) {
    const bool may_change = setting.may_change || (has_checkpoint && finds_data(setting.member));
    if (may_change || before[setting.name] == after[setting.name]) continue;
    differences +=
        fmt::format("{}`{}` was {}, now {}", differences.empty() ? "" : "; ", setting.name,
                    before[setting.name].dump(), after[setting.name].dump());
  }
  const char* const option = option_to_begin_with(saved);
  check(
      differences.empty(),
      "resume: {}. Leave these out to go on as before, or begin anew in another folder{}",
      differences,
      option == nullptr ? "" : fmt::format("; {} {} there begins with this model", option, folder));
}

}  // namespace heed
