#include "heed/data/pairs.h"

#include <fmt/format.h>

#include "heed/base/blanks.h"
#include "heed/base/counted.h"
#include "heed/base/fail.h"
#include "heed/data/findings_internal.h"

namespace heed {
namespace {

std::string mismatch(const PairReport& report) {
  return fmt::format("{} has {} and {} has {}; line n of one must belong to line n of the other",
                     report.source.file, counted(report.source.lines, "line", "lines"),
                     report.target.file, counted(report.target.lines, "line", "lines"));
}

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
  LineReader reader(both, options.lines);
  PairReport report;
  while (const auto line = reader.next()) {
    if (is_blank(*line, kLineBlanks)) {
      report.empty.add(reader.line());
      continue;
    }
    const size_t tab = line->find('\t');
    if (tab == std::string_view::npos || line->find('\t', tab + 1) != std::string_view::npos) {
      check(options.records == OnMistake::count,
            "{}: line {} must be source<TAB>target, with one tab; or give two files, one text per "
            "line",
            both.name, reader.line());
      report.no_tab.add(reader.line());
      continue;
    }
    const std::string_view source = line->substr(0, tab), target = line->substr(tab + 1);
    if (is_blank(source, kLineBlanks) || is_blank(target, kLineBlanks)) {
      report.empty.add(reader.line());
      continue;
    }
    ++report.pairs;
    use(source, target);
  }
  report.source = reader.report();
  return report;
}

std::vector<Finding> PairReport::findings() const {
  std::vector<Finding> found;
  if (mismatched()) found.push_back({true, mismatch(*this)});
  if (no_tab.count > 0) {
    found.push_back({true, fmt::format("{} without exactly one tab between source and target: {}",
                                       counted(no_tab.count, "line", "lines"), at_lines(no_tab))});
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
