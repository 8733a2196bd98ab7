// heed probe: what can be read off each layer of a model.

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/cli/console/result.h"
#include "apps/cli/filters/model_filter.h"
#include "apps/cli/options/command.h"
#include "apps/cli/options/command_line.h"
#include "apps/cli/options/option_checks.h"
#include "heed/base/parallel.h"
#include "heed/pipeline/probe.h"

namespace heed::cli {
namespace {

constexpr double kBar = 40;

struct ProbeArguments {
  std::string model, train, valid;
  ProbeOptions options;
  int threads = 0;
  bool json = false;
};

void print_probe(const ProbeReport& report) {
  print_result("{} labels, {} words to train on, {} to test\n", report.labels.size(),
               report.train_words, report.valid_words);
  print_result("most frequent label {:6.2f} %\n\n", 100 * report.majority);
  print_result("layer      train    test\n");
  for (const LayerProbe& one : report.layers) {
    std::string bar;
    for (int i = 0; i < static_cast<int>(std::lround(kBar * one.valid_accuracy)); ++i) bar += "█";
    const std::string layer =
        one.layer == kEmbeddingLayer ? "embedding" : fmt::format("{}", one.layer);
    print_result("{:>9} {:6.2f}  {:6.2f}  {}\n", layer, 100 * one.train_accuracy,
                 100 * one.valid_accuracy, bar);
  }
}

void run_probe(const ProbeArguments& arguments) {
  if (arguments.threads > 0) set_threads(arguments.threads);
  const ProbeReport report =
      probe(load(arguments.model), arguments.train, arguments.valid, arguments.options);
  if (!arguments.json) {
    print_probe(report);
    return;
  }
  nlohmann::ordered_json page{{"labels", report.labels},
                              {"train_words", report.train_words},
                              {"valid_words", report.valid_words},
                              {"majority", report.majority},
                              {"layers", nlohmann::ordered_json::array()}};
  for (const LayerProbe& one : report.layers) {
    page["layers"].push_back({{"layer", one.layer},
                              {"train_accuracy", one.train_accuracy},
                              {"valid_accuracy", one.valid_accuracy}});
  }
  print_json(page);
}

}  // namespace

void add_probe_command(CLI::App& app, Run& run) {
  Command command(app, "probe", "What can be read off each layer of a model");
  auto arguments = std::make_shared<ProbeArguments>();
  command.add_option("-m,--model", arguments->model, "The folder of the run (required)")
      .type_name("DIR");
  command.add_option("--train", arguments->train, "Tagged sentences, CoNLL or CoNLL-U (required)")
      .type_name("FILE");
  command.add_option("--valid", arguments->valid, "Others, to test with (required)")
      .type_name("FILE");
  command
      .add_option("--label", arguments->options.label,
                  "upos, xpos, feats, deprel, or a feature such as Number (default: the tag)")
      .type_name("NAME");
  command.add_option("--epochs", arguments->options.epochs, "Passes over the words (default: 20)")
      .check(whole_number(1, 100000))
      .type_name("N");
  command
      .add_option("--sentences", arguments->options.sentences,
                  "Sentences of each file at most (default: all)")
      .check(whole_number(1, 1 << 30))
      .type_name("N");
  command.add_option("-t,--threads", arguments->threads, "Threads (default: all cores)")
      .check(whole_number(1, 1024))
      .type_name("N");
  command.add_flag("--json", arguments->json, "One JSON object");
  command.footer(
      "Layers are counted from 0; in JSON, -1 is the embedding before them. Example:\n"
      "  heed probe -m run --train train.conllu --valid dev.conllu --label upos");
  command.callback([&run, command, arguments] {
    for (const char* name : {"--model", "--train", "--valid"}) require_option(command, name);
    run = [arguments] { run_probe(*arguments); };
  });
}

}  // namespace heed::cli
