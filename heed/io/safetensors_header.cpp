#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <unordered_set>
#include <utility>

#include "heed/base/fail.h"
#include "heed/io/safetensors_header_internal.h"

namespace heed {
namespace {

using nlohmann::json;

constexpr std::string_view kMetadata = "__metadata__";

// Bytes of an element, also of types that heed does not have; 0: unknown.
size_t element_bytes(std::string_view type) {
  if (const std::optional<DType> known = safetensors_type(type)) return byte_size(*known);
  if (type == "F8_E4M3" || type == "F8_E5M2") return 1;
  if (type == "I16" || type == "U16") return 2;
  if (type == "U32") return 4;
  if (type == "U64") return 8;
  return 0;
}

// Listens to the JSON parser. It knows at any time what may come next and refuses everything else,
// so that memory is taken for good content only.
class HeaderReader : public json::json_sax_t {
 public:
  explicit HeaderReader(const std::string& file) : file_(file) {}

  SafetensorsHeader take() { return std::move(header_); }

  bool null() override { return refuse("null"); }
  bool boolean(bool) override { return refuse("true or false"); }
  bool number_integer(number_integer_t) override { return refuse("a negative number"); }
  bool number_float(number_float_t, const string_t&) override {
    return refuse("a number that is a fraction or too large");
  }
  bool binary(binary_t&) override { return refuse("binary data"); }

  bool number_unsigned(number_unsigned_t value) override {
    if (place_ != Place::shape && place_ != Place::offsets) return refuse("a number");
    check(value <= static_cast<uint64_t>(std::numeric_limits<int64_t>::max()),
          "{}: {}: the number {} is too large", file_, where(), value);
    const size_t max_count = place_ == Place::shape ? Shape::kMaxRank : 2;
    check(numbers_.size() < max_count, "{}: {}: more than {} numbers", file_, where(), max_count);
    numbers_.push_back(static_cast<int64_t>(value));
    return true;
  }

  bool string(string_t& value) override {
    if (place_ == Place::metadata) {
      header_.metadata[key_] = std::move(value);
      return true;
    }
    if (place_ != Place::entry || key_ != "dtype") return refuse("a string");
    header_.entries.back().type = std::move(value);
    return true;
  }

  bool start_object(size_t) override {
    if (place_ == Place::outside) {
      place_ = Place::top;
    } else if (place_ == Place::top && key_ == kMetadata) {
      place_ = Place::metadata;
    } else if (place_ == Place::top) {
      place_ = Place::entry;
      header_.entries.push_back({.name = key_, .type = {}, .shape = {}});
      fields_.clear();
    } else {
      return refuse("an object");
    }
    return true;
  }

  bool end_object() override {
    if (place_ == Place::entry) {
      check(fields_.size() == 3, "{}: tensor \"{}\" must have dtype, shape and data_offsets", file_,
            header_.entries.back().name);
    }
    place_ = place_ == Place::top ? Place::outside : Place::top;
    return true;
  }

  bool key(string_t& value) override {
    key_ = std::move(value);
    if (place_ == Place::top) {
      check(names_.insert(key_).second, "{}: the header has \"{}\" twice", file_, key_);
    } else if (place_ == Place::metadata) {
      check(!header_.metadata.contains(key_), "{}: {} has \"{}\" twice", file_, kMetadata, key_);
    } else {
      const bool known = key_ == "dtype" || key_ == "shape" || key_ == "data_offsets";
      check(known && fields_.insert(key_).second, "{}: tensor \"{}\" has \"{}\", {}", file_,
            header_.entries.back().name, key_, known ? "twice" : "which is not part of the format");
    }
    return true;
  }

  bool start_array(size_t) override {
    const bool numbers = place_ == Place::entry && key_ != "dtype";
    if (!numbers) return refuse("an array");
    place_ = key_ == "shape" ? Place::shape : Place::offsets;
    numbers_.clear();
    return true;
  }

  bool end_array() override {
    SafetensorsEntry& entry = header_.entries.back();
    if (place_ == Place::shape) {
      entry.shape = checked_shape();
    } else {
      check(numbers_.size() == 2 && numbers_[0] <= numbers_[1],
            "{}: {}: expected two numbers, begin <= end", file_, where());
      entry.begin = static_cast<size_t>(numbers_[0]);
      entry.end = static_cast<size_t>(numbers_[1]);
    }
    place_ = Place::entry;
    return true;
  }

  bool parse_error(size_t position, const std::string&, const json::exception&) override {
    fail("{}: the header is not valid JSON, at its byte {}", file_, position);
  }

 private:
  enum class Place : uint8_t { outside, top, metadata, entry, shape, offsets };

  std::string where() const {
    if (place_ == Place::outside) return "header";
    if (place_ == Place::top) return fmt::format("\"{}\"", key_);
    if (place_ == Place::metadata) return fmt::format("{} \"{}\"", kMetadata, key_);
    return fmt::format("tensor \"{}\", {}", header_.entries.back().name, key_);
  }

  std::string expected() const {
    if (place_ == Place::metadata || (place_ == Place::entry && key_ == "dtype")) return "a string";
    if (place_ == Place::entry) return "an array";
    if (place_ == Place::shape || place_ == Place::offsets) return "whole numbers >= 0";
    return "an object";
  }

  // A shape knows that its elements can be counted, whatever their type.
  Shape checked_shape() const {
    try {
      return Shape(std::span<const int64_t>(numbers_));
    } catch (const Error& error) {
      fail("{}: {}: {}", file_, where(), error.what());
    }
  }

  bool refuse(const char* what) const {
    fail("{}: not a valid header: {}: expected {}, got {}", file_, where(), expected(), what);
  }

  const std::string& file_;
  SafetensorsHeader header_;
  Place place_ = Place::outside;
  std::string key_;                         // of the value that comes
  std::unordered_set<std::string> names_;   // of the top
  std::unordered_set<std::string> fields_;  // of the entry
  std::vector<int64_t> numbers_;            // of the array
};

// The bytes of an entry by its type and shape.
size_t expected_bytes(const SafetensorsEntry& entry, const std::string& file) {
  const size_t element = element_bytes(entry.type);
  check(element > 0, "{}: tensor \"{}\": the type \"{}\" is not known", file, entry.name,
        entry.type);
  return static_cast<size_t>(entry.shape.size()) * element;
}

void check_entries(const std::vector<SafetensorsEntry>& entries, size_t data_bytes,
                   const std::string& file) {
  size_t end = 0;
  for (const SafetensorsEntry& entry : entries) {
    check(entry.end <= data_bytes,
          "{}: tensor \"{}\" ends at byte {} of the data, the file has {}: is it cut off?", file,
          entry.name, entry.end, data_bytes);
    const size_t bytes = expected_bytes(entry, file);
    check(entry.end - entry.begin == bytes, "{}: tensor \"{}\": {} {} needs {} bytes, it has {}",
          file, entry.name, entry.type, entry.shape, bytes, entry.end - entry.begin);
    check(entry.begin == end, "{}: tensor \"{}\" begins at byte {} of the data, expected {}: {}",
          file, entry.name, entry.begin, end,
          entry.begin < end ? "tensors overlap" : "there is a gap");
    end = entry.end;
  }
  check(end == data_bytes, "{}: the tensors end at byte {} of the data, the file has {}", file, end,
        data_bytes);
}

// A string as JSON writes it, with the quotes.
std::string quoted(const std::string& text) {
  try {
    return json(text).dump();
  } catch (const json::exception&) {
    fail("safetensors: a name or text is not UTF-8: {}",
         json(text).dump(-1, ' ', false, json::error_handler_t::replace));
  }
}

std::string joined(const Shape& shape) {
  std::string text;
  for (const int64_t size : shape) text += fmt::format("{}{}", text.empty() ? "" : ",", size);
  return text;
}

}  // namespace

SafetensorsHeader parse_safetensors_header(std::string_view text, size_t data_bytes,
                                           const std::string& file) {
  HeaderReader reader(file);
  json::sax_parse(text.begin(), text.end(), &reader);
  SafetensorsHeader header = reader.take();
  std::stable_sort(header.entries.begin(), header.entries.end(),
                   [](const SafetensorsEntry& a, const SafetensorsEntry& b) {
                     return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
                   });
  check_entries(header.entries, data_bytes, file);
  return header;
}

std::string safetensors_header_text(const SafetensorsHeader& header) {
  std::string text = "{";
  if (!header.metadata.empty()) {
    text += fmt::format("\"{}\":{{", kMetadata);
    for (const auto& [key, value] : header.metadata) {
      text += fmt::format("{}:{},", quoted(key), quoted(value));
    }
    text.back() = '}';
    text += ',';
  }
  std::unordered_set<std::string> names;
  for (const SafetensorsEntry& entry : header.entries) {
    check(entry.name != kMetadata && names.insert(entry.name).second,
          "safetensors: a tensor must not be named \"{}\"{}", entry.name,
          entry.name == kMetadata ? "" : ": another one is");
    text +=
        fmt::format("{}:{{\"dtype\":\"{}\",\"shape\":[{}],\"data_offsets\":[{},{}]}},",
                    quoted(entry.name), entry.type, joined(entry.shape), entry.begin, entry.end);
  }
  if (text.back() == ',') text.pop_back();
  return text + '}';
}

}  // namespace heed
