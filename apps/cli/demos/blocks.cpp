// The transformer as a diagram: the parts that a model really runs, in their order.

#include <fmt/format.h>

#include <map>

#include "apps/cli/demos/demo.h"
#include "apps/cli/options/option_checks.h"
#include "heed/figure/diagram.h"
#include "heed/models/transformer.h"
#include "heed/nn/pass.h"

namespace heed::cli {
namespace {

// Of the frames in the diagram.
constexpr int kAttentionColor = 1, kFeedForwardColor = 2, kOutputColor = 3, kNormColor = 4,
              kPlainColor = 6;

struct BlocksArguments {
  std::string kind = "encoder-decoder";
  int64_t width = 32, hidden = 64, heads = 4, layers = 1, vocabulary = 100;
};

void add_blocks_options(Command& command, BlocksArguments& arguments) {
  command
      .add_option("--kind", arguments.kind, "encoder-decoder (default), encoder, decoder, prefix")
      .check(one_of({"encoder-decoder", "encoder", "decoder", "prefix"}))
      .type_name("NAME");
  const auto size = [&](const char* name, int64_t& slot, const char* help, int64_t max) {
    command.add_option(name, slot, help).type_name("N").check(whole_number(1, max));
  };
  size("--dim", arguments.width, "Width of the rows (default 32)", 1024);
  size("--ffn", arguments.hidden, "Hidden units of a feed-forward part (default 64)", 4096);
  size("--heads", arguments.heads, "Heads (default 4)", 64);
  size("--layers", arguments.layers, "Blocks of each stack (default 1)", 6);
  size("--vocabulary", arguments.vocabulary, "Tokens that it knows (default 100)", 100000);
}

TransformerConfig config_of(const BlocksArguments& arguments) {
  const std::map<std::string, TransformerKind> kinds{
      {"encoder-decoder", TransformerKind::encoder_decoder},
      {"encoder", TransformerKind::encoder},
      {"decoder", TransformerKind::decoder},
      {"prefix", TransformerKind::prefix}};
  TransformerConfig config{.kind = kinds.at(arguments.kind),
                           .vocabulary = arguments.vocabulary,
                           .encoder_layers = arguments.layers,
                           .decoder_layers = arguments.layers,
                           .width = arguments.width,
                           .hidden = arguments.hidden,
                           .heads = arguments.heads,
                           .context = 16};
  if (config.kind == TransformerKind::encoder) {
    config.head = HeadKind::token_classes;
    config.classes = 2;
  }
  return config;
}

// The parts of a pass, in their order, with the shapes of what they give.
struct Parts final : Observer {
  struct Part {
    std::string name;
    Shape shape;
  };
  std::vector<Part> list;

  void value(std::string_view name, const Variable& x, const Rows&) override {
    list.push_back({std::string(name), x.value().shape()});
  }
};

// A part as it is drawn.
struct Drawn {
  std::string title = {};       // empty: not drawn
  std::string parameters = {};  // the names of its own begin with this; empty: it has none
  int color = kPlainColor;      // of its frame
};

Drawn drawn_as(const std::string& name) {
  const auto is = [&](std::string_view end) { return name.ends_with(end); };
  if (is(".embedding")) return {.title = "embedding + positions"};
  if (is(".input")) {
    const std::string part = name.substr(0, name.size() - std::string_view(".input").size());
    return {"layer norm", part + "_norm.", kNormColor};
  }
  if (is(".attention")) {
    return {name[0] == 'd' ? "masked self-attention" : "self-attention", name + ".",
            kAttentionColor};
  }
  if (is(".cross")) return {"attention to the encoder", name + ".", kAttentionColor};
  if (is(".feed_forward")) return {"feed-forward", name + ".", kFeedForwardColor};
  if (is(".sum")) return {.title = "add the input"};
  if (name == "encoder" || name == "decoder") {
    return {"layer norm: output of the " + name, name + ".norm.", kNormColor};
  }
  return {};
}

// The tokens that a stack reads, and what the softmax after it gives the probabilities of: the
// target one place further on.
struct Reading {
  std::string title, tokens;
};

Reading reading_of(TransformerKind kind, char stack) {
  switch (kind) {
    case TransformerKind::encoder: return {"tokens", "x_1, .., x_5"};
    case TransformerKind::decoder: return {"tokens", "x_1, x_2, x_3"};
    case TransformerKind::prefix: return {"source, then target, shifted", "x_1, separator, y_1"};
    case TransformerKind::encoder_decoder: break;
  }
  return stack == 'e' ? Reading{"source", "x_1, .., x_4, end"}
                      : Reading{"target, shifted", "begin, y_1, y_2"};
}

std::string answers_of(TransformerKind kind) {
  switch (kind) {
    case TransformerKind::encoder: return "p of two classes";
    case TransformerKind::decoder: return "p of x_2, x_3, x_4";
    case TransformerKind::prefix: return "p of -, y_1, end";
    case TransformerKind::encoder_decoder: break;
  }
  return "p of y_1, y_2, end";
}

Batch batch_of(const TransformerConfig& config) {
  Batch batch;
  const auto ids = [&](int64_t count) {
    std::vector<int32_t> values;
    for (int64_t i = 0; i < count; ++i) {
      values.push_back(static_cast<int32_t>(i % config.vocabulary));
    }
    return Tensor::from(values, {count});
  };
  if (config.has_encoder()) {
    batch.source = ids(5);
    batch.source_rows = Rows::single(5);
  }
  if (config.has_decoder()) {
    batch.target = ids(3);
    batch.target_rows = Rows::single(3);
    if (config.kind == TransformerKind::prefix) batch.prefixes = {2};
  }
  return batch;
}

int64_t parameters_in(const Transformer& model, const std::string& beginning) {
  int64_t count = 0;
  for (const NamedParameter& parameter : model.parameters().list()) {
    if (parameter.name.starts_with(beginning)) count += parameter.variable.value().size();
  }
  return count;
}

// The diagram as it grows: one column of boxes per stack, from the bottom up.
class BlocksPicture {
 public:
  BlocksPicture(const Transformer& model, const TransformerConfig& config, const std::string& kind)
      : model_(model),
        config_(config),
        diagram_({.title = "A transformer: " + kind, .column_gap = 70, .row_gap = 16}) {
    // The output of the encoder stands beside the first part that reads it.
    if (config.kind == TransformerKind::encoder_decoder) {
      height_['e'] = 4 - 6 * static_cast<double>(config.encoder_layers);
    }
    tokens_ = parameters_in(model, "tokens.");
    count("tokens", tokens_);
  }

  // A part with the shape of what it gives, above the last one of its stack.
  void add(const std::string& name, const Shape& shape) {
    const Drawn drawn = drawn_as(name);
    if (drawn.title.empty()) return;
    const char stack = name[0];
    std::string numbers = shape.text();
    if (name.ends_with(".embedding")) {
      const Reading reading = reading_of(config_.kind, stack);
      box(stack, reading.title + "\n" + reading.tokens, kPlainColor);
      numbers += table_text();
    }
    if (!drawn.parameters.empty()) {
      const int64_t parameters = parameters_in(model_, drawn.parameters);
      count(drawn.parameters.substr(0, drawn.parameters.size() - 1), parameters);
      numbers += fmt::format(", {} parameters", parameters);
    }
    if (name.ends_with(".input")) before_norm_[stack] = last_.at(stack);
    const int drawn_box = box(stack, drawn.title + "\n" + numbers, drawn.color);
    if (name.ends_with(".sum")) {
      diagram_.arrow(
          {.from = before_norm_.at(stack), .to = drawn_box, .weight = 0.2, .is_bypass = true});
    }
    if (name.ends_with(".cross")) {
      diagram_.arrow({.from = encoder_output_, .to = drawn_box, .weight = 0.8, .is_elbow = true});
    }
    if (name == "encoder") encoder_output_ = drawn_box;
  }

  // The logits, and the softmax that makes probabilities of them.
  void finish(const Shape& logits) {
    const char top = config_.has_decoder() ? 'd' : 'e';
    const int64_t own = parameters_in(model_, "output.");
    if (own > 0) count("output", own);
    const std::string from = own > 0 ? fmt::format(", {} parameters", own) : table_text();
    box(top, fmt::format("logits\n{}{}", logits.text(), from), kOutputColor);
    box(top, fmt::format("softmax\n{}: {}", logits.text(), answers_of(config_.kind)), kOutputColor);
  }

  const std::vector<std::string>& names() const { return names_; }
  const std::vector<double>& counts() const { return counts_; }
  std::string svg() const { return diagram_.svg(); }

 private:
  int box(char stack, const std::string& text, int color) {
    const bool is_right = config_.kind == TransformerKind::encoder_decoder && stack == 'd';
    const int added = diagram_.box({is_right ? 1.0 : 0.0, -height_[stack]++, text, color});
    if (last_.contains(stack)) diagram_.arrow({last_[stack], added, 0.4});
    last_[stack] = added;
    return added;
  }

  // The one table of tokens: where it is drawn first, with its parameters.
  std::string table_text() {
    const bool is_first = !table_is_drawn_;
    table_is_drawn_ = true;
    return is_first ? fmt::format(", table of {} parameters", tokens_) : ", the same table";
  }

  void count(const std::string& name, int64_t parameters) {
    names_.push_back(name);
    counts_.push_back(static_cast<double>(parameters));
  }

  const Transformer& model_;
  const TransformerConfig& config_;
  Diagram diagram_;
  std::map<char, int> last_, before_norm_;  // boxes of a stack, by its first letter
  std::map<char, double> height_;           // rows taken
  int encoder_output_ = -1;
  int64_t tokens_ = 0;
  bool table_is_drawn_ = false;
  std::vector<std::string> names_;  // of parts with parameters
  std::vector<double> counts_;
};

void show_blocks_demo(const BlocksArguments& arguments, Lesson& lesson) {
  if (arguments.width % arguments.heads != 0) {
    wrong_usage(
        fmt::format("--dim {} cannot be divided into {} heads", arguments.width, arguments.heads));
  }
  lesson.formula(
      "encoder block   x + attention(norm(x)), then x + feed-forward(norm(x))\n"
      "decoder block   the same, its attention masked, and between the two\n"
      "                x + attention(norm(x), encoder)\n"
      "output          softmax(norm(x) " +
      std::string(arguments.kind == "encoder" ? "W + b)" : "E'), E the table of tokens"));
  const TransformerConfig config = config_of(arguments);
  const Transformer model(config, {.seed = 1});
  const NoGrad no_gradients;
  Parts parts;
  const Batch batch = batch_of(config);
  const Tensor logits = model.logits(batch, {.observer = &parts});
  BlocksPicture picture(model, config, arguments.kind);
  for (const Parts::Part& part : parts.list) picture.add(part.name, part.shape);
  picture.finish(logits.shape());
  const std::vector<std::string>& names = picture.names();
  const std::vector<double>& counts = picture.counts();
  lesson.table("parameters", "Parameters of the parts",
               numbers(counts).reshape({static_cast<int64_t>(counts.size()), 1}),
               {names, {"parameters"}});
  lesson.number("total", "parameters in all", static_cast<double>(model.parameters().count()));
  Figure bars({.title = "Parameters of the parts", .x_label = "parameters"});
  bars.bars(names, numbers(counts));
  lesson.figure("parameters", bars);
  lesson.picture("", picture.svg());
  const std::string read = config.has_encoder() && config.has_decoder()
                               ? "5 source and 3 target tokens"
                               : fmt::format("{} tokens", config.has_encoder() ? 5 : 3);
  lesson.say(fmt::format(
      "With -o DIR the blocks are drawn as a diagram, bottom to top, from the parts that the model "
      "runs on {}: what each gives, with the parameters of the table above.",
      read));
}

}  // namespace

Demo blocks_demo() {
  return {"blocks",
          "The transformer block",
          "Encoder and decoder, part by part",
          "R64, R106",
          "--kind decoder --layers 2",
          with_options<BlocksArguments>(add_blocks_options, show_blocks_demo)};
}

}  // namespace heed::cli
