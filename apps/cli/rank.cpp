// heed rank: a person puts answers of a model in order; what comes out trains a reward model.

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <set>

#include "apps/cli/command.h"
#include "apps/cli/command_line.h"
#include "apps/cli/suggest.h"
#include "heed/base/error.h"
#include "heed/base/parallel.h"
#include "heed/feedback/conversations.h"
#include "heed/feedback/rankings.h"
#include "heed/pipeline/pipeline.h"

namespace heed::cli {
namespace {

constexpr int64_t kMostAnswers = 9;
constexpr int kTries = 4;  // times the answers wanted, until that many differ

struct RankArguments {
  std::string model, prompts, output;
  int64_t answers = 3, max_tokens = 0;
  double temperature = 1;
  uint64_t seed = 1;
  int threads = 0;
};

// The file of rankings: what is in it, and safe appending. A line that a crash has cut is removed.
class RankingFile {
 public:
  explicit RankingFile(const std::string& path) : path_(path) {
    if (!std::filesystem::exists(path)) return;
    std::ifstream in(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    const size_t whole = text.rfind('\n') + 1;  // npos + 1 is 0
    if (whole < text.size()) {
      std::filesystem::resize_file(path, whole);
      fmt::print(stderr, "{}: the last line was cut off and has been removed\n", path);
    }
    if (whole == 0) return;
    for_each_ranking(path, OnMistake::fail,
                     [&](const Ranking& ranking) { done_.insert(key(ranking.prompt)); });
  }

  bool has(std::span<const ChatMessage> prompt) const {
    return done_.contains(key({prompt.begin(), prompt.end()}));
  }
  size_t count() const { return done_.size(); }

  // One write of the whole line, on the disk when it returns.
  void append(const Ranking& ranking) {
    const std::string line = to_json(ranking) + "\n";
    const int file = ::open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT, 0666);
    const bool written =
        file >= 0 && ::write(file, line.data(), line.size()) == static_cast<ssize_t>(line.size()) &&
        ::fsync(file) == 0;
    const int error = errno;
    if (file >= 0) ::close(file);
    if (!written) throw Error(fmt::format("{}: cannot write: {}", path_, std::strerror(error)));
    done_.insert(key(ranking.prompt));
  }

 private:
  static std::string key(const std::vector<ChatMessage>& prompt) {
    return to_json(Ranking{prompt, {}});
  }

  std::string path_;
  std::set<std::string> done_;
};

std::vector<std::string> different_answers(const Pipeline& pipeline,
                                           std::span<const ChatMessage> prompt,
                                           const RankArguments& arguments) {
  std::vector<std::string> answers;
  WriteOptions options{.max_tokens = arguments.max_tokens,
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

// "2 1 3" or "213": every answer once, the best first; nothing if it is not that.
std::vector<size_t> order_of(const std::string& line, size_t count) {
  std::vector<size_t> order;
  for (const char c : line) {
    if (c == ' ' || c == ',' || c == '>' || c == '\t' || c == '\r') continue;
    const auto place = static_cast<size_t>(c - '1');
    if (c < '1' || place >= count) return {};
    if (std::find(order.begin(), order.end(), place) != order.end()) return {};
    order.push_back(place);
  }
  return order.size() == count ? order : std::vector<size_t>();
}

enum class Reply : uint8_t { ranked, skipped, ended };

Reply ask(std::span<const ChatMessage> prompt, const std::vector<std::string>& answers,
          RankingFile& file) {
  fmt::print(stderr, "\n{}\n", prompt.back().content);
  for (size_t i = 0; i < answers.size(); ++i) fmt::print(stderr, "  {}  {}\n", i + 1, answers[i]);
  for (std::string line; fmt::print(stderr, "> "), std::getline(std::cin, line);) {
    if (line == "q") return Reply::ended;
    if (line == "s") return Reply::skipped;
    const std::vector<size_t> order = order_of(line, answers.size());
    if (order.empty()) {
      fmt::print(stderr, "type the {} numbers, the best first, such as 21{}; s skips, q ends\n",
                 answers.size(), answers.size() > 2 ? "3" : "");
      continue;
    }
    Ranking ranking{{prompt.begin(), prompt.end()}, {}};
    for (const size_t place : order) ranking.answers.push_back(answers[place]);
    file.append(ranking);
    return Reply::ranked;
  }
  return Reply::ended;
}

void rank(const RankArguments& arguments) {
  if (arguments.threads > 0) set_threads(arguments.threads);
  const Pipeline pipeline = load(arguments.model);
  std::vector<std::vector<ChatMessage>> prompts;
  for_each_prompt(arguments.prompts, OnMistake::fail, [&](std::span<const ChatMessage> messages) {
    prompts.emplace_back(messages.begin(), messages.end());
  });
  RankingFile file(arguments.output);
  if (file.count() > 0) fmt::print(stderr, "{} prompts are ranked already\n", file.count());
  int64_t ranked = 0;
  for (const std::vector<ChatMessage>& prompt : prompts) {
    if (file.has(prompt)) continue;
    const std::vector<std::string> answers = different_answers(pipeline, prompt, arguments);
    if (answers.size() < 2) continue;
    const Reply reply = ask(prompt, answers, file);
    if (reply == Reply::ended) break;
    ranked += reply == Reply::ranked ? 1 : 0;
  }
  fmt::print(stderr, "\n{} rankings were added to {}\n", ranked, arguments.output);
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
      .check(whole_number(2, kMostAnswers))
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
      "Shows some answers to a prompt; type their numbers, the best first: 213. s skips\n"
      "a prompt, q ends. Every ranking is on the disk at once; a later call goes on.\n"
      "Example:\n"
      "  heed rank -m assistant --prompts prompts.jsonl -o rankings.jsonl");
  command.callback([&run, command, arguments] {
    for (const char* name : {"--model", "--prompts", "--output"}) require_option(command, name);
    run = [arguments] { rank(*arguments); };
  });
}

}  // namespace heed::cli
