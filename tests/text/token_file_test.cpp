// heed's own tokenizer.json.

#include "tests/text/samples.h"

namespace heed {
namespace {

void expect_error(const std::string& text, const std::string& what) {
  const std::string message = error_in([&] { parse_tokenizer(text, "t.json"); });
  EXPECT_NE(message.find(what), std::string::npos) << text << ": " << message;
}

TEST(TokenFile, Reads) {
  const auto chars = parse_tokenizer(
      R"({"format": 1, "type": "char", "specials": {"unk": 1}, "tokens": ["a", "<?>", "é", "\u0000"]})",
      "t.json");
  EXPECT_EQ(chars->encode(std::string_view("éxa\0", 5)), (std::vector<int32_t>{2, 1, 0, 3}));
  EXPECT_EQ(chars->encode("<?>"), std::vector<int32_t>{1});
  EXPECT_FALSE(chars->specials().bos.has_value());
}

TEST(TokenFile, RefusesWhatIsWrong) {
  expect_error(R"({"format": 2, "type": "char"})", "newer than this heed");
  expect_error(R"({"format": 0, "type": "char"})", "unknown format");
  expect_error(R"({"format": "1", "type": "char"})", "whole number");
  expect_error(R"({"format": 18446744073709551615, "type": "char"})", "too large");
  expect_error(R"({"format": 1})", "\"type\"");
  expect_error(R"({"format": 1, "type": "bpe"})", "expected byte, char or word");
  expect_error(R"({"format": 1, "type": "word"})", "\"tokens\"");
  expect_error(R"({"format": 1, "type": "word", "tokens": []})", "\"tokens\"");
  expect_error(R"({"format": 1, "type": "word", "tokens": [1]})", "token 0");
  expect_error(R"({"format": 1, "type": "word", "tokens": ["a", "a"]})", "are the same");
  expect_error(R"({"format": 1, "type": "word", "tokens": ["a", ""]})", "token 1 is empty");
  expect_error(R"({"format": 1, "type": "word", "tokens": ["a"]})", "\"unk\"");
  expect_error(R"({"format": 1, "type": "word", "tokens": ["a"], "specials": [0]})", "object");
  expect_error(R"({"format": 1, "type": "word", "tokens": ["a"], "specials": {"unk": 1}})",
               "not in the list");
  expect_error(R"({"format": 1, "type": "word", "tokens": ["a"], "specials": {"unk": -1}})",
               "not in the list");
  expect_error(R"({"format": 1, "type": "char", "tokens": ["a", "bc"], "specials": {"unk": 0}})",
               "not one character");
  const std::string deep = std::string(100000, '[') + std::string(100000, ']');
  expect_error(R"({"format": )" + deep + "}", "nested deeper");
}

}  // namespace
}  // namespace heed
