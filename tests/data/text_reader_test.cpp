// What a language model learns from a file: its lines, or the field "text" of JSON lines.

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/data/inspect.h"
#include "heed/data/text_blocks.h"
#include "tests/data/temporary_file.h"

namespace heed::text_reader_test {
namespace {

constexpr const char* kBetween = "|";

struct Read {
  std::string text;  // the blocks, with a | between two texts
  TextReport report;
};

Read read(std::string_view file, TextBlockOptions options = {}) {
  Read result;
  options.between = [&] { result.text += kBetween; };
  result.report = for_each_block(TextSource(file, "d.jsonl"), options,
                                 [&](std::string_view block) { result.text += block; });
  return result;
}

std::string message(std::string_view file) {
  try {
    read(file);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

std::string first_finding(const TextReport& report) {
  const std::vector<Finding> findings = report.findings();
  return findings.empty() ? "" : findings[0].text;
}

TEST(TextReader, JsonLines) {
  const std::string file =
      "\xef\xbb\xbf\n{\"id\": 1, \"text\": \"one \\\"two\\\"\"}\r\n"
      "  {\"text\": \"a\\nb\\u00e9\"}\n\n{\"text\": \"\"}\n{\"text\": \"end\", \"x\": null}";
  for (const int64_t bytes : {4, 8, 1 << 20}) {
    const Read result = read(file, {.bytes = bytes});
    EXPECT_EQ(result.text, "one \"two\"\n|a\nb\u00e9\n|end\n");
    EXPECT_EQ(result.report.records, 4);
    EXPECT_EQ(first_finding(result.report), "JSON lines: 4 texts from the field \"text\"");
    EXPECT_EQ(result.report.lines.too_long.count, 0);
  }
}

// JSON in other texts, and texts that only begin like JSON.
TEST(TextReader, OtherTextsStayAsTheyAre) {
  for (const char* text : {"{\n\"text\": \"a\"\n}\n", "{\"text\": \"a\"}\nand so on\n",
                           "[{\"text\": \"a\"}]\n", "{}\n", "{ int i; }\n{ int k; }\n",
                           "a\n{\"text\": \"a\"}\n", "\n\n \n{", "{\"text\": \"a\"", ""}) {
    for (const int64_t bytes : {4, 1 << 20}) {
      const Read result = read(text, {.bytes = bytes});
      EXPECT_EQ(result.text, text);
      EXPECT_FALSE(result.report.is_json);
    }
    EXPECT_FALSE(is_json_lines(text));
  }
}

// One broken line among the first does not hide that this is JSON.
TEST(TextReader, NamesTheLineOfAMistake) {
  const std::string good = "{\"text\": \"a\"}\n";
  EXPECT_EQ(message(good + "{\"text\": \"a\n"),
            "d.jsonl:2: this is not JSON, as the first lines are");
  EXPECT_EQ(message("{\"text: 1}\n" + good), "d.jsonl:1: this is not JSON, as the first lines are");
  EXPECT_EQ(message(good + good + "\n{\"body\": \"b\", \"id\": 3}\n"),
            "d.jsonl:4: there is no \"text\", only \"body\", \"id\"");
  EXPECT_EQ(message(good + good + good + "[1]\n"), "d.jsonl:4: expected a JSON object, got array");
  EXPECT_EQ(message(good + "{\"text\": 5}\n"), "d.jsonl:2: \"text\" must be a text, got number");
  EXPECT_EQ(message(good + "{\"text\": " + std::string(100, '[') + "\n"),
            "d.jsonl:2: this is not JSON, as the first lines are");
}

TEST(TextReader, CountsMistakes) {
  const Read result = read("{\"text\": \"a\"}\n{\"text\": 1}\n{\"text\": \"b\"}\nx\n",
                           {.records = OnMistake::count});
  EXPECT_EQ(result.text, "a\n|b\n");
  EXPECT_EQ(result.report.bad_records.lines, (std::vector<int64_t>{2, 4}));
  const std::vector<Finding> findings = result.report.findings();
  ASSERT_EQ(findings.size(), 2u);
  EXPECT_EQ(findings[1], (Finding{true,
                                  "2 records that cannot be read: lines 2, 4; the first: "
                                  "\"text\" must be a text, got number"}));
}

TEST(TextReader, OtherJsonIsRefused) {
  const std::string file = "{\"id\": \"1\", \"body\": \"some words\"}\n{\"id\": \"2\"}\n";
  const std::string said =
      "these are JSON lines without the field \"text\" to learn from; they have \"id\", \"body\"; "
      "to learn from that: jq -c '{text: .[\"body\"]}' FILE > NEW";
  EXPECT_EQ(message(file), "d.jsonl: " + said);
  const Read counted = read(file, {.records = OnMistake::count});
  EXPECT_EQ(counted.text, "");
  EXPECT_EQ(counted.report.findings(), (std::vector<Finding>{{true, said}}));
  EXPECT_EQ(message("{\"messages\": []}\n"),
            "d.jsonl: these are JSON lines without the field \"text\" to learn from; they have "
            "\"messages\"; heed finetune reads conversations");
  EXPECT_EQ(message("{\"n\": 1}\n"),
            "d.jsonl: these are JSON lines without the field \"text\" to learn from; they have "
            "\"n\"");
}

// Names of fields are data: a message is short whatever they are, and a command has plain ones
// only.
TEST(TextReader, TheNamesOfFieldsAreBounded) {
  std::string file = "{\"f0\": 0";
  for (int i = 1; i < 1000; ++i) file += ", \"f" + std::to_string(i) + "\": 0";
  EXPECT_EQ(message(file + "}\n"),
            "d.jsonl: these are JSON lines without the field \"text\" to learn from; they have "
            "\"f0\", \"f1\", \"f2\", \"f3\", \"f4\", \"f5\", \"f6\", \"f7\", and 992 more");
  const std::string odd = message("{\"a]' ; rm x ; '\\u001b\": \"some words\"}\n");
  EXPECT_EQ(odd,
            "d.jsonl: these are JSON lines without the field \"text\" to learn from; they have "
            "\"a]' ; rm x ; '?\"");
  EXPECT_LT(message("{\"" + std::string(10'000, 'n') + "\": \"x\"}\n").size(), 200u);
}

TEST(TextReader, EmptyLinesAreNoFinding) {
  EXPECT_EQ(read("a\n\n\nb\n").report.findings(), std::vector<Finding>{});
  EXPECT_EQ(read("a\n\n\nb\n").report.lines.empty.count, 2);
}

TEST(TextReader, InspectionSaysTheSame) {
  const TemporaryFile file("{\"text\": \"one two\"}\n{\"text\": \"three\"}\n", ".txt");
  EXPECT_EQ(guess_task({file.path()}), DataTask::lm);
  const DataSummary summary = inspect({file.path()}, {.task = DataTask::lm});
  EXPECT_EQ(summary.format, "JSON lines");
  EXPECT_EQ(summary.items, 2);
  EXPECT_EQ(summary.sides[0].words.longest, 2);
  ASSERT_EQ(summary.findings.size(), 1u);
  EXPECT_FALSE(summary.findings[0].is_fault);
  EXPECT_NE(summary.findings[0].text.find("2 texts from the field"), std::string::npos);
  const TemporaryFile other("{\"a\": \"one two\"}\n", ".txt");
  const DataSummary refused = inspect({other.path()}, {.task = DataTask::lm});
  ASSERT_EQ(refused.findings.size(), 1u);
  EXPECT_TRUE(refused.findings[0].is_fault);
}

}  // namespace
}  // namespace heed::text_reader_test
