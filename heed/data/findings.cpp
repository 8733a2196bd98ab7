#include "heed/data/findings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "heed/data/findings_internal.h"
#include "heed/text/utf8_internal.h"

namespace heed {
namespace {

constexpr std::string_view kBlanks = " \t\r\v\f";

}  // namespace

void Places::add(int64_t line) {
  if (lines.size() < kKept && (lines.empty() || lines.back() != line)) lines.push_back(line);
  ++count;
}

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

}  // namespace heed
