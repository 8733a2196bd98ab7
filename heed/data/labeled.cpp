#include "heed/data/labeled.h"

#include <fmt/format.h>

#include <algorithm>

#include "heed/base/blanks.h"
#include "heed/base/counted.h"
#include "heed/base/fail.h"
#include "heed/data/csv_columns_internal.h"
#include "heed/data/csv_reader.h"
#include "heed/data/findings_internal.h"
#include "heed/data/json_records.h"
#include "heed/data/refuse_pipe.h"

namespace heed {
namespace {

void mistake(LabeledReport& report, const LabeledOptions& options, int64_t line,
             const std::string& what) {
  check(options.read.records == OnMistake::count, "{}: line {}: {}", report.lines.file, line, what);
  if (report.bad_records.count == 0) report.first_mistake = what;
  report.bad_records.add(line);
}

void use_record(LabeledReport& report, int64_t line, std::string_view label, std::string_view text,
                const UseLabeled& use) {
  if (text.empty()) {
    report.no_text.add(line);
    return;
  }
  ++report.items;
  ++report.labels[std::string(label)];
  use(label, text);
}

DataFormat detect_labeled(const TextSource& source, const LabeledOptions& options) {
  if (source.name.ends_with(".csv")) return DataFormat::csv;
  if (has_json_name(source.name)) return DataFormat::json;
  if (!source.memory) refuse_pipe(source.name, kFormatIsFound);
  LineOptions lenient = options.read.lines;
  lenient.bad_bytes = OnMistake::count;
  if (is_json_file(source, lenient)) return DataFormat::json;
  if (source.name.ends_with(".tsv") && options.header) {
    CsvReader reader(source, lenient);
    if (reader.next() && csv_columns_known(reader.fields(), options)) return DataFormat::csv;
  }
  int64_t with_tab = 0, all = 0;
  LineReader reader(source, lenient);
  while (const auto line = reader.next()) {
    if (is_blank(*line, kLineBlanks)) continue;
    ++all;
    if (line->find('\t') != std::string_view::npos) ++with_tab;
  }
  return with_tab > 0 && 2 * with_tab >= all ? DataFormat::tab : DataFormat::space;
}

void read_lines(const TextSource& source, const LabeledOptions& options, LabeledReport& report,
                const UseLabeled& use) {
  const bool tab = report.format == DataFormat::tab;
  LineReader reader(source, options.read.lines);
  while (const auto line = reader.next()) {
    if (is_blank(*line, kLineBlanks)) continue;
    const std::string_view record = tab ? *line : trimmed(*line, kLineBlanks);
    const size_t end = record.find(tab ? '\t' : ' ');
    if (end == std::string_view::npos && tab) {
      mistake(report, options, reader.line(), "there is no tab between label and text");
      continue;
    }
    const std::string_view label = trimmed(record.substr(0, end), kLineBlanks);
    if (label.empty()) {
      mistake(report, options, reader.line(), "the label is empty");
      continue;
    }
    const std::string_view text = end == std::string_view::npos ? "" : record.substr(end + 1);
    use_record(report, reader.line(), label, trimmed(text, kLineBlanks), use);
  }
  report.lines = reader.report();
}

void read_csv(const TextSource& source, const LabeledOptions& options, LabeledReport& report,
              const UseLabeled& use) {
  CsvReader reader(source, options.read.lines);
  CsvColumns columns{};
  size_t width = 0;
  while (reader.next()) {
    const auto& fields = reader.fields();
    if (width == 0) {
      check(reader.mistake().empty(), "{}: line {}: {}", source.name, reader.line(),
            reader.mistake());
      columns = find_csv_columns(fields, options, source.name);
      report.text_column = options.header ? fields[columns.text] : std::to_string(columns.text + 1);
      report.label_column =
          options.header ? fields[columns.label] : std::to_string(columns.label + 1);
      width = fields.size();
      if (options.header) continue;
    }
    if (!reader.mistake().empty()) {
      mistake(report, options, reader.line(), reader.mistake());
      continue;
    }
    if (fields.size() != width) {
      mistake(
          report, options, reader.line(),
          fmt::format("there {} {}, expected {}", fields.size() == 1 ? "is" : "are",
                      counted(static_cast<int64_t>(fields.size()), "column", "columns"), width));
      continue;
    }
    const std::string_view label = trimmed(fields[columns.label], kLineBlanks);
    if (label.empty()) {
      mistake(report, options, reader.line(), "the label is empty");
      continue;
    }
    use_record(report, reader.line(), label, trimmed(fields[columns.text], kLineBlanks), use);
  }
  report.lines = reader.report();
}

void read_json(const TextSource& source, const LabeledOptions& options, LabeledReport& report,
               const UseLabeled& use) {
  LineOptions lines = options.read.lines;
  lines.longest = std::max(lines.longest, kLongestJsonLine);
  LineReader reader(source, lines);
  JsonLabels record(options.text_column, options.label_column);
  report.text_column = record.text_field();
  report.label_column = record.label_field();
  check(report.text_column != report.label_column,
        "{}: text and label are both taken from the field \"{}\"", source.name, report.text_column);
  while (const auto line = reader.next()) {
    if (is_blank(*line, kLineBlanks)) continue;
    if (reader.continues() || !record.read(*line)) {
      mistake(report, options, reader.line(),
              reader.continues() ? json_line_too_long() : record.mistake());
      continue;
    }
    const std::string_view label = trimmed(record.label(), kLineBlanks);
    if (label.empty()) {
      mistake(report, options, reader.line(), "the label is empty");
      continue;
    }
    use_record(report, reader.line(), label, trimmed(record.text(), kLineBlanks), use);
  }
  report.lines = reader.report();
}

}  // namespace

LabeledReport for_each_labeled(const TextSource& source, const LabeledOptions& options,
                               const UseLabeled& use) {
  LabeledReport report;
  report.lines.file = source.name;
  report.format =
      options.format == DataFormat::automatic ? detect_labeled(source, options) : options.format;
  switch (report.format) {
    case DataFormat::csv: read_csv(source, options, report, use); break;
    case DataFormat::json: read_json(source, options, report, use); break;
    case DataFormat::tab:
    case DataFormat::space: read_lines(source, options, report, use); break;
    default:
      fail("{}: labeled texts are in the format tab, space, csv or json, not {}", source.name,
           name(report.format));
  }
  return report;
}

std::vector<Finding> LabeledReport::findings() const {
  LineReport others = lines;
  others.empty = {};  // between records they mean nothing
  std::vector<Finding> found = others.findings();
  if (bad_records.count > 0) {
    found.push_back({true, fmt::format("{} that cannot be read: {}; the first: {}",
                                       counted(bad_records.count, "record", "records"),
                                       at_lines(bad_records), first_mistake)});
  }
  if (no_text.count > 0) {
    found.push_back(
        {false, fmt::format("{} without text, left out: {}",
                            counted(no_text.count, "label", "labels"), at_lines(no_text))});
  }
  if (lines.empty.count > 0) {
    found.push_back({false, fmt::format("{}, skipped: {}",
                                        counted(lines.empty.count, "empty line", "empty lines"),
                                        at_lines(lines.empty))});
  }
  return found;
}

}  // namespace heed
