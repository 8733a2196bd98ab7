// heed bench: how fast the parts of heed are on this machine.

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/cli/options/command.h"
#include "apps/cli/options/command_line.h"
#include "apps/cli/options/option_checks.h"
#include "apps/cli/reports/bench_report.h"
#include "apps/message.h"
#include "bench/model_work.h"
#include "heed/base/parallel.h"
#include "heed/run/run_folder.h"

namespace heed::cli {
namespace {

struct BenchArguments {
  std::string suite;
  int threads = 0;
  bool json = false;
  bool quick = false;
  std::string only;
  bool no_ceilings = false;
  bench::MemoryOptions memory;
  std::string model;
  bool int8 = false;
};

bool uses_model(const BenchArguments& arguments) {
  return arguments.suite == "decode" || arguments.suite == "translate";
}

// The model of a folder; none without a folder.
std::shared_ptr<const Model> model_of(const BenchArguments& arguments) {
  if (arguments.model.empty()) return nullptr;
  std::shared_ptr<const Model> model = load_run(arguments.model).model;
  const bool translates = bench::has_encoder(*model);
  if (translates != (arguments.suite == "translate")) {
    wrong_usage(fmt::format("{} is a model that {} a source; measure it with heed bench {}",
                            arguments.model, translates ? "reads" : "does not read",
                            translates ? "translate" : "decode"));
  }
  return model;
}

bench::Suite suite_of(const BenchArguments& arguments) {
  const bench::Suite suite = arguments.suite == "gemm"        ? bench::gemm_suite()
                             : arguments.suite == "attention" ? bench::attention_suite()
                             : arguments.suite == "ops"       ? bench::ops_suite()
                             : arguments.suite == "database"  ? bench::database_suite()
                             : arguments.suite == "train"     ? bench::train_suite()
                             : arguments.suite == "decode"
                                 ? bench::decode_suite(model_of(arguments), arguments.int8)
                                 : bench::translate_suite(model_of(arguments), arguments.int8);
  return bench::cases_with(suite, arguments.only);
}

// The suite to run; an empty one for memory.
bench::Suite checked_suite(const Command& command, const BenchArguments& arguments) {
  if (arguments.suite.empty())
    wrong_usage("which suite? gemm, attention, ops, database, train, decode, translate or memory");
  const bool is_memory = arguments.suite == "memory";
  const auto only_for = [&](const char* option, bool fits, const char* suites) {
    if (command.has(option) && !fits) {
      wrong_usage(fmt::format("{} goes with {}, not with {}", option, suites, arguments.suite));
    }
  };
  only_for("--length", is_memory, "memory");
  only_for("--causal", is_memory, "memory");
  for (const char* option : {"--quick", "--only", "--no-ceilings"}) {
    only_for(option, !is_memory, "every suite but memory");
  }
  only_for("--model", uses_model(arguments), "decode and translate");
  only_for("--int8", uses_model(arguments), "decode and translate");
  if (arguments.int8 && !arguments.model.empty()) {
    wrong_usage("--int8 is for random weights; heed quantize makes an int8 model of a folder");
  }
  if (is_memory) return {};
  bench::Suite suite = suite_of(arguments);
  if (suite.empty()) {
    wrong_usage(fmt::format("no row of {} has '{}' in its name", arguments.suite, arguments.only));
  }
  return suite;
}

// On a terminal one line that changes, otherwise a line each.
class Progress {
 public:
  void show(const std::string& text) const {
    if (is_terminal_) {
      redraw_line(text);
    } else {
      say("{}\n", text);
    }
  }
  void clear() const {
    if (is_terminal_) redraw_line("");
  }

 private:
  bool is_terminal_ = ::isatty(STDERR_FILENO) == 1;
};

void run_memory(const BenchArguments& arguments) {
  const bench::MemoryReport report = bench::measure_memory(arguments.memory);
  if (arguments.json) {
    fmt::print("{}\n", to_json(report).dump());
    return;
  }
  const auto mega = [](int64_t bytes) { return static_cast<double>(bytes) / 1e6; };
  fmt::print(
      "Attention forward and backward, {} tokens: inputs {:.1f} MB, outputs {:.1f} MB;\n"
      "the peak resident size grew by {:.1f} MB beyond them.\n",
      report.length, mega(report.inputs_bytes), mega(report.outputs_bytes),
      mega(report.growth_bytes));
}

void run_bench(const BenchArguments& arguments, const bench::Suite& suite) {
  if (arguments.threads > 0) set_threads(arguments.threads);
  if (arguments.suite == "memory") return run_memory(arguments);
  const Progress progress;
  bench::SuiteOptions options{
      .with_ceilings = !arguments.no_ceilings,
      .progress = [&](const std::string& text) { progress.show(text); },
  };
  if (arguments.quick) options.effort = bench::Effort::quick();
  options.effort.reads_beside = options.with_ceilings;
  const bench::Report report = run_suite(suite, options);
  progress.clear();
  if (arguments.json) {
    fmt::print("{}\n", to_json(report).dump());
  } else {
    fmt::print("{}", bench_table(report));
  }
  if (arguments.quick) say("note: --quick numbers are not to be compared\n");
}

}  // namespace

void add_bench_command(CLI::App& app, Run& run) {
  Command command(app, "bench", "Measure the speed of heed on this machine");
  auto arguments = std::make_shared<BenchArguments>();
  command
      .add_option("SUITE", arguments->suite,
                  "gemm: matrix products; attention; ops: operations bound by memory;\n"
                  "database: queries; train: whole training steps;\n"
                  "decode: writing text; translate: beam search;\n"
                  "memory: how much attention needs beyond its inputs and outputs")
      .check(one_of(
          {"gemm", "attention", "ops", "database", "train", "decode", "translate", "memory"}))
      .type_name("");
  command
      .add_option("-m,--model", arguments->model,
                  "decode, translate: the folder of a model (default: random weights)")
      .type_name("DIR");
  command.add_flag("--int8", arguments->int8, "decode, translate: random weights in int8");
  command.add_option("-t,--threads", arguments->threads, "Threads (default: all cores)")
      .type_name("N")
      .check(whole_number(1, 1024));
  command.add_option("--only", arguments->only, "Only rows with this in their name")
      .type_name("TEXT")
      .may_be_empty();
  command.add_flag("--quick", arguments->quick,
                   "Once and on less data: does it work? Not for comparing");
  command.add_flag("--no-ceilings", arguments->no_ceilings,
                   "Do not measure peak and bandwidth, nor the ratios to them");
  command.add_option("--length", arguments->memory.length, "memory: tokens (default 8192)")
      .type_name("L")
      .check(whole_number(1, 1 << 20));
  command.add_flag("--causal", arguments->memory.causal, "memory: with the causal mask");
  command.add_flag("--json", arguments->json, "Print the results as JSON");
  command.footer(
      "Rows are compared with the best this machine can do, measured in the same run:\n"
      "of_peak with a large matrix product, of_bandwidth with reading memory.\n"
      "Example:\n"
      "  heed bench attention -t 2 --only forward-512");
  command.callback([&run, command, arguments] {
    const bench::Suite suite = checked_suite(command, *arguments);
    run = [arguments, suite] { run_bench(*arguments, suite); };
  });
}

}  // namespace heed::cli
