#include "heed/text/jinja_internal.h"

#include <vector>

#include "heed/base/fail_internal.h"
#include "heed/text/jinja_value_internal.h"

namespace heed {
namespace {

constexpr size_t kMostSteps = 100'000, kMostPieces = 2000, kMostWritten = 4 << 20;

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
    const size_t end = text.find(close, at + 2);
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
  check(pieces.size() <= kMostPieces, "the template is too long");
  return pieces;
}

// "for" of "for x in y", and the rest.
std::string_view take_word(std::string_view& text) {
  const size_t end = text.find_first_of(" \t\n");
  const std::string_view word = text.substr(0, end);
  text = end == std::string_view::npos ? "" : trim_space(text.substr(end));
  return word;
}

class Renderer {
 public:
  Renderer(std::vector<JinjaPiece> pieces, const JinjaChat& chat) : pieces_(std::move(pieces)) {
    auto messages = std::make_shared<JinjaList>();
    for (const ChatMessage& message : chat.messages) {
      auto fields = std::make_shared<JinjaMap>();
      (*fields)["role"] = {message.role};
      (*fields)["content"] = {message.content};
      messages->push_back({fields});
    }
    scopes_.set("messages", {messages});
    scopes_.set("bos_token", {chat.bos});
    scopes_.set("eos_token", {chat.eos});
    scopes_.set("add_generation_prompt", {chat.add_generation_prompt});
  }

  std::string whole() {
    const std::string_view end = run(true);
    check(end.empty(), "{} without a beginning", end);
    return std::move(out_);
  }

 private:
  // Until a block that ends what is inside, which is returned: "endif", "else", ..
  std::string_view run(bool active) {
    for (; at_ < pieces_.size(); ++at_) {
      check(++steps_ <= kMostSteps, "the template does not come to an end");
      const JinjaPiece& piece = pieces_[at_];
      if (piece.kind == PieceKind::text && active) out_ += piece.text;
      if (piece.kind == PieceKind::print && active) {
        out_ += evaluate_jinja(piece.text, scopes_).text();
        check(out_.size() <= kMostWritten, "it writes too much");
      }
      if (piece.kind != PieceKind::block) continue;
      std::string_view rest = piece.text;
      const std::string_view word = take_word(rest);
      if (word == "if") {
        run_if(rest, active);
      } else if (word == "for") {
        run_for(rest, active);
      } else if (word == "set") {
        if (active) set(rest);
      } else if (word == "generation" || word == "endgeneration") {
        continue;  // marks what the model writes
      } else {
        check(word == "elif" || word == "else" || word == "endif" || word == "endfor",
              "{{% {} %}} is not supported", word);
        return word;
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

  void run_for(std::string_view text, bool active) {
    const std::string name(take_word(text));
    check(take_word(text) == "in" && name.find(',') == std::string::npos,
          "{{% for {} .. %}} is not supported", name);
    const size_t begin = at_ + 1;
    const JinjaValue list = active ? evaluate_jinja(text, scopes_) : JinjaValue{};
    check(!active || !list.is_defined() || list.list() != nullptr, "a for needs a list");
    const JinjaList items = list.list() == nullptr ? JinjaList{} : *list.list();
    for (size_t i = 0; i < items.size(); ++i) {
      scopes_.push();
      auto loop = std::make_shared<JinjaMap>();
      const auto index = static_cast<int64_t>(i);
      (*loop)["index0"] = {index};
      (*loop)["index"] = {index + 1};
      (*loop)["first"] = {i == 0};
      (*loop)["last"] = {i + 1 == items.size()};
      (*loop)["length"] = {static_cast<int64_t>(items.size())};
      scopes_.set("loop", {loop});
      scopes_.set(name, items[i]);
      at_ = begin;
      check(run(true) == "endfor", "a for without endfor");
      scopes_.pop();
    }
    if (items.empty()) {
      at_ = begin;
      check(run(false) == "endfor", "a for without endfor");
    }
  }

  void set(std::string_view text) {
    const size_t equals = text.find('=');
    check(equals != std::string_view::npos, "{{% set {} %}} is not supported", text);
    const std::string name(trim_space(text.substr(0, equals)));
    JinjaValue value = evaluate_jinja(text.substr(equals + 1), scopes_);
    const size_t dot = name.find('.');
    if (dot == std::string::npos) {
      scopes_.set(name, std::move(value));
      return;
    }
    const JinjaValue fields = scopes_.get(name.substr(0, dot));
    check(fields.map() != nullptr, "{} is not a namespace", name.substr(0, dot));
    (*fields.map())[name.substr(dot + 1)] = std::move(value);
  }

  std::vector<JinjaPiece> pieces_;
  size_t at_ = 0, steps_ = 0;
  JinjaScopes scopes_;
  std::string out_;
};

}  // namespace

std::string render_jinja(std::string_view text, const JinjaChat& chat) {
  return Renderer(pieces_of(text), chat).whole();
}

}  // namespace heed
