#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "heed/base/blanks.h"
#include "heed/data/csv_reader.h"
#include "heed/data/findings_internal.h"

namespace heed {
namespace {

// The one of comma, semicolon and tab that occurs most outside of quotes.
char separator_of(std::string_view line) {
  constexpr std::array<char, 3> kSeparators{',', ';', '\t'};
  std::array<int, 3> counts{};
  bool in_quotes = false;
  for (const char c : line) {
    if (c == '"') in_quotes = !in_quotes;
    if (in_quotes) continue;
    for (size_t i = 0; i < counts.size(); ++i) counts[i] += c == kSeparators[i] ? 1 : 0;
  }
  const auto best = std::max_element(counts.begin(), counts.end());
  return kSeparators[best - counts.begin()];
}

}  // namespace

CsvReader::CsvReader(const TextSource& source, const LineOptions& options)
    : reader_(source, options), longest_(options.longest) {}

bool CsvReader::next() {
  std::optional<std::string_view> line;
  do {
    line = reader_.next();
    if (!line) return false;
  } while (is_blank(*line, kLineBlanks));
  if (separator_ == 0) separator_ = separator_of(*line);
  fields_.assign(1, "");
  mistake_.clear();
  in_quotes_ = false;
  line_ = reader_.line();
  int64_t bytes = 0;
  while (true) {
    bytes += static_cast<int64_t>(line->size());
    if (reader_.continues() || bytes > longest_) {
      mistake_ = in_quotes_ ? "a quote is not closed, or the record is too long" : "is too long";
      return true;
    }
    parse(*line);
    if (!in_quotes_) return true;
    line = reader_.next();
    if (!line) {
      mistake_ = "a quote is not closed";
      return true;
    }
    fields_.back() += '\n';
  }
}

// Adds one line to the record; in_quotes_ says whether the record goes on in the next.
void CsvReader::parse(std::string_view line) {
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (in_quotes_) {
      if (c != '"') {
        fields_.back() += c;
      } else if (i + 1 < line.size() && line[i + 1] == '"') {
        fields_.back() += '"';
        ++i;
      } else {
        in_quotes_ = false;
      }
    } else if (c == separator_) {
      fields_.emplace_back();
    } else if (c == '"' && fields_.back().empty()) {
      in_quotes_ = true;
    } else {
      fields_.back() += c;
    }
  }
}

}  // namespace heed
