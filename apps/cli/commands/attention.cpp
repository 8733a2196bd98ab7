// heed attention: the engine on arrays.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/cli/commands/model_attention.h"
#include "apps/cli/console/result.h"
#include "apps/cli/inputs/attention_inputs.h"
#include "apps/cli/inputs/score_options.h"
#include "apps/cli/options/command.h"
#include "apps/cli/options/command_line.h"
#include "apps/cli/options/option_checks.h"
#include "apps/cli/reports/report.h"
#include "apps/message.h"
#include "heed/attention/attention.h"
#include "heed/attention/weights.h"
#include "heed/base/fail.h"
#include "heed/base/parallel.h"

namespace heed::cli {
namespace {

constexpr int64_t kMaxShown = 4;  // pairs of sequence and head that are printed

// Groups of options. Arrays and models have some of their own, and share the results.
const char* const kModel = "Model";
const char* const kArrays = "Arrays";
const char* const kMask = "Mask";
const char* const kResults = "Results";

struct AttentionArguments {
  ModelAttentionArguments model;
  ArrayArguments arrays;
  ScoreArguments score;
  std::string normalizer;
  bool allow_negative = false;
  double softcap = 0;
  bool causal = false;
  int64_t offset = 0;
  std::string window;  // "L,R"
  bool exclude_self = false;
  std::string output;
  std::string weights;
  std::string lse;
  bool json = false;
  int threads = 0;
};

Normalizer normalizer_of(const AttentionArguments& arguments) {
  const std::string& name = arguments.normalizer;
  if (name.empty()) return is_kernel(arguments.score.score) ? Normalizer::sum : Normalizer::softmax;
  if (name == "sum") return Normalizer::sum;
  if (name == "none") return Normalizer::none;
  if (name == "one-hot") return Normalizer::one_hot;
  return Normalizer::softmax;
}

std::array<int64_t, 2> window_of(const AttentionArguments& arguments) {
  const std::vector<double> reach = number_list("--window", arguments.window);
  std::array<int64_t, 2> window{};
  if (reach.size() != window.size()) wrong_usage("--window takes two numbers: L,R");
  for (size_t i = 0; i < window.size(); ++i) {
    window[i] = static_cast<int64_t>(reach[i]);
    if (static_cast<double>(window[i]) != reach[i] || reach[i] < Mask::kUnlimited) {
      wrong_usage("--window: a reach is a whole number, 0 or more, or -1 for no limit");
    }
  }
  return window;
}

// A file to write. Two options that name the same would lose one of the results.
struct NamedFile {
  const char* option;
  const std::string& path;
};

void require_different_files(const std::vector<NamedFile>& files) {
  std::map<std::filesystem::path, const char*> taken;
  for (const auto& [option, path] : files) {
    if (path.empty()) continue;
    std::error_code unknown;
    const std::filesystem::path place = std::filesystem::weakly_canonical(path, unknown);
    if (unknown) continue;
    const auto [at, is_new] = taken.emplace(place, option);
    if (!is_new) wrong_usage(fmt::format("{} and {} name the same file", at->second, option));
  }
}

void require_ending(const NamedFile& file, const std::vector<std::string>& endings) {
  const auto fits = [&](const std::string& ending) { return file.path.ends_with(ending); };
  if (file.path.empty() || std::any_of(endings.begin(), endings.end(), fits)) return;
  wrong_usage(fmt::format("{}: '{}' must end in one of {}", file.option, file.path,
                          fmt::join(endings, ", ")));
}

void check_result_names(const AttentionArguments& arguments) {
  const NamedFile output{"-o", arguments.output};
  const NamedFile weights{"--weights", arguments.weights};
  const NamedFile lse{"--lse", arguments.lse};
  const std::vector<std::string> arrays{".npy", ".csv"};
  if (arguments.model.model.empty()) {
    require_ending(output, arrays);
  } else {
    require_ending(output, {".svg", ".html", ".json", ".npy", ".csv"});
  }
  require_ending(weights, arrays);
  require_ending(lse, arrays);
  require_different_files({output, weights, lse});
}

void check_model_usage(const Command& command, const AttentionArguments& arguments) {
  std::string of_arrays = command.has("--lse") ? "--lse" : "";
  for (const char* group : {kMask, kScoreGroup, kArrays}) {
    if (const std::string name = command.given_of(group); !name.empty()) of_arrays = name;
  }
  if (!of_arrays.empty()) {
    wrong_usage(fmt::format("{} goes with arrays, not with a model (-m)", of_arrays));
  }
  require_option(command, "--prompt");
  check_result_names(arguments);
  const std::string& output = arguments.output;
  const bool prints = output.empty() && arguments.weights.empty();
  if (command.has("--top") && !prints && !arguments.json && !output.ends_with(".json")) {
    wrong_usage("--top goes with what is printed and with .json, not with all of the weights");
  }
}

void check_usage(const Command& command, const AttentionArguments& arguments) {
  if (const std::string name = command.given_of(kModel); !name.empty()) {
    wrong_usage(fmt::format("{} goes with a model (-m), not with arrays", name));
  }
  for (const char* name : {"--q", "--k", "--v"}) require_option(command, name);
  check_score_options(arguments.score);
  const bool positions = arguments.causal || arguments.exclude_self || !arguments.window.empty();
  if (command.has("--offset") && !positions) {
    wrong_usage("--offset needs --causal, --window or --exclude-self");
  }
  if (!arguments.window.empty()) window_of(arguments);
  if (arguments.arrays.kv_heads > 0 && arguments.arrays.heads == 0) {
    wrong_usage("--kv-heads needs --heads");
  }
  if (!arguments.lse.empty() && normalizer_of(arguments) != Normalizer::softmax) {
    wrong_usage("--lse needs the normalizer softmax");
  }
  if (arguments.allow_negative && normalizer_of(arguments) != Normalizer::sum) {
    wrong_usage("--allow-negative needs the normalizer sum");
  }
  check_result_names(arguments);
}

// A .csv file holds a matrix: said before the work, not after it.
void require_axes(const NamedFile& file, int axes) {
  if (!file.path.ends_with(".csv") || axes <= 2) return;
  fail("{} {}: a .csv file holds a matrix, this has {} axes; write a .npy file", file.option,
       file.path, axes);
}

void require_axes(const AttentionArguments& arguments, const AttentionInputs& inputs) {
  const int flat = inputs.heads() == 1 ? 2 : 3;
  const int weights = inputs.rank == 2 ? flat : 4;
  require_axes({"-o", arguments.output}, inputs.rank);
  require_axes({"--weights", arguments.weights}, weights);
  require_axes({"--lse", arguments.lse}, weights - 1);
}

void require_equal_widths(const AttentionArguments& arguments, const AttentionInputs& inputs) {
  const std::string& score = arguments.score.score;
  if (score == "additive" || score == "bilinear") return;
  if (inputs.q.dim(-1) != inputs.k.dim(-1)) {
    fail(
        "--score {} needs queries and keys of the same width; those of --q have "
        "{} numbers, those of --k {}",
        score, inputs.q.dim(-1), inputs.k.dim(-1));
  }
}

AttentionOptions make_options(const AttentionArguments& arguments, const AttentionInputs& inputs) {
  AttentionOptions options;
  options.score = make_score(arguments.score, inputs.q.dtype());
  options.normalizer = normalizer_of(arguments);
  options.allow_negative = arguments.allow_negative;
  options.softcap = arguments.softcap;
  options.mask.is_causal = arguments.causal;
  options.mask.offset = arguments.offset;
  options.mask.excludes_self = arguments.exclude_self;
  if (!arguments.window.empty()) {
    const auto [left, right] = window_of(arguments);
    options.mask.left = left;
    options.mask.right = right;
  }
  const ArrayArguments& arrays = arguments.arrays;
  if (!arrays.lengths.empty()) options.mask = options.mask & load_lengths(arrays.lengths, inputs);
  if (!arrays.mask.empty()) options.mask.allowed = load_mask(arrays.mask, inputs);
  if (!arrays.bias.empty()) options.bias = load_bias(arrays.bias, inputs);
  return options;
}

// One computation: what went in and what came out.
struct Computed {
  AttentionInputs inputs;
  AttentionOptions options;
  AttentionResult result;

  Tensor weights_of(int64_t sequence, int64_t head) const {  // [T, S]
    return attention_weights(inputs.q, inputs.k, inputs.query_rows, inputs.key_rows, options,
                             {.sequence = sequence, .head = head}, result.statistics);
  }

  Tensor all_weights() const {  // [B, H, T, S], or [T, S] for matrices
    const Tensor all = Tensor::empty(
        {inputs.sequences(), inputs.heads(), inputs.queries, inputs.keys}, inputs.q.dtype());
    for (int64_t b = 0; b < inputs.sequences(); ++b) {
      for (int64_t h = 0; h < inputs.heads(); ++h) {
        all.select(0, b).select(0, h).copy_from(weights_of(b, h));
      }
    }
    return drop_batch_axes(all, inputs);
  }

  Tensor log_sum_exp() const {
    return statistics_to_layout(result.statistics.log_sum_exp(), inputs);
  }
};

void print_attention_json(const Computed& computed) {
  nlohmann::ordered_json page;
  page["dtype"] = name(computed.inputs.q.dtype());
  page["output"] = to_json(to_layout(computed.result.output.value(), computed.inputs));
  page["weights"] = to_json(computed.all_weights());
  if (computed.options.normalizer == Normalizer::softmax) {
    page["log_sum_exp"] = to_json(computed.log_sum_exp());
  }
  page["empty_rows"] = computed.result.empty_rows;
  print_result("{}\n", page.dump());
}

void print_tables(const Computed& computed) {
  const AttentionInputs& inputs = computed.inputs;
  const TerminalOptions terminal = stdout_terminal();
  const TableOptions by_query{"query", terminal.width};
  const int64_t pairs = inputs.sequences() * inputs.heads();
  for (int64_t pair = 0; pair < std::min(pairs, kMaxShown); ++pair) {
    const int64_t b = pair / inputs.heads();
    const int64_t h = pair % inputs.heads();
    const std::string where = pairs > 1 ? fmt::format(" of sequence {}, head {}", b, h) : "";
    const Tensor output = computed.result.output.value()
                              .slice(0, inputs.query_rows.begin(b), inputs.query_rows.end(b))
                              .select(1, h);
    const Tensor weights = computed.weights_of(b, h);
    print_result("{}Output{} {}\n{}\n", pair > 0 ? "\n" : "", where, output.shape().text(),
                 table(output, by_query));
    print_result("Weights{} {}\n{}\n", where, weights.shape().text(), table(weights, by_query));
    Figure map({.title = "Weights" + where + ": queries down, keys across"});
    HeatMapOptions colors{.low = 0};
    if (computed.options.normalizer == Normalizer::none) colors.low.reset();
    map.heat_map(weights, colors);
    fmt::print("{}", map.terminal(terminal));
  }
  if (pairs == 0) print_result("There is no sequence in the arrays.\n");
  if (pairs > kMaxShown) {
    print_result(
        "\nNot shown: {} more pairs of sequence and head. -o and --weights write all of them "
        "to files, --json prints them.\n",
        pairs - kMaxShown);
  }
}

void attend_arrays(const AttentionArguments& arguments) {
  if (arguments.threads > 0) set_threads(arguments.threads);
  Computed computed;
  computed.inputs = load_inputs(arguments.arrays);
  require_equal_widths(arguments, computed.inputs);
  require_axes(arguments, computed.inputs);
  computed.options = make_options(arguments, computed.inputs);
  const AttentionInputs& inputs = computed.inputs;
  computed.result = attention_with_statistics(inputs.q, inputs.k, inputs.v, inputs.query_rows,
                                              inputs.key_rows, computed.options);

  if (!arguments.output.empty()) {
    save_and_tell(arguments.output, to_layout(computed.result.output.value(), inputs));
  }
  if (!arguments.weights.empty()) save_and_tell(arguments.weights, computed.all_weights());
  if (!arguments.lse.empty()) save_and_tell(arguments.lse, computed.log_sum_exp());
  if (const int64_t empty = computed.result.empty_rows; empty > 0) {
    say("note: {} (query, head) {} keys in reach whose weights are all 0; {} is 0\n", empty,
        empty == 1 ? "pair has" : "pairs have", empty == 1 ? "its output" : "their output");
  }
  if (arguments.json) {
    print_attention_json(computed);
  } else if (arguments.output.empty()) {
    print_tables(computed);
  }
}

void add_model_options(Command& command, ModelAttentionArguments& model) {
  command.add_option("-m,--model", model.model, "A model instead of arrays: the folder of a run")
      .type_name("DIR")
      .group(kModel);
  command.add_option("-p,--prompt", model.text, "The text that the model reads")
      .type_name("TEXT")
      .may_be_empty()
      .group(kModel);
  command
      .add_option("--to", model.target,
                  "The other side of a translation (default: what the model writes)")
      .type_name("TEXT")
      .group(kModel);
  command
      .add_option("--kind", model.kind,
                  "self or cross (default: cross if the model has any, and self otherwise)")
      .check(one_of({"self", "cross"}))
      .type_name("KIND")
      .group(kModel);
  command
      .add_option("--layer", model.layer,
                  "Its number among those of the kind, its name such as decoder.1.cross, or all "
                  "(default: the last)")
      .type_name("L|all")
      .group(kModel);
  command.add_option("--head", model.head, "One head, or all (default: their mean)")
      .type_name("H|all")
      .group(kModel);
  command
      .add_option("--top", model.top,
                  "Of each token only the K keys that it looks at most, printed or as JSON")
      .check(whole_number(1, 1 << 20))
      .type_name("K")
      .group(kModel);
}

void add_array_options(Command& command, ArrayArguments& arrays) {
  const auto array = [&](const char* name, std::string& slot, const char* help) {
    command.add_option(name, slot, help).type_name("ARRAY").group(kArrays);
  };
  array("--q", arrays.q, "Queries [T, D], [B, T, D] or [B, H, T, D] (required)");
  array("--k", arrays.k, "Keys [S, D], [B, S, D] or [B, K, S, D] (required)");
  array("--v", arrays.v, "Values, one per key (required)");
  command
      .add_option("--heads", arrays.heads,
                  "Split the last axis of [T, D] or [B, T, D] into H heads")
      .type_name("H")
      .check(whole_number(1, 1 << 20))
      .group(kArrays);
  command
      .add_option("--kv-heads", arrays.kv_heads,
                  "Heads of keys and values, a divisor of H (default H)")
      .type_name("K")
      .check(whole_number(1, 1 << 20))
      .group(kArrays);
  command
      .add_option("--dtype", arrays.dtype,
                  "float32 or float64 (default: float64 if a .npy file is, else float32)")
      .check(one_of({"float32", "float64"}))
      .type_name("TYPE")
      .group(kArrays);
}

void add_mask_options(Command& command, AttentionArguments& arguments) {
  command.add_flag("--causal", arguments.causal, "Query i sees keys up to i").group(kMask);
  command.add_option("--offset", arguments.offset, "Position of the first query (default 0)")
      .type_name("N")
      .group(kMask);
  command
      .add_option("--window", arguments.window,
                  "Query i sees keys i-L to i+R; -1 for no limit on a side")
      .type_name("L,R")
      .group(kMask);
  command.add_flag("--exclude-self", arguments.exclude_self, "Query i does not see key i")
      .group(kMask);
  const auto array = [&](const char* name, std::string& slot, const char* help) {
    command.add_option(name, slot, help).type_name("ARRAY").group(kMask);
  };
  array("--lengths", arguments.arrays.lengths, "Number of keys, [B] or, per query, [B, T]");
  array("--mask", arguments.arrays.mask,
        "[T, S], [B, T, S] or [B, H, T, S]: 1 where a query sees a key; an axis of 1 repeats");
  array("--bias", arguments.arrays.bias,
        "Numbers added to the scores, shaped like --mask; -inf excludes");
}

void add_output_options(Command& command, AttentionArguments& arguments) {
  const auto file = [&](const char* name, std::string& slot, const char* help) {
    command.add_option(name, slot, help).type_name("FILE").group(kResults);
  };
  file("-o,--output", arguments.output,
       "Write the output here instead of printing tables; of a model: FILE.svg, .html (a page for "
       "the browser), .json, .npy or .csv");
  file("--weights", arguments.weights, "Write the weights, [B, H, T, S] or [T, S]");
  file("--lse", arguments.lse, "Write the log-sum-exp of the scores, [B, H, T] or [T]");
  command.add_flag("--json", arguments.json, "Print everything as JSON").group(kResults);
  command.add_option("-t,--threads", arguments.threads, "Threads (default: all cores)")
      .type_name("N")
      .check(whole_number(1, 1024))
      .group(kResults);
}

}  // namespace

void add_attention_command(CLI::App& app, Run& run) {
  Command command(app, "attention", "Attention on arrays, or of a model for a text");
  auto arguments = std::make_shared<AttentionArguments>();
  add_model_options(command, arguments->model);
  add_array_options(command, arguments->arrays);
  add_score_options(command, arguments->score);
  command.add_option("--softcap", arguments->softcap, "c > 0: scores become c tanh(score / c)")
      .type_name("X")
      .check(positive_number())
      .group(kScoreGroup);
  command
      .add_option("--normalizer", arguments->normalizer,
                  "From scores to weights: softmax, sum, none or one-hot (default softmax; sum for "
                  "boxcar, triangular, epanechnikov and constant)")
      .check(one_of({"softmax", "sum", "none", "one-hot"}))
      .type_name("NAME")
      .group(kScoreGroup);
  command
      .add_flag("--allow-negative", arguments->allow_negative,
                "Negative weights under the normalizer sum are no error")
      .group(kScoreGroup);
  add_mask_options(command, *arguments);
  add_output_options(command, *arguments);
  command.footer(
      "ARRAY is a .npy or .csv file or typed numbers: rows by ';', columns by ','.\n"
      "FILE ends in .npy or, for matrices, .csv.\n"
      "Example: where a translator looks\n"
      "  heed attention -m heed-tour/phrases -p 'the small red car'\n"
      "  heed attention -m heed-tour/phrases -p 'the red car' --head all -o map.svg\n"
      "Example: a causal mask over three tokens\n"
      "  heed attention --q '1,0;0,1;1,1' --k '1,0;0,1;1,1' --v '1;2;3' --causal");
  command.callback([&run, command, arguments] {
    if (!arguments->model.model.empty()) {
      check_model_usage(command, *arguments);
      arguments->model.weights = arguments->weights;
      arguments->model.json = arguments->json;
      arguments->model.output = arguments->output;
      run = [arguments] {
        if (arguments->threads > 0) set_threads(arguments->threads);
        show_model_attention(arguments->model);
      };
      return;
    }
    check_usage(command, *arguments);
    run = [arguments] { attend_arrays(*arguments); };
  });
}

}  // namespace heed::cli
