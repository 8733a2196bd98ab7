#include "heed/data/pairs.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "heed/base/blanks.h"
#include "heed/base/counted.h"
#include "heed/base/fail.h"
#include "heed/base/printable.h"
#include "heed/data/findings_internal.h"
#include "heed/data/json_records.h"

namespace heed {
namespace {

std::string mismatch(const PairReport& report) {
  return fmt::format("{} has {} and {} has {}; line n of one must belong to line n of the other",
                     report.source.file, counted(report.source.lines, "line", "lines"),
                     report.target.file, counted(report.target.lines, "line", "lines"));
}

// Source and target in one file.
class SingleFile {
 public:
  SingleFile(const TextSource& source, const ReadOptions& options, const UsePair& use)
      : options_(options), reader_(source, options.lines), use_(use) {
    if (has_json_name(source.name)) allow_json();
  }

  PairReport read() {
    bool is_first = true;
    while (const auto line = reader_.next()) {
      if (is_blank(*line, kLineBlanks)) {
        report_.empty.add(reader_.line());
        continue;
      }
      if (is_first && !report_.is_json && is_json_record(*line)) allow_json();
      is_first = false;
      report_.is_json ? use_record(*line) : use_tabbed(*line);
    }
    report_.source = reader_.report();
    return std::move(report_);
  }

 private:
  void allow_json() {
    report_.is_json = true;
    reader_.set_longest(std::max(options_.lines.longest, kLongestJsonLine));
  }

  void use_pair(std::string_view source, std::string_view target) {
    if (is_blank(source, kLineBlanks) || is_blank(target, kLineBlanks)) {
      report_.empty.add(reader_.line());
      return;
    }
    ++report_.pairs;
    use_(source, target);
  }

  void use_record(std::string_view line) {
    if (reader_.continues()) {
      mistake(json_line_too_long());
    } else if (!record_.read(line)) {
      mistake(record_.mistake());
    } else {
      report_.source_field = record_.source_field();
      report_.target_field = record_.target_field();
      use_pair(record_.source(), record_.target());
    }
  }

  void mistake(const std::string& what) {
    check(options_.records == OnMistake::count, "{}: line {}: {}", reader_.report().file,
          reader_.line(), what);
    if (report_.bad_records.count == 0) report_.first_mistake = what;
    report_.bad_records.add(reader_.line());
  }

  void use_tabbed(std::string_view line) {
    const size_t tab = line.find('\t');
    if (tab == std::string_view::npos || line.find('\t', tab + 1) != std::string_view::npos) {
      check(options_.records == OnMistake::count,
            "{}: line {} must be source<TAB>target, with one tab; or give two files, one text per "
            "line",
            reader_.report().file, reader_.line());
      report_.no_tab.add(reader_.line());
      return;
    }
    use_pair(line.substr(0, tab), line.substr(tab + 1));
  }

  const ReadOptions& options_;
  LineReader reader_;
  const UsePair& use_;
  JsonPairs record_;
  PairReport report_;
};

}  // namespace

PairReport for_each_pair(const TextSource& source, const TextSource& target,
                         const ReadOptions& options, const UsePair& use) {
  LineReader sources(source, options.lines), targets(target, options.lines);
  PairReport report;
  while (true) {
    const auto s = sources.next();
    const auto t = targets.next();
    if (!s && !t) break;
    if (!s || !t) continue;  // the longer file is read to its end, to count its lines
    if (is_blank(*s, kLineBlanks) || is_blank(*t, kLineBlanks)) {
      report.empty.add(sources.line());
      continue;
    }
    ++report.pairs;
    use(*s, *t);
  }
  report.source = sources.report();
  report.target = targets.report();
  if (report.mismatched() && options.records == OnMistake::fail) fail("{}", mismatch(report));
  return report;
}

PairReport for_each_pair(const TextSource& both, const ReadOptions& options, const UsePair& use) {
  return SingleFile(both, options, use).read();
}

std::string PairReport::format() const {
  if (!target.file.empty()) return "two files, line by line";
  if (!is_json) return "source<TAB>target";
  if (source_field.empty()) return "JSON lines";
  return fmt::format("JSON lines: source from \"{}\", target from \"{}\"", printable(source_field),
                     printable(target_field));
}

std::vector<Finding> PairReport::findings() const {
  std::vector<Finding> found;
  if (mismatched()) found.push_back({true, mismatch(*this)});
  if (no_tab.count > 0) {
    found.push_back({true, fmt::format("{} without exactly one tab between source and target: {}",
                                       counted(no_tab.count, "line", "lines"), at_lines(no_tab))});
  }
  if (bad_records.count > 0) {
    found.push_back({true, fmt::format("{} that cannot be read: {}; the first: {}",
                                       counted(bad_records.count, "record", "records"),
                                       at_lines(bad_records), first_mistake)});
  }
  if (empty.count > 0) {
    found.push_back({false, fmt::format("{} with an empty side, left out: {}",
                                        counted(empty.count, "pair", "pairs"), at_lines(empty))});
  }
  for (const LineReport* side : {&source, &target}) {
    LineReport others = *side;
    others.empty = {};  // said above
    for (const Finding& finding : others.findings()) {
      const std::string text = fmt::format("{}: {}", side->file, finding.text);
      found.push_back({finding.is_fault, target.file.empty() ? finding.text : text});
    }
  }
  return found;
}

}  // namespace heed
