// heed corpus: writes generated data: dates, noun phrases, reports, a small world.

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "apps/cli/options/command.h"
#include "apps/cli/options/command_line.h"
#include "apps/cli/options/option_checks.h"
#include "apps/message.h"
#include "heed/corpora/date_corpus.h"
#include "heed/corpora/phrase_corpus.h"
#include "heed/corpora/report_corpus.h"
#include "heed/corpora/world_corpus.h"
#include "heed/io/atomic_file.h"
#include "heed/tuning/rankings.h"

namespace heed::cli {
namespace {

struct CorpusArguments {
  std::string name, output;
  int64_t count = 20000;
  std::string part = "train";
  int64_t seed = 1;
};

TextPair pair_of(const CorpusArguments& arguments, int64_t index) {
  const CorpusPart part = arguments.part == "test"    ? CorpusPart::test
                          : arguments.part == "valid" ? CorpusPart::valid
                                                      : CorpusPart::train;
  const auto seed = static_cast<uint64_t>(arguments.seed);
  if (arguments.name == "dates") return date_pair(part, seed, index);
  if (arguments.name == "reports") return report_pair(part, seed, index);
  AlignedPair pair = phrase_pair(part, seed, index);
  return {std::move(pair.source), std::move(pair.target)};
}

// Text, conversations, rankings and prompts about the small world.
void write_world(const CorpusArguments& arguments) {
  const WorldPart part = arguments.part == "test"     ? WorldPart::test
                         : arguments.part == "choice" ? WorldPart::choice
                                                      : WorldPart::train;
  const auto seed = static_cast<uint64_t>(arguments.seed);
  std::string text, dialogues, rankings, prompts;
  for (int64_t i = 0; i < arguments.count; ++i) {
    const std::string question = world_question(part, seed, i);
    const nlohmann::ordered_json talk{
        {"messages",
         {{{"role", "user"}, {"content", question}},
          {{"role", "assistant"}, {"content", world_answer(question, seed, i)}}}}};
    text += world_line(seed, i) + "\n";
    dialogues += talk.dump() + "\n";
    rankings += to_json(Ranking{{{"user", question}}, world_ranking(question, seed, i)}) + "\n";
    prompts += nlohmann::ordered_json{{"prompt", question}}.dump() + "\n";
  }
  write_file(arguments.output + ".txt", text);
  write_file(arguments.output + ".dialogues.jsonl", dialogues);
  write_file(arguments.output + ".rankings.jsonl", rankings);
  write_file(arguments.output + ".prompts.jsonl", prompts);
  say("wrote {0}.txt, {0}.dialogues.jsonl, {0}.rankings.jsonl and {0}.prompts.jsonl\n",
      arguments.output);
}

void write_corpus(const CorpusArguments& arguments) {
  if (arguments.name == "world") return write_world(arguments);
  std::string sources, targets;
  for (int64_t i = 0; i < arguments.count; ++i) {
    const TextPair pair = pair_of(arguments, i);
    sources += pair.source + "\n";
    targets += pair.target + "\n";
  }
  write_file(arguments.output + ".source", sources);
  write_file(arguments.output + ".target", targets);
  say("wrote {0}.source and {0}.target\n", arguments.output);
}

}  // namespace

void add_corpus_command(CLI::App& app, Run& run) {
  Command command(app, "corpus", "Write generated data to train on");
  auto arguments = std::make_shared<CorpusArguments>();
  command
      .add_option(
          "NAME", arguments->name,
          "dates (to ISO 8601), phrases (English to French), reports (with summaries) or world "
          "(questions, with answers that can be judged)")
      .check(one_of({"dates", "phrases", "reports", "world"}))
      .type_name("");
  command
      .add_option("-o,--output", arguments->output,
                  "Beginning of the names: PREFIX.source, PREFIX.target; of world: PREFIX.txt, "
                  "PREFIX.dialogues.jsonl, PREFIX.rankings.jsonl, PREFIX.prompts.jsonl (required)")
      .type_name("PREFIX");
  command.add_option("-n,--count", arguments->count, "Pairs (default: 20000)")
      .check(whole_number(1, 100'000'000))
      .type_name("N");
  command
      .add_option("--part", arguments->part,
                  "train (default), valid (of world: choice), to choose models and settings by, or "
                  "test: nothing is in two parts")
      .check(one_of({"train", "valid", "choice", "test"}))
      .type_name("NAME");
  command.add_option("-s,--seed", arguments->seed, "Other pairs for other seeds (default: 1)")
      .check(whole_number(0, int64_t{1} << 40))
      .type_name("N");
  command.footer("Example:\n  heed corpus reports -n 1000 --part test -o reports.test");
  command.callback([&run, command, arguments] {
    if (arguments->name.empty()) wrong_usage("NAME is required: dates, phrases, reports or world");
    require_option(command, "--output");
    const bool world = arguments->name == "world";
    if (arguments->part == (world ? "valid" : "choice")) {
      wrong_usage(fmt::format("{} has the parts train, {} and test, not {}", arguments->name,
                              world ? "choice" : "valid", arguments->part));
    }
    run = [arguments] { write_corpus(*arguments); };
  });
}

}  // namespace heed::cli
