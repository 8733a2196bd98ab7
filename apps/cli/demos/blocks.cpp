// The transformer as a diagram: the parts that a model really runs, in their order.

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "apps/cli/demos/demo.h"
#include "apps/cli/suggest.h"
#include "heed/figure/diagram.h"
#include "heed/models/transformer.h"
#include "heed/nn/pass.h"

namespace heed::cli {
namespace {

struct BlocksArguments {
  std::string kind = "encoder-decoder";
  int64_t width = 32, hidden = 64, heads = 4, layers = 1, vocabulary = 100;
};

void options(Command& command, BlocksArguments& arguments) {
  command
      .add_option("--kind", arguments.kind, "encoder-decoder (default), encoder, decoder, prefix")
      .check(one_of({"encoder-decoder", "encoder", "decoder", "prefix"}))
      .type_name("NAME");
  const auto size = [&](const char* name, int64_t& slot, const char* help, int64_t most) {
    command.add_option(name, slot, help).type_name("N").check(whole_number(1, most));
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

// What a part is called in the picture; empty: not drawn.
std::string title_of(const std::string& name) {
  if (name.ends_with(".embedding")) return "embedding + positions";
  if (name.ends_with(".attention")) {
    return name[0] == 'd' ? "masked self-attention" : "self-attention";
  }
  if (name.ends_with(".cross")) return "attention to the encoder";
  if (name.ends_with(".feed_forward")) return "feed-forward";
  if (name.ends_with(".sum")) return "add the input";
  return name == "encoder" || name == "decoder" ? "norm: output of the " + name : "";
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
    if (config.kind == TransformerKind::prefix) batch.prefixes = {1};
  }
  return batch;
}

// The parameters of each part: those whose names begin with it, with the norm before it.
int64_t parameters_of(const Transformer& model, const std::string& part) {
  int64_t count = 0;
  for (const NamedParameter& parameter : model.parameters().list()) {
    const bool is_of =
        parameter.name.starts_with(part + ".") || parameter.name.starts_with(part + "_norm.");
    if (is_of) count += parameter.variable.value().size();
  }
  return count;
}

void show(const BlocksArguments& arguments, Lesson& lesson) {
  if (arguments.width % arguments.heads != 0) {
    wrong_usage(
        fmt::format("--dim {} cannot be divided into {} heads", arguments.width, arguments.heads));
  }
  lesson.formula(
      "encoder block   x + attention(norm(x)), then x + feed-forward(norm(x))\n"
      "decoder block   the same, its attention masked, and between the two\n"
      "                x + attention(norm(x), encoder)");
  const TransformerConfig config = config_of(arguments);
  const Transformer model(config, {.seed = 1});
  const NoGrad no_gradients;
  Parts parts;
  const Batch batch = batch_of(config);
  const Tensor logits = model.logits(batch, {.observer = &parts});
  Diagram diagram(
      {.title = fmt::format("A transformer: {}", arguments.kind), .column_gap = 70, .row_gap = 20});
  std::map<char, int> last, before_last;  // of a stack, by its first letter
  std::map<char, double> height;          // rows taken
  // The output of the encoder stands beside the first part that reads it.
  if (config.has_encoder()) height['e'] = 2 - 4 * static_cast<double>(arguments.layers);
  int encoder_output = -1;
  std::vector<std::string> names;
  std::vector<double> counts;
  for (const Parts::Part& part : parts.list) {
    const std::string title = title_of(part.name);
    if (title.empty()) continue;
    const char stack = part.name[0];
    const int64_t count = part.name.ends_with(".sum") ? 0 : parameters_of(model, part.name);
    const bool is_part = count > 0 && part.name != "encoder" && part.name != "decoder";
    if (is_part) {
      names.push_back(part.name);
      counts.push_back(static_cast<double>(count));
    }
    std::string text = fmt::format("{}\n{}", title, part.shape.text());
    if (is_part) text += fmt::format(", {} parameters", count);
    const int box =
        diagram.box({config.has_encoder() && stack == 'd' ? 1.0 : 0.0, -height[stack]++, text,
                     part.name.ends_with("attention") || part.name.ends_with("cross") ? 1
                     : is_part                                                        ? 2
                                                                                      : 6});
    if (last.contains(stack)) diagram.arrow({last[stack], box, 0.4});
    if (part.name.ends_with(".sum")) {
      diagram.arrow({.from = before_last.at(stack), .to = box, .weight = 0.2, .is_bypass = true});
    }
    if (part.name.ends_with(".cross")) {
      diagram.arrow({.from = encoder_output, .to = box, .weight = 0.8, .is_elbow = true});
    }
    if (last.contains(stack)) before_last[stack] = last[stack];
    last[stack] = box;
    if (part.name == "encoder") encoder_output = box;
  }
  const char top = config.has_decoder() ? 'd' : 'e';
  const int head = diagram.box({config.has_encoder() && config.has_decoder() ? 1.0 : 0.0,
                                -height[top], "logits\n" + logits.shape().text(), 3});
  diagram.arrow({last[top], head, 0.4});
  lesson.table("parameters", "Parameters of the parts",
               numbers(counts).reshape({static_cast<int64_t>(counts.size()), 1}),
               {names, {"parameters"}});
  lesson.number("total", "parameters in all, with the table of tokens",
                static_cast<double>(model.parameters().count()));
  Figure bars({.title = "Parameters of the parts", .x_label = "parameters"});
  bars.bars(names, numbers(counts));
  lesson.figure("parameters", bars);
  lesson.picture("", diagram.svg());
  lesson.say(
      "With -o DIR the blocks are drawn as a diagram, from the parts that the model runs on 5 "
      "source "
      "and 3 target tokens, bottom to top.");
}

}  // namespace

Demo blocks_demo() {
  return {"blocks",    "The transformer block",     "Encoder and decoder, part by part",
          "R64, R106", "--kind decoder --layers 2", with_options<BlocksArguments>(options, show)};
}

}  // namespace heed::cli
