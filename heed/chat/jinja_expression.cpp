// Expressions of Jinja, evaluated as they are read.

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "heed/base/fail.h"
#include "heed/chat/jinja_value_internal.h"

namespace heed {
namespace {

constexpr size_t kMaxText = 1 << 20, kMaxItems = 10'000;
constexpr int64_t kLargest = 1'000'000'000'000;
constexpr size_t kMaxTokens = 400;  // bounds how deep expressions can be nested

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
      check(c == 'n' || c == 't' || c == 'r' || c == '\\' || c == '\'' || c == '"',
            "\\{} in a text is not supported", c);
      c = c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c;
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
  check(tokens.size() <= kMaxTokens, "an expression is too long");
  tokens.push_back({});
  return tokens;
}

JinjaValue value_of(std::string text) { return {std::move(text)}; }

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
    if (where.map() != nullptr) {
      return what.string() != nullptr && where.map()->find(*what.string()) != nullptr;
    }
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
  JinjaValue together(const std::string& a, const std::string& b) const {
    check(a.size() + b.size() <= kMaxText, "a text is too long");
    scopes_.count_copied(a.size() + b.size());
    return value_of(a + b);
  }

  JinjaValue together(const JinjaList& a, const JinjaList& b) const {
    check(a.size() + b.size() <= kMaxItems, "a list is too long");
    for (const JinjaList* one : {&a, &b}) {
      for (const JinjaValue& item : *one) scopes_.count_copied(item);
    }
    auto list = std::make_shared<JinjaList>(a);
    list->insert(list->end(), b.begin(), b.end());
    return {list};
  }

  JinjaValue sum() {
    JinjaValue value = joined();
    while (is("+") || is("-")) {
      const bool plus = tokens_[at_++].text == "+";
      const JinjaValue other = joined();
      if (plus && value.string() != nullptr && other.string() != nullptr) {
        value = together(*value.string(), *other.string());
      } else if (plus && value.list() != nullptr && other.list() != nullptr) {
        value = together(*value.list(), *other.list());
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
      scopes_.count_copied(value);
      if (take(".")) {
        const std::string key = name();
        if (!take("(")) {
          value = member(value, key);
        } else {
          const JinjaArguments given = arguments();
          value = active_ ? jinja_method(value, key, given) : JinjaValue{};
        }
      } else if (take("[")) {
        value = element(value);
      } else if (take("|")) {
        const std::string called = name();
        const JinjaArguments given = take("(") ? arguments() : JinjaArguments{};
        value = active_ ? jinja_filter(value, called, given) : JinjaValue{};
      } else if (take("is")) {
        const bool wanted = !take("not");
        const std::string called = name();
        value = {active_ && jinja_test(value, called) == wanted};
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
    if (token.text == "[") return {items_until("]", {})};
    check(token.text == "(", "\"{}\" is not supported", token.text);
    JinjaValue value = choice();
    if (take(",")) return {items_until(")", {value})};
    expect(")");
    return value;
  }

  // The rest of a list.
  std::shared_ptr<JinjaList> items_until(std::string_view close, JinjaList begin) {
    auto list = std::make_shared<JinjaList>(std::move(begin));
    while (!take(close)) {
      list->push_back(choice());
      if (!is(close)) expect(",");
    }
    return list;
  }

  static JinjaValue member(const JinjaValue& value, const std::string& key) {
    if (value.map() == nullptr) return {};
    const JinjaValue* found = value.map()->find(key);
    return found == nullptr ? JinjaValue{} : *found;
  }

  JinjaValue element(const JinjaValue& value) {
    const JinjaValue index = is(":") ? JinjaValue{} : choice();
    if (is(":")) return slice(value, index);
    expect("]");
    if (index.string() != nullptr) return member(value, *index.string());
    if (value.list() == nullptr) return {};
    const auto size = static_cast<int64_t>(value.list()->size());
    const int64_t at = number(index) < 0 ? size + number(index) : number(index);
    return at < 0 || at >= size ? JinjaValue{} : (*value.list())[at];
  }

  // [begin:end:step], as Python has it.
  JinjaValue slice(const JinjaValue& value, const JinjaValue& begin) {
    JinjaValue end, by{int64_t{1}};
    expect(":");
    if (!is("]") && !is(":")) end = choice();
    if (take(":") && !is("]")) by = choice();
    expect("]");
    if (!active_) return {};
    check(value.list() != nullptr || !value.is_defined(), "a part of a text is not supported");
    auto part = std::make_shared<JinjaList>();
    if (value.list() == nullptr) return {part};
    const auto size = static_cast<int64_t>(value.list()->size());
    const int64_t step = number(by);
    check(step != 0, "a step of 0 is not possible");
    const int64_t low = step > 0 ? 0 : -1, high = step > 0 ? size : size - 1;
    const auto place = [&](const JinjaValue& at, int64_t otherwise) {
      if (!at.is_defined()) return otherwise;
      return std::clamp(number(at) < 0 ? number(at) + size : number(at), low, high);
    };
    const int64_t first = place(begin, step > 0 ? low : high),
                  last = place(end, step > 0 ? high : low);
    for (int64_t i = first; step > 0 ? i < last : i > last; i += step) {
      part->push_back((*value.list())[i]);
      scopes_.count_copied(part->back());
    }
    return {part};
  }

  // What stands in brackets, up to the closing one.
  JinjaArguments arguments() {
    JinjaArguments given;
    while (!take(")")) {
      const bool is_named = now().kind == Sign::name && tokens_[at_ + 1].kind == Sign::sign &&
                            tokens_[at_ + 1].text == "=";
      if (is_named) {
        const std::string key = name();
        expect("=");
        given.named[key] = choice();
      } else {
        given.values.push_back(choice());
      }
      if (!is(")")) expect(",");
    }
    return given;
  }

  JinjaValue function(const std::string& called) {
    const JinjaArguments given = arguments();
    if (!active_) return {};
    if (called == "raise_exception") throw JinjaRefusal(given.get(0, "message").text());
    if (called != "namespace") return scopes_.call(called, given);
    const std::shared_ptr<JinjaMap> fields = scopes_.new_namespace();
    for (const auto& [key, value] : given.named.list()) (*fields)[key] = value;
    return {fields};
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
