// Values of Jinja, as far as chat templates need them, and expressions over them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "heed/base/error.h"

namespace heed {

struct JinjaValue;
class JinjaMap;
using JinjaList = std::vector<JinjaValue>;

// Nothing stands for what is not defined. Lists and maps are shared, as in Python.
struct JinjaValue {
  std::variant<std::monostate, bool, int64_t, std::string, std::shared_ptr<JinjaList>,
               std::shared_ptr<JinjaMap>>
      value = {};

  bool is_defined() const { return value.index() != 0; }
  bool truth() const;
  std::string text() const;  // as {{ }} prints it
  const std::string* string() const { return std::get_if<std::string>(&value); }
  JinjaList* list() const;  // or null
  JinjaMap* map() const;    // or null
};

// In the order in which the names came, which is that of tojson.
class JinjaMap {
 public:
  JinjaValue& operator[](const std::string& name);
  const JinjaValue* find(const std::string& name) const;  // or null
  const std::vector<std::pair<std::string, JinjaValue>>& list() const { return list_; }
  void clear() { list_.clear(); }

 private:
  std::vector<std::pair<std::string, JinjaValue>> list_;
};

struct JinjaArguments {
  JinjaList values;
  JinjaMap named;

  // The argument of this place or name; nothing if it is not there.
  JinjaValue get(size_t place, const std::string& name) const;
};

// What all expressions of a template share.
struct JinjaWork {
  size_t copied = 0;                                    // bytes
  std::vector<std::shared_ptr<JinjaMap>> namespaces{};  // each may contain itself

  JinjaWork() = default;
  JinjaWork(const JinjaWork&) = delete;
  JinjaWork& operator=(const JinjaWork&) = delete;
  ~JinjaWork();
};

// The names that an expression may use: those of the innermost scope first.
class JinjaScopes {
 public:
  using Call = std::function<JinjaValue(const std::string& name, const JinjaArguments& arguments)>;

  // `call` runs what is called and is no function of every template.
  explicit JinjaScopes(Call call) : call_(std::move(call)) {}

  void push() { scopes_.emplace_back(); }
  void pop() { scopes_.pop_back(); }
  void set(const std::string& name, JinjaValue value) { scopes_.back()[name] = std::move(value); }
  JinjaValue get(const std::string& name) const;
  JinjaScopes outermost() const;  // what a macro sees

  JinjaValue call(const std::string& name, const JinjaArguments& arguments) const {
    return call_(name, arguments);
  }
  // An Error if it is more than a template can need.
  void count_copied(size_t bytes) const;
  void count_copied(const JinjaValue& value) const;
  std::shared_ptr<JinjaMap> new_namespace() const;

 private:
  Call call_;
  std::shared_ptr<JinjaWork> work_ = std::make_shared<JinjaWork>();
  std::vector<JinjaMap> scopes_ = std::vector<JinjaMap>(1);
};

// The template itself refuses the conversation, by raise_exception.
class JinjaRefusal : public Error {
 public:
  using Error::Error;
};

// The value of an expression: literals, names, [..] and .name, slices, + - // % ~, comparisons,
// in, and, or, not, `a if b else c`, and what the functions below know. An Error for anything else.
JinjaValue evaluate_jinja(std::string_view expression, const JinjaScopes& scopes);

// value | name(arguments): trim, length, string, default, upper, lower, capitalize, title, first,
// last, list, items, join, replace and tojson.
JinjaValue jinja_filter(const JinjaValue& value, const std::string& name,
                        const JinjaArguments& arguments);

// value.name(arguments): strip, lstrip, rstrip, startswith, endswith, upper, lower, capitalize,
// title, split and replace of texts, get and items of maps.
JinjaValue jinja_method(const JinjaValue& value, const std::string& name,
                        const JinjaArguments& arguments);

// value is name: defined, string, mapping, ..
bool jinja_test(const JinjaValue& value, const std::string& name);

// Text without the white space at its ends.
std::string_view trim_space(std::string_view text);
std::string_view trim_space_before(std::string_view text);
std::string_view trim_space_after(std::string_view text);

}  // namespace heed
