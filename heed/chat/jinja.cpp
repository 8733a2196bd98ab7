#include "heed/chat/jinja_internal.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "heed/base/fail.h"
#include "heed/chat/jinja_value_internal.h"

namespace heed {
namespace {

constexpr size_t kMaxSteps = 100'000, kMaxPieces = 2000, kMaxWritten = 4 << 20;
constexpr int kDeepestCall = 5, kDeepestBlock = 100;

enum class PieceKind : uint8_t { text, print, block, comment };

struct JinjaPiece {
  PieceKind kind = PieceKind::text;
  std::string text = {};  // of a block: its words, "if a == b"
};

// What stands on the line before a block goes away if it is white space.
std::string without_indent(std::string text) {
  const size_t end = text.find_last_not_of(" \t");
  if (end == std::string::npos || text[end] == '\n') text.resize(end + 1);
  return text;
}

// Where a piece ends: at `close`, unless that stands in a text in quotes.
size_t end_of_piece(std::string_view text, size_t at, std::string_view close) {
  const bool has_texts = close != "#}";
  for (char quote = 0; at < text.size(); ++at) {
    if (quote != 0) {
      if (text[at] == '\\') {
        ++at;
      } else if (text[at] == quote) {
        quote = 0;
      }
    } else if (text.substr(at).starts_with(close)) {
      return at;
    } else if (has_texts && (text[at] == '\'' || text[at] == '"')) {
      quote = text[at];
    }
  }
  return std::string_view::npos;
}

std::vector<JinjaPiece> pieces_of(std::string_view text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  std::vector<JinjaPiece> pieces;
  bool strip_after = false, is_line_begin = true;
  while (!text.empty()) {
    size_t at = text.find('{');
    while (at != std::string_view::npos && at + 1 < text.size() &&
           std::string_view("{%#").find(text[at + 1]) == std::string_view::npos) {
      at = text.find('{', at + 1);
    }
    if (at + 1 >= text.size()) at = std::string_view::npos;
    std::string plain(text.substr(0, at));
    if (strip_after) plain = trim_space_before(plain);
    if (at == std::string_view::npos) {
      pieces.push_back({PieceKind::text, plain});
      break;
    }
    const char open = text[at + 1];
    const std::string_view close = open == '{' ? "}}" : open == '%' ? "%}" : "#}";
    const size_t end = end_of_piece(text, at + 2, close);
    check(end != std::string_view::npos, "{{{} without {}", open, close);
    std::string_view inside = text.substr(at + 2, end - at - 2);
    const bool keep_before = inside.starts_with('+');
    const bool first_line = plain.find('\n') == std::string::npos;
    if (inside.starts_with('-')) {
      plain = trim_space_after(plain);
    } else if (open != '{' && !keep_before && (is_line_begin || !first_line)) {
      plain = without_indent(plain);
    }
    if (inside.starts_with('-') || keep_before) inside.remove_prefix(1);
    strip_after = inside.ends_with('-');
    const bool keep_after = inside.ends_with('+');
    if (strip_after || keep_after) inside.remove_suffix(1);
    if (!plain.empty()) pieces.push_back({PieceKind::text, plain});
    const PieceKind kind = open == '{'   ? PieceKind::print
                           : open == '%' ? PieceKind::block
                                         : PieceKind::comment;
    pieces.push_back({kind, std::string(trim_space(inside))});
    text.remove_prefix(end + 2);
    is_line_begin = false;
    if (kind != PieceKind::print && !keep_after && text.starts_with('\n')) {
      text.remove_prefix(1);
      is_line_begin = true;
    }
  }
  check(pieces.size() <= kMaxPieces, "the template is too long");
  return pieces;
}

// "for" of "for x in y", and the rest.
std::string_view take_word(std::string_view& text) {
  const size_t end = text.find_first_of(" \t\n");
  const std::string_view word = text.substr(0, end);
  text = end == std::string_view::npos ? "" : trim_space(text.substr(end));
  return word;
}

struct JinjaMacro {
  std::vector<std::pair<std::string, std::string>> parameters;  // with what they are otherwise
  size_t begin = 0;                                             // its first piece
};

// "a, b=1": names with what they are otherwise.
std::vector<std::pair<std::string, std::string>> parameters_of(std::string_view text) {
  std::vector<std::pair<std::string, std::string>> parameters;
  while (!trim_space(text).empty()) {
    const size_t end = std::min(text.find(','), text.size());
    const std::string_view one = text.substr(0, end);
    const size_t equals = one.find('=');
    const std::string_view otherwise =
        equals == std::string_view::npos ? "" : trim_space(one.substr(equals + 1));
    parameters.emplace_back(trim_space(one.substr(0, equals)), otherwise);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parameters;
}

// Where " if " stands in an expression, outside of brackets and texts.
size_t condition_in(std::string_view text) {
  int depth = 0;
  char quote = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (quote != 0) {
      if (c == '\\') ++at;
      if (c == quote) quote = 0;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '(' || c == '[') {
      ++depth;
    } else if (c == ')' || c == ']') {
      --depth;
    } else if (depth == 0 && text.substr(at).starts_with(" if ")) {
      return at;
    }
  }
  return std::string_view::npos;
}

class Renderer {
 public:
  Renderer(std::vector<JinjaPiece> pieces, const JinjaChat& chat)
      : pieces_(std::move(pieces)),
        scopes_([this](const std::string& name, const JinjaArguments& arguments) {
          return call(name, arguments);
        }) {
    auto messages = std::make_shared<JinjaList>();
    for (const ChatMessage& message : chat.messages) {
      const auto fields = std::make_shared<JinjaMap>();
      (*fields)["role"] = {message.role};
      (*fields)["content"] = {message.content};
      messages->push_back({fields});
    }
    scopes_.set("messages", {messages});
    scopes_.set("bos_token", {chat.bos});
    scopes_.set("eos_token", {chat.eos});
    scopes_.set("add_generation_prompt", {chat.add_generation_prompt});
    scopes_.set("strftime_now", {true});  // it is defined; a call is refused
  }
  Renderer(const Renderer&) = delete;
  Renderer& operator=(const Renderer&) = delete;

  std::string whole() {
    const std::string_view end = run(true);
    check(end.empty(), "{} without a beginning", end);
    return std::move(out_);
  }

 private:
  // Until a block that ends what is inside, which is returned: "endif", "else", ..
  std::string_view run(bool active) {
    check(++blocks_ <= kDeepestBlock, "blocks are nested too deep");
    const std::string_view end = run_pieces(active);
    --blocks_;
    return end;
  }

  std::string_view run_pieces(bool active) {
    for (; at_ < pieces_.size(); ++at_) {
      check(++steps_ <= kMaxSteps, "the template does not come to an end");
      const JinjaPiece& piece = pieces_[at_];
      if (piece.kind == PieceKind::text && active) out_ += piece.text;
      if (piece.kind == PieceKind::print && active) {
        out_ += evaluate_jinja(piece.text, scopes_).text();
      }
      check(out_.size() <= kMaxWritten, "it writes too much");
      if (piece.kind != PieceKind::block) continue;
      std::string_view rest = piece.text;
      const std::string_view word = take_word(rest);
      if (word == "if") {
        run_if(rest, active);
      } else if (word == "for") {
        run_for(rest, active);
      } else if (word == "set") {
        run_set(rest, active);
      } else if (word == "macro") {
        run_macro(rest, active);
      } else if (word == "elif" || word == "else" || word == "endif" || word == "endfor" ||
                 word == "endset" || word == "endmacro") {
        return word;
      } else {
        const bool marks = word == "generation" || word == "endgeneration";  // what a model writes
        check(marks || !active, "{{% {} %}} is not supported", word);
      }
    }
    return "";
  }

  void run_if(std::string_view condition, bool active) {
    bool taken = false;
    std::string_view word = "elif";
    while (word != "endif") {
      const bool now =
          active && !taken && (word == "else" || evaluate_jinja(condition, scopes_).truth());
      taken |= now;
      ++at_;
      word = run(now);
      check(word == "elif" || word == "else" || word == "endif", "an if without endif");
      condition = pieces_[at_].text;
      take_word(condition);
    }
  }

  // The names before "in".
  static std::vector<std::string> loop_names(std::string_view& text) {
    std::vector<std::string> names;
    const size_t in = text.find(" in ");
    check(in != std::string_view::npos, "{{% for {} %}} is not supported", text);
    for (const auto& [name, otherwise] : parameters_of(text.substr(0, in))) names.push_back(name);
    text = text.substr(in + 4);
    check(names.size() == 1 || names.size() == 2, "a for with {} names is not supported",
          names.size());
    return names;
  }

  void set_names(const std::vector<std::string>& names, const JinjaValue& item) {
    if (names.size() == 1) return scopes_.set(names[0], item);
    const JinjaList* both = item.list();
    check(both != nullptr && both->size() == 2, "a for with two names needs a list of pairs");
    for (size_t i = 0; i < 2; ++i) scopes_.set(names[i], (*both)[i]);
  }

  // "list", or "list if condition": those for which it holds.
  JinjaList loop_items(std::string_view text, const std::vector<std::string>& names) {
    const size_t condition = condition_in(text);
    const JinjaValue list = evaluate_jinja(text.substr(0, condition), scopes_);
    check(!list.is_defined() || list.list() != nullptr, "a for needs a list");
    if (list.list() == nullptr) return {};
    for (const JinjaValue& item : *list.list()) scopes_.count_copied(item);
    if (condition == std::string_view::npos) return *list.list();
    JinjaList items;
    scopes_.push();
    for (const JinjaValue& item : *list.list()) {
      set_names(names, item);
      if (evaluate_jinja(text.substr(condition + 4), scopes_).truth()) items.push_back(item);
    }
    scopes_.pop();
    return items;
  }

  void run_for(std::string_view text, bool active) {
    const std::vector<std::string> names = active ? loop_names(text) : std::vector<std::string>();
    const size_t begin = at_ + 1;
    const JinjaList items = active ? loop_items(text, names) : JinjaList{};
    for (size_t i = 0; i < items.size(); ++i) {
      scopes_.push();
      auto loop = std::make_shared<JinjaMap>();
      const auto index = static_cast<int64_t>(i);
      (*loop)["index0"] = {index};
      (*loop)["index"] = {index + 1};
      (*loop)["revindex0"] = {static_cast<int64_t>(items.size()) - index - 1};
      (*loop)["revindex"] = {static_cast<int64_t>(items.size()) - index};
      if (i > 0) (*loop)["previtem"] = items[i - 1];
      if (i + 1 < items.size()) (*loop)["nextitem"] = items[i + 1];
      (*loop)["first"] = {i == 0};
      (*loop)["last"] = {i + 1 == items.size()};
      (*loop)["length"] = {static_cast<int64_t>(items.size())};
      scopes_.set("loop", {loop});
      set_names(names, items[i]);
      at_ = begin;
      check(run(true) == "endfor", "a for without endfor");
      scopes_.pop();
    }
    if (items.empty()) {
      at_ = begin;
      check(run(false) == "endfor", "a for without endfor");
    }
  }

  void set(const std::string& name, JinjaValue value) {
    check(name.find_first_of(", ()[]") == std::string::npos, "{{% set {} %}} is not supported",
          name);
    const size_t dot = name.find('.');
    if (dot == std::string::npos) {
      scopes_.set(name, std::move(value));
      return;
    }
    const JinjaValue fields = scopes_.get(name.substr(0, dot));
    check(fields.map() != nullptr, "{} is not a namespace", name.substr(0, dot));
    (*fields.map())[name.substr(dot + 1)] = std::move(value);
  }

  // {% set x = .. %}, or what is written up to {% endset %}
  void run_set(std::string_view text, bool active) {
    const size_t equals = text.find('=');
    const std::string name(trim_space(text.substr(0, equals)));
    if (equals == std::string_view::npos) {
      ++at_;
      std::string inside = written_inside(active, "endset");
      if (active) set(name, {std::move(inside)});
    } else if (active) {
      set(name, evaluate_jinja(text.substr(equals + 1), scopes_));
    }
  }

  void run_macro(std::string_view text, bool active) {
    const size_t open = text.find('('), close = text.rfind(')');
    check(!active || (open != std::string_view::npos && close != std::string_view::npos),
          "{{% macro {} %}} is not supported", text);
    ++at_;
    if (active) {
      macros_[std::string(trim_space(text.substr(0, open)))] = {
          parameters_of(text.substr(open + 1, close - open - 1)), at_};
    }
    written_inside(false, "endmacro");
  }

  // What is written from here to the block that ends it.
  std::string written_inside(bool active, std::string_view end) {
    std::string before = std::exchange(out_, {});
    check(run(active) == end, "{{% {} %}} is missing", end);
    return std::exchange(out_, std::move(before));
  }

  JinjaValue call(const std::string& name, const JinjaArguments& arguments) {
    check(name != "strftime_now", "it depends on the date");
    const auto found = macros_.find(name);
    check(found != macros_.end(), "the function {} is not supported", name);
    check(depth_ < kDeepestCall, "the macro {} calls itself too often", name);
    const JinjaMacro macro = found->second;
    check(arguments.values.size() <= macro.parameters.size(), "the macro {} has {} parameters",
          name, macro.parameters.size());
    JinjaScopes inner = scopes_.outermost();
    std::swap(scopes_, inner);
    scopes_.push();
    for (size_t i = 0; i < macro.parameters.size(); ++i) {
      const auto& [parameter, otherwise] = macro.parameters[i];
      JinjaValue value = arguments.get(i, parameter);
      if (!value.is_defined() && !otherwise.empty()) value = evaluate_jinja(otherwise, scopes_);
      scopes_.set(parameter, std::move(value));
    }
    const size_t back = std::exchange(at_, macro.begin);
    ++depth_;
    std::string text = written_inside(true, "endmacro");
    --depth_;
    at_ = back;
    std::swap(scopes_, inner);
    return {std::move(text)};
  }

  std::vector<JinjaPiece> pieces_;
  size_t at_ = 0, steps_ = 0;
  int blocks_ = 0;  // inside of each other
  int depth_ = 0;   // of macros that call macros
  std::map<std::string, JinjaMacro> macros_;
  JinjaScopes scopes_;
  std::string out_;
};

}  // namespace

std::string render_jinja(std::string_view text, const JinjaChat& chat) {
  return Renderer(pieces_of(text), chat).whole();
}

}  // namespace heed
