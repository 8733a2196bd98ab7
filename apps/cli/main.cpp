// The program heed.
//
// Exit codes: 0 done, 1 failed (one line on stderr), 2 wrong usage, 130 interrupted. Results go to
// stdout, messages to stderr.

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <exception>

#include "apps/cli/console/program_name.h"
#include "apps/cli/console/result.h"
#include "apps/cli/console/standard_streams.h"
#include "apps/cli/console/version.h"
#include "apps/cli/options/command.h"
#include "apps/cli/options/help.h"
#include "apps/cli/options/named_options.h"
#include "apps/cli/options/option_checks.h"
#include "apps/message.h"
#include "heed/base/error.h"
#include "heed/base/printable.h"
#include "heed/base/processor.h"
#include "heed/kernels/simd.h"

namespace heed::cli {
namespace {

constexpr int kFailed = 1;
constexpr int kWrongUsage = 2;
constexpr int kExitInterrupted = 130;

extern "C" void on_interrupt(int /*signal*/) { ::_exit(kExitInterrupted); }

// The command that the user chose, or the program itself.
const CLI::App& chosen(const CLI::App& app) {
  const std::vector<CLI::App*> commands = app.get_subcommands();
  return commands.empty() ? app : chosen(*commands.front());
}

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(command->get_name());
  }
  return names;
}

// An option with more values than it takes, or with too few.
std::string mismatch_message(const CLI::App& command, const std::string& text) {
  const std::string name = text.substr(0, text.find(':'));
  const CLI::Option* option = command.get_option_no_throw(name);
  if (option == nullptr) return text;
  const auto count = static_cast<int>(option->results().size());
  const int max = option->get_items_expected_max();
  if (count <= max) return name + " needs a value";
  return max == 1 ? fmt::format("{} is given {} times, expected once", name, count)
                  : fmt::format("{} takes {} values at most, got {}", name, max, count);
}

// What is wrong with the command line, in one line.
std::string usage_message(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& command = chosen(app);
  const std::vector<std::string> unknown = app.remaining(true);
  if (!unknown.empty() && dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    const bool is_demo = command.get_name() == "demo" && !unknown.front().starts_with("-");
    if (is_demo) return unknown_demo(unknown.front(), command_names(command));
    return unknown_argument(unknown.front(), option_names(command), command_names(command));
  }
  std::string text = error.what();
  for (char& c : text) c = c == '\n' ? ' ' : c;
  const bool is_mismatch = dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr;
  return is_mismatch ? mismatch_message(command, text) : text;
}

// "heed demo kernels", as the user typed it.
std::string chosen_name(const CLI::App& app) {
  const std::vector<CLI::App*> commands = app.get_subcommands();
  return commands.empty() ? app.get_name() : app.get_name() + " " + chosen_name(*commands.front());
}

int report_usage(const CLI::App& app, const std::string& message) {
  say("heed: {} (see {} --help)\n", printable(message), chosen_name(app));
  return kWrongUsage;
}

int run_program(int argc, char** argv) {
  if (argc > 0) set_program_name(argv[0]);
  CLI::App app("Trains, runs and shows attention models, on ordinary CPUs.", "heed");
  bool json = false;
  const CLI::Option* json_flag = app.add_flag("--json", json, "With --version: one JSON object");
  app.set_version_flag(
      "--version", [&json] { return version_text(json); },
      "Show version, commit, compiler and instruction set, and exit");
  app.set_help_flag("-h,--help", "Show this help and exit");
  app.formatter(help_formatter());
  app.footer(
      "heed COMMAND --help says more about a command.\n"
      "Example:\n  heed attention --q '1,0;0,1' --k '1,0;0,1' --v '1,2;3,4'");
  app.require_subcommand(0, 1);
  Run run;
  add_tour_command(app, run);
  add_attention_command(app, run);
  add_regress_command(app, run);
  add_vocab_command(app, run);
  add_encode_command(app, run);
  add_decode_command(app, run);
  add_train_command(app, run);
  add_finetune_command(app, run);
  add_reward_command(app, run);
  add_align_command(app, run);
  add_chat_command(app, run);
  add_rank_command(app, run);
  add_eval_command(app, run);
  add_score_text_command(app, run);
  add_average_command(app, run);
  add_convert_command(app, run);
  add_quantize_command(app, run);
  add_info_command(app, run);
  add_generate_command(app, run);
  add_translate_commands(app, run);
  add_classify_command(app, run);
  add_tag_command(app, run);
  add_score_command(app, run);
  add_embed_command(app, run);
  add_probe_command(app, run);
  add_serve_command(app, run);
  add_check_command(app, run);
  add_corpus_command(app, run);
  add_bench_command(app, run);
  add_db_command(app, run);
  add_complexity_command(app, run);
  add_demo_command(app, run);

  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {  // --help and --version
    const int code = app.exit(success);
    finish_results();
    return code;
  } catch (const CLI::ParseError& error) {
    return report_usage(app, usage_message(app, error));
  } catch (const UsageError& error) {
    return report_usage(app, error.what());
  }
  if (json_flag->count() > 0)
    return report_usage(app, "--json before a command goes with --version");
  try {
    kernels::apply_isa_environment();
  } catch (const Error& error) {
    say("heed: HEED_MAX_ISA in the environment: {}\n", printable(error.what()));
    return kWrongUsage;
  }
  if (run) {
    require_processor();
    run();
  } else {
    fmt::print("{}", app.help());
  }
  finish_results();
  return 0;
}

}  // namespace
}  // namespace heed::cli

int main(int argc, char** argv) {
  heed::cli::open_closed_streams();
  std::signal(SIGINT, heed::cli::on_interrupt);
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error of write()
  std::signal(SIGPIPE, SIG_DFL);  // a reader that stops ends the program, without a message
  try {
    return heed::cli::run_program(argc, argv);
  } catch (const heed::cli::Interrupted&) {
    return heed::cli::kExitInterrupted;
  } catch (const std::bad_alloc&) {
    heed::say("heed: out of memory\n");
  } catch (const std::exception& error) {
    heed::say("heed: {}\n", heed::printable(heed::cli::with_option_names(error.what())));
  }
  return heed::cli::kFailed;
}
