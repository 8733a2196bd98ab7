// BERT (Devlin et al. 2019): an encoder with a norm after every part and after the embedding. A
// text is read as its first segment, so that the embedding of that segment belongs to every
// position.
//
//   BertModel                       states: heed embed
//   BertForMaskedLM, ..PreTraining  the same; their heads are left out
//   BertForSequenceClassification   tanh of the first row, then classes: heed classify
//   BertForTokenClassification      classes of every row: heed tag

#include <array>

#include "heed/base/fail.h"
#include "heed/convert/layouts_internal.h"

namespace heed {
namespace {

struct Architecture {
  const char* name;
  HeadKind head;
  Task task;
};
constexpr std::array kArchitectures = {
    Architecture{"BertModel", HeadKind::states, Task::embed},
    Architecture{"BertForMaskedLM", HeadKind::states, Task::embed},
    Architecture{"BertForPreTraining", HeadKind::states, Task::embed},
    Architecture{"BertForSequenceClassification", HeadKind::sentence_classes, Task::classify},
    Architecture{"BertForTokenClassification", HeadKind::token_classes, Task::tag}};

const Architecture& architecture_of(const ForeignConfig& config) {
  const std::vector<std::string> names = config.list("architectures");
  if (names.empty()) return kArchitectures[0];
  std::string known;
  for (const Architecture& one : kArchitectures) {
    if (names[0] == one.name) return one;
    known += (known.empty() ? "" : ", ") + std::string(one.name);
  }
  fail("{}: the architecture {} is not supported; there are {}", config.path(), names[0], known);
}

FeedForwardKind bert_feed_forward(const ForeignConfig& config) {
  const std::string name = config.text("hidden_act", "gelu");
  if (name == "gelu") return FeedForwardKind::gelu_exact;
  if (name == "gelu_new" || name == "gelu_pytorch_tanh") return FeedForwardKind::gelu;
  if (name == "relu") return FeedForwardKind::relu;
  config.refuse("hidden_act", true);
  return FeedForwardKind::gelu_exact;
}

// The names of the classes, in order.
std::vector<std::string> labels_of(const ForeignConfig& config) {
  const std::string problem = config.text("problem_type", "single_label_classification");
  config.refuse("problem_type", problem != "single_label_classification");
  std::vector<std::string> labels = config.by_number("id2label");
  if (labels.empty()) {
    for (int64_t i = 0; i < config.integer("num_labels", 2); ++i) {
      labels.push_back(fmt::format("LABEL_{}", i));
    }
  }
  check(labels.size() >= 2, "{}: a model with {} label is a regression, which heed does not have",
        config.path(), labels.size());
  return labels;
}

class Bert {
 public:
  Bert(ForeignWeights& weights, ConvertedModel& result, int64_t width)
      : weights_(weights),
        result_(result),
        root_(weights.contains("bert.embeddings.word_embeddings.weight") ? "bert." : ""),
        C_(width) {}

  Tensor take(const std::string& name, const Shape& shape) {
    return weights_.take(root_ + name, shape);
  }
  void add(const std::string& to, Tensor tensor) {
    result_.weights.push_back({to, std::move(tensor)});
  }
  // Old files call the parameters of a norm gamma and beta.
  void add_norm(const std::string& to, const std::string& from) {
    const bool is_old = weights_.contains(root_ + from + ".gamma");
    add(to + ".gain", take(from + (is_old ? ".gamma" : ".weight"), {C_}));
    add(to + ".shift", take(from + (is_old ? ".beta" : ".bias"), {C_}));
  }
  // Some maps of one input, as one: the outputs side by side.
  void add_maps(const std::string& to, const std::vector<std::string>& names, int64_t in,
                int64_t out) {
    std::vector<Tensor> matrices, vectors;
    for (const std::string& name : names) {
      matrices.push_back(take(name + ".weight", {out, in}));
      vectors.push_back(take(name + ".bias", {out}));
    }
    add(to + ".weight", side_by_side(matrices));
    add(to + ".bias", end_to_end(vectors));
  }
  void add_output(int64_t classes) {
    root_ = "";
    add_maps("output", {"classifier"}, C_, classes);
  }

 private:
  ForeignWeights& weights_;
  ConvertedModel& result_;
  std::string root_;
  int64_t C_;
};

// Positions with the first segment: [P, C] + [C].
Tensor with_segment(const Tensor& positions, const Tensor& segments) {
  Tensor sum = positions.clone();
  const int64_t C = sum.dim(1);
  for (int64_t p = 0; p < sum.dim(0); ++p) {
    for (int64_t c = 0; c < C; ++c) sum.data<float>()[p * C + c] += segments.data<float>()[c];
  }
  return sum;
}

}  // namespace

void convert_bert(const ForeignConfig& config, ForeignWeights& weights, ConvertedModel& result) {
  const Architecture& architecture = architecture_of(config);
  config.refuse("is_decoder", config.flag("is_decoder", false));
  config.refuse("add_cross_attention", config.flag("add_cross_attention", false));
  config.refuse("position_embedding_type",
                config.text("position_embedding_type", "absolute") != "absolute");
  const int64_t C = config.integer("hidden_size", 768), L = config.integer("num_hidden_layers", 12);
  const int64_t V = config.integer("vocab_size", 30522);
  const int64_t F = config.integer("intermediate_size", 3072);
  const int64_t context = config.integer("max_position_embeddings", 512);
  check(context > 2, "{}: {} positions leave no room for a text", config.path(), context);
  TransformerConfig model{.kind = TransformerKind::encoder,
                          .head = architecture.head,
                          .pool = Pool::first,
                          .vocabulary = V,
                          .encoder_layers = L,
                          .width = C,
                          .hidden = F,
                          .heads = config.integer("num_attention_heads", 12),
                          .context = context,
                          .positions = PositionKind::learned,
                          .norm_place = NormPlace::post,
                          .norm_epsilon = config.real("layer_norm_eps", 1e-12),
                          .embedding_norm = true,
                          .feed_forward = bert_feed_forward(config),
                          .scaled_embedding = false,
                          .pooler = architecture.head == HeadKind::sentence_classes};
  if (architecture.head != HeadKind::states) {
    result.config.labels = labels_of(config);
    model.classes = static_cast<int64_t>(result.config.labels.size());
  }
  TrainSettings& settings = result.config.settings;
  settings.task = architecture.task;
  settings.model = ModelKind::transformer;
  settings.max_length = context - 2;
  settings.pool = architecture.head == HeadKind::token_classes ? Pooling::mean : Pooling::cls;

  Bert bert(weights, result, C);
  bert.add("tokens.table", bert.take("embeddings.word_embeddings.weight", {V, C}));
  const int64_t segments = config.integer("type_vocab_size", 2);
  bert.add("encoder.positions.table",
           with_segment(bert.take("embeddings.position_embeddings.weight", {context, C}),
                        bert.take("embeddings.token_type_embeddings.weight", {segments, C})));
  bert.add_norm("encoder.embedding_norm", "embeddings.LayerNorm");
  for (int64_t i = 0; i < L; ++i) {
    const std::string to = fmt::format("encoder.{}.", i), h = fmt::format("encoder.layer.{}.", i);
    const std::string self = h + "attention.self.";
    bert.add_maps(to + "attention.qkv", {self + "query", self + "key", self + "value"}, C, C);
    bert.add_maps(to + "attention.output", {h + "attention.output.dense"}, C, C);
    bert.add_norm(to + "attention_norm", h + "attention.output.LayerNorm");
    bert.add_maps(to + "feed_forward.inner", {h + "intermediate.dense"}, C, F);
    bert.add_maps(to + "feed_forward.outer", {h + "output.dense"}, F, C);
    bert.add_norm(to + "feed_forward_norm", h + "output.LayerNorm");
  }
  if (model.pooler) bert.add_maps("pooler", {"pooler.dense"}, C, C);
  if (model.classes > 0) bert.add_output(model.classes);
  result.config.model = model;
}

}  // namespace heed
