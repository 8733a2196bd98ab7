// heed generate: a language model goes on with a text.

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/cli/console/result.h"
#include "apps/cli/filters/generation.h"
#include "apps/cli/filters/model_filter.h"
#include "apps/cli/options/command.h"
#include "apps/cli/options/command_line.h"
#include "apps/cli/options/option_checks.h"
#include "heed/pipeline/pipeline.h"
#include "heed/run/special_tokens.h"

namespace heed::cli {
namespace {

struct GenerateArguments {
  ModelFilter filter;
  GenerationArguments generation;
  bool stream = false;
  bool logprobs = false;
  bool echo = false;
};

// A token in quotes on one line.
std::string quoted(const Tokenizer& tokenizer, int32_t id) {
  std::string text;
  DecodeState state{.begun = true, .joined = false};
  tokenizer.decode_next(id, state, text);
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// One line per token, the end among them: its log-probability, and the others that were likely.
void print_tokens(const Generation& generation, const Tokenizer& tokenizer) {
  std::vector<int32_t> ids = generation.ids;
  if (generation.ended()) ids.push_back(tokenizer.specials().eos.value_or(-1));
  for (size_t t = 0; t < ids.size(); ++t) {
    print_result("{:9.4f}  {}", generation.log_probabilities[t], quoted(tokenizer, ids[t]));
    if (t < generation.alternatives.size()) {
      for (const TokenProbability& one : generation.alternatives[t]) {
        if (one.token == ids[t]) continue;
        print_result("   {} {:.4f}", quoted(tokenizer, one.token), one.log_probability);
      }
    }
    print_result("\n");
  }
}

// A text for one prompt goes into a file or a pipe as it is, byte for byte.
const char* line_end(const GenerateArguments& arguments) {
  const bool only_text = arguments.filter.has_text && !arguments.logprobs &&
                         arguments.generation.options.beam.n_best <= 1;
  return only_text && ::isatty(STDOUT_FILENO) == 0 ? "" : "\n";
}

void print_generated(const GeneratedText& generated, const std::string& prompt,
                     const Pipeline& pipeline, const GenerateArguments& arguments) {
  if (arguments.filter.json) {
    nlohmann::ordered_json page{{"prompt", prompt}};
    page.update(to_json(generated, pipeline.tokenizer(), arguments.logprobs));
    print_json(page);
    return;
  }
  const std::string before = arguments.echo ? prompt : "";
  if (!arguments.stream) print_result("{}{}{}", before, generated.text, line_end(arguments));
  if (arguments.logprobs) print_tokens(generated.generation, pipeline.tokenizer());
  for (size_t i = 0; i < generated.others.size(); ++i) {
    print_result("{}{}\n", before, generated.others[i]);
    if (arguments.logprobs) print_tokens(generated.generation.others[i], pipeline.tokenizer());
  }
}

// What is wrong with a prompt that does not fit into the context; empty if it does.
std::string too_long(const Pipeline& pipeline, const std::string& prompt) {
  if (pipeline.context() == 0) return {};
  const Tokenizer& tokenizer = pipeline.tokenizer();
  const size_t tokens = special_tokens_of(pipeline.run().config, tokenizer)
                            .around(tokenizer.encode(prompt, SpecialNames::are_text))
                            .size();
  if (static_cast<int64_t>(tokens) <= pipeline.context()) return {};
  return fmt::format("the prompt has {} tokens, but the context of the model is {}; shorten it",
                     tokens, pipeline.context());
}

void generate(const GenerateArguments& arguments) {
  const Pipeline pipeline = open_model(arguments.filter);
  GenerateTextOptions options = arguments.generation.options;
  if (arguments.stream) {
    options.on_text = [](size_t, std::string_view more) {
      print_result("{}", more);
      std::fflush(stdout);
      return true;
    };
  }
  BlankLines blank_lines(arguments.filter, arguments.generation);
  ContextReport context(pipeline);
  const auto write = [&](std::span<const std::string> prompts) {
    if (arguments.stream && arguments.echo) print_result("{}", prompts[0]);
    const std::vector<GeneratedText> generated = pipeline.generate(prompts, options);
    if (arguments.stream) print_result("{}", line_end(arguments));
    for (size_t i = 0; i < prompts.size(); ++i) {
      blank_lines.before_text();
      print_generated(generated[i], prompts[i], pipeline, arguments);
      const auto tokens = static_cast<int64_t>(generated[i].generation.ids.size());
      context.add(generated[i], generated[i].prompt_tokens + tokens);
    }
  };
  for_each_group(arguments.filter, write,
                 [&](const std::string& prompt) { return too_long(pipeline, prompt); });
  context.report();
}

}  // namespace

void add_generate_command(CLI::App& app, Run& run) {
  Command command(app, "generate", "Let a language model go on with a text");
  auto arguments = std::make_shared<GenerateArguments>();
  add_filter_options(command, arguments->filter,
                     "The text to go on with; without it every line of FILES is one");
  GenerateTextOptions& options = arguments->generation.options;
  command.add_option("-n,--max-tokens", options.max_tokens, "Tokens at most (default: 256)")
      .check(whole_number(1, 1 << 24))
      .type_name("N");
  command.add_flag("--stream", arguments->stream, "Show the text as it is written (with -p)");
  command.add_flag("--echo", arguments->echo, "Show the prompt, too");
  command.add_flag("--logprobs", arguments->logprobs, "Show the log-probability of every token");
  command
      .add_option("--alternatives", options.alternatives,
                  "With --logprobs: this many of the likeliest tokens at every place")
      .check(whole_number(0, 1 << 16))
      .type_name("N");
  add_sampling_options(command, arguments->generation);
  add_search_options(command, arguments->generation);
  command.footer(
      "Only what follows the prompt is shown. Example:\n"
      "  heed generate -m run -p 'Once upon a time' --temp 0.8 --top-p 0.9 --stream");
  command.callback([&run, command, arguments] {
    check_filter(command, arguments->filter);
    check_generation(command, arguments->generation);
    if (command.has("--alternatives") && !arguments->logprobs) {
      wrong_usage("--alternatives needs --logprobs");
    }
    if (arguments->stream && !arguments->filter.has_text) wrong_usage("--stream needs -p");
    if (arguments->stream && arguments->filter.json) {
      wrong_usage("--stream and --json exclude each other");
    }
    if (arguments->stream && arguments->generation.options.beam.width > 1) {
      wrong_usage("--stream and --beam exclude each other: a beam knows its text at the end");
    }
    run = [arguments] { generate(*arguments); };
  });
}

}  // namespace heed::cli
