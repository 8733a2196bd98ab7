// What Jinja does with one value: filters, methods and tests.

#include <algorithm>
#include <cctype>

#include "heed/base/fail.h"
#include "heed/chat/jinja_value_internal.h"
#include "heed/text/json.h"

namespace heed {
namespace {

constexpr size_t kMaxJson = 1 << 20;
constexpr int kDeepestJson = 32;

// As json.dumps of Python writes it.
class JsonWriter {
 public:
  explicit JsonWriter(int64_t indent) : indent_(indent) {}

  std::string write(const JinjaValue& value) {
    add(value, 1);
    return std::move(text_);
  }

 private:
  void add(const JinjaValue& value, int depth) {
    check(text_.size() <= kMaxJson && depth <= kDeepestJson, "tojson writes too much");
    if (value.string() != nullptr) {
      add_string(*value.string());
    } else if (const JinjaList* list = value.list()) {
      bool first = true;
      for (const JinjaValue& item : *list) {
        begin_item(first, '[', depth);
        add(item, depth + 1);
      }
      end_items(first, "[]", depth);
    } else if (const JinjaMap* map = value.map()) {
      bool first = true;
      for (const auto& [key, item] : map->list()) {
        begin_item(first, '{', depth);
        add_string(key);
        text_ += ": ";
        add(item, depth + 1);
      }
      end_items(first, "{}", depth);
    } else if (const bool* flag = std::get_if<bool>(&value.value)) {
      text_ += *flag ? "true" : "false";
    } else {
      text_ += value.is_defined() ? value.text() : "null";
    }
  }

  void add_string(const std::string& text) {
    text_ += nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }

  void new_line(int depth) {
    text_ += '\n';
    text_.append(static_cast<size_t>(indent_ * depth), ' ');
  }

  void begin_item(bool& first, char open, int depth) {
    text_ += first ? std::string(1, open) : indent_ < 0 ? ", " : ",";
    first = false;
    if (indent_ >= 0) new_line(depth);
  }

  void end_items(bool empty, const char* both, int depth) {
    if (empty) {
      text_ += both;
      return;
    }
    if (indent_ >= 0) new_line(depth - 1);
    text_ += both[1];
  }

  int64_t indent_;  // below 0: all in one line
  std::string text_;
};

char upper_letter(char c) { return static_cast<char>(std::toupper(static_cast<unsigned char>(c))); }

char lower_letter(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

// upper, lower, capitalize or title of ASCII letters; false if `name` is none of them.
bool change_case(const std::string& name, std::string& text) {
  if (name != "upper" && name != "lower" && name != "capitalize" && name != "title") return false;
  bool is_first = true;
  for (char& c : text) {
    const bool is_letter = std::isalpha(static_cast<unsigned char>(c)) != 0;
    c = name == "upper" || (name != "lower" && is_first) ? upper_letter(c) : lower_letter(c);
    is_first = name == "title" && !is_letter;
  }
  return true;
}

const std::string& text_argument(const JinjaArguments& arguments, size_t place,
                                 const std::string& called) {
  check(place < arguments.values.size() && arguments.values[place].string() != nullptr,
        "{} without a text in brackets is not supported", called);
  return *arguments.values[place].string();
}

std::string with_replaced(std::string_view text, const JinjaArguments& arguments) {
  const std::string& from = text_argument(arguments, 0, "replace");
  const std::string& to = text_argument(arguments, 1, "replace");
  check(!from.empty() && arguments.values.size() == 2, "this replace is not supported");
  std::string result;
  for (size_t at; (at = text.find(from)) != std::string_view::npos;) {
    result.append(text.substr(0, at)).append(to);
    text.remove_prefix(at + from.size());
    check(result.size() <= kMaxJson, "a text is too long");
  }
  return result.append(text);
}

JinjaValue pairs_of(const JinjaValue& value) {
  check(value.map() != nullptr, "items are those of a map");
  auto pairs = std::make_shared<JinjaList>();
  for (const auto& [key, item] : value.map()->list()) {
    pairs->push_back({std::make_shared<JinjaList>(JinjaList{{key}, item})});
  }
  return {pairs};
}

JinjaValue parts_between(std::string_view text, const std::string& mark) {
  check(!mark.empty(), "split at nothing is not supported");
  auto parts = std::make_shared<JinjaList>();
  for (size_t at; (at = text.find(mark)) != std::string_view::npos;) {
    parts->push_back({std::string(text.substr(0, at))});
    text.remove_prefix(at + mark.size());
  }
  parts->push_back({std::string(text)});
  return {parts};
}

// Without the characters of `set` at its ends.
std::string_view strip_of(std::string_view text, std::string_view set, bool before, bool after) {
  if (after) text = text.substr(0, text.find_last_not_of(set) + 1);  // npos + 1 is 0
  if (before) text.remove_prefix(std::min(text.find_first_not_of(set), text.size()));
  return text;
}

int64_t length_of(const JinjaValue& value) {
  if (value.list() != nullptr) return static_cast<int64_t>(value.list()->size());
  if (value.map() != nullptr) return static_cast<int64_t>(value.map()->list().size());
  const std::string text = value.text();
  return std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;  // a character begins
  });
}

}  // namespace

JinjaValue jinja_filter(const JinjaValue& value, const std::string& name,
                        const JinjaArguments& arguments) {
  if (name == "default" || name == "d") {
    const bool also_false = arguments.get(1, "boolean").truth();
    const bool is_there = also_false ? value.truth() : value.is_defined();
    return is_there ? value : arguments.get(0, "default_value");
  }
  if (name == "tojson") {
    const JinjaValue indent = arguments.get(0, "indent");
    const int64_t* by = std::get_if<int64_t>(&indent.value);
    check(by == nullptr || (*by >= 0 && *by <= 16), "tojson indents by 0 to 16");
    return {JsonWriter(by == nullptr ? -1 : *by).write(value)};
  }
  if (name == "items") return pairs_of(value);
  if (name == "length" || name == "count") return {length_of(value)};
  if (value.list() != nullptr) {
    const JinjaList& list = *value.list();
    if (name == "list") return value;
    if (name == "first") return list.empty() ? JinjaValue{} : list.front();
    if (name == "last") return list.empty() ? JinjaValue{} : list.back();
    check(name == "join", "the filter {} is not supported", name);
    std::string text;
    const std::string between = arguments.get(0, "d").text();
    for (size_t i = 0; i < list.size(); ++i) {
      text += (i == 0 ? "" : between) + list[i].text();
      check(text.size() <= kMaxJson, "a text is too long");
    }
    return {text};
  }
  std::string text = value.text();
  if (name == "trim") return {std::string(trim_space(text))};
  if (name == "replace") return {with_replaced(text, arguments)};
  check(name == "string" || change_case(name, text), "the filter {} is not supported", name);
  return {text};
}

JinjaValue jinja_method(const JinjaValue& value, const std::string& name,
                        const JinjaArguments& arguments) {
  if (value.map() != nullptr && name == "items") return pairs_of(value);
  if (value.map() != nullptr && name == "get") {
    const JinjaValue* found = value.map()->find(text_argument(arguments, 0, name));
    return found != nullptr ? *found : arguments.get(1, "default");
  }
  check(value.string() != nullptr, "the method {} is not supported", name);
  std::string text = *value.string();
  if (name == "strip" || name == "lstrip" || name == "rstrip") {
    std::string_view set = " \t\n\r\f\v";
    if (!arguments.values.empty()) set = text_argument(arguments, 0, name);
    return {std::string(strip_of(text, set, name != "rstrip", name != "lstrip"))};
  }
  if (name == "startswith") return {text.starts_with(text_argument(arguments, 0, name))};
  if (name == "endswith") return {text.ends_with(text_argument(arguments, 0, name))};
  if (name == "split") return parts_between(text, text_argument(arguments, 0, name));
  if (name == "replace") return {with_replaced(text, arguments)};
  check(change_case(name, text), "the method {} is not supported", name);
  return {text};
}

bool jinja_test(const JinjaValue& value, const std::string& name) {
  const bool is_number = std::holds_alternative<int64_t>(value.value);
  if (name == "defined") return value.is_defined();
  if (name == "undefined" || name == "none") return !value.is_defined();
  if (name == "string") return value.string() != nullptr;
  if (name == "mapping") return value.map() != nullptr;
  if (name == "number" || name == "integer") return is_number;
  if (name == "boolean") return std::holds_alternative<bool>(value.value);
  if (name == "true") return value.value == JinjaValue{true}.value;
  if (name == "false") return value.value == JinjaValue{false}.value;
  check(name == "iterable" || name == "sequence", "the test {} is not supported", name);
  return value.string() != nullptr || value.list() != nullptr || value.map() != nullptr;
}

}  // namespace heed
