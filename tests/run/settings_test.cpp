#include "heed/run/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "heed/base/error.h"

namespace heed::settings_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string complaint(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Settings, NestedTooDeep) {
  const std::string deep = std::string(100000, '[') + std::string(100000, ']');
  TrainSettings settings;
  EXPECT_THAT(complaint([&] { read_json("{\"dim\": " + deep + "}", "f.json", settings); }),
              AllOf(HasSubstr("f.json"), HasSubstr("nested deeper")));
}

// JSON cannot hold them.
TEST(Settings, NamesThatAreNotUtf8) {
  TrainSettings settings;
  settings.train = {"thé.txt", "caf\xe9.txt"};
  EXPECT_THAT(complaint([&] { to_json(settings); }),
              AllOf(HasSubstr("`train` caf\xe9.txt"), HasSubstr("not UTF-8")));
  settings.train.pop_back();
  EXPECT_THAT(to_json(settings), HasSubstr("thé.txt"));
  settings.init_from = "r\xc3";
  EXPECT_THAT(complaint([&] { to_json(settings); }), HasSubstr("`init-from` r\xc3"));
}

}  // namespace
}  // namespace heed::settings_test
