// heed generate, on a language model with random weights.

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/cli/program.h"
#include "tests/cli/train_files.h"
#include "tests/pipeline/small_runs.h"

namespace heed::generate_test {
namespace {

using Words = std::vector<std::string>;

const std::string& model() {
  static const std::string folder =
      write_small_run(temporary("lm-bytes"), {.tokenizer = TokenizerKind::byte});
  return folder;
}

Outcome generate(const Words& more, const std::string& folder = model()) {
  Words all = {"generate", "-m", folder, "-t", "1"};
  all.insert(all.end(), more.begin(), more.end());
  return run_heed(all);
}

std::string text_of(const Words& more) {
  const Outcome outcome = generate(more);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  return outcome.out;
}

void expect_line(const Outcome& outcome, int code, const std::string& text) {
  EXPECT_EQ(outcome.code, code) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_NE(outcome.err.find(text), std::string::npos) << outcome.err;
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
}

TEST(CliGenerate, PrintsTheContinuation) {
  const std::string plain = text_of({"-p", "the", "-n", "9"});
  EXPECT_EQ(text_of({"-p", "the", "-n", "9", "--echo"}), "the" + plain);
  EXPECT_EQ(text_of({"-p", "the", "-n", "9", "--greedy"}), plain);
  EXPECT_EQ(text_of({"-p", "the", "-n", "9", "--beam", "1"}), plain);
  EXPECT_EQ(text_of({"-p", "the", "-n", "9", "--stream"}), plain);
  EXPECT_EQ(text_of({"-p", "the", "-n", "9", "--stream", "--echo"}), "the" + plain);
}

TEST(CliGenerate, SeedsDecide) {
  const auto drawn = [](const char* seed, const char* threads) {
    return run_heed({"generate", "-m", model(), "-p", "a", "-n", "20", "--temp", "1.2", "--top-k",
                     "50", "--top-p", "0.95", "--min-p", "0.001", "-s", seed, "-t", threads})
        .out;
  };
  EXPECT_EQ(drawn("1", "1"), drawn("1", "2"));
  EXPECT_NE(drawn("1", "1"), drawn("2", "1"));
  // A line alone and among others.
  const std::string file = file_with("prompts", "one\ntwo\r\n\nfour\n");
  const Outcome lines = generate({file, "-n", "12", "--temp", "1", "--json"});
  ASSERT_EQ(lines.code, 0) << lines.err;
  const auto alone = run_json({"generate", "-m", model(), "-p", "two", "-n", "12", "--temp", "1"});
  std::istringstream in(lines.out);
  std::string line;
  for (int i = 0; i < 2; ++i) std::getline(in, line);
  EXPECT_EQ(nlohmann::json::parse(line), alone);
}

TEST(CliGenerate, Json) {
  const auto page = run_json({"generate", "-m", model(), "-p", "the", "-n", "5", "--logprobs",
                              "--alternatives", "3", "--beam", "4", "--n-best", "2"});
  EXPECT_EQ(page["prompt"], "the");
  EXPECT_EQ(page["ending"], "limit");
  ASSERT_EQ(page["tokens"].size(), 5u);
  double sum = 0;
  for (const auto& token : page["tokens"]) {
    sum += token["log_probability"].get<double>();
    EXPECT_EQ(token["alternatives"].size(), 3u);
  }
  EXPECT_NEAR(page["log_probability"].get<double>(), sum, 1e-9);
  EXPECT_NEAR(page["score"].get<double>(), sum / 5, 1e-9);
  ASSERT_EQ(page["others"].size(), 1u);
  EXPECT_LE(page["others"][0]["score"].get<double>(), page["score"].get<double>());
  EXPECT_EQ(page["others"][0]["tokens"].size(), 5u);
}

// As many lines as there are tokens in JSON: those of every result, and the end if it was written.
TEST(CliGenerate, TokensAsText) {
  const Words beam = {"-p", "the", "-n", "5", "--logprobs", "--beam", "4", "--n-best", "2"};
  const std::string shown = text_of(beam);
  EXPECT_EQ(std::count(shown.begin(), shown.end(), '\n'), 2 * (1 + 5)) << shown;
  for (int seed = 0; seed < 200; ++seed) {
    const Words drawn = {"-p",        "the", "-n", "30", "--temp", "3", "-s", std::to_string(seed),
                         "--logprobs"};
    Words json = {"generate", "-m", model()};
    json.insert(json.end(), drawn.begin(), drawn.end());
    const auto page = run_json(json);
    if (page["ending"] != "end") continue;
    const std::string text = text_of(drawn);
    EXPECT_NE(text.find("<|eos|>"), std::string::npos) << text;
    return;
  }
  FAIL() << "no text has ended";
}

TEST(CliGenerate, PatientBeams) {
  const Words beam = {"generate", "-m", model(), "-p", "the", "-n", "9", "--beam", "3"};
  Words patient = beam;
  patient.emplace_back("--patient");
  EXPECT_GE(run_json(patient)["score"].get<double>(), run_json(beam)["score"].get<double>());
}

TEST(CliGenerate, StopsAndLimits) {
  const std::string folder =
      write_small_run(temporary("lm-letters"), {.tokenizer = TokenizerKind::character});
  const std::string text =
      run_json({"generate", "-m", folder, "-p", "the", "-n", "30", "--temp", "1"})["text"];
  const std::string stop = text.substr(3, 1);
  const auto cut = run_json({"generate", "-m", folder, "-p", "the", "-n", "30", "--temp", "1",
                             "--stop", "never", "--stop", stop});
  EXPECT_EQ(cut["text"], text.substr(0, text.find(stop)));
  EXPECT_EQ(cut["ending"], "stop");
  const std::string begun = text_of({"-p", "the", "-n", "9", "--begin", " old"});
  EXPECT_TRUE(begun.starts_with(" old"));
}

// A model without a position for the next token ends; others go on, where they were not trained.
TEST(CliGenerate, TheEndOfTheContext) {
  const std::string learned =
      write_small_run(temporary("lm-learned"),
                      {.tokenizer = TokenizerKind::byte, .positions = PositionKind::learned});
  const Words longest{"-p", "the", "-n", "60", "--min-tokens", "60", "--json"};
  const Outcome ended = generate(longest, learned);
  ASSERT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(nlohmann::json::parse(ended.out)["ending"], "context");
  EXPECT_EQ(ended.err, "heed: 1 text ends where the context of the model does, after 40 tokens\n");
  const std::string rotary =
      write_small_run(temporary("lm-rotary"),
                      {.tokenizer = TokenizerKind::byte, .positions = PositionKind::rotary});
  const Outcome beyond = generate(longest, rotary);
  EXPECT_EQ(nlohmann::json::parse(beyond.out)["ending"], "limit");
  EXPECT_NE(beyond.err.find("heed: 1 text is longer than the context of the model, 40 tokens"),
            std::string::npos)
      << beyond.err;
  EXPECT_EQ(std::count(beyond.err.begin(), beyond.err.end(), '\n'), 1) << beyond.err;
  // 3 tokens read and 38 written: the last one is not read.
  EXPECT_EQ(generate({"-p", "the", "-n", "38", "--min-tokens", "38"}, rotary).err, "");
  EXPECT_NE(generate({"-p", "the", "-n", "39", "--min-tokens", "39"}, rotary).err, "");
}

// SentencePiece puts a space before a text of its own, not within one.
TEST(CliGenerate, TheBeginAfterAPrompt) {
  for (const TokenizerKind kind : {TokenizerKind::unigram, TokenizerKind::sentencepiece_bpe,
                                   TokenizerKind::bpe, TokenizerKind::byte}) {
    const std::string folder = write_small_run(temporary("lm-begin"), {.tokenizer = kind});
    const Outcome outcome =
        generate({"-p", "the old town", "-n", "8", "--begin", " there", "--echo"}, folder);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_TRUE(outcome.out.starts_with("the old town there")) << outcome.out;
  }
}

TEST(CliGenerate, OddPrompts) {
  EXPECT_EQ(generate({"-p", "", "-n", "5"}).code, 0);
  EXPECT_EQ(generate({"-p", "\xff\xfe", "-n", "5"}).code, 0);
  EXPECT_EQ(run_json({"generate", "-m", model(), "-p", "\xff", "-n", "5"})["prompt"],
            "\xef\xbf\xbd");
  expect_line(generate({"-p", std::string(kSmallContext + 1, 'a')}), 1,
              "the prompt has 41 tokens, but the context of the model is 40");
  expect_line(generate({file_with("long-line", std::string(10 << 20, 'b') + "\n")}), 1,
              "shorten it");
  EXPECT_EQ(generate({file_with("nothing", "")}).out, "");
  const std::string second =
      file_with("long-second", "the sea\n" + std::string(kSmallContext + 1, 'a') + "\nonce\n");
  const Outcome some = generate({second, "-n", "4"});
  EXPECT_EQ(some.code, 1);
  EXPECT_EQ(some.out, generate({file_with("only-first", "the sea\n"), "-n", "4"}).out);
  EXPECT_NE(some.err.find("long-second: line 2: the prompt has 41 tokens"), std::string::npos)
      << some.err;
}

TEST(CliGenerate, WhatCameBeforeIsLessLikely) {
  const auto ids = [](const Words& more) {
    Words all{"generate", "-m",           model(), "-p",         "the", "-n",
              "30",       "--min-tokens", "30",    "--logprobs", "-t",  "1"};
    all.insert(all.end(), more.begin(), more.end());
    const auto page = run_json(all);
    std::vector<int> found;
    for (const auto& token : page["tokens"]) found.push_back(token["id"]);
    return found;
  };
  const auto kinds = [](const std::vector<int>& all) {
    return std::set<int>(all.begin(), all.end()).size();
  };
  const std::vector<int> plain = ids({});
  ASSERT_LT(kinds(plain), plain.size());
  EXPECT_GT(kinds(ids({"--repetition-penalty", "50"})), kinds(plain));
  EXPECT_GT(kinds(ids({"--frequency-penalty", "50"})), kinds(plain));
  std::set<std::pair<int, int>> pairs;
  const std::vector<int> unlike = ids({"--beam", "2", "--no-repeat", "2"});
  for (size_t i = 0; i + 1 < unlike.size(); ++i) {
    EXPECT_TRUE(pairs.insert({unlike[i], unlike[i + 1]}).second) << i;
  }
}

TEST(CliGenerate, AStreamIntoAFullDiskIsAnError) {
  const std::string line = "'" HEED_PROGRAM "' generate -m '" + model() +
                           "' -p a -n 20 -t 1 --stream > /dev/full 2> /dev/null";
  EXPECT_EQ(WEXITSTATUS(std::system(line.c_str())), 1);
}

TEST(CliGenerate, Mistakes) {
  expect_line(run_heed({"generate", "-p", "a"}), 2, "--model");
  expect_line(generate({"-p", "a", "--greedy", "--temp", "1"}), 2, "--greedy excludes");
  expect_line(generate({"-p", "a", "--beam", "2", "--top-k", "4"}), 2, "--beam excludes");
  expect_line(generate({"-p", "a", "--beam", "2", "--n-best", "3"}), 2, "--n-best");
  expect_line(generate({"-p", "a", "--stream", "--beam", "2"}), 2, "--stream");
  expect_line(generate({"--stream"}), 2, "--stream needs -p");
  expect_line(generate({"-p", "a", "--alternatives", "3"}), 2, "--alternatives needs --logprobs");
  expect_line(generate({"-p", "a", "--length-penalty", "1.4"}), 2, "--length-penalty");
  for (const char* seed : {"-1", "99999999999999999999999", "abc", "1.5"}) {
    expect_line(generate({"-p", "a", "-s", seed}), 2,
                std::string("--seed: '") + seed + "' is not a whole number from 0 to");
  }
  expect_line(generate({"-p", "a", "--patient"}), 2, "--patient needs --beam");
  expect_line(generate({"-p", "a", "--top-p", "0"}), 2, "--top-p");
  expect_line(generate({"-p", "a", "--stop", ""}), 2, "--stop");
  expect_line(run_heed({"generate", "-m", temporary("no-model"), "-p", "a"}), 1, "config.json");
  const std::string other = write_small_run(temporary("translator"), {.task = Task::translate});
  expect_line(generate({"-p", "a"}, other), 1, "only a language model");
}

}  // namespace
}  // namespace heed::generate_test
