// heed quantize: the same model with int8 weights.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/cli/options/command.h"
#include "apps/cli/options/command_line.h"
#include "apps/cli/options/named_options.h"
#include "apps/cli/options/option_checks.h"
#include "apps/message.h"
#include "heed/base/error.h"
#include "heed/base/fail.h"
#include "heed/base/parallel.h"
#include "heed/run/quantize_run.h"
#include "heed/run/run_folder.h"
#include "heed/train/prepare_run.h"

namespace heed::cli {
namespace {

struct QuantizeArguments {
  std::string model, output;
  EvaluationFiles data;
  int threads = 0;
  bool json = false;
};

// The data that was given, or that the run was validated with, if it is still there.
EvaluationFiles evaluation_files(const QuantizeArguments& arguments, const RunConfig& config) {
  if (!arguments.data.files.empty()) return arguments.data;
  const EvaluationFiles own{.files = config.settings.valid,
                            .vectors = config.settings.valid_vectors};
  const auto exists = [](const std::string& file) { return std::filesystem::exists(file); };
  const bool found = std::all_of(own.files.begin(), own.files.end(), exists) &&
                     (own.vectors.empty() || exists(own.vectors));
  return found ? own : EvaluationFiles{};
}

// The part of the training data that the run held out, if that data is still there and can be read.
std::unique_ptr<TaskData> held_out_data(const std::string& folder, const RunConfig& config) {
  const TrainSettings& settings = config.settings;
  std::vector<std::string> files = settings.train;
  if (!settings.source_vectors.empty()) files.push_back(settings.source_vectors);
  const auto exists = [](const std::string& file) { return std::filesystem::exists(file); };
  const bool trained_here = settings.valid.empty() && settings.base.empty();
  if (files.empty() || !trained_here || !std::all_of(files.begin(), files.end(), exists)) return {};
  try {
    PreparedRun prepared = prepare_run(settings, folder, &config);
    say("the scores are those on what the training held out of its data\n");
    return std::move(prepared.valid);
  } catch (const Error&) {
    return {};  // other data by now
  }
}

struct Scores {
  Evaluation before, after;
};

nlohmann::ordered_json json_number(double value) {
  return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json(nullptr);
}

void print_quantize_json(const QuantizeArguments& arguments, uintmax_t before, uintmax_t after,
                         const Scores& scores) {
  nlohmann::ordered_json page{{"model", arguments.output},
                              {"bytes", {{"float32", before}, {"int8", after}}}};
  for (const EvaluationScore& score : scores.before.scores) {
    if (score.name == "tokens") continue;
    page[score.name] = {{"float32", json_number(score.value)},
                        {"int8", json_number(scores.after.find(score.name).value_or(NAN))}};
  }
  fmt::print("{}\n", page.dump());
}

void print_table(uintmax_t before, uintmax_t after, const Scores& scores) {
  fmt::print("{:<12} {:>12} {:>12}\n", "", "float32", "int8");
  fmt::print("{:<12} {:>12.2f} {:>12.2f}\n", "MB", static_cast<double>(before) * 1e-6,
             static_cast<double>(after) * 1e-6);
  for (const EvaluationScore& score : scores.before.scores) {
    if (score.name == "tokens") continue;
    fmt::print("{:<12} {:>12.4f} {:>12.4f}\n", score.name, score.value,
               scores.after.find(score.name).value_or(NAN));
  }
}

void quantize_model(const QuantizeArguments& arguments) {
  if (arguments.threads > 0) set_threads(arguments.threads);
  if (is_run_folder(arguments.output)) {
    fail("{} already holds a run; name another folder", arguments.output);
  }
  const LoadedRun run = load_run(arguments.model);
  const EvaluationFiles files = evaluation_files(arguments, run.config);
  std::unique_ptr<TaskData> data;
  if (!files.files.empty() && !run.config.int8) {
    std::vector<std::string> notes;
    data = prepare_evaluation(run, files, notes);
    for (const std::string& note : notes) say("{}\n", with_option_names(note));
  } else if (!run.config.int8) {
    data = held_out_data(arguments.model, run.config);
  }
  quantize_run(arguments.model, arguments.output);
  say("the int8 model is in {}\n", arguments.output);
  Scores scores;
  if (data) {
    scores.before = data->evaluate(*run.model, {});
    scores.after = data->evaluate(*load_run(arguments.output).model, {});
  } else {
    say("note: --data FILE compares the scores of the two\n");
  }
  const uintmax_t before = std::filesystem::file_size(arguments.model + "/model.safetensors");
  const uintmax_t after = std::filesystem::file_size(arguments.output + "/model.safetensors");
  if (arguments.json) {
    print_quantize_json(arguments, before, after, scores);
  } else {
    print_table(before, after, scores);
  }
}

}  // namespace

void add_quantize_command(CLI::App& app, Run& run) {
  Command command(app, "quantize", "Make a smaller, faster model with int8 weights");
  auto arguments = std::make_shared<QuantizeArguments>();
  command.add_option("-m,--model", arguments->model, "The folder of the run (required)")
      .type_name("DIR");
  command.add_option("-o,--output", arguments->output, "The folder of the int8 model (required)")
      .type_name("DIR");
  command
      .add_option(
          "--data", arguments->data.files,
          "Data to compare the scores of the two on, in the form of the training data: one "
          "file, or source and target (default: what the run was validated with, if it is there)")
      .expected(1, 64)
      .type_name("FILE");
  command
      .add_option("--vectors", arguments->data.vectors,
                  "Rows of floats (.npy) instead of the source")
      .type_name("FILE");
  command.add_option("-t,--threads", arguments->threads, "Threads (default: all cores)")
      .check(whole_number(1, 1024))
      .type_name("N");
  command.add_flag("--json", arguments->json, "Print sizes and scores as JSON");
  command.footer(
      "All commands that use models take the new folder like the old one; it cannot\n"
      "be trained. Weights of linear maps and embeddings become int8, each output\n"
      "with a scale of its own; the others stay float32.\n"
      "Example:\n  heed quantize -m en-de -o en-de-int8 --data test.en test.de");
  command.callback([&run, command, arguments] {
    require_option(command, "--model");
    require_option(command, "--output");
    run = [arguments] { quantize_model(*arguments); };
  });
}

}  // namespace heed::cli
