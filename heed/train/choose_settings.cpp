#include "heed/train/choose_settings.h"

#include <algorithm>
#include <cmath>

#include "heed/base/fail.h"
#include "heed/run/setting_names.h"
#include "heed/text/tokenizer.h"

namespace heed {
namespace {

struct Size {
  Preset preset;
  int64_t dim, ffn, heads, layers;
  int64_t tokens;  // of training data up to which it is chosen
};

constexpr Size kSizes[] = {{Preset::tiny, 128, 512, 4, 2, 1'000'000},
                           {Preset::small, 256, 1024, 4, 3, 20'000'000},
                           {Preset::base, 512, 2048, 8, 6, INT64_MAX}};

// What a task takes unless something else is asked for.
struct TaskDefaults {
  Task task;
  const char* tokenizer;
  int64_t vocab_size;
  int64_t max_length;
  int64_t batch, batch_tokens;
  int64_t epochs;
  int64_t patience;
  double lr;
  const char* metric;
};

constexpr TaskDefaults kTasks[] = {
    {Task::lm, "bpe", 4000, 0, 16, 0, 10, 5, 1e-3, "loss"},
    {Task::translate, "bpe", 8000, 256, 0, 4096, 30, 5, 1e-3, "loss"},
    {Task::summarize, "bpe", 8000, 512, 0, 4096, 30, 5, 1e-3, "loss"},
    {Task::classify, "word", 20000, 256, 0, 1024, 30, 5, 5e-4, "accuracy"},
    {Task::tag, "bpe", 8000, 256, 0, 2048, 20, 4, 1e-3, "accuracy"},
};

// Every character is kept unless a text has more of them; ids up to this many take 2 bytes.
constexpr int64_t kMaxCharacters = 65'536;

const TaskDefaults& defaults_of(Task task) {
  for (const TaskDefaults& defaults : kTasks) {
    if (task == defaults.task) return defaults;
  }
  fail("unknown task \"{}\"; there are lm, translate, summarize, classify and tag", name_of(task));
}

const Size& size_of(const TrainSettings& settings, int64_t tokens) {
  for (const Size& size : kSizes) {
    const bool fits = settings.preset == Preset::automatic ? tokens <= size.tokens
                                                           : settings.preset == size.preset;
    if (fits) return size;
  }
  fail("unknown preset {}", static_cast<int>(settings.preset));
}

template <typename T>
void fill(T& value, T unset, T chosen) {
  if (value == unset) value = chosen;
}

template <typename E>
void fill(std::optional<E>& value, E chosen) {
  if (!value) value = chosen;
}

void fill(std::string& value, const std::string& chosen) {
  if (value.empty()) value = chosen;
}

// As many heads as the size has, or the most below that which divide the width; rotary positions
// turn pairs of the numbers of a head.
int64_t usual_heads(const TrainSettings& s, int64_t max_heads) {
  const int64_t unit = s.positions == PositionKind::rotary ? 2 : 1;
  int64_t heads = max_heads;
  while (heads > 1 && s.dim % (heads * unit) != 0) --heads;
  return heads;
}

void choose_model(TrainSettings& s, const DataFacts& facts, std::vector<std::string>& notes) {
  fill(s.model, ModelKind::automatic,
       s.task == Task::lm ? ModelKind::decoder : ModelKind::transformer);
  check(is_pair_task(s.task) || !is_recurrent(s.model), "`model` {} is for translate and summarize",
        name_of(s.model));
  check(s.task != Task::lm || s.model == ModelKind::decoder,
        "a language model is a decoder; `model` {} is for other tasks", name_of(s.model));
  const Size& size = size_of(s, facts.tokens);
  if (s.preset == Preset::automatic && s.dim == 0) {
    const int64_t layers = s.layers > 0 ? s.layers : size.layers;
    notes.push_back(fmt::format("size: {} (width {}, {} {}), for {} tokens of training data",
                                name_of(size.preset), size.dim, layers,
                                layers == 1 ? "layer" : "layers", facts.tokens));
  }
  fill<int64_t>(s.dim, 0, size.dim);
  fill<int64_t>(s.ffn, 0, 4 * s.dim);
  fill<int64_t>(s.layers, 0, is_recurrent(s.model) ? 1 : size.layers);
  fill<int64_t>(s.enc_layers, 0, s.layers);
  fill<int64_t>(s.dec_layers, 0, s.layers);
  const bool turns =  // rotary positions are neither added nor appended
      s.task != Task::translate && s.task != Task::classify &&
      s.position_mode != PositionMode::append;
  fill(s.positions, turns ? PositionKind::rotary : PositionKind::sinusoidal);
  fill<int64_t>(s.heads, 0, usual_heads(s, size.heads));
  fill(s.activation, s.task == Task::lm ? FeedForwardKind::gelu : FeedForwardKind::relu);
  fill(s.dropout, -1.0, facts.tokens < 5'000'000 ? 0.2 : 0.1);
  if (s.context == 0) {
    // Room for the special tokens.
    s.context = s.task == Task::lm ? (s.dim < 256 ? 128 : 256) : s.max_length + 2;
    if (is_one_stack(s.model) && s.task != Task::lm) s.context = 2 * s.max_length + 2;
  }
}

void choose_training(TrainSettings& s, const DataFacts& facts, std::vector<std::string>& notes) {
  const TaskDefaults& defaults = defaults_of(s.task);
  const int64_t items =
      s.task == Task::lm ? std::max<int64_t>(facts.tokens / s.context, 1) : facts.items;
  if (s.batch == 0 && s.batch_tokens == 0) {
    s.batch = defaults.batch;
    s.batch_tokens = defaults.batch_tokens;
  }
  const double per_batch = s.batch > 0
                               ? static_cast<double>(s.batch)
                               : static_cast<double>(s.batch_tokens) * static_cast<double>(items) /
                                     static_cast<double>(std::max<int64_t>(facts.tokens, 1));
  const auto steps_per_epoch = std::max<int64_t>(
      std::llround(static_cast<double>(items) /
                   (std::max(per_batch, 1.0) * static_cast<double>(s.accumulate))),
      1);
  const bool asked_how_long = s.steps > 0 || s.epochs > 0;
  if (!asked_how_long) {
    // Small data needs a fair number of steps however few make an epoch.
    s.epochs = std::max(defaults.epochs, std::min<int64_t>(2000 / steps_per_epoch, 300));
    notes.push_back(fmt::format("training: up to {} epochs of about {} {}", s.epochs,
                                steps_per_epoch, steps_per_epoch == 1 ? "step" : "steps"));
  }
  const int64_t steps = s.steps > 0 ? s.steps : s.epochs * steps_per_epoch;
  fill(s.schedule, is_pair_task(s.task) ? ScheduleKind::inverse_sqrt : ScheduleKind::cosine);
  fill(s.lr, 0.0, defaults.lr);
  fill<int64_t>(s.warmup, -1,
                std::clamp<int64_t>(steps / 20, 1, is_pair_task(s.task) ? 1000 : 200));
  fill(s.beta2, 0.0, s.task == Task::lm ? 0.99 : 0.98);
  fill(s.label_smoothing, -1.0, is_pair_task(s.task) ? 0.1 : 0.0);
  fill<int64_t>(s.eval_every, 0, std::clamp<int64_t>(steps_per_epoch, 50, 1000));
  if (s.patience < 0 && asked_how_long) {
    s.patience = 0;
  } else if (s.patience < 0) {
    s.patience = defaults.patience;
    const std::string metric = s.metric.empty() ? defaults.metric : s.metric;
    notes.push_back(fmt::format("stops after {} validations without a better {}{}", s.patience,
                                metric, metric == "loss" ? "" : " (if equal: a lower loss)"));
  }
  fill(s.metric, defaults.metric);
}

// Tokens of a text that fit into the context beside the special ones.
int64_t room_for_text(const TrainSettings& s) {
  const bool has_no_mark =
      s.task == Task::tag || (s.task == Task::classify && s.pool == Pooling::mean);
  if (has_no_mark) return s.context;
  return is_one_stack(s.model) ? (s.context - 1) / 2 : s.context - 1;
}

void choose_max_length(TrainSettings& s, int64_t usual) {
  if (s.task == Task::lm) return;
  if (s.context == 0) return fill<int64_t>(s.max_length, 0, usual);
  const int64_t room = room_for_text(s);
  check(room > 0, "a `context` of {} has no room for a text", s.context);
  fill<int64_t>(s.max_length, 0, std::min(usual, room));
  check(s.positions != PositionKind::learned || s.max_length <= room,
        "a `max-length` of {} with learned positions needs `context` {}", s.max_length,
        is_one_stack(s.model) ? 2 * s.max_length + 1 : s.max_length + s.context - room);
}

template <typename E>
E chosen(const std::optional<E>& value, const char* what) {
  check(value.has_value(), "the settings are not complete: the {} is left open", what);
  return *value;
}

ModelConfig transformer_config(const TrainSettings& s, const DataFacts& facts) {
  TransformerConfig c;
  c.vocabulary = facts.vocabulary;
  c.source_width = facts.source_width;
  c.encoder_layers = s.enc_layers;
  c.decoder_layers = s.dec_layers;
  c.width = s.dim;
  c.hidden = s.ffn;
  c.heads = s.heads;
  c.kv_heads = s.kv_heads;
  c.context = s.context;
  c.window = s.window;
  c.positions = chosen(s.positions, "kind of positions");
  c.position_mode = s.position_mode;
  c.score = s.score;
  c.norm_place = s.norm;
  c.norm = s.norm_kind;
  c.feed_forward = chosen(s.activation, "activation");
  c.tied = s.tied;
  c.scaled_embedding =
      c.positions == PositionKind::sinusoidal || c.positions == PositionKind::hybrid;
  c.dropout = s.dropout;
  c.attention_dropout = s.attention_dropout;
  if (s.task == Task::classify || s.task == Task::tag) {
    check(s.model == ModelKind::transformer,
          "`model` {} is for translate and summarize; {} takes an encoder", name_of(s.model),
          name_of(s.task));
    c.kind = TransformerKind::encoder;
    c.head = s.task == Task::tag ? HeadKind::token_classes : HeadKind::sentence_classes;
    c.pool = s.pool == Pooling::mean  ? Pool::mean
             : s.pool == Pooling::cls ? Pool::first
                                      : Pool::last;
    c.classes = facts.classes;
    c.decoder_layers = 0;
    if (c.source_width > 0) c.vocabulary = 0;
  } else {
    c.kind = s.model == ModelKind::decoder  ? TransformerKind::decoder
             : s.model == ModelKind::prefix ? TransformerKind::prefix
                                            : TransformerKind::encoder_decoder;
    if (!c.has_encoder()) c.encoder_layers = 0;
  }
  validate(c);
  return c;
}

ModelConfig rnn_config(const TrainSettings& s, const DataFacts& facts) {
  RnnConfig c;
  c.source_vocabulary = facts.source_width > 0 ? 0 : facts.vocabulary;
  c.target_vocabulary = facts.vocabulary;
  c.source_width = facts.source_width;
  c.cell = s.cell;
  c.attention = s.model == ModelKind::rnn ? RnnAttention::none : s.rnn_score;
  c.embedding = s.dim;
  c.width = s.dim;
  c.encoder_layers = s.enc_layers;
  c.decoder_layers = s.dec_layers;
  c.dropout = s.dropout;
  c.shared_embedding = s.tied && facts.source_width == 0;
  c.tied_output = s.tied;
  validate(c);
  return c;
}

}  // namespace

void choose_lengths(TrainSettings& settings, int64_t longest) {
  choose_max_length(settings, std::max(defaults_of(settings.task).max_length, longest));
}

void choose_text_settings(TrainSettings& settings, int64_t bytes) {
  const TaskDefaults& defaults = defaults_of(settings.task);
  fill(settings.tokenizer, defaults.tokenizer);
  // A token of a small text must still occur several times.
  const int64_t sensible = std::max<int64_t>(bytes / 200, 500);
  const bool by_characters = settings.tokenizer == name(TokenizerKind::character);
  fill<int64_t>(settings.vocab_size, 0,
                by_characters ? kMaxCharacters : std::min(defaults.vocab_size, sensible));
  choose_lengths(settings, 0);
}

void choose_settings(TrainSettings& settings, const DataFacts& facts,
                     std::vector<std::string>& notes) {
  choose_model(settings, facts, notes);
  choose_training(settings, facts, notes);
}

ModelConfig model_config(const TrainSettings& settings, const DataFacts& facts) {
  return is_recurrent(settings.model) ? rnn_config(settings, facts)
                                      : transformer_config(settings, facts);
}

TrainerOptions trainer_options(const TrainSettings& s) {
  TrainerOptions options;
  options.steps = s.steps;
  options.epochs = s.steps > 0 ? 0 : s.epochs;
  options.batch = {
      .budget = s.batch_tokens, .sequences = s.batch, .seed = static_cast<uint64_t>(s.seed)};
  options.accumulate = s.accumulate;
  options.shards = s.shards;
  options.optimizer = s.optimizer;
  options.adamw = {.beta1 = s.beta1, .beta2 = s.beta2, .weight_decay = s.weight_decay};
  options.schedule = {.kind = chosen(s.schedule, "schedule"), .peak = s.lr, .warmup = s.warmup};
  options.clip = s.clip;
  options.label_smoothing = s.label_smoothing;
  options.average = s.average;
  options.seed = static_cast<uint64_t>(s.seed);
  return options;
}

}  // namespace heed
