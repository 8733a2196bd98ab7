#include "apps/cli/options/option_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace heed::cli {
namespace {

// Insertions, deletions, replacements and swaps of neighbors that turn one word into the other
// (optimal string alignment).
size_t edits(const std::string& a, const std::string& b) {
  std::vector<std::vector<size_t>> cost(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) {
    for (size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        cost[i][j] = i + j;
        continue;
      }
      const size_t replace = cost[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, replace});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
      }
    }
  }
  return cost[a.size()][b.size()];
}

}  // namespace

std::string nearest(const std::string& word, const std::vector<std::string>& candidates) {
  std::string best;
  size_t fewest = std::max<size_t>(1, word.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    // The beginning of a name is a likely abbreviation.
    const bool begins = word.size() > 3 && candidate.rfind(word, 0) == 0;
    const size_t count = begins ? 1 : edits(word, candidate);
    if (count < fewest && count < std::max(word.size(), candidate.size())) {
      fewest = count;
      best = candidate;
    }
  }
  return best;
}

std::vector<std::string> nearest_names(const std::string& word,
                                       const std::vector<std::string>& candidates,
                                       size_t max_count) {
  const size_t limit = std::max<size_t>(1, word.size() / 3);
  std::vector<std::pair<size_t, std::string>> found;
  for (const std::string& candidate : candidates) {
    size_t count = edits(word, candidate);
    if (word.size() > 2 && candidate.find(word) != std::string::npos) count = 1;
    for (size_t begin = 0; begin < candidate.size();) {
      const size_t end = std::min(candidate.find('-', begin), candidate.size());
      count = std::min(count, 1 + edits(word, candidate.substr(begin, end - begin)));
      begin = end + 1;
    }
    if (count <= limit) found.emplace_back(count, candidate);
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> names;
  for (size_t i = 0; i < std::min(max_count, found.size()); ++i) names.push_back(found[i].second);
  return names;
}

std::string unknown_argument(const std::string& argument, const std::vector<std::string>& options,
                             const std::vector<std::string>& commands) {
  const std::string word = argument.substr(0, argument.find('='));
  std::string message;
  std::string suggestion;
  if (word.size() > 1 && word[0] == '-') {
    message = fmt::format("unknown option '{}'", word);
    suggestion = nearest(word, options);
  } else if (!commands.empty()) {
    message = fmt::format("unknown command '{}'", word);
    suggestion = nearest(word, commands);
  } else {
    message = fmt::format("unexpected argument '{}'", argument);
  }
  if (!suggestion.empty()) message += fmt::format("; did you mean '{}'?", suggestion);
  return message;
}

std::string unknown_demo(const std::string& word, const std::vector<std::string>& demos) {
  const std::vector<std::string> names = nearest_names(word, demos);
  std::string likely;
  for (size_t i = 0; i < names.size(); ++i) {
    likely += fmt::format("{}'{}'", i == 0 ? "" : i + 1 < names.size() ? ", " : " or ", names[i]);
  }
  if (!likely.empty()) likely = fmt::format("did you mean {}? ", likely);
  return fmt::format("unknown demo '{}'; {}'heed demo' lists them all", word, likely);
}

Check one_of(const std::vector<std::string>& names) {
  return [names](const std::string& value) -> std::string {
    if (std::find(names.begin(), names.end(), value) != names.end()) return {};
    const std::string suggestion = nearest(value, names);
    std::string message = fmt::format("'{}' is not one of {}", value, fmt::join(names, ", "));
    if (!suggestion.empty()) message += fmt::format("; did you mean '{}'?", suggestion);
    return message;
  };
}

std::vector<double> number_list(const std::string& option, const std::string& text) {
  std::vector<double> numbers;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    const std::string piece = text.substr(begin, end - begin);
    const auto number = number_in(piece);
    if (!number) wrong_usage(fmt::format("{}: '{}' is not a number", option, piece));
    numbers.push_back(*number);
    begin = end + 1;
  }
  return numbers;
}

void require_option(const Command& command, const std::string& name) {
  if (!command.has(name)) wrong_usage(fmt::format("{} is required", name));
}

void require_svg(const std::string& option, const std::string& path) {
  if (path.empty() || path.ends_with(".svg")) return;
  wrong_usage(fmt::format("{}: figures are SVG; '{}' does not end in .svg", option, path));
}

void wrong_usage(const std::string& message) { throw UsageError(message); }

}  // namespace heed::cli
