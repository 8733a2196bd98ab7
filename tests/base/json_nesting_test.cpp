#include "heed/base/json_nesting.h"

#include <gtest/gtest.h>

namespace heed {
namespace {

std::string brackets(size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

TEST(JsonNesting, CountsBrackets) {
  EXPECT_EQ(json_nesting("", 9), 0);
  EXPECT_EQ(json_nesting("3", 9), 0);
  EXPECT_EQ(json_nesting(R"([{"a": [1, 2]}, [], {}, [[]]])", 9), 3);
  EXPECT_EQ(json_nesting(R"(["[[[[", "\"[[[[", "\\", []])", 9), 2);
  EXPECT_EQ(json_nesting(std::string(1000, '['), 9), 10);  // it does not read on
}

TEST(JsonNesting, HasALimit) {
  EXPECT_NO_THROW(check_nesting(brackets(kDeepestNesting), "f.json"));
  try {
    check_nesting(brackets(kDeepestNesting + 1), "f.json");
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).rfind("f.json: the JSON is nested deeper than 64 ", 0), 0u)
        << error.what();
  }
}

}  // namespace
}  // namespace heed
