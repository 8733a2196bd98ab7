// heed eval: how well a model answers data it was not trained on.

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/cli/console/result.h"
#include "apps/cli/options/command.h"
#include "apps/cli/options/command_line.h"
#include "apps/cli/options/named_options.h"
#include "apps/cli/options/option_checks.h"
#include "apps/cli/training/judges.h"
#include "apps/message.h"
#include "heed/base/fail.h"
#include "heed/base/parallel.h"
#include "heed/run/run_folder.h"
#include "heed/run/setting_names.h"
#include "heed/train/prepare_run.h"
#include "heed/tuning/tuned_evaluation.h"

namespace heed::cli {
namespace {

struct EvalArguments {
  std::string model;
  EvaluationFiles data;
  int64_t samples = 0;
  int threads = 0;
  bool json = false, tokenized = false;
  BeamOptions beam;
  AnswerEvaluation answers;
  std::string judge;
};

std::unique_ptr<TaskData> data_of(const EvalArguments& arguments, const LoadedRun& run,
                                  std::vector<std::string>& notes) {
  const bool rewards = run.config.settings.task == Task::reward;
  const bool answers = !arguments.judge.empty() || !arguments.answers.reward.empty();
  const std::vector<std::string>& files = arguments.data.files;
  if (!rewards && !answers) {
    const bool talks = run.config.settings.task == Task::lm && run.config.chat.defined();
    const bool is_json =
        files.size() == 1 && (files[0].ends_with(".jsonl") || files[0].ends_with(".json"));
    return talks && is_json ? dialogue_evaluation(run, files[0], notes)
                            : prepare_evaluation(run, arguments.data, notes);
  }
  if (files.size() != 1) {
    fail("--data needs one file of {}, got {}", rewards ? "rankings" : "prompts", files.size());
  }
  if (rewards && answers) {
    fail("{} is a reward model, which writes no answers to judge", arguments.model);
  }
  if (rewards) return reward_evaluation(run, files[0], notes);
  AnswerEvaluation options = arguments.answers;
  options.judge = judge_named(arguments.judge);
  return answer_evaluation(run, files[0], options, notes);
}

// Without one label that counts, every score would be 0 and mean nothing.
void check_counted(const EvalArguments& arguments, const LoadedRun& run,
                   const Evaluation& evaluation) {
  if (evaluation.find("tokens").value_or(1) > 0) return;
  std::string known;
  for (const std::string& label : run.config.labels) {
    known += (known.empty() ? "" : ", ") + label;
    if (known.size() > 60) {
      known += ", ...";
      break;
    }
  }
  fail("{}: nothing in it can be measured: {}", arguments.data.files[0],
       known.empty() ? "there is nothing to predict"
                     : "the model knows the labels " + known +
                           ", and no record has one of them; --format says how "
                           "the file is read");
}

void evaluate(const EvalArguments& arguments) {
  if (arguments.threads > 0) set_threads(arguments.threads);
  const LoadedRun run = load_run(arguments.model);
  std::vector<std::string> notes;
  const std::unique_ptr<TaskData> data = data_of(arguments, run, notes);
  for (const std::string& note : notes) say("{}\n", with_option_names(note));
  const Task task = run.config.settings.task;
  if (arguments.beam.width > 1 && !is_pair_task(task)) {
    fail("--beam: {} is a model for {}, which writes no answers to search", arguments.model,
         name_of(task));
  }
  const Evaluation result = data->evaluate(*run.model, {.samples = arguments.samples,
                                                        .tokenized = arguments.tokenized,
                                                        .bits_per_byte = true,
                                                        .beam = arguments.beam});
  check_counted(arguments, run, result);
  if (arguments.json) {
    nlohmann::ordered_json page{
        {"model", arguments.model}, {"task", name_of(task)}, {"step", run.step}};
    for (const EvaluationScore& score : result.scores) {
      if (score.name == "tokens") {
        page[score.name] = static_cast<int64_t>(score.value);
      } else {
        page[score.name] = std::isfinite(score.value) ? nlohmann::ordered_json(score.value)
                                                      : nlohmann::ordered_json(nullptr);
      }
    }
    if (!result.bleu_signature.empty()) page["bleu_signature"] = result.bleu_signature;
    if (!result.samples.empty()) page["samples"] = result.samples;
    print_result("{}\n", page.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
    return;
  }
  size_t width = 12;  // of the names
  for (const EvaluationScore& score : result.scores) width = std::max(width, score.name.size());
  for (const EvaluationScore& score : result.scores) {
    print_result("{:<{}} {:.{}f}\n", score.name, width, score.value,
                 score.name == "tokens" ? 0 : 4);
  }
  if (!result.bleu_signature.empty()) print_result("bleu is {}\n", result.bleu_signature);
  for (const std::string& sample : result.samples) print_result("{}\n", sample);
}

}  // namespace

void add_eval_command(CLI::App& app, Run& run) {
  Command command(app, "eval", "Measure a model on data");
  auto arguments = std::make_shared<EvalArguments>();
  command.add_option("-m,--model", arguments->model, "The folder of the run (required)")
      .type_name("DIR");
  command
      .add_option("--data", arguments->data.files,
                  "The data, in the form of the training data: one file, or source and target "
                  "(required)")
      .expected(1, 64)
      .type_name("FILE");
  command
      .add_option("--vectors", arguments->data.vectors,
                  "Rows of floats (.npy) instead of the source")
      .type_name("FILE");
  command
      .add_option(
          "--format",
          [arguments](const std::string& name) { read_name(name, arguments->data.format); },
          "How the data is read: tsv, csv, csv-no-header, conll or conllu (default: as in "
          "training)")
      .check(one_of({"tsv", "csv", "csv-no-header", "conll", "conllu"}))
      .type_name("NAME");
  command
      .add_option(
          "--encoding",
          [arguments](const std::string& name) { read_name(name, arguments->data.encoding); },
          "Of the data: utf-8 or latin1 (default: as in training)")
      .check(one_of({"utf-8", "utf8", "latin1"}))
      .type_name("NAME");
  command.add_option("--samples", arguments->samples, "Answers to show (default: none)")
      .check(whole_number(0, 1000))
      .type_name("N");
  command.add_flag("--tokenized", arguments->tokenized,
                   "The words of the data are separated by spaces: BLEU takes them as they are");
  command
      .add_option("--beam", arguments->beam.width,
                  "translate, summarize: hypotheses kept at once (default: 1)")
      .check(whole_number(1, 64))
      .type_name("B");
  command
      .add_option("--length-penalty", arguments->beam.length_penalty,
                  "Hypotheses are compared by log p / length^A (default: 1)")
      .type_name("A");
  command
      .add_option("--judge", arguments->judge,
                  "A model that answers: the true score of its answers to prompts, --data: world")
      .check(one_of({"world"}))
      .type_name("NAME");
  command
      .add_option("--reward", arguments->answers.reward,
                  "A model that answers: what a reward model says of its answers to prompts")
      .type_name("DIR");
  command
      .add_option("--answer-tokens", arguments->answers.max_tokens,
                  "Of an answer at most (default: as in heed align, or 64)")
      .check(whole_number(1, 1 << 20))
      .type_name("N");
  command.add_option("-t,--threads", arguments->threads, "Threads (default: all cores)")
      .check(whole_number(1, 1024))
      .type_name("N");
  command.add_flag("--json", arguments->json, "Print the scores as JSON");
  command.footer(
      "loss is in nats per token (or label); for a language model over consecutive\n"
      "windows of its context; of one that answers (--data: conversations, .jsonl or\n"
      ".json) that of the answers. bits_per_byte, which is loss / ln 2 * tokens / bytes\n"
      "of the text, compares language models whatever their tokens are. Scores of texts\n"
      "and accuracies are out of 100. Of a reward model (--data: rankings) and of\n"
      "answers (--judge, --reward; --data: prompts) the scores are those of heed reward\n"
      "and heed align. BLEU has the signature of sacreBLEU beside it, which says how it\n"
      "was computed; heed score-text scores the output of other systems.\n"
      "Examples:\n"
      "  heed eval -m book --data other.txt\n"
      "  heed eval -m en-de --data test.en test.de --beam 5 --json\n"
      "  heed eval -m assistant --data dialogues.jsonl\n"
      "  heed eval -m judge --data rankings.jsonl\n"
      "  heed eval -m aligned --data prompts.jsonl --judge world");
  command.callback([&run, command, arguments] {
    require_option(command, "--model");
    require_option(command, "--data");
    run = [arguments] { evaluate(*arguments); };
  });
}

}  // namespace heed::cli
