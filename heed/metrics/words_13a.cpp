#include "heed/metrics/words_13a_internal.h"
#include "heed/metrics/words_internal.h"

namespace heed {
namespace {

// All that is compared here is ASCII, so that bytes do as well as code points.

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_point(char c) { return c == '.' || c == ','; }
bool stands_apart(char c) {
  return (c >= '{' && c <= '~') || (c >= '[' && c <= '`') || (c >= ' ' && c <= '&') ||
         (c >= '(' && c <= '+') || (c >= ':' && c <= '@') || c == '/';
}

// Calls write(out, c, next) where match(c, next) holds for two neighbours and goes on behind both;
// copies the rest.
template <typename Match, typename Write>
std::string rewrite_pairs(std::string_view text, Match match, Write write) {
  std::string out;
  out.reserve(text.size() + text.size() / 4);
  for (size_t i = 0; i < text.size(); ++i) {
    if (i + 1 < text.size() && match(text[i], text[i + 1])) {
      write(out, text[i], text[i + 1]);
      ++i;
    } else {
      out += text[i];
    }
  }
  return out;
}

}  // namespace

std::vector<std::string> words_13a(std::string_view text) {
  std::string line(text);
  replace_all(line, "<skipped>", "");
  replace_all(line, "-\n", "");
  replace_all(line, "\n", " ");
  replace_all(line, "&quot;", "\"");
  replace_all(line, "&amp;", "&");
  replace_all(line, "&lt;", "<");
  replace_all(line, "&gt;", ">");

  std::string apart = " ";
  for (const char c : line) {
    if (stands_apart(c)) {
      apart += {' ', c, ' '};
    } else {
      apart += c;
    }
  }
  apart += ' ';

  // The order matters for several points in a row: each pass takes two characters at a time.
  const std::string before = rewrite_pairs(
      apart, [](char c, char next) { return !is_digit(c) && is_point(next); },
      [](std::string& out, char c, char next) {
        out += {c, ' ', next, ' '};
      });
  const std::string after = rewrite_pairs(
      before, [](char c, char next) { return is_point(c) && !is_digit(next); },
      [](std::string& out, char c, char next) {
        out += {' ', c, ' ', next};
      });
  const std::string hyphens = rewrite_pairs(
      after, [](char c, char next) { return is_digit(c) && next == '-'; },
      [](std::string& out, char c, char next) {
        out += {c, ' ', next, ' '};
      });
  return white_space_words(hyphens);
}

}  // namespace heed
