// heed embed: texts as vectors.

#include <fmt/format.h>

#include <charconv>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/cli/filters/model_filter.h"
#include "apps/cli/options/command.h"
#include "apps/cli/options/command_line.h"
#include "apps/cli/options/option_checks.h"
#include "apps/cli/reports/report.h"
#include "apps/message.h"
#include "heed/base/fail.h"
#include "heed/io/npy.h"
#include "heed/io/safetensors.h"
#include "heed/ops/concatenate.h"

namespace heed::cli {
namespace {

struct EmbedArguments {
  ModelFilter filter;
  std::string layer = "last";
  std::string pool = "mean";
  std::string output;
};

EmbedOptions options_for(const Pipeline& pipeline, const EmbedArguments& arguments) {
  EmbedOptions options;
  options.pool = arguments.pool == "none"   ? EmbedPool::none
                 : arguments.pool == "mean" ? EmbedPool::mean
                                            : EmbedPool::cls;
  if (arguments.layer == "all") {
    options.layers = pipeline.all_layers();
  } else if (arguments.layer == "embedding") {
    options.layers.push_back(kEmbeddingLayer);
  } else if (arguments.layer != "last") {
    options.layers.push_back(std::stoll(arguments.layer));
  }
  return options;
}

// Texts one after the other: [B, ..] with pooling, all rows [N, ..] without.
Tensor together(const std::vector<Tensor>& vectors, bool is_pooled) {
  std::vector<Variable> parts;
  for (const Tensor& one : vectors) {
    if (!is_pooled) {
      parts.emplace_back(one);
      continue;
    }
    std::vector<int64_t> sizes = {1};
    for (int axis = 0; axis < one.rank(); ++axis) sizes.push_back(one.dim(axis));
    parts.emplace_back(one.reshape(Shape(sizes)));
  }
  return concatenate(parts, 0).value();
}

void save(const std::vector<Tensor>& vectors, const EmbedArguments& arguments) {
  if (vectors.empty()) fail("embed: there are no texts");
  const bool is_pooled = arguments.pool != "none";
  if (arguments.output.ends_with(".safetensors")) {
    std::vector<NamedTensor> tensors;
    for (size_t i = 0; i < vectors.size(); ++i) {
      tensors.push_back({fmt::format("{}", i), vectors[i]});
    }
    write_safetensors(arguments.output, tensors);
    say("wrote {}: {} tensors, named 0 to {}\n", arguments.output, vectors.size(),
        vectors.size() - 1);
    return;
  }
  if (!is_pooled && arguments.layer == "all" && vectors.size() > 1) {
    fail(
        "embed: all layers of all tokens of several texts do not fit into one array; use an output "
        "that ends in .safetensors");
  }
  save_and_tell(arguments.output, together(vectors, is_pooled));
}

void embed(const EmbedArguments& arguments) {
  const Pipeline pipeline = open_model(arguments.filter);
  int64_t cut = 0;
  EmbedOptions options = options_for(pipeline, arguments);
  options.on_cut = [&](size_t) { ++cut; };
  std::vector<Tensor> kept;
  for_each_group(arguments.filter, [&](std::span<const std::string> texts) {
    std::vector<Tensor> vectors = pipeline.embed(texts, options);
    for (size_t i = 0; i < texts.size(); ++i) {
      // One layer alone needs no axis of layers.
      if (options.layers.size() == 1) vectors[i] = vectors[i].select(0, 0);
      if (arguments.output.empty()) {
        print_json({{"text", texts[i]}, {"vector", to_json(vectors[i])}});
      } else {
        kept.push_back(std::move(vectors[i]));
      }
    }
  });
  tell_cut(pipeline, cut);
  if (!arguments.output.empty()) save(kept, arguments);
}

std::string layer_problem(const std::string& text) {
  if (text == "embedding" || text == "last" || text == "all") return {};
  return whole_number(0, 1 << 20)(text).empty()
             ? ""
             : "must be the number of a layer, from 0, embedding, all or last";
}

}  // namespace

void add_embed_command(CLI::App& app, Run& run) {
  Command command(app, "embed", "Hidden states of a model as vectors of texts");
  auto arguments = std::make_shared<EmbedArguments>();
  add_filter_options(command, arguments->filter, "One text instead of lines");
  command
      .add_option("--layer", arguments->layer,
                  "embedding: what the first layer reads, 0 ..: what this layer gives, all: these, "
                  "in this order, last (default): the final state")
      .check(layer_problem)
      .type_name("K");
  command
      .add_option("--pool", arguments->pool,
                  "mean of the tokens (default), none: a row per token, cls: the class token's; "
                  "tokens that the model reads around a text, such as its end, count")
      .check(one_of({"none", "mean", "cls"}))
      .type_name("NAME");
  command
      .add_option("-o,--output", arguments->output,
                  "A .npy file (a row per text) or .safetensors (a tensor per text); default: JSON "
                  "on stdout")
      .type_name("FILE");
  command.footer("Example:\n  heed embed -m run texts.txt --layer 1 -o vectors.npy");
  command.callback([&run, command, arguments] {
    check_filter(command, arguments->filter);
    const std::string& output = arguments->output;
    if (!output.empty() && !output.ends_with(".npy") && !output.ends_with(".safetensors")) {
      wrong_usage("-o: the name must end in .npy or .safetensors");
    }
    if (!output.empty() && arguments->filter.json) {
      wrong_usage("-o and --json exclude each other: the vectors go to the file or to stdout");
    }
    run = [arguments] { embed(*arguments); };
  });
}

}  // namespace heed::cli
