#include "heed/tuning/tuning.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"

namespace heed {
namespace {

TEST(PrepareAlign, WantsTheJudgeThatIsNamed) {
  TrainSettings settings;
  settings.judge = "world";
  const auto mistake = [&](const Judge& judge) -> std::string {
    try {
      prepare_align(settings, "no-folder", nullptr, judge);
    } catch (const Error& error) {
      return error.what();
    }
    return {};
  };
  EXPECT_EQ(mistake({}), "align: the judge \"world\" is named, but not given");
  const Judge judge = [](const std::string&, const std::string&) { return 0.0; };
  EXPECT_NE(mistake(judge).find("`method`"), std::string::npos);
}

}  // namespace
}  // namespace heed
