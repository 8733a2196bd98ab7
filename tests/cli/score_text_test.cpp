// heed score-text: the scores of heed/metrics for files of any system.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "heed/metrics/bleu.h"
#include "heed/metrics/bootstrap.h"
#include "heed/metrics/chrf.h"
#include "heed/metrics/classification.h"
#include "heed/metrics/entity_f1.h"
#include "heed/metrics/exact_match.h"
#include "heed/metrics/rouge.h"
#include "tests/cli/program.h"
#include "tests/cli/train_files.h"

namespace heed::score_text_test {
namespace {

using Words = std::vector<std::string>;

const Words kPredicted = {"the cat sits on the mat.", "a small , red house", "",
                          "it rains in the old street today", "equal"};
const Words kExpected = {"the cat sat on the mat.", "a small, red house", "nothing at all",
                         "it rains in the old Stra\xc3\x9f"
                         "e today",
                         "equal"};

std::string joined(const Words& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

std::string predicted_file() { return file_with("score-hyp.txt", joined(kPredicted)); }
std::string expected_file() { return file_with("score-ref.txt", joined(kExpected)); }

nlohmann::json scores(const Words& more = {}) {
  Words all{"score-text", predicted_file(), expected_file()};
  all.insert(all.end(), more.begin(), more.end());
  return run_json(all);
}

void expect_failure(const Outcome& outcome, int code, const std::string& message) {
  EXPECT_EQ(outcome.code, code) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  EXPECT_NE(outcome.err.find(message), std::string::npos) << outcome.err;
}

TEST(CliScoreText, TextsByDefault) {
  const nlohmann::json page = scores();
  const BleuScore bleu = corpus_bleu(kPredicted, kExpected);
  const ChrfScore chrf = corpus_chrf(kPredicted, kExpected);
  EXPECT_GT(bleu.score, 10);
  const nlohmann::ordered_json expected = {
      {"lines", 5},
      {"bleu", bleu.score},
      {"bleu_signature", bleu.signature},
      {"chrf", chrf.score},
      {"chrf_signature", chrf.signature},
      {"exact_match", 100 * exact_match(kPredicted, kExpected).value()}};
  EXPECT_EQ(page, nlohmann::json(expected));
}

TEST(CliScoreText, EveryMetric) {
  const nlohmann::json page =
      scores({"--metric", "rougeL,chrf++,rouge1,rouge2,bleu,rouge1", "--tokenized"});
  const RougeScore rouge = corpus_rouge(kPredicted, kExpected);
  EXPECT_NEAR(page["rouge1"].get<double>(), 100 * rouge.rouge1.f1, 1e-9);
  EXPECT_NEAR(page["rouge2"].get<double>(), 100 * rouge.rouge2.f1, 1e-9);
  EXPECT_NEAR(page["rougeL"].get<double>(), 100 * rouge.rougeL.f1, 1e-9);
  EXPECT_EQ(page["chrf++"], corpus_chrf(kPredicted, kExpected, {.word_order = 2}).score);
  const BleuScore words =
      corpus_bleu(kPredicted, kExpected, BleuOptions{.tokenizer = BleuTokenizer::none});
  EXPECT_EQ(page["bleu"], words.score);
  EXPECT_EQ(page["bleu_signature"], words.signature);
  EXPECT_NE(words.score, corpus_bleu(kPredicted, kExpected).score);
  EXPECT_FALSE(page.contains("chrf") || page.contains("exact_match")) << page;
}

TEST(CliScoreText, Intervals) {
  const nlohmann::json page = scores({"--interval"});
  std::vector<BleuCounts> counts;
  for (size_t i = 0; i < kPredicted.size(); ++i) {
    counts.push_back(bleu_counts(kPredicted[i], std::span(kExpected).subspan(i, 1)));
  }
  const Interval bleu = bleu_interval(counts);
  EXPECT_EQ(page["bleu_interval"], (std::vector<double>{bleu.low, bleu.high}));
  const Interval equal = exact_match(kPredicted, kExpected).interval();
  EXPECT_EQ(page["exact_match_interval"], (std::vector<double>{100 * equal.low, 100 * equal.high}));
  EXPECT_TRUE(page.contains("chrf_interval"));
}

TEST(CliScoreText, OnATerminalAndFromStdin) {
  const Outcome file = run_heed({"score-text", predicted_file(), expected_file()});
  EXPECT_EQ(file.code, 0) << file.err;
  const BleuScore bleu = corpus_bleu(kPredicted, kExpected);
  EXPECT_EQ(file.out.rfind(fmt::format("bleu         {:.4f}\nchrf         ", bleu.score), 0), 0u)
      << file.out;
  EXPECT_NE(file.out.find("\nexact_match  20.0000\nbleu is " + bleu.signature + "\n"),
            std::string::npos)
      << file.out;
  const Outcome piped = run_heed_with(joined(kPredicted), {"score-text", "-", expected_file()});
  EXPECT_EQ(piped.out, file.out) << piped.err;
  const Outcome wide = run_heed(
      {"score-text", predicted_file(), expected_file(), "--metric", "exact_match", "--interval"});
  EXPECT_EQ(wide.out.rfind("exact_match  20.0000  ", 0), 0u) << wide.out;
  EXPECT_NE(wide.out.find(" to "), std::string::npos) << wide.out;
}

TEST(CliScoreText, Labels) {
  const std::string predicted = file_with("labels-hyp", "dog\ncat\r\nbird\ndog\ndog \ncat");
  const std::string expected = file_with("labels-ref", "dog\ncat\ncat\ndog\ncat\ncat\n");
  const nlohmann::json page = run_json({"score-text", predicted, expected, "--labels"});
  const Classification right = classification(std::vector<int32_t>{0, 1, 2, 0, 0, 1},
                                              std::vector<int32_t>{0, 1, 1, 0, 1, 1}, 3);
  EXPECT_EQ(page["lines"], 6);
  EXPECT_EQ(page["accuracy"], 100 * right.accuracy.value());
  EXPECT_EQ(page["macro_f1"], 100 * right.macro.f1);
  EXPECT_EQ(page["micro_f1"], 100 * right.micro.f1);
  const nlohmann::json wide =
      run_json({"score-text", predicted, expected, "--labels", "--interval"});
  for (const char* name : {"accuracy", "macro_f1", "micro_f1"}) {
    const auto interval = wide[std::string(name) + "_interval"].get<std::vector<double>>();
    ASSERT_EQ(interval.size(), 2u) << name;
    EXPECT_LE(interval[0], wide[name].get<double>()) << name;
    EXPECT_GE(interval[1], wide[name].get<double>()) << name;
  }
}

TEST(CliScoreText, Tags) {
  const std::vector<Words> predicted = {{"B-PER", "I-PER", "O"}, {"O", "B-LOC"}, {}, {"B-ORG"}};
  const std::vector<Words> expected = {{"B-PER", "I-PER", "O"}, {"B-LOC", "B-LOC"}, {}, {"O"}};
  const std::string ours = file_with("tags-hyp", "B-PER I-PER O\nO  B-LOC \n\nB-ORG\n");
  const std::string theirs = file_with("tags-ref", "B-PER I-PER\tO\nB-LOC B-LOC\n\nO\n");
  const EntityScore right = entity_f1(predicted, expected);
  const nlohmann::json page = run_json({"score-text", "--tags", ours, theirs, "--interval"});
  EXPECT_EQ(page["f1"], 100 * right.all.scores().f1);
  EXPECT_EQ(page["precision"], 100 * right.all.scores().precision);
  EXPECT_EQ(page["recall"], 100 * right.all.scores().recall);
  EXPECT_EQ(page["accuracy"], 100 * right.tags.value());
  EXPECT_EQ(page["f1_interval"].size(), 2u);
}

TEST(CliScoreText, FilesThatCannotBeScored) {
  const std::string good = expected_file();
  const auto failure = [&](const Words& more, const std::string& message) {
    Words all{"score-text"};
    all.insert(all.end(), more.begin(), more.end());
    expect_failure(run_heed(all), 1, message);
  };
  const std::string one = file_with("one-line", "a\n");
  failure({one, good}, one + " has 1 line, but " + good + " has 5 lines");
  const std::string empty = file_with("no-line", "");
  failure({empty, good}, empty + ": it is empty");
  failure({good, empty}, empty + ": it is empty");
  failure({"-", good}, "stdin: it is empty");
  const std::string bad = file_with("latin",
                                    "a\nb\nStra\xdf"
                                    "e\nd\ne\n");
  failure({bad, good}, bad + ": line 3, byte 5: 0xDF is not UTF-8");
  failure({temporary("nowhere.txt"), good}, "nowhere.txt: cannot read: No such file");
  failure({good, std::filesystem::path(good).parent_path().string()}, "is a directory");
  EXPECT_EQ(run_heed({"score-text", bad, good, "--encoding", "latin1"}).code, 0);

  const std::string blank = file_with("blank-label", "a\n \n");
  const std::string labels = file_with("two-labels", "a\nb\n");
  failure({blank, labels, "--labels"}, blank + ": line 2: there is no label");
  const std::string tags = file_with("two-tags", "O O\nB-A I-A\n");
  const std::string fewer = file_with("few-tags", "O O\nB-A\n");
  failure({fewer, tags, "--tags"}, "line 2: " + fewer + " has 1 tag, but " + tags + " has 2");
  failure({labels, tags, "--tags"}, labels + ": line 1: 'a' is no tag of an entity");
}

TEST(CliScoreText, OptionsThatCannotBeMeant) {
  const std::string good = expected_file();
  const auto mistake = [&](const Words& more, const std::string& message) {
    Words all{"score-text", good};
    all.insert(all.end(), more.begin(), more.end());
    expect_failure(run_heed(all), 2, message);
  };
  mistake({}, "HYP and REF are required");
  mistake({"-"}, "REF must be a file");
  mistake({good, "--metric", "blue"}, "unknown metric 'blue'; did you mean 'bleu'?");
  mistake({good, "--metric", "bleu,"}, "unknown metric ''; there are bleu, chrf, chrf++");
  mistake({good, "--metric", "chrf", "--tokenized"}, "--tokenized is about bleu");
  mistake({good, "--labels", "--tags"}, "--labels and --tags exclude each other");
  mistake({good, "--labels", "--metric", "bleu"}, "--metric goes with texts, not with --labels");
  mistake({good, "--tags", "--tokenized"}, "--tokenized goes with texts, not with --tags");
}

}  // namespace
}  // namespace heed::score_text_test
