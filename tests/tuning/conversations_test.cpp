#include "heed/tuning/conversations.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "heed/base/error.h"
#include "tests/data/temporary_file.h"

namespace heed::conversations_test {
namespace {

using Talks = std::vector<std::vector<ChatMessage>>;

Talks read(const std::string& text, OnMistake on_mistake = OnMistake::fail) {
  const TemporaryFile file(text);
  Talks talks;
  for_each_conversation(file.path(), on_mistake, [&](std::span<const ChatMessage> messages) {
    talks.emplace_back(messages.begin(), messages.end());
  });
  return talks;
}

// What is wrong, from the number of the line on.
std::string mistake(const std::string& text) {
  try {
    read(text);
  } catch (const Error& error) {
    const std::string what = error.what();
    const size_t name = what.find("heed-data-");
    return what.substr(what.find(':', name));
  }
  return "";
}

constexpr char kGood[] =
    R"({"messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]})";

TEST(Conversations, BothShapes) {
  const Talks expected = {{{"user", "a"}, {"assistant", "b"}},
                          {{"user", "do\n\nthis"}, {"assistant", "done"}},
                          {{"user", "do"}, {"assistant", "done"}}};
  const std::string second = R"({"instruction": "do", "input": "this", "output": "done"})";
  const std::string third = R"({"instruction": "do", "input": "", "output": "done"})";
  EXPECT_EQ(read(std::string(kGood) + "\n\n" + second + "\n" + third), expected);
  EXPECT_EQ(read("[" + std::string(kGood) + "," + second + ",\n" + third + "]"), expected);
}

TEST(Conversations, MistakesNameTheLine) {
  const std::string good = std::string(kGood) + "\n";
  EXPECT_EQ(mistake(good + "{\"messages\": ["), ":2: this is not JSON");
  EXPECT_EQ(mistake(good + "\n3"), ":3: expected a JSON object, got number");
  EXPECT_EQ(mistake(R"({"messages": [{"role": "robot", "content": "a"}]})"),
            ":1: the role \"robot\" is unknown; there are system, user and assistant");
  EXPECT_EQ(mistake(R"({"messages": [{"role": "user", "content": "a"}]})"),
            ":1: there is no answer to learn from");
  EXPECT_EQ(mistake(R"({"messages": [{"role": "user", "content": "a"},
)"),
            ":1: this is not JSON");
  EXPECT_EQ(
      mistake(
          R"({"messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": " "}]})"),
      ":1: an answer is empty");
  EXPECT_EQ(mistake(R"({"instruction": "do", "output": ""})"), ":1: the answer is empty");
  EXPECT_EQ(mistake(R"({"instruction": "do"})"), ":1: there is no \"output\"");
  EXPECT_EQ(mistake(R"({"text": "do"})"),
            ":1: expected \"messages\", or \"instruction\" and \"output\"");
  EXPECT_EQ(mistake(R"({"messages": [{"role": "user", "content": 3}]})"),
            ":1: \"content\" must be a text, got number");
  EXPECT_EQ(mistake(good + "{\"instruction\": \"a\xff\", \"output\": \"b\"}"),
            ":2: there are bytes that are not UTF-8, as JSON must be");
  EXPECT_EQ(read(good + "\xff\n" + good, OnMistake::count).size(), 2u);
  EXPECT_EQ(mistake(""), ": there is no record that can be used");
  EXPECT_EQ(mistake("[" + good + ", 4]"), ": record 2: expected a JSON object, got number");
}

// The begin would be lost.
TEST(Conversations, APipeIsRefused) {
  const std::string pipe = ::testing::TempDir() + "heed-data-pipe-" + std::to_string(::getpid());
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::string what;
  try {
    for_each_conversation(pipe, OnMistake::fail, [](std::span<const ChatMessage>) {});
  } catch (const Error& error) {
    what = error.what();
  }
  ::unlink(pipe.c_str());
  EXPECT_EQ(what, pipe + " is a pipe, but its records are read twice; write it to a file first");
}

TEST(Conversations, SkippedAndCounted) {
  const TemporaryFile file(std::string(kGood) + "\nnonsense\n{}\n" + kGood);
  const RecordReport report =
      for_each_conversation(file.path(), OnMistake::count, [](std::span<const ChatMessage>) {});
  EXPECT_EQ(report.used, 2);
  EXPECT_EQ(report.skipped, 2);
  EXPECT_NE(report.first_mistake.find(":2: this is not JSON"), std::string::npos);
}

TEST(Conversations, PromptsEndWithTheUser) {
  const TemporaryFile file(std::string(kGood) + "\n{\"prompt\": \"c\"}\n{\"instruction\": \"d\"}");
  std::string asked;
  for_each_prompt(file.path(), OnMistake::fail, [&](std::span<const ChatMessage> messages) {
    EXPECT_EQ(messages.size(), 1u);
    asked += messages.back().content;
  });
  EXPECT_EQ(asked, "acd");
}

}  // namespace
}  // namespace heed::conversations_test
