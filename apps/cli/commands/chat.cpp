// heed chat: a conversation with a model, in the terminal.

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <iostream>
#include <memory>

#include "apps/cli/options/named_options.h"
#include "apps/cli/console/result.h"
#include "apps/cli/filters/generation.h"
#include "apps/cli/options/command.h"
#include "apps/cli/options/command_line.h"
#include "apps/cli/options/option_checks.h"
#include "apps/message.h"
#include "heed/base/blanks.h"
#include "heed/base/error.h"
#include "heed/base/fail.h"
#include "heed/base/parallel.h"
#include "heed/pipeline/pipeline.h"

namespace heed::cli {
namespace {

struct ChatArguments {
  std::string model, system, prompt;
  GenerationArguments generation;
  int threads = 0;
};

constexpr char kHelp[] =
    "/new begins anew, /undo takes the last turn back, /quit or end of input ends;\n"
    "Ctrl-C stops an answer.\n";

volatile std::sig_atomic_t stop_answer = 0;

extern "C" void on_stop_answer(int /*signal*/) { stop_answer = 1; }

// Ctrl-C while an answer is written stops the answer and not the program.
class AnswerSignal {
 public:
  AnswerSignal() {
    stop_answer = 0;
    before_ = std::signal(SIGINT, on_stop_answer);
  }
  AnswerSignal(const AnswerSignal&) = delete;
  AnswerSignal& operator=(const AnswerSignal&) = delete;
  ~AnswerSignal() { std::signal(SIGINT, before_); }

 private:
  void (*before_)(int);
};

class Talk {
 public:
  Talk(const Pipeline& pipeline, const ChatArguments& arguments)
      : pipeline_(pipeline), options_(arguments.generation.options), system_(arguments.system) {
    options_.on_text = [](size_t, std::string_view more) {
      print_result("{}", more);
      std::fflush(stdout);
      return stop_answer == 0;
    };
    begin_anew();
  }

  void begin_anew() {
    messages_.clear();
    told_ = false;
    if (!system_.empty()) messages_.push_back({"system", system_});
  }

  // The question that is forgotten together with its answer; empty if there is none.
  std::string undo() {
    const size_t kept = system_.empty() ? 0 : 1;
    if (messages_.size() < kept + 2) return "";
    std::string question = messages_[messages_.size() - 2].content;
    messages_.resize(messages_.size() - 2);
    return question;
  }

  // Shows the answer as it comes, and remembers both.
  void answer(const std::string& text) {
    messages_.push_back({"user", text});
    try {
      options_.sample = messages_.size();
      const GeneratedText generated = pipeline_.chat(messages_, options_);
      print_result("\n");
      if (generated.cut && !told_) {
        say("(the conversation is longer than the model can read: its oldest turns "
            "are left out from now on)\n");
        told_ = true;
      }
      if (stop_answer != 0 && is_blank(generated.text)) {
        messages_.pop_back();  // stopped before it said anything
      } else {
        messages_.push_back({"assistant", generated.text});
      }
    } catch (const Error&) {
      messages_.pop_back();
      throw;
    }
  }

 private:
  const Pipeline& pipeline_;
  GenerateTextOptions options_;
  std::string system_;
  std::vector<ChatMessage> messages_;
  bool told_ = false;
};

// What stands after the slash; false if there is no such command.
bool obey(const std::string& line, Talk& talk) {
  if (line == "/new") {
    talk.begin_anew();
  } else if (line == "/undo") {
    const std::string question = talk.undo();
    say("{}\n", question.empty() ? "there is no turn to take back" : "took back: " + question);
  } else if (line == "/help") {
    say("{}", kHelp);
  } else {
    return false;
  }
  return true;
}

void answer_in_terminal(const std::string& line, Talk& talk) {
  if (line.starts_with('/')) {
    say("there is no command {}; {}", line, kHelp);
    return;
  }
  try {
    const AnswerSignal signal;
    talk.answer(line);
  } catch (const Error& error) {
    say("{}\n", with_option_names(error.what()));
  }
}

void chat(const ChatArguments& arguments) {
  if (arguments.threads > 0) set_threads(arguments.threads);
  const Pipeline pipeline = load(arguments.model);
  if (!pipeline.run().config.chat.defined()) {
    fail(
        "{} has no chat template: it was not tuned to answer; heed finetune -m "
        "{} --train dialogues.jsonl -o DIR does that",
        arguments.model, arguments.model);
  }
  Talk talk(pipeline, arguments);
  if (!arguments.prompt.empty()) return talk.answer(arguments.prompt);
  const bool terminal = ::isatty(STDIN_FILENO) != 0;
  if (terminal) say("{}", kHelp);
  const auto ask = [&] {
    if (terminal) say("> ");
  };
  ask();
  bool has_quit = false;
  for (std::string line; !has_quit && std::getline(std::cin, line);) {
    has_quit = line == "/quit";
    if (!has_quit && !is_blank(line) && !obey(line, talk)) {
      if (terminal) {
        answer_in_terminal(line, talk);
      } else {
        talk.answer(line);
      }
    }
    if (!has_quit) ask();
  }
  if (terminal && !has_quit) say("\n");
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
      .type_name("TEXT")
      .may_be_empty();
  command.add_option("--system", arguments->system, "A message of the system, before all others")
      .type_name("TEXT")
      .may_be_empty();
  command
      .add_option("-n,--max-tokens", arguments->generation.options.max_tokens,
                  "Of an answer at most (default: 256)")
      .check(whole_number(1, 1 << 24))
      .type_name("N");
  command.add_option("-t,--threads", arguments->threads, "Threads (default: one per core)")
      .check(whole_number(1, 1024))
      .type_name("N");
  add_sampling_options(command, arguments->generation);
  command.footer(
      "The answer comes as it is written; what was said before is remembered.\n"
      "In a terminal, /new begins anew, /undo takes a turn back, /quit ends, and Ctrl-C\n"
      "stops an answer.\n"
      "Example:\n  heed chat -m assistant --temp 0.7");
  command.callback([&run, command, arguments] {
    require_option(command, "--model");
    check_generation(command, arguments->generation);
    run = [arguments] { chat(*arguments); };
  });
}

}  // namespace heed::cli
