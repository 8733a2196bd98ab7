#include "heed/base/error.h"

#include <gtest/gtest.h>

#include "heed/base/fail.h"

namespace heed {
namespace {

TEST(Error, CheckFormatsItsMessage) {
  EXPECT_NO_THROW(check(true, "never {}", 1));
  try {
    check(1 > 2, "matmul: a must be [M, {}], got {}", 3, "[2]");
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "matmul: a must be [M, 3], got [2]");
  }
}

TEST(Error, IsARuntimeError) { EXPECT_THROW(fail("stop"), std::runtime_error); }

}  // namespace
}  // namespace heed
