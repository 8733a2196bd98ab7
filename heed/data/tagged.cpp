#include "heed/data/tagged.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "heed/base/blanks.h"
#include "heed/base/counted.h"
#include "heed/base/fail.h"
#include "heed/data/findings_internal.h"
#include "heed/data/refuse_pipe.h"

namespace heed {
namespace {

using Columns = std::vector<std::string_view>;

// Tabs separate if there are any, else spaces, of which several count as one.
void split(std::string_view row, Columns& columns) {
  columns.clear();
  const bool tabs = row.find('\t') != std::string_view::npos;
  if (!tabs) row = trimmed(row, kLineBlanks);
  while (true) {
    const size_t end = row.find(tabs ? '\t' : ' ');
    columns.push_back(tabs ? trimmed(row.substr(0, end), kLineBlanks) : row.substr(0, end));
    if (end == std::string_view::npos) return;
    row.remove_prefix(end + 1);
    if (!tabs) row = trimmed(row, kLineBlanks);
  }
}

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// 3-4 and 3.1.
bool is_range_or_empty_node(std::string_view id) {
  const size_t mark = id.find_first_of("-.");
  return mark != std::string_view::npos && is_number(id.substr(0, mark)) &&
         is_number(id.substr(mark + 1));
}

DataFormat detect_tagged(const TextSource& source, const TaggedOptions& options) {
  if (source.name.ends_with(".conllu")) return DataFormat::conllu;
  if (!source.memory) refuse_pipe(source.name, kFormatIsFound);
  LineOptions lenient = options.read.lines;
  lenient.bad_bytes = OnMistake::count;
  LineReader reader(source, lenient);
  Columns columns;
  while (const auto line = reader.next()) {
    if (is_blank(*line, kLineBlanks) || line->starts_with("#")) continue;
    split(*line, columns);
    const bool id = is_number(columns[0]) || is_range_or_empty_node(columns[0]);
    return columns.size() == 10 && id ? DataFormat::conllu : DataFormat::conll;
  }
  return DataFormat::conll;
}

// The column that a positive or negative number means; past the end if there is none.
size_t column_at(int64_t number, size_t columns) {
  if (number > 0) return static_cast<size_t>(number - 1);
  const auto from_end = static_cast<size_t>(-number);
  return from_end <= columns ? columns - from_end : columns;
}

class TaggedFile {
 public:
  TaggedFile(const TextSource& source, const TaggedOptions& options, const UseTagged& use)
      : reader_(source, options.read.lines), options_(options), use_(use) {
    report_.lines.file = source.name;
    report_.format =
        options.format == DataFormat::automatic ? detect_tagged(source, options) : options.format;
    check(report_.format == DataFormat::conll || report_.format == DataFormat::conllu,
          "{}: tagged sentences are in the format conll or conllu, not {}", source.name,
          name(report_.format));
    universal_ = report_.format == DataFormat::conllu;
    if (options_.token_column == 0) options_.token_column = universal_ ? 2 : 1;
    is_last_assumed_ = options_.tag_column == 0 && !universal_;
    if (options_.tag_column == 0) options_.tag_column = universal_ ? 4 : -1;
  }

  TaggedReport read() {
    while (const auto line = reader_.next()) {
      if (is_blank(*line, kLineBlanks)) {
        end_sentence();
      } else if (!universal_ || !line->starts_with("#")) {
        add_row(*line);
      }
    }
    end_sentence();
    report_.lines = reader_.report();
    return report_;
  }

 private:
  void end_sentence() {
    if (sentence_.tokens.empty()) return;
    ++report_.sentences;
    report_.tokens += static_cast<int64_t>(sentence_.tokens.size());
    for (const std::string& tag : sentence_.tags) ++report_.tags[tag];
    use_(sentence_);
    sentence_.tokens.clear();
    sentence_.tags.clear();
  }

  void mistake(const std::string& what) {
    check(options_.read.records == OnMistake::count, "{}: line {}: {}", report_.lines.file,
          reader_.line(), what);
    if (report_.bad_rows.count == 0) report_.first_mistake = what;
    report_.bad_rows.add(reader_.line());
  }

  void add_row(std::string_view line) {
    split(line, columns_);
    const bool skip =
        universal_ ? is_range_or_empty_node(columns_[0]) : columns_[0].starts_with("-DOCSTART-");
    if (skip) {
      ++report_.skipped;
      return;
    }
    const size_t token = column_at(options_.token_column, columns_.size());
    const size_t tag = column_at(options_.tag_column, columns_.size());
    if (token >= columns_.size() || tag >= columns_.size() || token == tag) {
      mistake(fmt::format("there {} {}, expected the word in column {} and the tag in {}",
                          columns_.size() == 1 ? "is" : "are",
                          counted(static_cast<int64_t>(columns_.size()), "column", "columns"),
                          options_.token_column,
                          options_.tag_column == -1
                              ? std::string("the last, another one")
                              : fmt::format("column {}", options_.tag_column)));
      return;
    }
    // The last column need not be the tag's in a row that has more or fewer of them.
    if (is_last_assumed_) {
      if (first_row_ == 0) {
        first_row_ = reader_.line();
        first_columns_ = columns_.size();
      } else if (columns_.size() != first_columns_) {
        mistake(fmt::format(
            "there {} {}, but {} in line {}; take comments out or, if the tag is the last of every "
            "row all the same, train with `tag-column` -1",
            columns_.size() == 1 ? "is" : "are",
            counted(static_cast<int64_t>(columns_.size()), "column", "columns"), first_columns_,
            first_row_));
        return;
      }
    }
    if (columns_[token].empty() || columns_[tag].empty()) {
      mistake(fmt::format("the {} is empty", columns_[token].empty() ? "word" : "tag"));
      return;
    }
    if (universal_ && !is_number(columns_[0])) {
      mistake(
          fmt::format("the first column must be a number, got '{}'", shortened(columns_[0], 30)));
      return;
    }
    sentence_.tokens.emplace_back(columns_[token]);
    sentence_.tags.emplace_back(columns_[tag]);
  }

  LineReader reader_;
  TaggedOptions options_;
  const UseTagged& use_;
  bool universal_ = false;
  bool is_last_assumed_ = false;
  TaggedReport report_;
  Columns columns_;
  int64_t first_row_ = 0;  // its line
  size_t first_columns_ = 0;
  TaggedSentence sentence_;
};

}  // namespace

TaggedReport for_each_tagged(const TextSource& source, const TaggedOptions& options,
                             const UseTagged& use) {
  return TaggedFile(source, options, use).read();
}

std::vector<Finding> TaggedReport::findings() const {
  LineReport others = lines;
  others.empty = {};  // they separate sentences
  std::vector<Finding> found = others.findings();
  if (bad_rows.count > 0) {
    found.push_back({true, fmt::format("{} that cannot be read: {}; the first: {}",
                                       counted(bad_rows.count, "row", "rows"), at_lines(bad_rows),
                                       first_mistake)});
  }
  return found;
}

}  // namespace heed
