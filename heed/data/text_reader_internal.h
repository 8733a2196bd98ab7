// The text of a file for a language model: its lines as they are, or, of JSON lines, what their
// field "text" holds.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "heed/data/line_reader.h"
#include "heed/data/text_report.h"

namespace heed {

// Lines are given in pieces where they are longer than lines.longest; texts of JSON lines are
// whole.
class TextReader {
 public:
  TextReader(const TextSource& source, LineOptions lines, OnMistake records);

  // The next line, piece of a line or text; nothing after the last. Valid until the next call.
  std::optional<std::string_view> next();

  // What next() gave was without a newline at its end.
  bool is_open() const { return is_open_; }
  int64_t line() const { return line_; }  // number of the line that next() gave
  bool is_json() const { return report_.is_json; }
  const TextReport& report();

 private:
  struct Piece {
    std::string text;
    bool is_open;
    int64_t line;
  };

  void look_ahead();
  bool next_piece();  // into piece_
  std::optional<std::string_view> next_text();
  bool next_record();  // into record_, whole
  void mistake(const std::string& what);

  LineReader reader_;
  OnMistake on_mistake_;
  TextReport report_;
  std::deque<Piece> ahead_;  // pieces that were read to learn what they are
  Piece piece_;
  std::string record_, text_;
  bool is_open_ = false;
  int64_t line_ = 0;
};

}  // namespace heed
