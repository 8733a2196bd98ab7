#include "heed/data/json_records.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "heed/base/blanks.h"
#include "heed/base/json_nesting.h"
#include "heed/base/printable.h"
#include "heed/data/findings_internal.h"
#include "heed/data/json_records_internal.h"

namespace heed {

bool begins_json_object(std::string_view line) {
  return trimmed(line, kLineBlanks).starts_with('{');
}

JsonRecord parse_json_record(std::string_view line) {
  return is_nested_too_deep(line) ? JsonRecord(JsonRecord::value_t::discarded)
                                  : JsonRecord::parse(line, nullptr, false);
}

std::string json_fields(const JsonRecord& record) {
  constexpr size_t kMaxFields = 8;
  if (record.empty()) return "an empty object";
  std::vector<std::string> names;
  for (const auto& item : record.items()) {
    if (names.size() == kMaxFields) {
      names.push_back(fmt::format("and {} more", record.size() - kMaxFields));
      break;
    }
    const std::string_view name = item.key();
    names.push_back(fmt::format("\"{}\"", printable(name.substr(0, kLongestFieldName))));
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

namespace {

constexpr const char* kTranslation = "translation";

// Why a line is no record; empty if it is one.
std::string mistake_of_line(std::string_view line, const JsonRecord& record) {
  if (record.is_object()) return "";
  if (is_nested_too_deep(line)) {
    return fmt::format("the JSON is nested deeper than {} levels", kDeepestNesting);
  }
  if (trimmed(line, kLineBlanks).starts_with('[')) {
    return "this is a JSON list, expected an object on each line: jq -c '.[]' FILE > NEW";
  }
  if (record.is_discarded()) return "this is not JSON; each line must be one whole object";
  return fmt::format("expected a JSON object, got {}", record.type_name());
}

std::string kind_of(const JsonRecord& value) {
  return value.is_number() || value.is_boolean() ? value.dump() : value.type_name();
}

bool has_field(const JsonRecord& object, const std::string& field, std::string_view inside,
               std::string& mistake) {
  if (object.contains(field)) return true;
  mistake =
      fmt::format("there is no \"{}\"{}, only {}", printable(field), inside, json_fields(object));
  return false;
}

// A text; `inside`, for messages, says of what the object is a part.
bool take_field(const JsonRecord& object, const std::string& field, std::string_view inside,
                std::string& text, std::string& mistake) {
  if (!has_field(object, field, inside, mistake)) return false;
  const JsonRecord& value = object[field];
  if (value.is_string()) {
    text = value.get<std::string>();
  } else {
    mistake =
        fmt::format("\"{}\"{} must be a text, got {}", printable(field), inside, kind_of(value));
  }
  return value.is_string();
}

// Of the first record.
std::optional<JsonPairFields> pair_fields(const JsonRecord& record, std::string& mistake) {
  if (record.contains("source") || record.contains("target")) return {{false, "source", "target"}};
  if (!record.contains(kTranslation)) {
    mistake = fmt::format("expected \"source\" and \"target\", or \"{}\", got {}", kTranslation,
                          json_fields(record));
    return std::nullopt;
  }
  const JsonRecord& languages = record[kTranslation];
  if (languages.is_object() && languages.size() == 2) {
    return {{true, languages.begin().key(), std::next(languages.begin()).key()}};
  }
  mistake = fmt::format("\"{}\" must hold texts in two languages, got {}", kTranslation,
                        languages.is_object() ? json_fields(languages) : kind_of(languages));
  return std::nullopt;
}

bool take_side(const JsonRecord& record, const JsonPairFields& fields, const std::string& field,
               std::string& text, std::string& mistake) {
  if (!fields.in_translation) return take_field(record, field, "", text, mistake);
  const std::string inside = fmt::format(" in \"{}\"", kTranslation);
  if (!record.contains(kTranslation)) {
    mistake = fmt::format("there is no \"{}\", only {}", kTranslation, json_fields(record));
    return false;
  }
  const JsonRecord& languages = record[kTranslation];
  if (languages.is_object()) return take_field(languages, field, inside, text, mistake);
  mistake = fmt::format("\"{}\" must be an object, got {}", kTranslation, kind_of(languages));
  return false;
}

}  // namespace

std::string json_line_too_long() {
  return fmt::format("the line is longer than {} MB", kLongestJsonLine >> 20);
}

bool has_json_name(std::string_view file) {
  return file.ends_with(".jsonl") || file.ends_with(".json");
}

bool is_json_record(std::string_view line) {
  if (!begins_json_object(line)) return false;
  const JsonRecord record = parse_json_record(line);
  return record.is_object() && !record.empty();
}

bool is_json_file(const TextSource& source, LineOptions lines) {
  if (has_json_name(source.name)) return true;
  lines.bad_bytes = OnMistake::count;
  lines.longest = std::max(lines.longest, kLongestJsonLine);
  LineReader reader(source, lines);
  while (const auto line = reader.next()) {
    if (!is_blank(*line, kLineBlanks)) return is_json_record(*line);
  }
  return false;
}

JsonLabels::JsonLabels(const std::string& text_field, const std::string& label_field)
    : text_field_(text_field.empty() ? "text" : text_field),
      label_field_(label_field.empty() ? "label" : label_field) {}

bool JsonLabels::read(std::string_view line) {
  const JsonRecord record = parse_json_record(line);
  mistake_ = mistake_of_line(line, record);
  if (!mistake_.empty()) return false;
  const auto has = [&](const std::string& field, std::string_view what) {
    if (has_field(record, field, "", mistake_)) return true;
    mistake_ += fmt::format("; name the field with `{}-column`", what);
    return false;
  };
  if (!has(text_field_, "text") || !has(label_field_, "label")) return false;
  const JsonRecord& label = record[label_field_];
  if (!label.is_string() && !label.is_number_integer()) {
    mistake_ = fmt::format("\"{}\" must be a text or a whole number, got {}",
                           printable(label_field_), kind_of(label));
    return false;
  }
  label_ = label.is_string() ? label.get<std::string>() : label.dump();
  return take_field(record, text_field_, "", text_, mistake_);
}

bool JsonPairs::read(std::string_view line) {
  const JsonRecord record = parse_json_record(line);
  mistake_ = mistake_of_line(line, record);
  if (!mistake_.empty()) return false;
  const auto fields = fields_ ? fields_ : pair_fields(record, mistake_);
  if (!fields) return false;
  if (!take_side(record, *fields, fields->source, source_, mistake_) ||
      !take_side(record, *fields, fields->target, target_, mistake_)) {
    return false;
  }
  fields_ = fields;
  return true;
}

}  // namespace heed
