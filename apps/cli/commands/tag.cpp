// heed tag: text in, words and tags out.

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "apps/cli/console/result.h"
#include "apps/cli/filters/model_filter.h"
#include "apps/cli/options/command.h"
#include "apps/cli/options/command_line.h"

namespace heed::cli {
namespace {

void print_tags(const std::vector<TaggedWord>& words, const std::string& text, bool json) {
  if (!json) {
    for (const TaggedWord& one : words) print_result("{}\t{}\n", one.word, one.tag);
    print_result("\n");
    return;
  }
  nlohmann::ordered_json page{{"text", text}, {"words", nlohmann::ordered_json::array()}};
  for (const TaggedWord& one : words) {
    page["words"].push_back(
        {{"word", one.word}, {"tag", one.tag}, {"begin", one.begin}, {"end", one.end}});
  }
  print_json(page);
}

struct TagArguments {
  ModelFilter filter;
  bool tokenized = false;
};

void tag(const TagArguments& arguments) {
  const ModelFilter& filter = arguments.filter;
  const WordEdges edges = arguments.tokenized ? WordEdges::spaces : WordEdges::punctuation;
  const Pipeline pipeline = open_model(filter);
  for_each_group(filter, [&](std::span<const std::string> texts) {
    const std::vector<std::vector<TaggedWord>> tagged = pipeline.tag(texts, edges);
    for (size_t i = 0; i < texts.size(); ++i) print_tags(tagged[i], texts[i], filter.json);
  });
}

}  // namespace

void add_tag_command(CLI::App& app, Run& run) {
  Command command(app, "tag", "Tag the words of sentences, one sentence per line");
  auto arguments = std::make_shared<TagArguments>();
  add_filter_options(command, arguments->filter, "One sentence instead of lines");
  command.add_flag("--tokenized", arguments->tokenized,
                   "The words are separated by spaces already: punctuation is not cut off");
  command.footer(
      "Prints a word, a tab and its tag per line, and an empty line after a sentence.\n"
      "Example:\n  heed tag -m run -p 'Anna lives in Berlin.'");
  command.callback([&run, command, arguments] {
    check_filter(command, arguments->filter);
    run = [arguments] { tag(*arguments); };
  });
}

}  // namespace heed::cli
