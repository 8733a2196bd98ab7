// heed classify: a label for each text.

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/cli/console/result.h"
#include "apps/cli/filters/model_filter.h"
#include "apps/cli/options/command.h"
#include "apps/cli/options/command_line.h"

namespace heed::cli {
namespace {

struct ClassifyArguments {
  ModelFilter filter;
  bool probabilities = false;
};

void print_label(const ClassifiedText& found, const std::string& text, const Pipeline& pipeline,
                 const ClassifyArguments& arguments) {
  const std::vector<std::string>& labels = pipeline.labels();
  if (arguments.filter.json) {
    nlohmann::ordered_json page{{"text", text}, {"label", found.label}};
    if (arguments.probabilities) {
      nlohmann::ordered_json all;
      for (size_t c = 0; c < labels.size(); ++c) all[labels[c]] = found.probabilities[c];
      page["probabilities"] = std::move(all);
    }
    print_json(page);
    return;
  }
  print_result("{}", found.label);
  if (arguments.probabilities) {
    for (size_t c = 0; c < labels.size(); ++c) {
      print_result("\t{}:{:.4f}", labels[c], found.probabilities[c]);
    }
  }
  print_result("\n");
}

void classify(const ClassifyArguments& arguments) {
  const Pipeline pipeline = open_model(arguments.filter);
  for_each_group(arguments.filter, [&](std::span<const std::string> texts) {
    const std::vector<ClassifiedText> found = pipeline.classify(texts);
    tell_cut(pipeline, std::count_if(found.begin(), found.end(),
                                     [](const ClassifiedText& one) { return one.cut; }));
    for (size_t i = 0; i < texts.size(); ++i) print_label(found[i], texts[i], pipeline, arguments);
  });
}

}  // namespace

void add_classify_command(CLI::App& app, Run& run) {
  Command command(app, "classify", "Label texts, one per line");
  auto arguments = std::make_shared<ClassifyArguments>();
  add_filter_options(command, arguments->filter, "One text instead of lines");
  command.add_flag("--probabilities", arguments->probabilities,
                   "Show how likely each label is, as LABEL:P");
  command.footer("Example:\n  echo 'what a film' | heed classify -m run --probabilities");
  command.callback([&run, command, arguments] {
    check_filter(command, arguments->filter);
    run = [arguments] { classify(*arguments); };
  });
}

}  // namespace heed::cli
