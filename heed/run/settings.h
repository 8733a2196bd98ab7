// Everything a person may choose about a training run, by the names of the command line.
//
// One table lists the settings: the options of `heed train`, finetune, reward and align, the fields
// of --config and config.json, and the check of a resumed run all come from it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "heed/base/export.h"
#include "heed/run/setting_choices.h"

namespace heed {

struct TrainSettings {
  Task task = Task::none;

  // Data.
  std::vector<std::string> train, valid;
  Encoding encoding = Encoding::utf8;
  FileFormat format = FileFormat::automatic;
  std::string text_column, label_column;
  int64_t token_column = 0, tag_column = 0;   // from 1; -1: the last; 0: as the format has it
  std::string source_vectors, valid_vectors;  // .npy files instead of source text
  std::string tokenizer;                      // byte, char, word, bpe, spm; or a file or folder
  int64_t vocab_size = 0;
  int64_t max_length = 0;  // longer inputs are cut

  // Model. Empty or 0: chosen from the preset, or from the data.
  Preset preset = Preset::automatic;
  ModelKind model = ModelKind::automatic;
  int64_t layers = 0, enc_layers = 0, dec_layers = 0;
  int64_t heads = 0, kv_heads = 0, dim = 0, ffn = 0, context = 0, window = 0;
  std::optional<PositionKind> positions;
  PositionMode position_mode = PositionMode::add;
  ScoreKind score = ScoreKind::scaled_dot;
  NormPlace norm = NormPlace::pre;
  NormKind norm_kind = NormKind::layer;
  std::optional<FeedForwardKind> activation;
  CellKind cell = CellKind::gru;
  RnnAttention rnn_score = RnnAttention::additive;
  Pooling pool = Pooling::mean;
  bool tied = true;  // embeddings serve as output layer
  double dropout = -1;
  double attention_dropout = 0;
  std::string init_from;
  std::string freeze;

  // Training.
  int64_t batch = 0, batch_tokens = 0, accumulate = 1, shards = 1;
  int64_t steps = 0, epochs = 0;
  OptimizerKind optimizer = OptimizerKind::adamw;
  std::optional<ScheduleKind> schedule;
  double lr = 0, weight_decay = 0.01, beta1 = 0.9, beta2 = 0, clip = 1;
  int64_t warmup = -1;
  double label_smoothing = -1;
  double average = 0;  // decay of the running average of the weights
  int64_t seed = 1;
  int64_t eval_every = 0, save_every = 0, log_every = 10, patience = -1;
  std::string metric;
  std::vector<std::string> probe;  // the text of probe.jsonl, or source and target

  // Tuning of a trained model: heed finetune, reward and align.
  std::string base;           // the run that is tuned
  std::string chat_template;  // by name; empty: that of the base, or the usual one
  OnMistake bad_records = OnMistake::fail;
  int64_t lora = 0;  // rank of the adapters; 0: none
  AlignMethod method = AlignMethod::none;
  std::string reward;  // the run of a reward model
  std::string judge;   // a generated task, whose true score is reported
  double beta = 0.1;   // of the KL penalty and of dpo
  int64_t samples = 4, passes = 0, answer_tokens = 0;
  double clip_range = 0.2;
  double max_kl = 20, max_growth = 3;  // stop beyond: nats per answer, times the length at first
};

// A setting with a type of its own, by the names of its values. No name: the choice is left open.
struct ChoiceMember {
  std::string_view (*name)(const TrainSettings& settings);
  bool (*read)(std::string_view name, TrainSettings& settings);  // false: there is no such name

  bool operator==(const ChoiceMember&) const = default;
};

using SettingMember =
    std::variant<int64_t TrainSettings::*, double TrainSettings::*, std::string TrainSettings::*,
                 std::vector<std::string> TrainSettings::*, ChoiceMember>;

// What a setting is about, which is also the heading of its option in --help.
enum class SettingGroup : uint8_t { data, model, training, tuning };

struct Setting {
  const char* name;  // "batch-tokens"
  SettingGroup group;
  SettingMember member;
  const char* help;
  std::vector<std::string> choices = {};  // allowed values; empty: any
  double min = 0, max = 0;                // of numbers, if min < max
  bool may_change = false;                // when a run is resumed
};

HEED_API std::span<const Setting> settings_table();

HEED_API void copy_setting(const Setting& setting, const TrainSettings& from, TrainSettings& to);
HEED_API bool are_equal(const Setting& setting, const TrainSettings& a, const TrainSettings& b);

// Whether a setting has its default, which is none of its values but leaves the choice to the
// program.
HEED_API bool is_left_open(const Setting& setting, const TrainSettings& settings);

// Raises an Error that names the first number which is not allowed; what is left open is.
HEED_API void require_in_range(const TrainSettings& settings);

// A JSON object {"task": .., "train": [..], "dim": ..} and back. A name or a value that is not
// allowed is an Error. Reading changes only what is named and not left open.
HEED_API std::string to_json(const TrainSettings& settings);
HEED_API void read_json(std::string_view json, const std::string& file, TrainSettings& settings);

// Raises an Error that names the settings in which a resumed run differs from the saved one where
// it must not, and how to go on from the model in `folder` with these. The names of its data may
// differ if there is a checkpoint, which tells other data.
HEED_API void require_resumable(const std::string& folder, const TrainSettings& saved,
                                const TrainSettings& now, bool has_checkpoint);

// What differs: "lr 0.001 -> 0.0003", "steps 400 -> 600".
HEED_API std::vector<std::string> changed_settings(const TrainSettings& saved,
                                                   const TrainSettings& now);

}  // namespace heed
