#include <fmt/format.h>

#include "heed/data/compressed_internal.h"
#include "heed/data/findings_internal.h"
#include "heed/data/line_reader.h"
#include "heed/text/utf8_internal.h"

namespace heed {
namespace {

constexpr std::string_view kBlanks = " \t\r\v\f";

}  // namespace

bool is_blank(std::string_view line) {
  return line.find_first_not_of(kBlanks) == std::string_view::npos;
}

std::string_view without_blanks(std::string_view text) {
  const size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

std::string_view shortened(std::string_view text, size_t bytes) {
  if (text.size() <= bytes) return text;
  const std::string_view part = text.substr(0, bytes);
  return part.substr(0, bytes - incomplete_utf8_bytes(part));
}

std::string at_lines(const Places& places) {
  const bool all = places.count == static_cast<int64_t>(places.lines.size());
  return fmt::format("line{} {}{}", places.count == 1 ? "" : "s", fmt::join(places.lines, ", "),
                     all ? "" : ", ...");
}

std::string counted(int64_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

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
