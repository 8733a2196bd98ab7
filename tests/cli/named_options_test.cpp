#include "apps/cli/options/named_options.h"

#include <gtest/gtest.h>

namespace heed::cli {
namespace {

TEST(NamedOptions, ArgumentsBecomeOptions) {
  EXPECT_EQ(with_option_names("`max-length` is 0; name `base` and `lr`"),
            "--max-length is 0; name -m and --lr");
  EXPECT_EQ(with_option_names("nothing to do"), "nothing to do");
  EXPECT_EQ(with_option_names(""), "");
}

// What people have in their files and names stays as it is.
TEST(NamedOptions, OtherBackquotesStay) {
  for (const char* text : {"`", "a ` b", "`two words`", "``", "`Upper`", "`good` and `bad`"}) {
    EXPECT_EQ(with_option_names(text), text);
  }
  EXPECT_EQ(with_option_names("a ` b `steps`"), "a ` b --steps");
}

}  // namespace
}  // namespace heed::cli
