// heed rank, as a person uses it: lines are typed, rankings come out.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "tests/cli/program.h"
#include "tests/cli/train_files.h"

namespace heed::rank_test {
namespace {

using Words = std::vector<std::string>;

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// A model that answers, and five prompts.
struct Ranked {
  Ranked() {
    const std::string prefix = temporary("rank-world"), base = temporary("rank-base");
    model = temporary("rank-model");
    const auto done = [](const Words& arguments) {
      const Outcome outcome = run_heed(arguments);
      EXPECT_EQ(outcome.code, 0) << outcome.err;
    };
    done({"corpus", "world", "-n", "50", "-o", prefix});
    done({"train",       "lm",   "--train",  prefix + ".txt",
          "--tokenizer", "word", "--dim",    "8",
          "--heads",     "1",    "--layers", "1",
          "--context",   "32",   "--steps",  "10",
          "-o",          base,   "-t",       "1",
          "--quiet"});
    done({"finetune", "-m", base, "--train", prefix + ".dialogues.jsonl", "--steps", "5", "-o",
          model, "-t", "1", "--quiet"});
    prompts = file_with("rank-prompts.jsonl",
                        R"({"prompt": "Where is the lamp?"}
{"prompt": "Where is the cup?"}
{"prompt": "Where is the lamp?"}
{"prompt": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Where is the box?"}]}
{"prompt": "Where is the bell?"}
)");
  }

  std::string model, prompts;
};

Outcome rank(const std::string& typed, const std::string& file, const Words& more = {}) {
  static const Ranked made;
  Words all{"rank", "-m", made.model, "--prompts", made.prompts, "-o", file, "-n", "6", "-t", "1"};
  all.insert(all.end(), more.begin(), more.end());
  return run_heed_with(typed, all);
}

std::vector<nlohmann::json> lines_of(const std::string& file) {
  std::vector<nlohmann::json> lines;
  if (!std::filesystem::exists(file)) return lines;
  const std::string text = file_text(file);
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(nlohmann::json::parse(text.substr(at, end - at)));
    at = end + 1;
  }
  return lines;
}

// The answers to the prompts as they are shown: always the same for a seed.
const std::vector<Words>& shown() {
  static const std::vector<Words> all = [] {
    const std::string file = temporary("ranked0.jsonl");
    rank("123\n123\n123\n123\n", file);
    std::vector<Words> answers;
    for (const auto& line : lines_of(file)) answers.push_back(line["answers"].get<Words>());
    EXPECT_EQ(answers.size(), 4u);
    return answers;
  }();
  return all;
}

TEST(Rank, OrderByNumbers) {
  const std::string file = temporary("ranked1.jsonl");
  const Outcome outcome = rank("213\n 3 > 1, 2 \n32\n", file);  // and then the input ends
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_TRUE(has(outcome.err, "3 rankings were added to " + file)) << outcome.err;
  EXPECT_TRUE(has(outcome.err, "\n1 of 4\nWhere is the lamp?\n")) << outcome.err;
  EXPECT_TRUE(has(outcome.err, "\n3 of 4\nsystem: Be brief.\nuser: Where is the box?\n"));
  const auto lines = lines_of(file);
  ASSERT_EQ(lines.size(), 3u);
  Words answers = shown()[0];
  EXPECT_EQ(lines[0]["prompt"], "Where is the lamp?");
  EXPECT_EQ(lines[0]["answers"], (Words{answers[1], answers[0], answers[2]}));
  answers = shown()[1];
  EXPECT_EQ(lines[1]["answers"], (Words{answers[2], answers[0], answers[1]}));
  answers = shown()[2];
  EXPECT_EQ(lines[2]["answers"], (Words{answers[2], answers[1]}));  // one was left out
  EXPECT_EQ(lines[2]["prompt"][0]["role"], "system");
}

TEST(Rank, GoesOnWhereItWas) {
  const std::string file = temporary("ranked2.jsonl");
  rank("123\nq\n", file);
  EXPECT_EQ(lines_of(file).size(), 1u);
  const Outcome second = rank("s\n123\n123\n", file);
  EXPECT_TRUE(has(second.err, "1 prompt is ranked already")) << second.err;
  EXPECT_TRUE(has(second.err, "1 of 3\nWhere is the cup?")) << second.err;
  EXPECT_TRUE(has(second.err, "1 prompt was skipped; a later call asks again"));
  EXPECT_TRUE(has(second.err, "2 rankings were added"));
  const Outcome third = rank("123\n", file);
  EXPECT_TRUE(has(third.err, "1 of 1\nWhere is the cup?")) << third.err;
  EXPECT_EQ(lines_of(file).size(), 4u);
  EXPECT_TRUE(has(rank("", file).err, "all 4 prompts are ranked"));
}

TEST(Rank, GoesBack) {
  const std::string file = temporary("ranked3.jsonl");
  const Outcome outcome = rank("u\n123\ns\nu\nU\n321\nq\n", file);
  EXPECT_TRUE(has(outcome.err, "this is the first prompt")) << outcome.err;
  EXPECT_TRUE(has(outcome.err, "1 ranking was added")) << outcome.err;
  const auto lines = lines_of(file);
  ASSERT_EQ(lines.size(), 1u);
  const Words answers = shown()[0];
  EXPECT_EQ(lines[0]["answers"], (Words{answers[2], answers[1], answers[0]}));
  EXPECT_TRUE(has(rank("q\n", file).err, "1 of 3\nWhere is the cup?"));
}

TEST(Rank, WhatIsNoOrderIsAskedAgain) {
  const std::string file = temporary("ranked4.jsonl");
  for (const char* typed : {"12a\n", "11\n", "4\n", "1\n", "\n", "hello\n"}) {
    const Outcome outcome = rank(typed, file);
    EXPECT_EQ(outcome.code, 0);
    EXPECT_TRUE(has(outcome.err, "type the numbers, the best first, such as 213")) << outcome.err;
    EXPECT_TRUE(has(outcome.err, "0 rankings were added")) << outcome.err;
  }
  EXPECT_TRUE(has(rank("1=2>3\n", file).err, "a ranking has no ties"));
  EXPECT_FALSE(std::filesystem::exists(file));  // nothing to keep
}

TEST(Rank, RepairsTheLastLine) {
  const std::string whole = R"({"prompt": "Where is the lamp?", "answers": ["a", "b"]})";
  const std::string file = temporary("ranked5.jsonl");
  file_with("ranked5.jsonl", whole + "\n{\"prompt\":\"Where is the cup?\",\"answ");
  const Outcome torn = rank("123\n", file);
  EXPECT_TRUE(has(torn.err, "the last line was cut off and has been removed")) << torn.err;
  EXPECT_TRUE(has(torn.err, "1 of 3\nWhere is the cup?")) << torn.err;
  ASSERT_EQ(lines_of(file).size(), 2u);
  EXPECT_EQ(lines_of(file)[1]["prompt"], "Where is the cup?");
  file_with("ranked5.jsonl", whole);  // all there, but for the line feed
  EXPECT_FALSE(has(rank("123\n", file).err, "removed"));
  ASSERT_EQ(lines_of(file).size(), 2u);
  EXPECT_EQ(lines_of(file)[0]["answers"], (Words{"a", "b"}));
  file_with("ranked5.jsonl", "{\"pro");
  EXPECT_EQ(rank("123\n", file).code, 0);
  EXPECT_EQ(lines_of(file).size(), 1u);
}

TEST(Rank, LeavesOtherFilesAlone) {
  for (const std::string text : {"a letter\nto keep", "[{\"prompt\": \"a\"}]\n", "{\"a\": 1}\n",
                                 "{\"prompt\": \"a\"}\n{\"prompt\": \"b\", \"x"}) {
    const std::string file = file_with("letter.jsonl", text);
    const Outcome outcome = rank("123\n", file);
    EXPECT_EQ(outcome.code, 1) << text;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    EXPECT_EQ(file_text(file), text);
  }
  const Outcome nowhere = rank("123\n", temporary("no/such/folder.jsonl"));
  EXPECT_EQ(nowhere.code, 1);
  EXPECT_TRUE(has(nowhere.err, "cannot write")) << nowhere.err;
}

}  // namespace
}  // namespace heed::rank_test
