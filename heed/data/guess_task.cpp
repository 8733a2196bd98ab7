#include <algorithm>
#include <array>

#include "heed/data/findings_internal.h"
#include "heed/data/inspect.h"

namespace heed {
namespace {

constexpr int64_t kLinesSeen = 200;

template <typename Endings>
bool ends_with_one(std::string_view file, const Endings& endings) {
  return std::any_of(endings.begin(), endings.end(),
                     [&](std::string_view ending) { return file.ends_with(ending); });
}

// train.en and train.de.
bool are_two_languages(const std::vector<std::string>& files) {
  if (files.size() != 2) return false;
  const size_t a = files[0].rfind('.'), b = files[1].rfind('.');
  if (a == std::string::npos || b == std::string::npos || files[0] == files[1]) return false;
  const auto folder = [](const std::string& file) { return file.rfind('/') + 1; };
  return files[0].substr(folder(files[0]), a - folder(files[0])) ==
         files[1].substr(folder(files[1]), b - folder(files[1]));
}

// What the first lines look like.
struct Look {
  bool one_tab = true;       // every line has exactly one
  bool same_columns = true;  // all lines have as many words, 2 or more
  bool has_empty = false;    // an empty line between others
  bool is_empty_file = true;
};

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
    if (is_blank(*line)) {
      empty_before = true;
      continue;
    }
    if (!look.is_empty_file && empty_before) look.has_empty = true;
    look.is_empty_file = empty_before = false;
    const int64_t words = count_words(*line);
    look.one_tab = look.one_tab && std::count(line->begin(), line->end(), '\t') == 1;
    if (columns == 0) columns = words;
    look.same_columns = look.same_columns && words == columns && words >= 2;
  }
  return look;
}

}  // namespace

DataTask guess_task(const std::vector<std::string>& files) {
  constexpr std::array<std::string_view, 2> kTables{".csv", ".tsv"};
  constexpr std::array<std::string_view, 4> kColumns{".conll", ".conllu", ".iob", ".bio"};
  if (files.empty()) return DataTask::lm;
  if (ends_with_one(files[0], kTables)) return DataTask::classify;
  if (ends_with_one(files[0], kColumns)) return DataTask::tag;
  if (are_two_languages(files)) return DataTask::translate;
  const Look look = look_at(files[0]);
  if (look.is_empty_file) return DataTask::lm;
  if (look.has_empty && look.same_columns) return DataTask::tag;
  return look.one_tab ? DataTask::classify : DataTask::lm;
}

}  // namespace heed
