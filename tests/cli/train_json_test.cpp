// heed train, eval and check read JSON lines as the same data in other files.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <fstream>

#include "tests/cli/program.h"
#include "tests/cli/train_files.h"

namespace heed::train_json_test {
namespace {

using Json = nlohmann::ordered_json;
using Words = std::vector<std::string>;

// Runs it with this data, and returns the folder; the model is as small as it can be.
std::string trained(const std::string& task, const Words& files, const std::string& name,
                    const std::string& note, const Words& more = {}) {
  const std::string folder = temporary(name);
  Words arguments{"train", task, "--train"};
  arguments.insert(arguments.end(), files.begin(), files.end());
  for (const char* word : {"--dim", "16", "--heads", "2", "--layers", "1", "--ffn", "24", "--steps",
                           "3", "-t", "1", "-o"}) {
    arguments.emplace_back(word);
  }
  arguments.push_back(folder);
  arguments.insert(arguments.end(), more.begin(), more.end());
  const Outcome outcome = run_heed(arguments);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find(note), std::string::npos) << outcome.err;
  return folder;
}

// Of label<TAB>text.
std::string labeled_records(const std::string& file, const std::string& text_field) {
  std::ifstream lines(file);
  std::string records;
  for (std::string line; std::getline(lines, line);) {
    const size_t tab = line.find('\t');
    records += Json{{"id", records.size()},
                    {text_field, line.substr(tab + 1)},
                    {"label", line.substr(0, tab)}}
                   .dump() +
               "\n";
  }
  return records;
}

TEST(TrainJson, LabelsGiveTheModelOfTheSameTabs) {
  const std::string tabs = labeled_file();
  const std::string named = file_with("labels.jsonl", labeled_records(tabs, "text"));
  const std::string unnamed = file_with("labels-json.txt", labeled_records(tabs, "words"));
  const std::string expected = trained("classify", {tabs}, "labels-tabs", "");
  const std::string folder = trained("classify", {named}, "labels-json",
                                     "JSON lines: text from \"text\", label from \"label\"\n");
  EXPECT_EQ(model_hash(folder), model_hash(expected));
  const std::string other = trained("classify", {unnamed}, "labels-field",
                                    "JSON lines: text from \"words\", label from \"label\"\n",
                                    {"--text-column", "words"});
  EXPECT_EQ(model_hash(other), model_hash(expected));
  EXPECT_EQ(evaluated(expected, {named}), evaluated(expected, {tabs}));
}

TEST(TrainJson, PairsGiveTheModelOfTheSameFiles) {
  const Words files = pair_files();
  std::ifstream sources(files[0]), targets(files[1]);
  std::string plain, translations;
  for (std::string s, t; std::getline(sources, s) && std::getline(targets, t);) {
    plain += Json{{"target", t}, {"source", s}}.dump() + "\n";
    translations += Json{{"translation", {{"xx", s}, {"aa", t}}}}.dump() + "\n";
  }
  const std::string expected = trained("translate", files, "pairs-two", "");
  const std::string file = file_with("pairs.jsonl", plain);
  const std::string folder =
      trained("translate", {file}, "pairs-json",
              "JSON lines: source from \"source\", target from \"target\"\n");
  EXPECT_EQ(model_hash(folder), model_hash(expected));
  const std::string other =
      trained("translate", {file_with("languages", translations)}, "pairs-languages",
              "JSON lines: source from \"translation.xx\", target from \"translation.aa\"\n");
  EXPECT_EQ(model_hash(other), model_hash(expected));
  EXPECT_EQ(evaluated(expected, {file}), evaluated(expected, files));
}

TEST(TrainJson, AMistakeNamesLineAndField) {
  const std::string file = file_with(
      "mistake.jsonl", "{\"text\": \"a\", \"label\": 1}\n{\"text\": \"b\", \"kind\": 2}\n");
  const Outcome outcome =
      run_heed({"train", "classify", "--train", file, "-o", temporary("json-mistake")});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(
      outcome.err.find(file + ": line 2: there is no \"label\", only \"text\", \"kind\"; name "
                              "the field with --label-column\n"),
      std::string::npos)
      << outcome.err;
  const auto checked = run_heed({"check", file, "--json"});
  EXPECT_EQ(checked.code, 1);
  const auto page = nlohmann::json::parse(checked.out);
  EXPECT_EQ(page["task"], "classify");
  EXPECT_EQ(page["train"]["items"], 1);
  EXPECT_EQ(page["train"]["faults"].size(), 1u);
}

}  // namespace
}  // namespace heed::train_json_test
