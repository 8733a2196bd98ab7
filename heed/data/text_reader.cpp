#include "heed/base/blanks.h"
#include "heed/base/counted.h"
#include "heed/data/text_reader_internal.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "heed/base/fail.h"
#include "heed/data/findings_internal.h"
#include "heed/data/json_records.h"
#include "heed/data/json_records_internal.h"

namespace heed {
namespace {

using Json = JsonRecord;

constexpr const char* kTextField = "text";
constexpr int kTellingLines = 3;  // that are not empty
constexpr int64_t kMaxEmpty = 1000;
constexpr auto kLongestRecord = static_cast<size_t>(kLongestJsonLine);

// The objects on the first lines of JSON lines; none if this is another text.
std::vector<Json> telling_objects(std::string_view text) {
  std::vector<Json> objects;
  int64_t empty = 0;
  for (int lines = 0; lines < kTellingLines && !text.empty() && empty <= kMaxEmpty;) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (is_blank(line, kLineBlanks)) {
      ++empty;
      continue;
    }
    if (!begins_json_object(line)) return {};
    ++lines;
    Json record = parse_json_record(line);
    if (record.is_object() && !record.empty()) objects.push_back(std::move(record));
  }
  return objects;
}

// What can stand in a command as it is.
bool is_plain_name(std::string_view name) {
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  return !name.empty() && name.size() <= kLongestFieldName &&
         std::all_of(name.begin(), name.end(), is_plain);
}

// The field with the longest text; empty if there is none.
std::string longest_text_field(const Json& record) {
  std::string longest;
  size_t bytes = 0;
  for (const auto& item : record.items()) {
    if (!item.value().is_string()) continue;
    const size_t size = item.value().get_ref<const std::string&>().size();
    if (size <= bytes) continue;
    longest = item.key();
    bytes = size;
  }
  return longest;
}

std::string refusal_of(const Json& record) {
  std::string text =
      fmt::format("these are JSON lines without the field \"{}\" to learn from; they have {}",
                  kTextField, json_fields(record));
  if (record.contains("messages")) {
    return text + "; heed finetune reads conversations";
  }
  const std::string longest = longest_text_field(record);
  if (!is_plain_name(longest)) return text;
  return text + fmt::format("; to learn from that: jq -c '{{{}: .[\"{}\"]}}' FILE > NEW",
                            kTextField, longest);
}

LineOptions in_pieces(LineOptions lines) {
  lines.long_lines = LongLines::split;
  return lines;
}

}  // namespace

bool is_json_lines(std::string_view beginning) {
  if (beginning.starts_with(kMark)) beginning.remove_prefix(kMark.size());
  return !telling_objects(beginning).empty();
}

TextReader::TextReader(const TextSource& source, LineOptions lines, OnMistake records)
    : reader_(source, in_pieces(lines)), on_mistake_(records) {
  look_ahead();
}

// Reads as many lines as tell whether this is JSON.
void TextReader::look_ahead() {
  std::string seen;
  bool is_begin = true;  // of a line
  int64_t empty = 0;
  for (int lines = 0; lines < kTellingLines;) {
    const auto piece = reader_.next();
    if (!piece) break;
    const bool is_open = reader_.continues() || reader_.report().missing_newline;
    ahead_.push_back({std::string(*piece), is_open, reader_.line()});
    const bool blank = is_begin && is_blank(*piece, kLineBlanks);
    if (blank && (is_open || ++empty > kMaxEmpty)) return;
    if (is_begin && !blank && !begins_json_object(*piece)) return;
    seen += *piece;
    if (seen.size() > kLongestRecord) return;
    is_begin = !is_open;
    if (is_open) continue;
    seen += '\n';
    if (!blank) ++lines;
  }
  const std::vector<Json> objects = telling_objects(seen);
  report_.is_json = !objects.empty();
  const bool has_text = std::any_of(objects.begin(), objects.end(),
                                    [](const Json& record) { return record.contains(kTextField); });
  if (!report_.is_json || has_text) return;
  report_.refusal = refusal_of(objects[0]);
  check(on_mistake_ == OnMistake::count, "{}: {}", reader_.report().file, report_.refusal);
}

const TextReport& TextReader::report() {
  report_.lines = reader_.report();
  report_.lines.in_pieces = true;
  if (report_.is_json) report_.lines.too_long = {};  // they were put together again
  return report_;
}

bool TextReader::next_piece() {
  if (!ahead_.empty()) {
    piece_ = std::move(ahead_.front());
    ahead_.pop_front();
    return true;
  }
  const auto piece = reader_.next();
  if (!piece) return false;
  piece_.text = *piece;
  piece_.is_open = reader_.continues() || reader_.report().missing_newline;
  piece_.line = reader_.line();
  return true;
}

std::optional<std::string_view> TextReader::next() {
  if (report_.is_json) return next_text();
  if (!next_piece()) return std::nullopt;
  is_open_ = piece_.is_open;
  line_ = piece_.line;
  return piece_.text;
}

bool TextReader::next_record() {
  record_.clear();
  if (!next_piece()) return false;
  line_ = piece_.line;
  do {
    if (record_.size() <= kLongestRecord) record_ += piece_.text;
  } while (piece_.is_open && next_piece());
  return true;
}

void TextReader::mistake(const std::string& what) {
  check(on_mistake_ == OnMistake::count, "{}:{}: {}", reader_.report().file, line_, what);
  if (report_.bad_records.count == 0) report_.first_mistake = what;
  report_.bad_records.add(line_);
}

std::optional<std::string_view> TextReader::next_text() {
  if (!report_.refusal.empty()) return std::nullopt;
  while (next_record()) {
    if (is_blank(record_, kLineBlanks)) continue;
    if (record_.size() > kLongestRecord) {
      mistake(fmt::format("the line is longer than {} MB", kLongestRecord >> 20));
      continue;
    }
    const Json record = parse_json_record(record_);
    if (!record.is_object()) {
      mistake(record.is_discarded()
                  ? "this is not JSON, as the first lines are"
                  : fmt::format("expected a JSON object, got {}", record.type_name()));
    } else if (!record.contains(kTextField)) {
      mistake(fmt::format("there is no \"{}\", only {}", kTextField, json_fields(record)));
    } else if (!record[kTextField].is_string()) {
      mistake(
          fmt::format("\"{}\" must be a text, got {}", kTextField, record[kTextField].type_name()));
    } else {
      ++report_.records;
      text_ = record[kTextField].get<std::string>();
      return text_;
    }
  }
  return std::nullopt;
}

std::vector<Finding> TextReport::findings() const {
  LineReport others = lines;
  others.empty = {};  // part of the text
  std::vector<Finding> found;
  if (!refusal.empty()) {
    found.push_back({true, refusal});
  } else if (is_json) {
    found.push_back({false, fmt::format("JSON lines: {} from the field \"{}\"",
                                        counted(records, "text", "texts"), kTextField)});
  }
  if (bad_records.count > 0) {
    found.push_back({true, fmt::format("{} that cannot be read: {}; the first: {}",
                                       counted(bad_records.count, "record", "records"),
                                       at_lines(bad_records), first_mistake)});
  }
  for (Finding& finding : others.findings()) found.push_back(std::move(finding));
  return found;
}

}  // namespace heed
