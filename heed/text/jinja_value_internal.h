// Values of Jinja, as far as chat templates need them, and expressions over them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace heed {

struct JinjaValue;
using JinjaList = std::vector<JinjaValue>;
using JinjaMap = std::map<std::string, JinjaValue>;

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

// The names that an expression may use: those of the innermost scope first.
class JinjaScopes {
 public:
  void push() { scopes_.emplace_back(); }
  void pop() { scopes_.pop_back(); }
  void set(const std::string& name, JinjaValue value) { scopes_.back()[name] = std::move(value); }
  JinjaValue get(const std::string& name) const;

 private:
  std::vector<JinjaMap> scopes_ = {{}};
};

// The value of an expression: literals, names, [..] and .name, slices, + - // % ~, comparisons,
// in, and, or, not, `a if b else c`, the filters trim, length and string, tests such as `is
// defined`, the methods strip, lstrip, rstrip, startswith and endswith, and the functions
// namespace and raise_exception. An Error for anything else.
JinjaValue evaluate_jinja(std::string_view expression, const JinjaScopes& scopes);

// Text without the white space at its ends.
std::string_view trim_space(std::string_view text);
std::string_view trim_space_before(std::string_view text);
std::string_view trim_space_after(std::string_view text);

}  // namespace heed
