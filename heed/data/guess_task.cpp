#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <string>

#include "heed/base/blanks.h"
#include "heed/data/findings_internal.h"
#include "heed/data/inspect.h"
#include "heed/data/json_records.h"
#include "heed/data/refuse_pipe.h"
#include "heed/data/text_reader_internal.h"

namespace heed {
namespace {

constexpr int64_t kLinesSeen = 200;

template <typename Endings>
bool ends_with_one(std::string_view file, const Endings& endings) {
  return std::any_of(endings.begin(), endings.end(),
                     [&](std::string_view ending) { return file.ends_with(ending); });
}

// train.en and train.de; or files whose names end in different languages: news.en and short.fr.
bool are_two_languages(const std::vector<std::string>& files) {
  if (files.size() != 2) return false;
  const size_t a = files[0].rfind('.'), b = files[1].rfind('.');
  if (a == std::string::npos || b == std::string::npos || files[0] == files[1]) return false;
  const auto folder = [](const std::string& file) { return file.rfind('/') + 1; };
  const auto is_language = [](const std::string& ending) {
    return ending.size() == 3 && ending != ".md" && ending != ".gz";  // with its dot
  };
  const std::string first = files[0].substr(a), second = files[1].substr(b);
  if (first != second && is_language(first) && is_language(second)) return true;
  return files[0].substr(folder(files[0]), a - folder(files[0])) ==
         files[1].substr(folder(files[1]), b - folder(files[1]));
}

// What the first lines look like.
struct Look {
  bool one_tab = true;       // every line has exactly one
  bool same_columns = true;  // all lines have as many words, 2 or more
  bool has_empty = false;    // an empty line between others
  bool is_empty_file = true;
  bool labels_first = true;  // the first words of all lines look like labels
  int64_t lines = 0, left_words = 0;
  std::set<std::string, std::less<>> first_words, left, right;  // right and left of the tab

  // LABEL text: few words that look like labels begin all lines.
  bool has_labels() const {
    return labels_first && first_words.size() >= 2 &&
           4 * static_cast<int64_t>(first_words.size()) <= lines;
  }
  // source<TAB>target: both sides differ from line to line, and the left is no single word.
  bool has_pairs() const {
    const auto differ = [&](const auto& side) {
      return 2 * static_cast<int64_t>(side.size()) > lines;
    };
    return one_tab && lines >= 4 && differ(left) && differ(right) && left_words >= 2 * lines;
  }
};

// DESC, NUM:date, 1, __label__good; but not A, I or a word of a sentence.
bool looks_like_label(std::string_view word) {
  const auto count = [&](auto is_one) { return std::count_if(word.begin(), word.end(), is_one); };
  const auto size = static_cast<ptrdiff_t>(word.size());
  const auto digits = count([](char c) { return c >= '0' && c <= '9'; });
  const auto capitals = count([](char c) { return c >= 'A' && c <= 'Z'; });
  const auto joints = count([](char c) { return c == '_' || c == ':' || c == '-'; });
  if (size == 0 || word.back() == ':' || word.back() == '-') return false;
  if (digits == size || word.starts_with("__label__")) return true;
  const bool is_plain = capitals + digits + joints == size;
  return capitals >= 2 && (is_plain || word.find(':') != std::string_view::npos);
}

int64_t count_words(std::string_view line) {
  int64_t words = 0;
  for (size_t at = 0; (at = line.find_first_not_of(" \t", at)) != std::string_view::npos; ++words) {
    at = std::min(line.find_first_of(" \t", at), line.size());
  }
  return words;
}

Look look_at(const std::string& file) {
  LineReader reader(file, {.bad_bytes = OnMistake::count});
  Look look;
  int64_t columns = 0;
  bool empty_before = false;
  while (reader.line() < kLinesSeen) {
    const auto line = reader.next();
    if (!line) break;
    if (is_blank(*line, kLineBlanks)) {
      empty_before = true;
      continue;
    }
    if (!look.is_empty_file && empty_before) look.has_empty = true;
    look.is_empty_file = empty_before = false;
    const int64_t words = count_words(*line);
    look.one_tab = look.one_tab && std::count(line->begin(), line->end(), '\t') == 1;
    const size_t begin = line->find_first_not_of(" \t");
    const std::string_view first =
        line->substr(begin, std::min(line->find_first_of(" \t", begin), line->size()) - begin);
    look.labels_first = look.labels_first && words >= 2 && looks_like_label(first);
    look.first_words.emplace(first);
    const size_t tab = std::min(line->find('\t'), line->size());
    look.left.emplace(line->substr(0, tab));
    look.right.emplace(line->substr(tab));
    look.left_words += count_words(line->substr(0, tab));
    ++look.lines;
    if (columns == 0) columns = words;
    look.same_columns = look.same_columns && words == columns && words >= 2;
  }
  return look;
}

// By the fields of the first record of JSON lines.
DataTask json_task(const std::string& file) {
  LineReader reader(file, {.bad_bytes = OnMistake::count, .longest = kLongestJsonLine});
  while (const auto line = reader.next()) {
    if (is_blank(*line, kLineBlanks)) continue;
    if (JsonLabels({}, {}).read(*line)) return DataTask::classify;
    return JsonPairs().read(*line) ? DataTask::translate : DataTask::lm;
  }
  return DataTask::lm;
}

}  // namespace

DataTask guess_task(const std::vector<std::string>& files) {
  constexpr std::array<std::string_view, 4> kColumns{".conll", ".conllu", ".iob", ".bio"};
  if (files.empty()) return DataTask::lm;
  refuse_pipe(
      files[0],
      "what it is for is found by reading it once more; name that with `task`, or write it to a "
      "file first");
  if (files[0].ends_with(".csv")) return DataTask::classify;
  if (ends_with_one(files[0], kColumns)) return DataTask::tag;
  if (are_two_languages(files)) return DataTask::translate;
  if (TextReader(files[0], {.bad_bytes = OnMistake::count}, OnMistake::count).is_json()) {
    return json_task(files[0]);
  }
  const Look look = look_at(files[0]);
  if (files.size() == 1 && look.has_pairs()) return DataTask::translate;
  if (files[0].ends_with(".tsv")) return DataTask::classify;
  if (look.is_empty_file) return DataTask::lm;
  if (look.has_empty && look.same_columns) return DataTask::tag;
  return look.one_tab || look.has_labels() ? DataTask::classify : DataTask::lm;
}

}  // namespace heed
