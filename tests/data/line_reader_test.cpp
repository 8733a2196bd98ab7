#include "heed/data/line_reader.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "tests/data/temporary_file.h"

namespace heed::line_reader_test {
namespace {

using Lines = std::vector<std::string>;

struct Read {
  Lines lines;
  LineReport report;
};

Read read(LineReader& reader) {
  Read result;
  while (const auto line = reader.next()) result.lines.emplace_back(*line);
  EXPECT_FALSE(reader.next());
  result.report = reader.report();
  return result;
}

Read read(std::string_view text, const LineOptions& options = {}) {
  LineReader reader(TextSource(text, "memory.txt"), options);
  return read(reader);
}

std::string message(std::string_view text, const LineOptions& options = {}) {
  try {
    read(text, options);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(LineReader, EndsOfLines) {
  EXPECT_EQ(read("").lines, Lines{});
  EXPECT_EQ(read("").report.lines, 0);
  EXPECT_EQ(read("\n").lines, Lines{""});
  EXPECT_EQ(read("a\nb\n").lines, (Lines{"a", "b"}));
  EXPECT_FALSE(read("a\nb\n").report.missing_newline);
  EXPECT_TRUE(read("a\nb\n").report.findings().empty());
  EXPECT_EQ(read("a\nb").lines, (Lines{"a", "b"}));
  EXPECT_TRUE(read("a\nb").report.missing_newline);
  EXPECT_EQ(read("a\r\nb\r\n").lines, (Lines{"a", "b"}));
  EXPECT_EQ(read("a\r\nb\n").report.crlf, 1);
  EXPECT_EQ(read("a\rb\n\r").lines, (Lines{"a\rb", "\r"}));
  EXPECT_EQ(read("\xef\xbb\xbf"
                 "a\n")
                .lines,
            Lines{"a"});
  EXPECT_TRUE(read("\xef\xbb\xbf"
                   "a\n")
                  .report.byte_order_mark);
  EXPECT_EQ(read("\xef\xbb\xbf").lines, Lines{});
  EXPECT_EQ(read(std::string_view("a\0b\n", 4)).lines, Lines{std::string("a\0b", 3)});
}

TEST(LineReader, CountsEmptyLines) {
  const Read result = read("a\n\n \t\nb\n\r\n\n\n\n");
  EXPECT_EQ(result.lines.size(), 8u);
  EXPECT_EQ(result.report.empty.count, 6);
  EXPECT_EQ(result.report.empty.lines, (std::vector<int64_t>{2, 3, 5, 6, 7}));
  EXPECT_EQ(result.report.findings()[0].text, "6 empty lines: lines 2, 3, 5, 6, 7, ...");
}

TEST(LineReader, NamesBadBytes) {
  EXPECT_EQ(message("ab\nca\xe9 f\n"),
            "memory.txt: line 2, byte 3: 0xE9 is not UTF-8; if the file is in Latin-1, add "
            "`encoding` latin1");
  EXPECT_NE(message("\xff\xfe"
                    "a")
                .find("UTF-16"),
            std::string::npos);
  const Read counted =
      read("a\n\xe9t\xe9\nok \xe2\x82\xac\n\xe2\x82\n", {.bad_bytes = OnMistake::count});
  EXPECT_EQ(counted.lines, (Lines{"a", "\xef\xbf\xbdt\xef\xbf\xbd", "ok \xe2\x82\xac",
                                  "\xef\xbf\xbd\xef\xbf\xbd"}));
  EXPECT_EQ(counted.report.bad_bytes.count, 2);
  EXPECT_EQ(counted.report.bad_bytes.lines, (std::vector<int64_t>{2, 4}));
}

TEST(LineReader, SaysHowToUnpack) {
  const std::pair<std::string, std::string> cases[] = {
      {std::string("\x1f\x8b\x08\0\n\x01", 6), "gzip"},
      {"\x28\xb5\x2f\xfd\n", "zstd"},
      {"BZh91AY\n", "bzip2"},
      {std::string("\xfd"
                   "7zXZ\0\n",
                   7),
       "xz"}};
  for (const auto& [bytes, program] : cases) {
    const std::string said = "this is compressed by " + program +
                             ", expected text; unpack it: " + program + " -dc FILE > TEXT";
    EXPECT_EQ(message(bytes), "memory.txt: " + said);
    EXPECT_EQ(message(bytes, {.encoding = Encoding::latin1}), "memory.txt: " + said);
    const Read counted = read(bytes, {.bad_bytes = OnMistake::count});
    EXPECT_EQ(counted.lines, Lines{});
    EXPECT_EQ(counted.report.findings(), (std::vector<Finding>{{true, said}}));
  }
  EXPECT_EQ(read("\x1f is no end\n").lines.size(), 1u);
}

TEST(LineReader, ConvertsLatin1) {
  const Read result = read("caf\xe9\nabc\n\xff\x80\n", {.encoding = Encoding::latin1});
  EXPECT_EQ(result.lines, (Lines{"caf\u00e9", "abc", "\u00ff\u0080"}));
}

TEST(LineReader, CutsLongLines) {
  const Read result = read("abcdef\nabcd\r\nabcde\r\nab\nabcdefghi", {.longest = 4});
  EXPECT_EQ(result.lines, (Lines{"abcd", "abcd", "abcd", "ab", "abcd"}));
  EXPECT_EQ(result.report.too_long.lines, (std::vector<int64_t>{1, 3, 5}));
  EXPECT_EQ(result.report.lines, 5);
  EXPECT_TRUE(result.report.missing_newline);
  // Never within a character.
  EXPECT_EQ(read("abc\u00e9\n", {.longest = 4}).lines, Lines{"abc"});
}

TEST(LineReader, SplitsLongLines) {
  const LineOptions options{.longest = 4, .long_lines = LongLines::split};
  LineReader reader(TextSource(std::string_view("abc\u00e9fghij\nk\n"), "m"), options);
  EXPECT_EQ(reader.next(), "abc");
  EXPECT_TRUE(reader.continues());
  EXPECT_EQ(reader.next(), "\u00e9fg");
  EXPECT_TRUE(reader.continues());
  EXPECT_EQ(reader.next(), "hij");
  EXPECT_FALSE(reader.continues());
  EXPECT_EQ(reader.line(), 1);
  EXPECT_EQ(reader.next(), "k");
  EXPECT_EQ(reader.line(), 2);
  EXPECT_FALSE(reader.next());
  EXPECT_EQ(reader.report().too_long.count, 1);
  EXPECT_EQ(read("abcd\xe9\n",
                 {.bad_bytes = OnMistake::count, .longest = 4, .long_lines = LongLines::split})
                .lines,
            (Lines{"abcd", "\xef\xbf\xbd"}));
}

TEST(LineReader, ReadsFilesLargerThanItsBuffer) {
  std::string text;
  Lines expected;
  for (int i = 0; i < 100000; ++i) {
    expected.push_back("line " + std::to_string(i) + (i % 1000 == 0 ? std::string(5000, 'x') : ""));
    text += expected.back() + (i % 3 == 0 ? "\r\n" : "\n");
  }
  const TemporaryFile file(text);
  LineReader reader(file.path());
  const Read result = read(reader);
  EXPECT_EQ(result.lines, expected);
  EXPECT_EQ(result.report.bytes, static_cast<int64_t>(text.size()));
}

TEST(LineReader, AFileWithoutNewlinesTakesLittleMemory) {
  const TemporaryFile file(std::string(20 << 20, 'a'));
  LineReader reader(file.path(), {.longest = 1000});
  EXPECT_EQ(reader.next()->size(), 1000u);
  EXPECT_FALSE(reader.next());
}

TEST(LineReader, SaysWhatIsWrong) {
  EXPECT_THROW(LineReader("/does/not/exist"), Error);
  EXPECT_THROW(LineReader("/tmp"), Error);
  const TemporaryFile file("");
  EXPECT_THROW(LineReader(file.path(), {.longest = 0}), Error);
}

}  // namespace
}  // namespace heed::line_reader_test
