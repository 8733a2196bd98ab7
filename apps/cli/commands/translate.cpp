// heed translate and heed summarize: lines in, lines out.

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "apps/cli/console/result.h"
#include "apps/cli/filters/generation.h"
#include "apps/cli/filters/model_filter.h"
#include "apps/cli/options/command.h"
#include "apps/cli/options/command_line.h"
#include "apps/cli/options/option_checks.h"
#include "heed/base/fail.h"
#include "heed/pipeline/keep_names.h"
#include "heed/text/on_one_line.h"

namespace heed::cli {
namespace {

struct TranslateArguments {
  ModelFilter filter;
  GenerationArguments generation;
  bool alignment = false;
  std::string tagger;  // folder of a tagger whose names are kept
};

// Where each token of an answer looks most; the end is one of them if it was written.
struct Alignment {
  AttentionMap map;
  std::vector<int64_t> places = {};  // of the source, one per token of the answer
};

Alignment align_translation(const Pipeline& pipeline, const std::string& text,
                            const GeneratedText& generated) {
  Alignment result{.map = pipeline.alignment(text, generated.text)};
  if (!generated.generation.ended()) result.map.queries.pop_back();
  const int64_t S = result.map.weights.dim(1);
  for (int64_t t = 0; t < static_cast<int64_t>(result.map.queries.size()); ++t) {
    const float* row = result.map.weights.data<float>() + t * S;
    result.places.push_back(std::max_element(row, row + S) - row);
  }
  return result;
}

void print_translation(const GeneratedText& generated, const std::string& text,
                       const Pipeline& pipeline, const TranslateArguments& arguments) {
  const bool aligns = arguments.alignment && !generated.text.empty();
  if (arguments.filter.json) {
    nlohmann::ordered_json page{{"source", text}};
    page.update(to_json(generated, pipeline.tokenizer(), false));
    if (aligns) {
      const Alignment found = align_translation(pipeline, text, generated);
      page["source_tokens"] = found.map.keys;
      page["target_tokens"] = found.map.queries;
      page["alignment"] = found.places;
    }
    print_json(page);
    return;
  }
  print_result("{}\n", on_one_line(generated.text));
  for (const std::string& other : generated.others) print_result("{}\n", on_one_line(other));
  if (!aligns) return;
  const Alignment found = align_translation(pipeline, text, generated);
  for (size_t t = 0; t < found.places.size(); ++t) {
    print_result("{}\t{}\n", found.map.queries[t], found.map.keys[found.places[t]]);
  }
  print_result("\n");
}

void translate(const TranslateArguments& arguments) {
  const Pipeline pipeline = open_model(arguments.filter);
  const bool keeps_names = !arguments.tagger.empty();
  if ((arguments.alignment || keeps_names) && !pipeline.has_alignment()) {
    fail("{}: {} is a model without attention (--model rnn)",
         arguments.alignment ? "--alignment" : "--keep-names", arguments.filter.model);
  }
  BlankLines blank_lines(arguments.filter, arguments.generation);
  ContextReport context(pipeline);
  std::optional<Pipeline> tagger;
  if (keeps_names) tagger = load(arguments.tagger);
  for_each_group(arguments.filter, [&](std::span<const std::string> texts) {
    const GenerateTextOptions& options = arguments.generation.options;
    const std::vector<GeneratedText> generated =
        tagger ? translate_keeping_names(pipeline, *tagger, texts, options)
               : pipeline.translate(texts, options);
    tell_cut(pipeline, std::count_if(generated.begin(), generated.end(),
                                     [](const GeneratedText& one) { return one.cut; }));
    for (size_t i = 0; i < texts.size(); ++i) {
      if (!arguments.alignment) blank_lines.before_text();
      print_translation(generated[i], texts[i], pipeline, arguments);
      context.add(generated[i], 0);
    }
  });
  context.report();
}

void add_command(CLI::App& app, Run& run, const char* name, const char* help, const char* example) {
  Command command(app, name, help);
  auto arguments = std::make_shared<TranslateArguments>();
  add_filter_options(command, arguments->filter, "One text instead of lines");
  command
      .add_option("-n,--max-tokens", arguments->generation.options.max_tokens,
                  "Tokens of an answer at most (default: twice those of its line, and 50)")
      .check(whole_number(1, 1 << 24))
      .type_name("N");
  command.add_flag("--alignment", arguments->alignment,
                   "Show for each token of the answer the one of the source it looks at most");
  command
      .add_option("--keep-names", arguments->tagger,
                  "The folder of a tagger: what it takes for names passes through untouched")
      .type_name("DIR");
  add_search_options(command, arguments->generation);
  add_sampling_options(command, arguments->generation);
  command.footer(std::string("Example:\n  ") + example);
  command.callback([&run, command, arguments] {
    check_filter(command, arguments->filter);
    check_generation(command, arguments->generation);
    run = [arguments] { translate(*arguments); };
  });
}

}  // namespace

void add_translate_commands(CLI::App& app, Run& run) {
  add_command(app, run, "translate", "Translate lines of text",
              "echo 'the red car' | heed translate -m heed-tour/phrases --beam 4");
  add_command(app, run, "summarize", "Summarize texts, one per line",
              "heed summarize -m run reports.txt");
}

}  // namespace heed::cli
