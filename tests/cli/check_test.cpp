#include <gtest/gtest.h>

#include <cstdlib>

#include <fstream>
#include <sstream>

#include "tests/cli/program.h"
#include "tests/cli/train_files.h"

namespace heed::check_test {
namespace {

std::string data_file(const std::string& name, const std::string& text) {
  const std::string path = temporary("check_" + name);
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

void expect_has(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << text;
}

TEST(CliCheck, GoodPairs) {
  const std::string en = data_file("a.en", "a dog\na cat\nthe big bird\na dog\n");
  const std::string de = data_file("a.de", "ein Hund\neine Katze\nder Vogel\nein Hund\n");
  const std::string valid_en = data_file("b.en", "a cat\na fish\n");
  const std::string valid_de = data_file("b.de", "eine Katze\nein Fisch\n");
  const Outcome outcome = run_heed({"check", en, de, "--valid", valid_en, valid_de});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  expect_has(outcome.out, "task            translate (guessed from the files; --task chooses)\n");
  expect_has(outcome.out, "  pairs         4\n");
  expect_has(outcome.out, "  source        words             2        2        2.2        3\n");
  expect_has(outcome.out, "  duplicates    1 pair (number 4) occurred before\n");
  expect_has(outcome.out, "  in train      1 pair (number 1), by the source\n");
  expect_has(outcome.out, "50 % of the validation data");
  expect_has(outcome.out, "nothing must be fixed\n");
  std::istringstream lines(outcome.out);
  for (std::string line; std::getline(lines, line);) {
    if (line.find('/') == std::string::npos) {  // paths may be long
      EXPECT_LE(line.size(), 80u) << line;
    }
  }
}

TEST(CliCheck, MismatchedPairs) {
  const std::string en = data_file("a.en", "a\nb\nc\n");
  const std::string de = data_file("a.de", "a\n\n");
  const auto outcome = run_heed({"check", en, de, "--json"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.err, "heed: 1 thing must be fixed\n");
  const auto page = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(page["fine"], false);
  EXPECT_EQ(page["train"]["items"], 1);
  expect_has(page["train"]["faults"][0], "has 3 lines and");
  expect_has(page["train"]["notes"][0], "1 pair with an empty side");
}

TEST(CliCheck, TheSameWordsAsTrain) {
  const std::string en = data_file("s.en", "a\nb\nc\n"), fr = data_file("short.fr", "x\ny\n");
  const Outcome guessed = run_heed({"check", en, fr});
  EXPECT_EQ(guessed.code, 1);
  expect_has(guessed.out, "task            translate (guessed");
  const std::string one = data_file("one.txt", "a b\n"), two = data_file("two.txt", "c d\n");
  expect_has(run_heed({"check", one, two}).out, "--task translate");
  for (const char* encoding : {"utf8", "utf-8"}) {
    const Outcome outcome =
        run_heed({"check", one, two, "--task", "summarize", "--encoding", encoding});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    expect_has(outcome.out, "task            summarize\n");
  }
  const std::string tags = data_file("tags.txt", "dog N\nruns V\n\nhe N\n");
  expect_has(run_heed({"check", tags, "--format", "conll"}).out, "task            tag ");
}

TEST(CliCheck, BadBytesAreAllCounted) {
  const std::string file = data_file("c.txt", "caf\xe9\nfine\n\xe9t\xe9\n");
  const Outcome outcome = run_heed({"check", file});
  EXPECT_EQ(outcome.code, 1);
  expect_has(outcome.out, "must be fixed");
  std::string joined = outcome.out;
  for (char& c : joined) c = c == '\n' ? ' ' : c;
  expect_has(joined, "2 lines with");
  EXPECT_EQ(run_heed({"check", file, "--encoding", "latin1"}).code, 0);
}

TEST(CliCheck, LabelsOfACsvFile) {
  const std::string file = data_file(
      "d.csv", "id,class,text\n1,pos,\"nice, very\"\n2,neg,bad\n3,neg,worse\n4,pos,bad\n5,neg\n");
  const auto outcome = run_heed({"check", file, "--json"});
  EXPECT_EQ(outcome.code, 1);
  const auto page = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(page["task"], "classify");
  EXPECT_EQ(page["train"]["labels"], (nlohmann::json{{"neg", 2}, {"pos", 2}}));
  EXPECT_EQ(page["train"]["conflicts"]["count"], 1);
  expect_has(page["train"]["faults"][0], "there are 2 columns, expected 3");
  expect_has(run_heed({"check", file, "--text-column", "nothing"}).err,
             "the columns are 'id', 'class', 'text'");
  const Outcome other = run_heed({"check", file, "--text-column", "1", "--label-column", "class"});
  expect_has(other.out, "text from column 'id'");
}

TEST(CliCheck, TagsOfColumns) {
  const std::string file = data_file("e.conll", "EU NNP B-ORG\nsays VBZ O\n\nno DT O\n");
  const auto page = run_json({"check", file});
  EXPECT_EQ(page["task"], "tag");
  EXPECT_EQ(page["train"]["items"], 2);
  EXPECT_EQ(page["train"]["labels"], (nlohmann::json{{"B-ORG", 1}, {"O", 2}}));
  EXPECT_EQ(run_json({"check", file, "--tag-column", "2"})["train"]["labels"].size(), 3u);
}

TEST(CliCheck, LongLines) {
  const std::string file = data_file("f.txt", "short\n" + std::string(100, 'x') + "\n");
  const auto page = run_json({"check", file, "--longest", "50"});
  expect_has(page["train"]["notes"][0], "1 line longer than the limit, cut: line 2");
}

TEST(CliCheck, WrongUsage) {
  EXPECT_EQ(run_heed({"check"}).code, 2);
  EXPECT_EQ(run_heed({"check", "x", "--task", "taggg"}).code, 2);
  EXPECT_EQ(run_heed({"check", "x", "--encoding", "utf9"}).code, 2);
  const Outcome missing = run_heed({"check", "/does/not/exist"});
  EXPECT_EQ(missing.code, 1);
  expect_has(missing.err, "/does/not/exist: cannot read");
}

TEST(CliCheck, APipeIsNotReadTwice) {
  const std::string file = data_file("piped.txt", "a text\n"), err = temporary("piped-err");
  const auto check = [&](const std::string& more) {
    const std::string command = "cat '" + file + "' | '" HEED_PROGRAM "' check /dev/stdin" + more +
                                " 2> '" + err + "' > /dev/null";
    return std::system(command.c_str());
  };
  EXPECT_NE(check(""), 0);
  expect_has(file_text(err), "/dev/stdin is a pipe, but what it is for is found by reading");
  EXPECT_NE(check(" --task tag"), 0);
  expect_has(file_text(err), "/dev/stdin is a pipe, but its format is found by reading");
  EXPECT_EQ(check(" --task lm"), 0) << file_text(err);
}

}  // namespace
}  // namespace heed::check_test
