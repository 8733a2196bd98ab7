// heed info: what is in a run directory.

#include <fmt/format.h>

#include <fstream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/cli/console/result.h"
#include "apps/cli/options/command.h"
#include "apps/cli/options/command_line.h"
#include "apps/cli/options/option_checks.h"
#include "heed/base/json_nesting.h"
#include "heed/run/run_folder.h"
#include "heed/run/task_names.h"

namespace heed::cli {
namespace {

using Json = nlohmann::ordered_json;

struct InfoArguments {
  std::string model;
  bool json = false;
};

// The part of a model a parameter belongs to: the first two steps of its name.
std::string part_of(const std::string& name) {
  const size_t first = name.find('.');
  const size_t second = first == std::string::npos ? first : name.find('.', first + 1);
  return name.substr(0, second);
}

// The table of tokens that is also the output layer, or nothing.
std::string output_table(const ModelConfig& config) {
  if (const auto* rnn = std::get_if<RnnConfig>(&config)) {
    return rnn->tied_output ? "target_embedding.table" : "";
  }
  const auto& transformer = std::get<TransformerConfig>(config);
  const bool is_output = transformer.head == HeadKind::next_token && transformer.tied &&
                         appended_width(transformer) == 0;
  return is_output ? "tokens.table" : "";
}

// Multiply-adds in products per token are the weights of matrices that a row goes through; a table
// of tokens counts if it is the output layer too, for to look up a row multiplies nothing.
int64_t product_weights(const Model& model, const std::string& output) {
  int64_t count = 0;
  for (const NamedParameter& parameter : model.parameters().list()) {
    const int rank = parameter.variable.shape().rank();  // 4: the blocks of an int8 matrix
    if (parameter.name.ends_with(".table") && parameter.name != output) continue;
    if ((rank == 2 || rank == 4) && parameter.name.find("positions") == std::string::npos) {
      count += parameter.variable.value().size();
    }
  }
  return count;
}

// The validations of log.jsonl.
std::vector<Json> history(const std::string& folder) {
  std::vector<Json> lines;
  std::ifstream in(folder + "/log.jsonl");
  std::string line;
  while (std::getline(in, line)) {
    if (is_nested_too_deep(line)) continue;
    Json json = Json::parse(line, nullptr, false);
    if (json.is_object() && json.contains("valid")) {
      json.erase("samples");
      lines.push_back(std::move(json));
    }
  }
  return lines;
}

// Whether a field of the configuration says something about this model.
bool is_used(const Json& config, const std::string& name, const Json& value) {
  const auto is = [&](const char* field, const char* what) {
    return config.value(field, std::string()) == what;
  };
  if (name.starts_with("rotary_")) return is("positions", "rotary");
  if (name == "position_mode") return !is("positions", "rotary") && !is("positions", "none");
  if (name == "pool" || name == "pooler") return is("head", "sentence-classes");
  return !value.is_number_integer() || value != 0;
}

void show_info(const InfoArguments& arguments) {
  const LoadedRun run = load_run(arguments.model);
  const Model& model = *run.model;
  std::map<std::string, int64_t> parts;
  int64_t bytes = 0;
  for (const NamedParameter& parameter : model.parameters().list()) {
    const Tensor& value = parameter.variable;
    parts[part_of(parameter.name)] += value.size();
    bytes += value.size() * static_cast<int64_t>(byte_size(value.dtype()));
  }
  const int64_t parameters = model.parameters().count();
  const int64_t weights = product_weights(model, output_table(run.config.model));
  const std::vector<Json> validations = history(arguments.model);
  if (arguments.json) {
    Json page{{"task", name_of(run.config.settings.task)},
              {"step", run.step},
              {"parameters", parameters},
              {"bytes", bytes},
              {"training_bytes", parameters * 16},
              {"flop_per_token", 2 * weights},
              {"model", Json::parse(to_json(run.config.model))}};
    for (const auto& [name, count] : parts) page["parts"][name] = count;
    if (run.config.int8) page["weights"] = "int8";
    if (!run.config.labels.empty()) page["labels"] = run.config.labels;
    page["validations"] = validations;
    print_result("{}\n", page.dump(2));
    return;
  }
  print_result("task          {}\n", name_of(run.config.settings.task));
  print_result("step          {}\n", run.step);
  if (run.tokenizer) {
    print_result("tokenizer     {}, {} tokens\n", name(run.tokenizer->kind()),
                 run.tokenizer->size());
  }
  print_result("parameters    {} ({:.1f} MB)\n", parameters, static_cast<double>(bytes) * 1e-6);
  if (run.config.int8) print_result("weights       int8, for inference\n");
  for (const auto& [name, count] : parts) {
    print_result("  {:<22} {:>12}\n", name, count);
  }
  print_result("to train      {:.1f} MB of weights, gradients and moments, and the activations\n",
               static_cast<double>(parameters) * 16e-6);
  print_result("work          {:.1f} MFLOP per token in products, {:.1f} to train\n",
               static_cast<double>(2 * weights) * 1e-6, static_cast<double>(6 * weights) * 1e-6);
  print_result("model\n");
  const Json config = Json::parse(to_json(run.config.model));
  for (const auto& item : config.items()) {
    if (!is_used(config, item.key(), item.value())) continue;
    print_result("  {:<22} {}\n", item.key(),
                 item.value().is_string() ? item.value().get<std::string>() : item.value().dump());
  }
  if (!validations.empty()) print_result("validations\n");
  for (const Json& line : validations) {
    std::string scores;
    for (const auto& item : line["valid"].items()) {
      if (item.key() == "tokens" || !item.value().is_number()) continue;
      scores += fmt::format("  {} {:.4g}", item.key(), item.value().get<double>());
    }
    print_result("  step {:<8}{}\n", line.value("step", int64_t{0}), scores);
  }
}

}  // namespace

void add_info_command(CLI::App& app, Run& run) {
  Command command(app, "info", "Say what is in the folder of a run");
  auto arguments = std::make_shared<InfoArguments>();
  command.add_option("-m,--model,DIR", arguments->model, "The folder of the run (required)")
      .type_name("DIR");
  command.add_flag("--json", arguments->json, "Print it as JSON");
  command.footer("Example:\n  heed info -m heed-tour/dates");
  command.callback([&run, arguments] {
    if (arguments->model.empty()) wrong_usage("--model is required: the folder of a run");
    run = [arguments] { show_info(*arguments); };
  });
}

}  // namespace heed::cli
