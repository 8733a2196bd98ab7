// heed chat: a conversation with a model, in the terminal.

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <iostream>
#include <memory>

#include "apps/cli/command.h"
#include "apps/cli/command_line.h"
#include "apps/cli/suggest.h"
#include "apps/cli/writing.h"
#include "heed/base/error.h"
#include "heed/base/parallel.h"
#include "heed/pipeline/pipeline.h"

namespace heed::cli {
namespace {

struct ChatArguments {
  std::string model, system, prompt;
  WritingArguments writing;
  int threads = 0;
};

constexpr char kHelp[] =
    "/new begins anew, /undo takes the last turn back, /quit or end of input ends.\n";

class Talk {
 public:
  Talk(const Pipeline& pipeline, const ChatArguments& arguments)
      : pipeline_(pipeline), options_(arguments.writing.options), system_(arguments.system) {
    options_.on_text = [](size_t, std::string_view more) {
      fmt::print("{}", more);
      std::fflush(stdout);
      return true;
    };
    begin_anew();
  }

  void begin_anew() {
    messages_.clear();
    if (!system_.empty()) messages_.push_back({"system", system_});
  }

  void undo() {
    const size_t kept = system_.empty() ? 0 : 1;
    if (messages_.size() >= kept + 2) messages_.resize(messages_.size() - 2);
  }

  // Shows the answer as it comes, and remembers both.
  void say(const std::string& text) {
    messages_.push_back({"user", text});
    try {
      options_.sample = messages_.size();
      const WrittenText answer = pipeline_.chat(messages_, options_);
      fmt::print("\n");
      if (answer.cut && !told_) {
        fmt::print(stderr,
                   "(the conversation is longer than the model can read: its oldest turns "
                   "are left out from now on)\n");
        told_ = true;
      }
      messages_.push_back({"assistant", answer.text});
    } catch (const Error&) {
      messages_.pop_back();
      throw;
    }
  }

 private:
  const Pipeline& pipeline_;
  WriteOptions options_;
  std::string system_;
  std::vector<ChatMessage> messages_;
  bool told_ = false;
};

void chat(const ChatArguments& arguments) {
  if (arguments.threads > 0) set_threads(arguments.threads);
  const Pipeline pipeline = load(arguments.model);
  if (!pipeline.run().config.chat.defined()) {
    throw Error(
        fmt::format("{} has no chat template: it was not tuned to answer; heed finetune -m "
                    "{} --train dialogues.jsonl -o DIR does that",
                    arguments.model, arguments.model));
  }
  Talk talk(pipeline, arguments);
  if (!arguments.prompt.empty()) return talk.say(arguments.prompt);
  const bool terminal = ::isatty(STDIN_FILENO) != 0;
  if (terminal) fmt::print(stderr, "{}", kHelp);
  const auto ask = [&] {
    if (terminal) fmt::print(stderr, "> ");
  };
  ask();
  for (std::string line; std::getline(std::cin, line); ask()) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    if (line == "/quit") break;
    if (line == "/new") {
      talk.begin_anew();
    } else if (line == "/undo") {
      talk.undo();
    } else if (line == "/help") {
      fmt::print(stderr, "{}", kHelp);
    } else if (terminal) {
      try {
        talk.say(line);
      } catch (const Error& error) {
        fmt::print(stderr, "{}\n", error.what());
      }
    } else {
      talk.say(line);
    }
  }
}

}  // namespace

void add_chat_command(CLI::App& app, Run& run) {
  Command command(app, "chat", "Talk with a model that was tuned to answer");
  auto arguments = std::make_shared<ChatArguments>();
  command.add_option("-m,--model", arguments->model, "The folder of the run (required)")
      .type_name("DIR");
  command
      .add_option("-p,--prompt", arguments->prompt,
                  "One message instead of a conversation; without it every line of stdin is one")
      .type_name("TEXT");
  command.add_option("--system", arguments->system, "A message of the system, before all others")
      .type_name("TEXT");
  command
      .add_option("-n,--max-tokens", arguments->writing.options.max_tokens,
                  "Of an answer at most (default: 256)")
      .check(whole_number(1, 1 << 24))
      .type_name("N");
  command.add_option("-t,--threads", arguments->threads, "Threads (default: one per core)")
      .check(whole_number(1, 1024))
      .type_name("N");
  add_sampling_options(command, arguments->writing);
  command.footer(
      "The answer comes as it is written; what was said before is remembered.\n"
      "In a terminal, /new begins anew, /undo takes a turn back, /quit ends.\n"
      "Example:\n  heed chat -m assistant --temp 0.7");
  command.callback([&run, command, arguments] {
    require_option(command, "--model");
    check_writing(command, arguments->writing);
    run = [arguments] { chat(*arguments); };
  });
}

}  // namespace heed::cli
