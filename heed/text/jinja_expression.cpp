// Expressions of Jinja, evaluated as they are read.

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "heed/base/fail_internal.h"
#include "heed/text/jinja_value_internal.h"

namespace heed {
namespace {

constexpr size_t kMostText = 1 << 20;
constexpr int64_t kLargest = 1'000'000'000'000;
constexpr size_t kMostTokens = 400;  // bounds how deep expressions can be nested

enum class Sign : uint8_t { end, name, string, number, sign };

struct JinjaToken {
  Sign kind = Sign::end;
  std::string text = {};  // of a string: what it stands for
};

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

bool is_decimal(char c) { return c >= '0' && c <= '9'; }

std::string string_literal(std::string_view text, size_t& at) {
  const char quote = text[at++];
  std::string result;
  while (at < text.size() && text[at] != quote) {
    char c = text[at++];
    if (c == '\\' && at < text.size()) {
      c = text[at++];
      check(c == 'n' || c == 't' || c == '\\' || c == '\'' || c == '"',
            "\\{} in a text is not supported", c);
      c = c == 'n' ? '\n' : c == 't' ? '\t' : c;
    }
    result += c;
  }
  check(at < text.size(), "a text does not end");
  ++at;
  return result;
}

std::vector<JinjaToken> tokens_of(std::string_view text) {
  std::vector<JinjaToken> tokens;
  for (size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      ++at;
    } else if (c == '\'' || c == '"') {
      tokens.push_back({Sign::string, string_literal(text, at)});
    } else if (is_word(c)) {
      const size_t begin = at;
      while (at < text.size() && is_word(text[at])) ++at;
      const std::string word(text.substr(begin, at - begin));
      const bool is_number = std::isdigit(static_cast<unsigned char>(c)) != 0;
      check(!is_number || (word.size() <= 9 && std::all_of(word.begin(), word.end(), is_decimal)),
            "the number {} is not supported", word);
      tokens.push_back({is_number ? Sign::number : Sign::name, word});
    } else {
      const std::string_view two = text.substr(at, 2);
      const bool is_two = two == "==" || two == "!=" || two == "<=" || two == ">=" || two == "//";
      tokens.push_back({Sign::sign, std::string(text.substr(at, is_two ? 2 : 1))});
      at += is_two ? 2 : 1;
    }
  }
  check(tokens.size() <= kMostTokens, "an expression is too long");
  tokens.push_back({});
  return tokens;
}

JinjaValue value_of(std::string text) { return {std::move(text)}; }
JinjaValue value_of(std::string_view text) { return {std::string(text)}; }

// What stands in a branch that is not taken is read, but does nothing.
class Reader {
 public:
  Reader(std::string_view text, const JinjaScopes& scopes)
      : tokens_(tokens_of(text)), scopes_(scopes) {}

  JinjaValue whole() {
    JinjaValue value = choice();
    check(now().kind == Sign::end, "\"{}\" is not expected", now().text);
    return value;
  }

 private:
  const JinjaToken& now() const { return tokens_[at_]; }
  bool is(std::string_view text) const {
    return (now().kind == Sign::sign || now().kind == Sign::name) && now().text == text;
  }
  bool take(std::string_view text) {
    if (!is(text)) return false;
    ++at_;
    return true;
  }
  void expect(std::string_view text) {
    check(take(text), "\"{}\" is expected before \"{}\"", text, now().text);
  }
  std::string name() {
    check(now().kind == Sign::name, "a name is expected before \"{}\"", now().text);
    return tokens_[at_++].text;
  }

  // `read` with or without effect.
  template <typename Read>
  JinjaValue read_if(bool active, Read read) {
    const bool before = active_;
    active_ = active_ && active;
    JinjaValue value = (this->*read)();
    active_ = before;
    return value;
  }

  // Whether an `if` follows before what is read here ends.
  bool is_choice() const {
    int depth = 0;
    for (size_t i = at_; tokens_[i].kind != Sign::end && depth >= 0; ++i) {
      const JinjaToken& token = tokens_[i];
      if (token.kind == Sign::name && token.text == "if" && depth == 0) return true;
      if (token.kind != Sign::sign) continue;
      if (token.text == "(" || token.text == "[") ++depth;
      if (token.text == ")" || token.text == "]") --depth;
      if (token.text == "," && depth == 0) return false;
    }
    return false;
  }

  // a if b else c: b comes after a, so a is read a second time when it is known to be wanted.
  JinjaValue choice() {
    if (!is_choice()) return either();
    const size_t begin = at_;
    read_if(false, &Reader::either);
    expect("if");
    const bool first = either().truth();
    const size_t after = at_;
    JinjaValue value;
    if (first) {
      at_ = begin;
      value = either();
      at_ = after;
    }
    if (!take("else")) return value;
    JinjaValue other = read_if(!first, &Reader::choice);
    return first ? value : other;
  }

  JinjaValue either() {
    JinjaValue value = both();
    while (take("or")) {
      const JinjaValue other = read_if(!value.truth(), &Reader::both);
      if (!value.truth()) value = other;
    }
    return value;
  }

  JinjaValue both() {
    JinjaValue value = negation();
    while (take("and")) {
      const JinjaValue other = read_if(value.truth(), &Reader::negation);
      if (value.truth()) value = other;
    }
    return value;
  }

  JinjaValue negation() {
    if (take("not")) return {!negation().truth()};
    return comparison();
  }

  static bool contains(const JinjaValue& where, const JinjaValue& what) {
    if (where.string() != nullptr && what.string() != nullptr) {
      return where.string()->find(*what.string()) != std::string::npos;
    }
    if (where.map() != nullptr) return what.string() && where.map()->contains(*what.string());
    if (where.list() == nullptr) return false;
    const auto same = [&](const JinjaValue& one) { return one.value == what.value; };
    return std::any_of(where.list()->begin(), where.list()->end(), same);
  }

  JinjaValue comparison() {
    JinjaValue value = sum();
    for (;;) {
      if (take("==")) {
        value = {value.value == sum().value};
      } else if (take("!=")) {
        value = {value.value != sum().value};
      } else if (take("in")) {
        value = {contains(sum(), value)};
      } else if (is("not") && tokens_[at_ + 1].text == "in") {
        at_ += 2;
        value = {!contains(sum(), value)};
      } else if (is("<") || is(">") || is("<=") || is(">=")) {
        const std::string sign = tokens_[at_++].text;
        const int64_t a = number(value), b = number(sum());
        value = {sign == "<" ? a < b : sign == ">" ? a > b : sign == "<=" ? a <= b : a >= b};
      } else {
        return value;
      }
    }
  }

  int64_t number(const JinjaValue& value) const {
    const int64_t* found = std::get_if<int64_t>(&value.value);
    check(found != nullptr || !active_, "a number is expected");
    return found == nullptr ? 1 : *found;
  }

  // A text that is joined with itself again and again must not fill the memory.
  static JinjaValue together(const std::string& a, const std::string& b) {
    check(a.size() + b.size() <= kMostText, "a text is too long");
    return value_of(a + b);
  }

  JinjaValue sum() {
    JinjaValue value = joined();
    while (is("+") || is("-")) {
      const bool plus = tokens_[at_++].text == "+";
      const JinjaValue other = joined();
      if (plus && value.string() != nullptr && other.string() != nullptr) {
        value = together(*value.string(), *other.string());
      } else {
        const int64_t result = number(value) + (plus ? 1 : -1) * number(other);
        check(std::abs(result) <= kLargest, "a number is too large");
        value = {result};
      }
    }
    return value;
  }

  JinjaValue joined() {
    JinjaValue value = product();
    while (take("~")) value = together(value.text(), product().text());
    return value;
  }

  JinjaValue product() {
    JinjaValue value = part();
    while (is("%") || is("//")) {
      const std::string sign = tokens_[at_++].text;
      const int64_t a = number(value), b = number(part());
      check(b > 0 && a >= 0, "{} is for numbers above 0", sign);
      value = {sign == "%" ? a % b : a / b};
    }
    return value;
  }

  // Something with what is done to it: .name, [..], (..), | filter, is test.
  JinjaValue part() {
    if (take("-")) return {-number(part())};
    JinjaValue value = first();
    for (;;) {
      if (take(".")) {
        const std::string key = name();
        value = take("(") ? method(value, key) : member(value, key);
      } else if (take("[")) {
        value = element(value);
      } else if (take("|")) {
        value = filter(value, name());
      } else if (take("is")) {
        const bool wanted = !take("not");
        value = {test(value, name()) == wanted};
      } else {
        return value;
      }
    }
  }

  JinjaValue first() {
    const JinjaToken token = tokens_[at_++];
    if (token.kind == Sign::string) return value_of(token.text);
    if (token.kind == Sign::number) return {static_cast<int64_t>(std::stoi(token.text))};
    if (token.kind == Sign::name) {
      if (take("(")) return function(token.text);
      if (token.text == "true" || token.text == "True") return {true};
      if (token.text == "false" || token.text == "False") return {false};
      if (token.text == "none" || token.text == "None") return {};
      return scopes_.get(token.text);
    }
    if (token.text == "[") {
      auto list = std::make_shared<JinjaList>();
      while (!take("]")) {
        list->push_back(choice());
        if (!is("]")) expect(",");
      }
      return {list};
    }
    check(token.text == "(", "\"{}\" is not supported", token.text);
    JinjaValue value = choice();
    expect(")");
    return value;
  }

  static JinjaValue member(const JinjaValue& value, const std::string& key) {
    if (value.map() == nullptr) return {};
    const auto found = value.map()->find(key);
    return found == value.map()->end() ? JinjaValue{} : found->second;
  }

  JinjaValue element(const JinjaValue& value) {
    const JinjaValue index = is(":") ? JinjaValue{int64_t{0}} : choice();
    if (take(":")) {
      expect("]");
      auto rest = std::make_shared<JinjaList>();
      const auto begin = static_cast<size_t>(std::max<int64_t>(number(index), 0));
      if (value.list() != nullptr && begin < value.list()->size()) {
        rest->assign(value.list()->begin() + static_cast<std::ptrdiff_t>(begin),
                     value.list()->end());
      }
      return {rest};
    }
    expect("]");
    if (index.string() != nullptr) return member(value, *index.string());
    if (value.list() == nullptr) return {};
    const auto size = static_cast<int64_t>(value.list()->size());
    const int64_t at = number(index) < 0 ? size + number(index) : number(index);
    return at < 0 || at >= size ? JinjaValue{} : (*value.list())[static_cast<size_t>(at)];
  }

  JinjaValue function(const std::string& called) {
    if (called == "namespace") {
      auto fields = std::make_shared<JinjaMap>();
      while (!take(")")) {
        const std::string key = name();
        expect("=");
        (*fields)[key] = choice();
        if (!is(")")) expect(",");
      }
      return {fields};
    }
    check(called == "raise_exception", "the function {} is not supported", called);
    const JinjaValue message = choice();
    expect(")");
    if (active_) throw Error(message.text());
    return {};
  }

  JinjaValue method(const JinjaValue& value, const std::string& called) {
    const bool by_end = called == "startswith" || called == "endswith";
    const JinjaValue argument = by_end ? choice() : JinjaValue{};
    expect(")");
    if (!active_) return {};
    check(value.string() != nullptr && (!by_end || argument.string() != nullptr),
          "the method {} is not supported", called);
    const std::string_view text = *value.string();
    if (called == "strip") return value_of(trim_space(text));
    if (called == "lstrip") return value_of(trim_space_before(text));
    if (called == "rstrip") return value_of(trim_space_after(text));
    check(by_end, "the method {} is not supported", called);
    return {called == "startswith" ? text.starts_with(*argument.string())
                                   : text.ends_with(*argument.string())};
  }

  JinjaValue filter(const JinjaValue& value, const std::string& called) const {
    if (!active_) return {};
    if (called == "trim") return value_of(trim_space(value.text()));
    if (called == "string") return value_of(value.text());
    check(called == "length" || called == "count", "the filter {} is not supported", called);
    if (value.list() != nullptr) return {static_cast<int64_t>(value.list()->size())};
    if (value.map() != nullptr) return {static_cast<int64_t>(value.map()->size())};
    return {static_cast<int64_t>(value.text().size())};
  }

  bool test(const JinjaValue& value, const std::string& called) const {
    if (!active_) return false;
    if (called == "defined") return value.is_defined();
    if (called == "undefined" || called == "none") return !value.is_defined();
    if (called == "string") return value.string() != nullptr;
    if (called == "mapping") return value.map() != nullptr;
    if (called == "true") return value.value == JinjaValue{true}.value;
    if (called == "false") return value.value == JinjaValue{false}.value;
    check(called == "iterable" || called == "sequence", "the test {} is not supported", called);
    return value.string() != nullptr || value.list() != nullptr || value.map() != nullptr;
  }

  std::vector<JinjaToken> tokens_;
  const JinjaScopes& scopes_;
  size_t at_ = 0;
  bool active_ = true;
};

}  // namespace

JinjaValue evaluate_jinja(std::string_view expression, const JinjaScopes& scopes) {
  return Reader(expression, scopes).whole();
}

}  // namespace heed
