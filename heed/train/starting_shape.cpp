#include "heed/train/starting_shape.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "heed/base/fail.h"
#include "heed/run/run_folder.h"
#include "heed/train/choose_settings.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

// A setting and the field of a transformer that it becomes.
struct ShapeField {
  const char *setting, *field;
  bool is_size = false;  // chosen by --preset too
  bool is_meaning = true;
};

constexpr ShapeField kFields[] = {{"dim", "width", true, false},
                                  {"heads", "heads", true},
                                  {"kv-heads", "kv_heads", true},
                                  {"ffn", "hidden", true, false},
                                  {"positions", "positions"},
                                  {"position-mode", "position_mode"},
                                  {"score", "score"},
                                  {"norm", "norm_place"},
                                  {"norm-kind", "norm"},
                                  {"activation", "feed_forward"},
                                  {"window", "window", false, false}};
constexpr const char* kOthers[] = {"cell", "rnn-score", "pool", "tied"};

const Setting& setting_named(std::string_view name) {
  const auto table = settings_table();
  return *std::find_if(table.begin(), table.end(),
                       [&](const Setting& setting) { return setting.name == name; });
}

// Calls f(setting, is_size) for each setting whose default is, or is not, to leave it open.
template <typename F>
void for_each_setting(bool open, const F& f) {
  static const TrainSettings defaults;
  const auto call = [&](const char* name, bool is_size) {
    const Setting& setting = setting_named(name);
    if (is_left_open(setting, defaults) == open) f(setting, is_size);
  };
  for (const ShapeField& field : kFields) call(field.setting, field.is_size);
  for (const char* name : kOthers) call(name, false);
}

std::string text_of(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

}  // namespace

StartingShape::StartingShape(const std::string& folder) : folder_(folder) {
  const RunConfig run = read_run_config(folder);
  shape_ = run.settings;
  const auto* transformer = std::get_if<TransformerConfig>(&run.model);
  if (transformer == nullptr) return;
  // A converted model has no settings but those of its configuration.
  const Json model = Json::parse(to_json(run.model));
  Json settings;
  for (const ShapeField& field : kFields) settings[field.setting] = model[field.field];
  read_json(settings.dump(), folder, shape_);
  shape_.enc_layers = transformer->encoder_layers;
  shape_.dec_layers = transformer->decoder_layers;
  shape_.layers = std::max(shape_.enc_layers, shape_.dec_layers);
  shape_.context = transformer->context;
  shape_.tied = transformer->tied;
}

void StartingShape::apply_defaults(TrainSettings& settings) const {
  for_each_setting(false,
                   [&](const Setting& setting, bool) { copy_setting(setting, shape_, settings); });
}

std::string StartingShape::fill(TrainSettings& settings) const {
  static const TrainSettings defaults;
  TrainSettings taken;
  const auto take = [&](const Setting& setting) {
    if (!is_left_open(setting, settings) || is_left_open(setting, shape_)) return;
    copy_setting(setting, shape_, settings);
    copy_setting(setting, shape_, taken);
  };
  const bool same_size =
      settings.preset == Preset::automatic && (settings.dim == 0 || settings.dim == shape_.dim);
  if (is_pair_task(settings.task) && is_pair_task(shape_.task)) take(setting_named("model"));
  if (same_size && settings.layers == 0) {
    for (const char* name : {"layers", "enc-layers", "dec-layers"}) take(setting_named(name));
  }
  for_each_setting(true, [&](const Setting& setting, bool is_size) {
    if (same_size || !is_size) take(setting);
  });
  for_each_setting(false, [&](const Setting& setting, bool) {
    const bool is_shape = are_equal(setting, shape_, settings);
    if (is_shape && !are_equal(setting, shape_, defaults)) copy_setting(setting, shape_, taken);
  });
  // Learned positions are a table with a row for each.
  const bool has_table =
      shape_.positions == PositionKind::learned || shape_.positions == PositionKind::hybrid;
  const bool are_lms = settings.task == Task::lm && shape_.task == Task::lm;
  if (has_table || are_lms) take(setting_named("context"));
  std::string told;
  const Json before = Json::parse(to_json(defaults)), after = Json::parse(to_json(taken));
  for (const auto& item : after.items()) {
    if (item.value() == before[item.key()]) continue;
    told += fmt::format("{}{} {}", told.empty() ? "" : ", ", item.key(), text_of(item.value()));
  }
  return told;
}

void copy_details(ModelConfig& config, const ModelConfig& from) {
  auto* to = std::get_if<TransformerConfig>(&config);
  const auto* other = std::get_if<TransformerConfig>(&from);
  if (to == nullptr || other == nullptr || to->width != other->width) return;
  to->scaled_embedding = other->scaled_embedding;
  to->embedding_norm = other->embedding_norm;
  to->key_width = other->key_width;
  to->value_width = other->value_width;
  to->position_width = other->position_width;
  to->rotary_pairs = other->rotary_pairs;
  to->rotary_base = other->rotary_base;
  to->norm_epsilon = other->norm_epsilon;
  to->bias = other->bias;
  if (to->head == other->head) to->pooler = other->pooler;
  validate(*to);
}

void check_compatible(const ModelConfig& config, const ModelConfig& from,
                      const std::string& folder) {
  const auto* to = std::get_if<TransformerConfig>(&config);
  const auto* other = std::get_if<TransformerConfig>(&from);
  if (to == nullptr || other == nullptr || to->width != other->width) return;
  const bool share_stack =
      (to->has_encoder() && other->has_encoder()) || (to->has_decoder() && other->has_decoder());
  if (!share_stack) return;  // the table of tokens at most
  const Json here = Json::parse(to_json(config)), there = Json::parse(to_json(from));
  for (const ShapeField& field : kFields) {
    const Json &mine = here[field.field], &its = there[field.field];
    check(!field.is_meaning || mine == its,
          "`init-from` {}: its parameters belong to a model with `{}` {}, not {}; give that, or "
          "leave it out",
          folder, field.setting, text_of(its), text_of(mine));
  }
}

}  // namespace heed
