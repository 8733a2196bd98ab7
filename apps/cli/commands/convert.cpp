// heed convert: a model of another program as a folder that heed uses.

#include <fmt/format.h>

#include <memory>

#include "apps/cli/options/command.h"
#include "apps/cli/options/command_line.h"
#include "apps/cli/options/named_options.h"
#include "apps/cli/options/option_checks.h"
#include "apps/message.h"
#include "heed/convert/hugging_face.h"
#include "heed/convert/llama2c.h"
#include "heed/run/run_folder.h"
#include "heed/run/task_names.h"

namespace heed::cli {
namespace {

struct ConvertModelArguments {
  std::string from;
  std::vector<std::string> inputs;
  std::string output;
};

void convert(const ConvertModelArguments& arguments) {
  const std::vector<std::string>& in = arguments.inputs;
  const ConvertedModel model =
      arguments.from == "llama2c" ? convert_llama2c(in[0], in[1]) : convert_hugging_face(in[0]);
  write_converted(model, arguments.output);
  for (const std::string& note : model.notes) say("{}\n", with_option_names(note));
  int64_t count = 0;
  for (const NamedTensor& weight : model.weights) count += weight.tensor.size();
  const Task task = model.config.settings.task;
  say("{:.2f} million parameters are in {}. Try:\n  heed {} -m {} -p 'Once'\n",
      static_cast<double>(count) / 1e6, arguments.output,
      task == Task::lm ? "generate" : name_of(task), arguments.output);
}

}  // namespace

void add_convert_command(CLI::App& app, Run& run) {
  Command command(app, "convert", "Make a model of another program one of heed");
  auto arguments = std::make_shared<ConvertModelArguments>();
  command
      .add_option(
          "--from", arguments->from,
          "What it is: hf (a folder of Hugging Face: BERT, GPT-2, Llama, Mistral) or llama2c (a "
          "model file and a tokenizer file) (required)")
      .check(one_of({"hf", "llama2c"}))
      .type_name("NAME");
  command.add_option("INPUT", arguments->inputs, "The folder, or the two files (required)")
      .type_name("PATH");
  command.add_option("-o,--output", arguments->output, "The folder of the model (required)")
      .type_name("DIR");
  command.footer(
      "Weights are kept as float32. Options of a model that heed does not have are\n"
      "named, and nothing is written.\n"
      "Examples:\n"
      "  heed convert --from hf gpt2/ -o gpt2-heed\n"
      "  heed convert --from hf bert-base-uncased/ -o bert\n"
      "  heed convert --from llama2c stories260K.bin tok512.bin -o stories");
  command.callback([&run, command, arguments] {
    require_option(command, "--from");
    require_option(command, "--output");
    const size_t wanted = arguments->from == "llama2c" ? 2 : 1;
    if (arguments->inputs.size() != wanted) {
      wrong_usage(wanted == 2 ? "--from llama2c needs two files: the model and its tokenizer"
                              : "--from hf needs one folder");
    }
    run = [arguments] { convert(*arguments); };
  });
}

}  // namespace heed::cli
