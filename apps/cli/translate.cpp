// heed translate and heed summarize: lines in, lines out.

#include <fmt/format.h>

#include <memory>

#include "apps/cli/command.h"
#include "apps/cli/command_line.h"
#include "apps/cli/lines.h"
#include "apps/cli/suggest.h"
#include "heed/base/error.h"
#include "heed/base/parallel.h"
#include "heed/generate/generator.h"
#include "heed/train/choose.h"
#include "heed/train/pair_corpus.h"
#include "heed/train/run_folder.h"

namespace heed::cli {
namespace {

constexpr size_t kLinesAtOnce = 256;

struct Arguments {
  std::string model;
  std::vector<std::string> files;
  int64_t max_tokens = 0;
  int threads = 0;
};

void write_out(const LoadedRun& run, const std::vector<std::string>& lines, int64_t max_tokens) {
  const TrainSettings& settings = run.config.settings;
  const PairLayout layout = pair_layout(settings);
  const PairTokens tokens = pair_tokens(*run.tokenizer);
  std::vector<GenerationRequest> requests;
  int64_t longest = 0;
  for (const std::string& line : lines) {
    std::vector<int32_t> ids = run.tokenizer->encode(line, SpecialNames::are_text);
    const auto most = static_cast<size_t>(settings.max_length);
    if (most > 0 && ids.size() > most) {
      fmt::print(stderr,
                 "heed: a line of {} tokens was cut to the {} that the model was trained "
                 "with\n",
                 ids.size(), most);
      ids.resize(most);
    }
    longest = std::max(longest, static_cast<int64_t>(ids.size()));
    requests.push_back(request_for(ids, tokens, layout));
  }
  const auto written =
      Generator(*run.model)
          .generate(requests, {.max_tokens = max_tokens > 0 ? max_tokens : 2 * longest + 50,
                               .end = tokens.eos});
  for (const Generation& generation : written) {
    fmt::print("{}\n", answer_text(*run.tokenizer, generation.ids));
  }
}

void translate(const Arguments& arguments) {
  if (arguments.threads > 0) set_threads(arguments.threads);
  const LoadedRun run = load_run(arguments.model);
  if (!is_pair_task(run.config.settings.task) || run.tokenizer == nullptr) {
    throw Error(
        fmt::format("{} is a model for {}; translate and summarize need one that writes a "
                    "text for a text",
                    arguments.model, run.config.settings.task));
  }
  const int64_t row_width =
      std::visit([](const auto& config) { return config.source_width; }, run.config.model);
  if (row_width > 0) {
    throw Error(fmt::format("{} reads rows of floats, not lines of text; heed eval measures it",
                            arguments.model));
  }
  std::vector<std::string> lines;
  for_each_line(arguments.files, [&](const Line& line) {
    lines.emplace_back(line.text);
    if (lines.size() < kLinesAtOnce) return;
    write_out(run, lines, arguments.max_tokens);
    lines.clear();
  });
  if (!lines.empty()) write_out(run, lines, arguments.max_tokens);
}

void add_command(CLI::App& app, Run& run, const char* name, const char* help, const char* example) {
  Command command(app, name, help);
  auto arguments = std::make_shared<Arguments>();
  command.add_option("FILES", arguments->files, "Text, a line each (default: stdin)")
      .type_name("FILE");
  command.add_option("-m,--model", arguments->model, "The folder of the run (required)")
      .type_name("DIR");
  command
      .add_option("-n,--max-tokens", arguments->max_tokens,
                  "Tokens of an answer at most (default: twice the longest line, and 50)")
      .check(whole_number(1, 1 << 24))
      .type_name("N");
  command.add_option("-t,--threads", arguments->threads, "Threads (default: all cores)")
      .check(whole_number(1, 1024))
      .type_name("N");
  command.footer(std::string("Example:\n  ") + example);
  command.callback([&run, command, arguments] {
    require_option(command, "--model");
    run = [arguments] { translate(*arguments); };
  });
}

}  // namespace

void add_translate_commands(CLI::App& app, Run& run) {
  add_command(app, run, "translate", "Translate lines of text",
              "echo 'the red car' | heed translate -m heed-tour/phrases");
  add_command(app, run, "summarize", "Summarize texts, one per line",
              "heed summarize -m run reports.txt");
}

}  // namespace heed::cli
