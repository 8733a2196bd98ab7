#include "heed/data/findings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "heed/data/findings_internal.h"
#include "heed/text/utf8.h"

namespace heed {

void Places::add(int64_t line) {
  if (lines.size() < kKept && (lines.empty() || lines.back() != line)) lines.push_back(line);
  ++count;
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

}  // namespace heed
