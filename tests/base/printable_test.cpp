#include "heed/base/printable.h"

#include <gtest/gtest.h>

namespace heed {
namespace {

TEST(Printable, NothingSteersATerminal) {
  EXPECT_EQ(printable("a\x1b[2Jb\x1b]0;title\x07"), "a?[2Jb?]0;title?");
  EXPECT_EQ(printable(std::string("a\nb\tc\rd\x7f") + '\0'), "a?b?c?d??");
  EXPECT_EQ(printable("a\nb\tc\r", "\n\t"), "a\nb\tc?");
  EXPECT_EQ(printable("\xc2\x9b"
                      "2J\xc2\x80\xc2\x9f"),
            "?2J??")
      << "control characters in UTF-8";
}

TEST(Printable, TextStays) {
  const std::string text = "Straße, 東京, \xc2\xa0, \xc3\x9b, 🚗 ~ \xff\xc2";
  EXPECT_EQ(printable(text), text);
  EXPECT_EQ(printable(""), "");
}

}  // namespace
}  // namespace heed
