#include "heed/data/json_records.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/data/inspect.h"
#include "heed/data/labeled.h"
#include "heed/data/pairs.h"
#include "tests/data/temporary_file.h"

namespace heed::json_records_test {
namespace {

using Texts = std::vector<std::pair<std::string, std::string>>;

const ReadOptions kCount{.lines = {.bad_bytes = OnMistake::count}, .records = OnMistake::count};

struct Labeled {
  Texts items;  // label and text
  LabeledReport report;
};

Labeled labeled(std::string_view text, const LabeledOptions& options = {},
                const char* name = "d.txt") {
  Labeled result;
  result.report = for_each_labeled(TextSource(text, name), options, [&](auto label, auto words) {
    result.items.emplace_back(label, words);
  });
  return result;
}

struct Pairs {
  Texts items;
  PairReport report;
};

Pairs pairs(std::string_view text, const ReadOptions& options = {}, const char* name = "d.txt") {
  Pairs result;
  result.report = for_each_pair(TextSource(text, name), options, [&](auto source, auto target) {
    result.items.emplace_back(source, target);
  });
  return result;
}

template <typename Read>
std::string message(Read read) {
  try {
    read();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

std::string labeled_message(std::string_view text, const LabeledOptions& options = {}) {
  return message([&] { labeled(text, options, "d.jsonl"); });
}

std::string pairs_message(std::string_view text) {
  return message([&] { pairs(text, {}, "d.jsonl"); });
}

TEST(JsonRecords, TextsWithLabels) {
  const Labeled result = labeled(
      "\n{\"id\": 7, \"text\": \" how\\tfar \\u00e9\", \"label\": \"number\"}\r\n"
      "{\"label\": 1, \"text\": \"who\", \"more\": {\"text\": \"x\"}}\n"
      "  \n"
      "{\"label\": -3, \"text\": \" \"}\n"
      "{\"label\": \" a b \", \"text\": \"where\"}");
  EXPECT_EQ(result.items, (Texts{{"number", "how\tfar \xc3\xa9"}, {"1", "who"}, {"a b", "where"}}));
  EXPECT_EQ(result.report.format, DataFormat::json);
  EXPECT_EQ(result.report.text_column, "text");
  EXPECT_EQ(result.report.label_column, "label");
  EXPECT_EQ(result.report.items, 3);
  EXPECT_EQ(result.report.no_text.lines, std::vector<int64_t>{5});
}

TEST(JsonRecords, NamedFields) {
  const std::string_view text = "{\"review\": \"nice\", \"stars\": 5, \"text\": \"x\"}\n";
  EXPECT_EQ(labeled(text, {.text_column = "review", .label_column = "stars"}).items,
            (Texts{{"5", "nice"}}));
  EXPECT_EQ(labeled(text, {.label_column = "stars"}).items, (Texts{{"5", "x"}}));
  EXPECT_EQ(labeled_message(text, {.text_column = "a", .label_column = "a"}),
            "d.jsonl: text and label are both taken from the field \"a\"");
}

// A file is what its first line is, and .jsonl and .json say it.
TEST(JsonRecords, KnownByContentsOrName) {
  EXPECT_EQ(labeled("\xef\xbb\xbf{\"text\": \"a\", \"label\": \"b\"}\n", {}, "d.tsv").items,
            (Texts{{"b", "a"}}));
  EXPECT_EQ(labeled("{a}\tb c\n{b}\td\n").items, (Texts{{"{a}", "b c"}, {"{b}", "d"}}));
  EXPECT_EQ(labeled("{\"a\": 1}\tb c\n").items, (Texts{{"{\"a\": 1}", "b c"}}));
  EXPECT_EQ(labeled("{} b c\n").items, (Texts{{"{}", "b c"}}));
  EXPECT_EQ(labeled("a\tb\n{\"text\": \"a\", \"label\": \"b\"}\td\n").items.size(), 2u);
  EXPECT_EQ(pairs("{a\tb}\n{\"c\": 1}\td\n").items, (Texts{{"{a", "b}"}, {"{\"c\": 1}", "d"}}));
  EXPECT_FALSE(pairs("{a\tb}\n").report.is_json);
  for (const char* name : {"d.jsonl", "d.json"}) {
    EXPECT_NE(message([&] { labeled("a\tb\n", {}, name); }), "");
    EXPECT_NE(message([&] { pairs("a\tb\n", {}, name); }), "");
  }
  // What is said wins.
  EXPECT_EQ(labeled("a\tb\n", {.format = DataFormat::tab}, "d.json").items, (Texts{{"a", "b"}}));
  EXPECT_EQ(labeled("{\"text\": \"a\", \"label\": 1}\n", {.format = DataFormat::json}).items,
            (Texts{{"1", "a"}}));
}

TEST(JsonRecords, WhatIsWrongWithALabeledText) {
  const std::string good = "{\"text\": \"a\", \"label\": 1}\n";
  EXPECT_EQ(labeled_message(good + "{\"text\": \"a\", \"id\": 2}\n"),
            "d.jsonl: line 2: there is no \"label\", only \"text\", \"id\"; name the field with "
            "`label-column`");
  EXPECT_EQ(labeled_message("{\"label\": 1, \"a\\u001bb\": 2}\n"),
            "d.jsonl: line 1: there is no \"text\", only \"label\", \"a?b\"; name the field with "
            "`text-column`");
  EXPECT_EQ(labeled_message(good + "\n{}\n"),
            "d.jsonl: line 3: there is no \"text\", only an empty object; name the field with "
            "`text-column`");
  EXPECT_EQ(labeled_message(good + "{\"text\": \"a\", \"label\": 1"),
            "d.jsonl: line 2: this is not JSON; each line must be one whole object");
  EXPECT_EQ(labeled_message("{\"text\": \"\\ud800\", \"label\": 1}"),
            "d.jsonl: line 1: this is not JSON; each line must be one whole object");
  EXPECT_EQ(labeled_message("7\n"), "d.jsonl: line 1: expected a JSON object, got number");
  EXPECT_EQ(labeled_message("[" + good + "]"),
            "d.jsonl: line 1: this is a JSON list, expected an object on each line: jq -c '.[]' "
            "FILE > NEW");
  EXPECT_EQ(labeled_message("{\"text\": 1, \"label\": 1}"),
            "d.jsonl: line 1: \"text\" must be a text, got 1");
  for (const char* label : {"1.5", "true", "null", "{}"}) {
    const std::string text =
        labeled_message(std::string("{\"text\": \"a\", \"label\": ") + label + "}\n");
    EXPECT_EQ(text.find("d.jsonl: line 1: \"label\" must be a text or a whole number, got "), 0u)
        << text;
  }
  EXPECT_EQ(labeled_message("{\"text\": \"a\", \"label\": \" \"}"),
            "d.jsonl: line 1: the label is empty");
}

TEST(JsonRecords, DeepNestingIsRefused) {
  const std::string deep = "{\"text\": \"a\", \"label\": 1, \"x\": " + std::string(100000, '[') +
                           std::string(100000, ']') + "}\n";
  EXPECT_EQ(labeled_message(deep), "d.jsonl: line 1: the JSON is nested deeper than 64 levels");
  EXPECT_EQ(pairs_message(deep), "d.jsonl: line 1: the JSON is nested deeper than 64 levels");
  EXPECT_FALSE(is_json_record(deep));
}

TEST(JsonRecords, CountedMistakesLeaveTheRest) {
  const Labeled result = labeled(
      "{\"text\": \"a\", \"label\": 1}\nx\n{\"text\": \"b\"}\n"
      "{\"text\": \"c\", \"label\": 2}\n",
      {.read = kCount});
  EXPECT_EQ(result.items, (Texts{{"1", "a"}, {"2", "c"}}));
  EXPECT_EQ(result.report.bad_records.lines, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(result.report.first_mistake, "this is not JSON; each line must be one whole object");
  const Pairs other = pairs(
      "{\"id\": 1}\n{\"translation\": {\"en\": \"a\", \"de\": \"b\"}}\n"
      "{\"source\": \"a\", \"target\": \"b\"}\n",
      kCount);
  EXPECT_EQ(other.items, (Texts{{"a", "b"}}));
  EXPECT_EQ(other.report.bad_records.lines, (std::vector<int64_t>{1, 3}));
  const std::vector<Finding> findings = other.report.findings();
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_TRUE(findings[0].is_fault);
  EXPECT_EQ(findings[0].text,
            "2 records that cannot be read: lines 1, 3; the first: expected \"source\" and "
            "\"target\", or \"translation\", got \"id\"");
}

TEST(JsonRecords, SourceAndTarget) {
  const Pairs result = pairs(
      "{\"target\": \"B\\tb\", \"source\": \" a\", \"translation\": 1}\n\n"
      "{\"source\": \"\", \"target\": \"c\"}\n{\"source\": \"d\", \"target\": \"e\"}");
  EXPECT_EQ(result.items, (Texts{{" a", "B\tb"}, {"d", "e"}}));
  EXPECT_TRUE(result.report.is_json);
  EXPECT_EQ(result.report.pairs, 2);
  EXPECT_EQ(result.report.empty.lines, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(result.report.format(), "JSON lines: source from \"source\", target from \"target\"");
}

TEST(JsonRecords, TranslationsInTheOrderOfTheFirstLine) {
  const Pairs result = pairs(
      "{\"id\": 0, \"translation\": {\"en\": \"a\", \"de\": \"b\"}}\n"
      "{\"translation\": {\"de\": \"d\", \"fr\": \"x\", \"en\": \"c\"}}\n");
  EXPECT_EQ(result.items, (Texts{{"a", "b"}, {"c", "d"}}));
  EXPECT_EQ(result.report.format(),
            "JSON lines: source from \"translation.en\", target from \"translation.de\"");
}

TEST(JsonRecords, WhatIsWrongWithAPair) {
  const std::string good = "{\"translation\": {\"en\": \"a\", \"de\": \"b\"}}\n";
  EXPECT_EQ(pairs_message("{\"source\": \"a\", \"id\": 1}\n"),
            "d.jsonl: line 1: there is no \"target\", only \"source\", \"id\"");
  EXPECT_EQ(pairs_message("{\"source\": \"a\", \"target\": null}\n"),
            "d.jsonl: line 1: \"target\" must be a text, got null");
  EXPECT_EQ(pairs_message("{\"translation\": {\"en\": \"a\"}}\n"),
            "d.jsonl: line 1: \"translation\" must hold texts in two languages, got \"en\"");
  EXPECT_EQ(pairs_message("{\"translation\": \"a\"}\n"),
            "d.jsonl: line 1: \"translation\" must hold texts in two languages, got string");
  EXPECT_EQ(pairs_message(good + "{\"translation\": {\"en\": \"a\", \"fr\": \"b\"}}\n"),
            "d.jsonl: line 2: there is no \"de\" in \"translation\", only \"en\", \"fr\"");
  EXPECT_EQ(pairs_message(good + "{\"translation\": {\"en\": \"a\", \"de\": 1}}\n"),
            "d.jsonl: line 2: \"de\" in \"translation\" must be a text, got 1");
  EXPECT_EQ(pairs_message(good + "{\"translation\": [1]}\n"),
            "d.jsonl: line 2: \"translation\" must be an object, got array");
  EXPECT_EQ(pairs_message(good + "{\"en\": \"a\"}\n"),
            "d.jsonl: line 2: there is no \"translation\", only \"en\"");
  EXPECT_EQ(pairs_message(good + "{\"en\n"),
            "d.jsonl: line 2: this is not JSON; each line must be one whole object");
}

TEST(JsonRecords, ALineThatIsTooLong) {
  const std::string good =
      "{\"text\": \"a\", \"label\": 1, \"source\": \"a\", \"target\": \"b\"}\n";
  const std::string text = good + "{\"text\": \"" +
                           std::string(static_cast<size_t>(kLongestJsonLine), 'x') + "\"}\n" + good;
  const Pairs result = pairs(text, kCount);
  EXPECT_EQ(result.items.size(), 2u);
  EXPECT_EQ(result.report.bad_records.lines, std::vector<int64_t>{2});
  EXPECT_EQ(result.report.first_mistake, "the line is longer than 64 MB");
}

// Texts are whole: lines of JSON may be longer than other lines.
TEST(JsonRecords, LongLines) {
  const std::string text(100, 'x');
  const ReadOptions options{.lines = {.longest = 50}};
  const std::string first = "{\"source\": \"a\", \"target\": \"b\"}\n";
  EXPECT_EQ(pairs(first + "{\"source\": \"" + text + "\", \"target\": \"b\"}\n", options).items,
            (Texts{{"a", "b"}, {text, "b"}}));
  const Labeled result = labeled("{\"label\": 1, \"text\": \"" + text + "\"}\n", {.read = options});
  EXPECT_EQ(result.items, (Texts{{"1", text}}));
  EXPECT_TRUE(result.report.findings().empty());
}

TEST(JsonRecords, TheTaskIsGuessedByTheFields) {
  const auto guessed = [](const std::string& text) {
    const TemporaryFile file(text);
    return guess_task({file.path()});
  };
  EXPECT_EQ(guessed("{\"text\": \"a\", \"label\": 1}\n"), DataTask::classify);
  EXPECT_EQ(guessed("{\"source\": \"a\", \"target\": \"b\"}\n"), DataTask::translate);
  EXPECT_EQ(guessed("{\"translation\": {\"a\": \"a\", \"b\": \"b\"}}\n"), DataTask::translate);
  EXPECT_EQ(guessed("{\"text\": \"a\", \"id\": 1}\n"), DataTask::lm);
}

TEST(JsonRecords, Inspected) {
  const TemporaryFile texts("{\"text\": \"a b\", \"label\": 1}\n{\"text\": \"c\", \"label\": 2}\n");
  const DataSummary labels = inspect({texts.path()}, {.task = DataTask::classify});
  EXPECT_EQ(labels.format, "JSON lines: text from \"text\", label from \"label\"");
  EXPECT_EQ(labels.labels, (std::map<std::string, int64_t>{{"1", 1}, {"2", 1}}));
  const TemporaryFile both("{\"source\": \"a\", \"target\": \"b\"}\n{\"source\": \"a\"}\n");
  const DataSummary pairs = inspect({both.path()}, {.task = DataTask::translate});
  EXPECT_EQ(pairs.format, "JSON lines: source from \"source\", target from \"target\"");
  EXPECT_EQ(pairs.items, 1);
  ASSERT_EQ(pairs.findings.size(), 1u);
  EXPECT_TRUE(pairs.findings[0].is_fault);
}

}  // namespace
}  // namespace heed::json_records_test
