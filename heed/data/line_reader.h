// The lines of a text file, one at a time, in UTF-8.
//
//   LineReader reader("train.en");
//   while (const auto line = reader.next()) use(*line);
//   print(reader.report());
//
// A compressed file is no text: an error like bytes that are not UTF-8. A byte order mark and the
// CR of CRLF are removed, a last line without newline is a line as well. Memory stays below the
// longest line that is allowed, whatever the file holds. What was met is counted in the report,
// with the numbers of the first lines it was met in.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heed/base/export.h"
#include "heed/data/encoding.h"
#include "heed/data/findings.h"

namespace heed {

// A line that is longer than allowed: leave out what is beyond, or give it in pieces.
enum class LongLines : uint8_t { cut, split };

struct LineOptions {
  Encoding encoding = Encoding::utf8;  // of the file; latin1 is converted
  // Bytes that are not UTF-8. Where they are counted, U+FFFD stands in for each.
  OnMistake bad_bytes = OnMistake::fail;
  int64_t longest = int64_t{1} << 20;  // bytes of a line
  LongLines long_lines = LongLines::cut;
};

struct HEED_API LineReport {
  std::string file;
  std::string compressed;  // the program that unpacks it; nothing of such a file was given
  int64_t lines = 0;
  int64_t bytes = 0;  // of the file
  bool byte_order_mark = false;
  bool missing_newline = false;  // at the end of the last line
  int64_t crlf = 0;              // lines that ended so
  Places empty;                  // lines of whitespace alone
  Places too_long;
  bool in_pieces = false;  // those were given in pieces, so nothing was lost
  Places bad_bytes;        // lines with bytes that are not UTF-8

  std::vector<Finding> findings() const;  // "3 empty lines: lines 4, 17, 18"; empty if all is well
};

// A file, or a text in memory, which must outlive those who read it.
struct TextSource {
  std::string name;  // the path, or what stands for it in messages
  std::optional<std::string_view> memory;

  TextSource(std::string path) : name(std::move(path)) {}
  TextSource(const char* path) : name(path) {}
  TextSource(std::string_view text, std::string in_messages)
      : name(std::move(in_messages)), memory(text) {}
};

class HEED_API LineReader {
 public:
  explicit LineReader(const TextSource& source, const LineOptions& options = {});
  ~LineReader();
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;

  // The next line without its end, valid until the next call; nothing after the last.
  std::optional<std::string_view> next();

  int64_t line() const { return report_.lines; }  // number of the line that next() gave
  // The line goes on in the next piece (LongLines::split).
  bool continues() const { return continues_; }
  // From the next line on.
  void set_longest(int64_t bytes) { options_.longest = bytes; }
  const LineReport& report() const { return report_; }

 private:
  bool read_more();
  void begin();
  size_t available() const { return buffer_.size() - begin_; }
  std::string_view take(size_t bytes);  // from the buffer
  std::string_view take_piece();        // of a line that is too long
  void skip_rest();                     // of that line
  std::string_view checked(std::string_view raw);
  [[noreturn]] void fail_at(std::string_view raw, size_t byte) const;

  LineOptions options_;
  LineReport report_;
  int file_ = -1;
  std::string_view memory_;  // what is left of it
  std::string buffer_;       // what was read; [begin_, end) was not given yet
  size_t begin_ = 0;
  bool at_end_ = false;
  bool continues_ = false;
  int64_t given_ = 0;  // bytes of the present line that former pieces gave
  std::string converted_;
};

}  // namespace heed
