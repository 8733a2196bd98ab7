// Records as JSON lines: an object on each line, whose fields are known by their names.
//
//   {"text": "how far is it?", "label": "number"}      a text with its label
//   {"source": "good day", "target": "guten Tag"}      a pair
//   {"translation": {"en": "good day", "de": "guten Tag"}}
//
// Other fields are not looked at. What is given here are single lines; labeled.cpp and pairs.cpp
// read the files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "heed/data/line_reader.h"

namespace heed {

// Bytes of a line of JSON: texts in it are whole, not cut.
inline constexpr int64_t kLongestJsonLine = int64_t{64} << 20;

// What is wrong with a longer one.
std::string json_line_too_long();

// .jsonl and .json hold JSON lines, whatever they begin with.
bool has_json_name(std::string_view file);

// Whether this is an object with fields, and nothing else.
bool is_json_record(std::string_view line);

// Whether the name says so, or the first line that is not empty is such a record.
bool is_json_file(const TextSource& source, LineOptions lines);

// A text and its label, which may also be a whole number.
class JsonLabels {
 public:
  // Fields that are not named are "text" and "label".
  JsonLabels(const std::string& text_field, const std::string& label_field);

  bool read(std::string_view line);  // false: mistake() says what is wrong with it

  const std::string& text() const { return text_; }
  const std::string& label() const { return label_; }
  const std::string& mistake() const { return mistake_; }
  const std::string& text_field() const { return text_field_; }
  const std::string& label_field() const { return label_field_; }

 private:
  std::string text_field_, label_field_;
  std::string text_, label_, mistake_;
};

// Where source and target stand: two fields of the record, or of its "translation".
struct JsonPairFields {
  bool in_translation = false;
  std::string source, target;

  std::string shown(const std::string& field) const {
    return in_translation ? "translation." + field : field;
  }
};

// Source and target. The first record that can be read decides which fields they are, and of a
// translation the order of its two languages.
class JsonPairs {
 public:
  bool read(std::string_view line);  // false: mistake() says what is wrong with it

  const std::string& source() const { return source_; }
  const std::string& target() const { return target_; }
  const std::string& mistake() const { return mistake_; }
  // "source" or "translation.en"; empty before the first record.
  std::string source_field() const { return fields_ ? fields_->shown(fields_->source) : ""; }
  std::string target_field() const { return fields_ ? fields_->shown(fields_->target) : ""; }

 private:
  std::optional<JsonPairFields> fields_;
  std::string source_, target_, mistake_;
};

}  // namespace heed
