#include <fmt/format.h>

#include <utility>

#include "heed/base/counted.h"
#include "heed/data/compressed.h"
#include "heed/data/findings_internal.h"
#include "heed/data/line_reader.h"

namespace heed {

std::vector<Finding> LineReport::findings() const {
  std::vector<Finding> found;
  const auto add = [&](bool is_fault, std::string text) {
    found.push_back({is_fault, std::move(text)});
  };
  if (!compressed.empty()) add(true, compressed_text(compressed));
  if (bad_bytes.count > 0) {
    add(true, fmt::format("{} with bytes that are not UTF-8: {}; if the file is in Latin-1, add "
                          "`encoding` latin1",
                          counted(bad_bytes.count, "line", "lines"), at_lines(bad_bytes)));
  }
  if (too_long.count > 0 && in_pieces) {
    add(false, fmt::format("{}, read in pieces: {}",
                           counted(too_long.count, "very long line", "very long lines"),
                           at_lines(too_long)));
  } else if (too_long.count > 0) {
    add(false, fmt::format("{} longer than the limit, cut: {}",
                           counted(too_long.count, "line", "lines"), at_lines(too_long)));
  }
  if (empty.count > 0) {
    add(false,
        fmt::format("{}: {}", counted(empty.count, "empty line", "empty lines"), at_lines(empty)));
  }
  if (crlf > 0) {
    add(false, fmt::format("{} with CRLF, read as LF", counted(crlf, "line ends", "lines end")));
  }
  if (byte_order_mark) add(false, "a byte order mark at the beginning, left out");
  if (missing_newline) add(false, "no newline at the end of the last line");
  return found;
}

}  // namespace heed
