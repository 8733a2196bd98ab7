#include <gtest/gtest.h>

#include "heed/text/lower_case.h"

namespace heed {
namespace {

TEST(LowerCase, Letters) {
  EXPECT_EQ(lower_case(std::string_view("Hello, WORLD 42")), "hello, world 42");
  EXPECT_EQ(lower_case(std::string_view("ÄÖÜẞ ÉCOLE ŽLUŤ")), "äöüß école žluť");
  EXPECT_EQ(lower_case(std::string_view("МОСКВА ΩΜΈΓΑ ԱԲԳ")), "москва ωμέγα աբգ");
  EXPECT_EQ(lower_case(std::string_view("\u0130\u01c5\u212a\U00010400")),
            "i\u0307\u01c6k\U00010428");
  EXPECT_EQ(lower_case(std::string_view("東京 😀 ß ×÷")), "東京 😀 ß ×÷");
  EXPECT_EQ(lower_case(std::string_view("A\xff\xc3Z")), "a\xff\xc3z");
}

// No lower case has another: every text is done in one step.
TEST(LowerCase, Settles) {
  for (char32_t value = 0; value <= 0x10ffff; ++value) {
    const char32_t lower = lower_case(value);
    ASSERT_EQ(lower_case(lower), lower) << static_cast<uint32_t>(value);
  }
}

}  // namespace
}  // namespace heed
