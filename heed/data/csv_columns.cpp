#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

#include "heed/base/blanks.h"
#include "heed/base/fail.h"
#include "heed/data/csv_columns_internal.h"
#include "heed/data/findings_internal.h"

namespace heed {
namespace {

constexpr std::string_view kTextNames[] = {"text",    "sentence", "review",    "content",
                                           "comment", "document", "question",  "message",
                                           "tweet",   "query",    "utterance", "description"};
constexpr std::string_view kLabelNames[] = {"label",  "class",  "category", "sentiment",
                                            "target", "intent", "topic",    "tag"};

std::string lower(std::string_view text) {
  std::string result(trimmed(text, kLineBlanks));
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

std::optional<size_t> named(const std::vector<std::string>& header, std::string_view wanted) {
  for (size_t i = 0; i < header.size(); ++i) {
    if (lower(header[i]) == lower(wanted)) return i;
  }
  return std::nullopt;
}

std::optional<size_t> numbered(const std::vector<std::string>& first, std::string_view wanted) {
  size_t number = 0;
  const char* end = wanted.data() + wanted.size();
  const auto [stop, error] = std::from_chars(wanted.data(), end, number);
  if (error != std::errc() || stop != end || number < 1 || number > first.size()) {
    return std::nullopt;
  }
  return number - 1;
}

template <typename Names>
std::optional<size_t> guessed(const std::vector<std::string>& header, const Names& names) {
  for (const std::string_view name : names) {
    if (const auto column = named(header, name)) return column;
  }
  return std::nullopt;
}

struct Found {
  std::optional<size_t> text, label;
};

Found find(const std::vector<std::string>& first, const LabeledOptions& options) {
  const auto chosen = [&](const std::string& wanted) {
    const auto by_name = options.header ? named(first, wanted) : std::nullopt;
    return by_name ? by_name : numbered(first, wanted);
  };
  Found found;
  if (!options.text_column.empty()) {
    found.text = chosen(options.text_column);
  } else if (options.header) {
    found.text = guessed(first, kTextNames);
  }
  if (!options.label_column.empty()) {
    found.label = chosen(options.label_column);
  } else if (options.header) {
    found.label = guessed(first, kLabelNames);
  }
  // Of two columns, one determines the other. That a header happens to have one of the usual names
  // is too little: it may be a record whose label is "question".
  const bool nothing_said = options.text_column.empty() && options.label_column.empty();
  if (first.size() == 2 && !(options.header && nothing_said)) {
    if (nothing_said) found.label = first[0].size() < first[1].size() ? 0 : 1;
    if (!found.text && found.label && options.text_column.empty()) found.text = 1 - *found.label;
    if (!found.label && found.text && options.label_column.empty()) found.label = 1 - *found.text;
  }
  return found;
}

std::string list(const std::vector<std::string>& first) {
  constexpr size_t kMaxColumns = 20, kMaxBytes = 30;
  std::string text;
  for (size_t i = 0; i < std::min(first.size(), kMaxColumns); ++i) {
    if (i > 0) text += ", ";
    std::string_view field = first[i];
    const bool cut = field.size() > kMaxBytes;
    field = shortened(field, kMaxBytes);
    text += fmt::format("'{}{}'", field, cut ? "..." : "");
  }
  if (first.size() > kMaxColumns) text += ", ...";
  return text;
}

}  // namespace

bool csv_columns_known(const std::vector<std::string>& first, const LabeledOptions& options) {
  const Found found = find(first, options);
  return found.text && found.label && *found.text != *found.label;
}

CsvColumns find_csv_columns(const std::vector<std::string>& first, const LabeledOptions& options,
                            const std::string& file) {
  const Found found = find(first, options);
  const auto complain = [&](std::string_view what, const std::string& wanted) {
    const std::string which = wanted.empty()
                                  ? fmt::format("cannot tell which column is the {}", what)
                                  : fmt::format("there is no column '{}' for the {}", wanted, what);
    fail("{}: {}; the columns are {}. Name it with `{}-column`{}", file, which, list(first), what,
         options.header ? ", or add `no-header` if this is no header" : "");
  };
  if (!found.text) complain("text", options.text_column);
  if (!found.label) complain("label", options.label_column);
  check(*found.text != *found.label, "{}: text and label are both taken from column '{}'", file,
        first[*found.text]);
  return {*found.text, *found.label};
}

}  // namespace heed
