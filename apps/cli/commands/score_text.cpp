// heed score-text: how well texts, labels or tags of any system agree with the right ones.

#include <algorithm>
#include <cmath>
#include <iostream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <unordered_map>

#include "apps/cli/console/result.h"
#include "apps/cli/options/command.h"
#include "apps/cli/options/command_line.h"
#include "apps/cli/options/option_checks.h"
#include "heed/base/blanks.h"
#include "heed/base/counted.h"
#include "heed/base/fail.h"
#include "heed/data/line_reader.h"
#include "heed/metrics/bootstrap.h"
#include "heed/metrics/classification.h"
#include "heed/metrics/entity_f1.h"
#include "heed/metrics/text_score.h"
#include "heed/run/setting_names.h"

namespace heed::cli {
namespace {

using Texts = std::vector<std::string>;

constexpr int64_t kLongestLine = int64_t{1} << 40;

struct ScoreTextArguments {
  std::string hypotheses, references;
  std::vector<std::string> metrics = {"bleu", "chrf", "exact_match"};
  Encoding encoding = Encoding::utf8;
  bool labels = false, tags = false;
  bool tokenized = false, interval = false, json = false;
};

struct NamedScore {
  std::string name;
  double value = 0;  // 0 to 100
  std::optional<Interval> interval = std::nullopt;
  std::string signature = {};
};

std::string shown_name(const std::string& file) { return file == "-" ? "stdin" : file; }

Texts lines_of(const std::string& file, Encoding encoding) {
  std::string typed;
  if (file == "-") typed.assign(std::istreambuf_iterator<char>(std::cin), {});
  const TextSource source = file == "-" ? TextSource(typed, shown_name(file)) : TextSource(file);
  LineReader reader(source, {.encoding = encoding, .longest = kLongestLine});
  Texts lines;
  while (const auto line = reader.next()) lines.emplace_back(*line);
  if (lines.empty()) fail("{}: it is empty; a line for each text is expected", source.name);
  return lines;
}

// The lines of both files, as many in one as in the other.
struct ScoredLines {
  Texts hypotheses, references;
  std::string hypothesis_file, reference_file;  // in messages

  size_t size() const { return hypotheses.size(); }
};

ScoredLines read_lines(const ScoreTextArguments& arguments) {
  ScoredLines read{.hypotheses = lines_of(arguments.hypotheses, arguments.encoding),
                   .references = lines_of(arguments.references, arguments.encoding),
                   .hypothesis_file = shown_name(arguments.hypotheses),
                   .reference_file = shown_name(arguments.references)};
  if (read.hypotheses.size() != read.references.size()) {
    fail("{} has {}, but {} has {}; line 1 of one belongs to line 1 of the other, and so on",
         read.hypothesis_file,
         counted(static_cast<int64_t>(read.hypotheses.size()), "line", "lines"),
         read.reference_file,
         counted(static_cast<int64_t>(read.references.size()), "line", "lines"));
  }
  return read;
}

std::vector<NamedScore> scores_of_texts(const ScoredLines& lines,
                                        const ScoreTextArguments& arguments) {
  TextScoreOptions options;
  if (!arguments.interval) options.bootstrap.resamples = 0;
  if (arguments.tokenized) options.bleu.tokenizer = BleuTokenizer::none;
  std::vector<NamedScore> scores;
  for (const std::string& metric : arguments.metrics) {
    const TextScore score = score_texts(metric, lines.hypotheses, lines.references, options);
    scores.push_back({metric, score.value, score.interval, score.signature});
  }
  return scores;
}

// Labels as classes, numbered as they come.
class Classes {
 public:
  std::vector<int32_t> of(const Texts& lines, const std::string& file) {
    std::vector<int32_t> ids;
    for (const std::string& line : lines) {
      const std::string label(trimmed(line));
      if (label.empty()) fail("{}: line {}: there is no label", file, ids.size() + 1);
      ids.push_back(ids_.try_emplace(label, static_cast<int32_t>(ids_.size())).first->second);
    }
    return ids;
  }

  int64_t count() const { return static_cast<int64_t>(ids_.size()); }

 private:
  std::unordered_map<std::string, int32_t> ids_;
};

// A score of the chosen lines, from 0 to 100, and its interval if it is asked for.
NamedScore resampled(const std::string& name, const SentencesScore& score, size_t lines,
                     bool with_interval) {
  std::vector<int64_t> all(lines);
  for (size_t i = 0; i < lines; ++i) all[i] = static_cast<int64_t>(i);
  NamedScore result{.name = name, .value = score(all)};
  if (with_interval) {
    result.interval = bootstrap_interval(static_cast<int64_t>(lines), score);
  }
  return result;
}

NamedScore share_score(const std::string& name, const Proportion& share) {
  const Interval interval = share.interval();
  return {name, 100 * share.value(), Interval{100 * interval.low, 100 * interval.high}};
}

std::vector<NamedScore> scores_of_labels(const ScoredLines& lines, bool with_interval) {
  Classes classes;
  const std::vector<int32_t> expected = classes.of(lines.references, lines.reference_file);
  const std::vector<int32_t> predicted = classes.of(lines.hypotheses, lines.hypothesis_file);
  const auto f1 = [&](PrecisionRecall Classification::*mean) {
    return [&, mean](std::span<const int64_t> chosen) {
      std::vector<int32_t> answers, truth;
      for (const int64_t i : chosen) {
        answers.push_back(predicted[static_cast<size_t>(i)]);
        truth.push_back(expected[static_cast<size_t>(i)]);
      }
      return 100 * (classification(answers, truth, classes.count()).*mean).f1;
    };
  };
  return {share_score("accuracy", classification(predicted, expected, classes.count()).accuracy),
          resampled("macro_f1", f1(&Classification::macro), lines.size(), with_interval),
          resampled("micro_f1", f1(&Classification::micro), lines.size(), with_interval)};
}

bool is_entity_tag(std::string_view tag) {
  return tag == "O" || (tag.size() > 2 && tag[1] == '-' &&
                        std::string_view("BIES").find(tag[0]) != std::string_view::npos);
}

// The tags of a line.
Texts tags_of(std::string_view line, const std::string& file, size_t number) {
  Texts tags;
  for (line = trimmed(line); !line.empty(); line = trimmed(line)) {
    const std::string tag(line.substr(0, line.find_first_of(kBlanks)));
    if (!is_entity_tag(tag)) {
      fail("{}: line {}: '{}' is no tag of an entity, which is O, B-X, I-X, E-X or S-X", file,
           number, tag);
    }
    line.remove_prefix(tag.size());
    tags.push_back(tag);
  }
  return tags;
}

std::vector<NamedScore> scores_of_tags(const ScoredLines& lines, bool with_interval) {
  std::vector<Texts> predicted, expected;
  std::vector<EntityCounts> counts;
  for (size_t i = 0; i < lines.size(); ++i) {
    predicted.push_back(tags_of(lines.hypotheses[i], lines.hypothesis_file, i + 1));
    expected.push_back(tags_of(lines.references[i], lines.reference_file, i + 1));
    if (predicted[i].size() != expected[i].size()) {
      fail("line {}: {} has {}, but {} has {}", i + 1, lines.hypothesis_file,
           counted(static_cast<int64_t>(predicted[i].size()), "tag", "tags"), lines.reference_file,
           expected[i].size());
    }
    counts.push_back(
        entity_f1(std::span(predicted).subspan(i, 1), std::span(expected).subspan(i, 1)).all);
  }
  const auto score = [&](double PrecisionRecall::*which) {
    return [&counts, which](std::span<const int64_t> chosen) {
      EntityCounts sum;
      for (const int64_t i : chosen) {
        const EntityCounts& one = counts[static_cast<size_t>(i)];
        sum.correct += one.correct;
        sum.found += one.found;
        sum.expected += one.expected;
      }
      return 100 * (sum.scores().*which);
    };
  };
  return {resampled("f1", score(&PrecisionRecall::f1), lines.size(), with_interval),
          resampled("precision", score(&PrecisionRecall::precision), lines.size(), with_interval),
          resampled("recall", score(&PrecisionRecall::recall), lines.size(), with_interval),
          share_score("accuracy", entity_f1(predicted, expected).tags)};
}

void print_scores(const std::vector<NamedScore>& scores, const ScoreTextArguments& arguments) {
  for (const NamedScore& score : scores) {
    print_result("{:<12} {:.4f}", score.name, score.value);
    if (arguments.interval && score.interval) {
      print_result("  {:.4f} to {:.4f}", score.interval->low, score.interval->high);
    }
    print_result("\n");
  }
  for (const NamedScore& score : scores) {
    if (!score.signature.empty()) print_result("{} is {}\n", score.name, score.signature);
  }
}

void print_page(const std::vector<NamedScore>& scores, size_t lines,
                const ScoreTextArguments& arguments) {
  nlohmann::ordered_json page{{"lines", lines}};
  for (const NamedScore& score : scores) {
    page[score.name] = score.value;
    if (arguments.interval && score.interval) {
      page[score.name + "_interval"] = {score.interval->low, score.interval->high};
    }
    if (!score.signature.empty()) page[score.name + "_signature"] = score.signature;
  }
  print_result("{}\n", page.dump());
}

void score_text(const ScoreTextArguments& arguments) {
  const ScoredLines lines = read_lines(arguments);
  const std::vector<NamedScore> scores =
      arguments.labels ? scores_of_labels(lines, arguments.interval)
      : arguments.tags ? scores_of_tags(lines, arguments.interval)
                       : scores_of_texts(lines, arguments);
  if (arguments.json) {
    print_page(scores, lines.size(), arguments);
  } else {
    print_scores(scores, arguments);
  }
}

// "bleu,chrf", each once.
std::vector<std::string> metric_list(std::string text) {
  const std::vector<std::string> known(text_metrics().begin(), text_metrics().end());
  std::vector<std::string> metrics;
  for (size_t comma = 0; comma != std::string::npos;) {
    comma = text.find(',');
    const std::string metric = text.substr(0, comma);
    if (std::find(known.begin(), known.end(), metric) == known.end()) {
      const std::string like = nearest(metric, known);
      wrong_usage(fmt::format("--metric: unknown metric '{}'; {}", metric,
                              like.empty() ? fmt::format("there are {}", fmt::join(known, ", "))
                                           : "did you mean '" + like + "'?"));
    }
    if (std::find(metrics.begin(), metrics.end(), metric) == metrics.end()) {
      metrics.push_back(metric);
    }
    if (comma != std::string::npos) text.erase(0, comma + 1);
  }
  return metrics;
}

void check_options(const Command& command, const ScoreTextArguments& arguments) {
  if (arguments.hypotheses.empty() || arguments.references.empty()) {
    wrong_usage("HYP and REF are required: the texts of a system, and the right ones");
  }
  if (arguments.references == "-") wrong_usage("REF must be a file; only HYP may be -, stdin");
  if (arguments.labels && arguments.tags) wrong_usage("--labels and --tags exclude each other");
  const bool has_texts = !arguments.labels && !arguments.tags;
  for (const char* option : {"--metric", "--tokenized"}) {
    if (!has_texts && command.has(option)) {
      wrong_usage(fmt::format("{} goes with texts, not with {}", option,
                              arguments.labels ? "--labels" : "--tags"));
    }
  }
  const Texts& metrics = arguments.metrics;
  if (arguments.tokenized && std::find(metrics.begin(), metrics.end(), "bleu") == metrics.end()) {
    wrong_usage("--tokenized is about bleu, which --metric leaves out");
  }
}

}  // namespace

void add_score_text_command(CLI::App& app, Run& run) {
  Command command(app, "score-text", "Compare the output of any system with the right one");
  auto arguments = std::make_shared<ScoreTextArguments>();
  command
      .add_option("HYP", arguments->hypotheses,
                  "What a system wrote, a line each; -: stdin (required)")
      .type_name("FILE");
  command.add_option("REF", arguments->references, "What is right, as many lines (required)")
      .type_name("FILE");
  command
      .add_option(
          "--metric",
          [arguments](const std::string& text) { arguments->metrics = metric_list(text); },
          "Some of bleu, chrf, chrf++, rouge1, rouge2, rougeL and exact_match (default: "
          "bleu,chrf,exact_match)")
      .type_name("LIST");
  command.add_flag("--tokenized", arguments->tokenized,
                   "The words are separated by spaces: BLEU takes them as they are");
  command.add_flag("--labels", arguments->labels,
                   "A line is a label: accuracy, macro and micro F1");
  command.add_flag("--tags", arguments->tags,
                   "A line is the tags of a sentence, separated by spaces: F1 of entities");
  command.add_flag("--interval", arguments->interval,
                   "Also an interval of 95 % for each score, by resampling the lines");
  command
      .add_option(
          "--encoding",
          [arguments](const std::string& name) { read_name(name, arguments->encoding); },
          "Of both files: utf-8 or latin1 (default: utf-8)")
      .check(one_of({"utf-8", "utf8", "latin1"}))
      .type_name("NAME");
  command.add_flag("--json", arguments->json, "Print the scores as JSON");
  command.footer(
      "All scores are out of 100. BLEU and chrF have the signatures of sacreBLEU beside\n"
      "them, which say how they were computed; ROUGE is the mean F1. Intervals are by\n"
      "bootstrap (1000 resamples); of accuracy and exact_match they are Wilson's.\n"
      "Examples:\n"
      "  heed score-text output.de test.de --metric bleu,chrf++ --interval\n"
      "  heed translate -m en-de test.en | heed score-text - test.de\n"
      "  heed score-text --labels predicted.txt test-labels.txt --json");
  command.callback([&run, command, arguments] {
    check_options(command, *arguments);
    run = [arguments] { score_text(*arguments); };
  });
}

}  // namespace heed::cli
