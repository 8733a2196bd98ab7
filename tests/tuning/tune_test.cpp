#include "heed/tuning/tune.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heed/base/error.h"

namespace heed::tune_test {
namespace {

using testing::HasSubstr;

std::string complaint(const GivenSettings& given) {
  RunEvents silent;
  try {
    finetune(given, "not-made", silent);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

// What it would ignore is refused.
TEST(Finetune, RefusesWhatIsNotForIt) {
  TrainSettings settings;
  EXPECT_THAT(complaint(settings), HasSubstr("`base`"));
  settings.task = Task::classify;
  EXPECT_THAT(complaint(settings), HasSubstr("the task is lm, not classify"));
  GivenSettings given;
  given.config = "some.json";
  EXPECT_THAT(complaint(given), HasSubstr("no file of settings"));
}

}  // namespace
}  // namespace heed::tune_test
