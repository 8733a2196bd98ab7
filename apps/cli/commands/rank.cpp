// heed rank: a person puts answers of a model in order; what comes out trains a reward model.

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <iostream>
#include <memory>
#include <optional>
#include <set>

#include "apps/cli/inputs/ranking_file.h"
#include "apps/cli/options/command.h"
#include "apps/cli/options/command_line.h"
#include "apps/cli/options/option_checks.h"
#include "apps/message.h"
#include "heed/base/counted.h"
#include "heed/base/parallel.h"
#include "heed/pipeline/pipeline.h"
#include "heed/tuning/conversations.h"
#include "heed/tuning/rankings.h"

namespace heed::cli {
namespace {

constexpr int64_t kMaxAnswers = 9;
constexpr int kTries = 4;  // times the answers wanted, until that many differ

struct RankArguments {
  std::string model, prompts, output;
  int64_t answers = 3, max_tokens = 0;
  double temperature = 1;
  uint64_t seed = 1;
  int threads = 0;
};

std::vector<std::string> different_answers(const Pipeline& pipeline,
                                           std::span<const ChatMessage> prompt,
                                           const RankArguments& arguments) {
  std::vector<std::string> answers;
  GenerateTextOptions options{
      .max_tokens = arguments.max_tokens,
      .sampling = {.temperature = arguments.temperature, .seed = arguments.seed}};
  for (int64_t i = 0; i < kTries * arguments.answers; ++i) {
    options.sample = static_cast<uint64_t>(i);
    const std::string text = pipeline.chat(prompt, options).text;
    const bool blank = text.find_first_not_of(" \t\r\n") == std::string::npos;
    if (blank || std::find(answers.begin(), answers.end(), text) != answers.end()) continue;
    answers.push_back(text);
    if (static_cast<int64_t>(answers.size()) == arguments.answers) break;
  }
  return answers;
}

// "2 1 3" or "213": the best first, each once, two or more; nothing if it is not that.
std::vector<size_t> order_of(const std::string& line, size_t count) {
  std::vector<size_t> order;
  for (const char c : line) {
    if (c == ' ' || c == ',' || c == '>' || c == '\t') continue;
    const auto place = static_cast<size_t>(c - '1');
    if (c < '1' || place >= count) return {};
    if (std::find(order.begin(), order.end(), place) != order.end()) return {};
    order.push_back(place);
  }
  return order.size() >= 2 ? order : std::vector<size_t>();
}

// A line without the spaces around it, in lower case; nothing at the end of the input.
std::optional<std::string> typed_line() {
  say("> ");
  std::string line;
  if (!std::getline(std::cin, line)) return std::nullopt;
  const size_t begin = line.find_first_not_of(" \t\r");
  if (begin == std::string::npos) return "";
  line = line.substr(begin, line.find_last_not_of(" \t\r") - begin + 1);
  for (char& c : line) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return line;
}

// Text of several lines, the later ones as far to the right as the first.
void show_indented(const std::string& label, std::string text) {
  const std::string indent = "\n" + std::string(label.size(), ' ');
  for (size_t at = text.find('\n'); at != std::string::npos;
       at = text.find('\n', at + indent.size())) {
    text.replace(at, 1, indent);
  }
  say("{}{}\n", label, text);
}

struct Reply {
  enum class Kind : uint8_t { ranked, skipped, back, ended } kind;
  std::vector<std::string> answers = {};  // ranked: the best first
};

Reply ask(std::span<const ChatMessage> prompt, const std::vector<std::string>& answers) {
  for (const ChatMessage& message : prompt) {
    show_indented(prompt.size() == 1 ? "" : message.role + ": ", message.content);
  }
  for (size_t i = 0; i < answers.size(); ++i)
    show_indented(fmt::format("  {}  ", i + 1), answers[i]);
  while (const auto line = typed_line()) {
    if (*line == "q") return {Reply::Kind::ended};
    if (*line == "s") return {Reply::Kind::skipped};
    if (*line == "u") return {Reply::Kind::back};
    const std::vector<size_t> order = order_of(*line, answers.size());
    if (!order.empty()) {
      Reply reply{Reply::Kind::ranked};
      for (const size_t place : order) reply.answers.push_back(answers[place]);
      return reply;
    }
    if (line->find('=') != std::string::npos) {
      say("a ranking has no ties: leave one of them out, or skip (s)\n");
    } else {
      say("type the numbers, the best first, such as 21{}; leave out what you cannot "
          "place; s skips, u goes back, q ends\n",
          answers.size() > 2 ? "3" : "");
    }
  }
  say("\n");
  return {Reply::Kind::ended};
}

// A walk through the prompts that are not ranked yet, forth and back.
class Session {
 public:
  Session(const Pipeline& pipeline, const RankArguments& arguments, RankingFile& file)
      : pipeline_(pipeline), arguments_(arguments), file_(file) {}

  void run(const std::vector<std::vector<ChatMessage>>& prompts) {
    std::vector<const std::vector<ChatMessage>*> open;
    std::set<std::string> seen;
    for (const std::vector<ChatMessage>& prompt : prompts) {
      const bool is_new = seen.insert(to_json(Ranking{prompt, {}})).second;
      if (is_new && !file_.has(prompt)) open.push_back(&prompt);
    }
    if (open.empty()) say("all {} prompts are ranked\n", seen.size());
    for (size_t at = 0; at < open.size();) {
      const std::vector<std::string> answers = different_answers(pipeline_, *open[at], arguments_);
      if (answers.size() < 2) {
        ++same_;
        ++at;
        continue;
      }
      say("\n{} of {}\n", at + 1, open.size());
      const Reply reply = ask(*open[at], answers);
      if (reply.kind == Reply::Kind::ended) break;
      if (reply.kind == Reply::Kind::back) {
        at = step_back(at, open);
        continue;
      }
      const bool is_ranked = reply.kind == Reply::Kind::ranked;
      if (is_ranked) file_.append({*open[at], reply.answers});
      asked_.push_back({at++, is_ranked});
    }
  }

  void report() const {
    const auto ranked = std::count_if(asked_.begin(), asked_.end(),
                                      [](const Asked& asked) { return asked.is_ranked; });
    const auto skipped = static_cast<int64_t>(asked_.size()) - ranked;
    if (same_ > 0) {
      say("{} left out: there are no two different answers\n",
          counted(same_, "prompt was", "prompts were"));
    }
    if (skipped > 0) {
      say("{} skipped; a later call asks again\n", counted(skipped, "prompt was", "prompts were"));
    }
    say("{} added to {}\n", counted(ranked, "ranking was", "rankings were"), arguments_.output);
  }

 private:
  struct Asked {
    size_t prompt;
    bool is_ranked;
  };

  // The prompt before, as if it had not been asked; `at` if there is none.
  size_t step_back(size_t at, const std::vector<const std::vector<ChatMessage>*>& open) {
    if (asked_.empty()) {
      say("this is the first prompt\n");
      return at;
    }
    const Asked last = asked_.back();
    asked_.pop_back();
    if (last.is_ranked) {
      file_.take_back(*open[last.prompt]);
      say("the ranking was taken back\n");
    }
    return last.prompt;
  }

  const Pipeline& pipeline_;
  const RankArguments& arguments_;
  RankingFile& file_;
  std::vector<Asked> asked_;
  int64_t same_ = 0;
};

void rank(const RankArguments& arguments) {
  if (arguments.threads > 0) set_threads(arguments.threads);
  std::vector<std::vector<ChatMessage>> prompts;
  for_each_prompt(arguments.prompts, OnMistake::fail, [&](std::span<const ChatMessage> messages) {
    prompts.emplace_back(messages.begin(), messages.end());
  });
  const Pipeline pipeline = load(arguments.model);
  RankingFile file(arguments.output);
  if (!file.note().empty()) say("{}\n", file.note());
  if (file.count() > 0) {
    say("{} ranked already\n",
        counted(static_cast<int64_t>(file.count()), "prompt is", "prompts are"));
  }
  say("type the numbers of the answers, the best first; s skips, u goes back, q ends\n");
  Session session(pipeline, arguments, file);
  session.run(prompts);
  session.report();
}

}  // namespace

void add_rank_command(CLI::App& app, Run& run) {
  Command command(app, "rank", "Put answers of a model in order, for a reward model");
  auto arguments = std::make_shared<RankArguments>();
  command.add_option("-m,--model", arguments->model, "The folder of the run (required)")
      .type_name("DIR");
  command.add_option("--prompts", arguments->prompts, "JSON lines with prompts (required)")
      .type_name("FILE");
  command
      .add_option("-o,--output", arguments->output,
                  "Rankings are appended here; prompts that are in it are not asked again "
                  "(required)")
      .type_name("FILE");
  command.add_option("--answers", arguments->answers, "To each prompt (default: 3)")
      .check(whole_number(2, kMaxAnswers))
      .type_name("N");
  command
      .add_option("-n,--max-tokens", arguments->max_tokens, "Of an answer at most (default: 256)")
      .check(whole_number(1, 1 << 24))
      .type_name("N");
  command.add_option("--temp", arguments->temperature, "Temperature (default: 1)")
      .check(number(0.01, 100))
      .type_name("X");
  command.add_option("-s,--seed", arguments->seed, "Of the answers (default: 1)").type_name("N");
  command.add_option("-t,--threads", arguments->threads, "Threads (default: one per core)")
      .check(whole_number(1, 1024))
      .type_name("N");
  command.footer(
      "Shows some answers to a prompt; type their numbers, the best first: 213, or 21 to\n"
      "leave the third out. s skips a prompt, u goes back and takes the last ranking back,\n"
      "q ends. Every ranking is on the disk at once; a later call goes on.\n"
      "Example:\n"
      "  heed rank -m assistant --prompts prompts.jsonl -o rankings.jsonl");
  command.callback([&run, command, arguments] {
    for (const char* name : {"--model", "--prompts", "--output"}) require_option(command, name);
    run = [arguments] { rank(*arguments); };
  });
}

}  // namespace heed::cli
