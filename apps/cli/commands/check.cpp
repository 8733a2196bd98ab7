// heed check: what is in data files, and what is wrong with them.

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/cli/console/result.h"
#include "apps/cli/options/command.h"
#include "apps/cli/options/command_line.h"
#include "apps/cli/options/named_options.h"
#include "apps/cli/options/option_checks.h"
#include "heed/base/fail.h"
#include "heed/data/inspect.h"

namespace heed::cli {
namespace {

constexpr size_t kReportWidth = 80;
constexpr size_t kLabelsShown = 20;

struct CheckArguments {
  std::vector<std::string> train, valid;
  std::string task;
  std::string encoding = "utf-8";
  std::string format;
  std::string text_column, label_column;
  int64_t token_column = 0, tag_column = 0;
  int64_t longest = int64_t{1} << 20;
  bool no_header = false;
  bool json = false;
};

struct Result {
  DataTask task = DataTask::lm;
  bool guessed = false;
  std::string task_name;  // summarize is read like translate
  DataSummary train;
  DataSummary valid;  // of no files: without items
  Places shared;      // items of valid that are in train
};

DataTask task_named(const std::string& task) {
  for (const auto candidate : {DataTask::translate, DataTask::classify, DataTask::tag}) {
    if (task == name(candidate)) return candidate;
  }
  return task == "summarize" ? DataTask::translate : DataTask::lm;
}

DataFormat format_named(const std::string& format) {
  if (format == "tsv") return DataFormat::tab;
  if (format == "csv" || format == "csv-no-header") return DataFormat::csv;
  if (format == "conll") return DataFormat::conll;
  return format == "conllu" ? DataFormat::conllu : DataFormat::automatic;
}

// The format says what the files are for, where it can.
DataTask task_of(const CheckArguments& arguments) {
  if (!arguments.task.empty()) return task_named(arguments.task);
  if (arguments.format.starts_with("conll")) return DataTask::tag;
  return arguments.format.starts_with("csv") ? DataTask::classify : guess_task(arguments.train);
}

// Two texts may also be meant as source and target.
void note_two_files(const CheckArguments& arguments, Result& result) {
  if (!result.guessed || result.task != DataTask::lm || arguments.train.size() != 2) return;
  result.train.findings.push_back(
      {false,
       "two files of text are taken for a language model; if they are source and target, "
       "--task translate compares their lines"});
}

// What validation measures is too good if training saw it.
void judge_shared(Result& result) {
  if (result.shared.count * 10 < result.valid.items || result.shared.count == 0) return;
  result.valid.findings.push_back(
      {false, fmt::format("{:.0f} % of the validation data is in the training data too; figures on "
                          "it will be better than on new data",
                          100.0 * static_cast<double>(result.shared.count) /
                              static_cast<double>(result.valid.items))});
}

Result inspect_all(const CheckArguments& arguments) {
  Result result;
  result.guessed = arguments.task.empty();
  result.task = task_of(arguments);
  result.task_name = result.guessed ? std::string(name(result.task)) : arguments.task;
  InspectOptions options{
      .task = result.task,
      .encoding = arguments.encoding == "latin1" ? Encoding::latin1 : Encoding::utf8,
      .longest = arguments.longest};
  options.labeled.text_column = arguments.text_column;
  options.labeled.label_column = arguments.label_column;
  options.labeled.header = !arguments.no_header && arguments.format != "csv-no-header";
  options.labeled.format = options.tagged.format = format_named(arguments.format);
  options.tagged.token_column = arguments.token_column;
  options.tagged.tag_column = arguments.tag_column;
  result.train = inspect(arguments.train, options);
  note_two_files(arguments, result);
  if (!arguments.valid.empty()) {
    result.valid = inspect(arguments.valid, options);
    result.shared = shared_items(result.valid, result.train);
    judge_shared(result);
  }
  return result;
}

int64_t faults(const Result& result) {
  int64_t count = 0;
  for (const DataSummary* set : {&result.train, &result.valid}) {
    count += std::count_if(set->findings.begin(), set->findings.end(),
                           [](const Finding& finding) { return finding.is_fault; });
  }
  return count;
}

// What an item is called, in the singular; an s makes the plural.
std::string_view item_name(DataTask task) {
  switch (task) {
    case DataTask::lm: return "line";
    case DataTask::translate: return "pair";
    case DataTask::classify: return "text";
    case DataTask::tag: return "sentence";
  }
  return "";
}

// Text.

// "12,345"
std::string grouped(int64_t number) {
  std::string text = fmt::format("{}", number);
  for (auto at = static_cast<ptrdiff_t>(text.size()) - 3; at > 0; at -= 3) {
    text.insert(static_cast<size_t>(at), ",");
  }
  return text;
}

size_t code_points(std::string_view text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

// Holds two words together on one line; printed as a space.
constexpr char kTie = '\x1f';

// A name in a column of its own, and words beside it that are wrapped.
void print_wrapped(std::string_view name, std::string_view text) {
  constexpr size_t kIndent = 16;
  std::string line = fmt::format("{:<{}}", name, kIndent);
  bool begun = false;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    if (begun && code_points(line) + 1 + code_points(word) > kReportWidth) {
      print_result("{}\n", line);
      line = std::string(kIndent, ' ');
      begun = false;
    }
    if (begun) line += ' ';
    for (const char c : word) line += c == kTie ? ' ' : c;
    begun = true;
  }
  print_result("{}\n", line);
}

std::string place_numbers(const Places& places) {
  std::string text;
  for (const int64_t number : places.lines) {
    if (!text.empty()) text += ", ";
    text += fmt::format("{}", number);
  }
  if (places.count > static_cast<int64_t>(places.lines.size())) text += ", ...";
  return text;
}

// "3 texts (numbers 4, 7, 9)"
std::string places_text(const Places& places, std::string_view item, bool with_numbers) {
  std::string text =
      fmt::format("{} {}{}", grouped(places.count), item, places.count == 1 ? "" : "s");
  if (with_numbers && places.count > 0) {
    text += fmt::format(" ({}{} {})", item == "line" ? "line" : "number",
                        places.count == 1 ? "" : "s", place_numbers(places));
  }
  return text;
}

std::vector<std::pair<std::string, int64_t>> by_frequency(
    const std::map<std::string, int64_t>& labels) {
  std::vector<std::pair<std::string, int64_t>> sorted(labels.begin(), labels.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  return sorted;
}

// "2 different: DESC (1,162), HUM (86)"
std::string labels_text(const std::map<std::string, int64_t>& labels) {
  std::string text = fmt::format("{} different:", labels.size());
  size_t shown = 0;
  for (const auto& [label, count] : by_frequency(labels)) {
    if (++shown > kLabelsShown) {
      return text + fmt::format(" and {} more", labels.size() - kLabelsShown);
    }
    text +=
        fmt::format(" {}{}({}){}", label, kTie, grouped(count), shown == labels.size() ? "" : ",");
  }
  return text;
}

void print_lengths(std::string_view side, std::string_view unit, const LengthSummary& lengths) {
  print_result("  {:<12}  {:<10} {:>8} {:>8} {:>10.1f} {:>8}\n", side, unit, lengths.shortest,
               lengths.median, lengths.mean, lengths.longest);
}

void print_set(std::string_view title, const std::vector<std::string>& files,
               const DataSummary& set, DataTask task) {
  std::string names;
  for (const std::string& file : files) names += (names.empty() ? "" : " ") + file;
  print_wrapped(title, names);
  const std::string_view item = item_name(task);
  print_wrapped("  format", set.format);
  print_wrapped(fmt::format("  {}s", item), grouped(set.items));
  if (set.items > 0) {
    print_result("  {:<12}  {:<10} {:>8} {:>8} {:>10} {:>8}\n", "length of", "in", "shortest",
                 "median", "mean", "longest");
    for (const SideSummary& side : set.sides) {
      print_lengths(side.name, "characters", side.characters);
      print_lengths(side.name, "words", side.words);
    }
  }
  if (!set.labels.empty()) {
    print_wrapped(task == DataTask::tag ? "  tags" : "  labels", labels_text(set.labels));
  }
  const bool with_numbers = task != DataTask::lm || files.size() == 1;
  std::string again = places_text(set.duplicates, item, with_numbers) + " occurred before";
  if (task == DataTask::lm) {
    again += fmt::format(" (of {} characters or more)", kTellingCharacters);
  }
  print_wrapped("  duplicates", again);
  if (set.conflicts.count > 0) {
    print_wrapped("  conflicts",
                  places_text(set.conflicts, item, with_numbers) +
                      (task == DataTask::tag ? " occurred before with other tags"
                                             : " occurred before with another label"));
  }
}

void print_findings(const Result& result, bool are_faults, std::string_view title) {
  bool first = true;
  for (const DataSummary* set : {&result.train, &result.valid}) {
    for (const Finding& finding : set->findings) {
      if (finding.is_fault != are_faults) continue;
      if (first) print_result("\n");
      print_wrapped(first ? title : "", with_option_names(finding.text));
      first = false;
    }
  }
}

void print_text(const Result& result, const CheckArguments& arguments) {
  print_wrapped("task", result.task_name +
                            (result.guessed ? " (guessed from the files; --task chooses)" : ""));
  print_set("train", arguments.train, result.train, result.task);
  if (!arguments.valid.empty()) {
    print_set("valid", arguments.valid, result.valid, result.task);
    const bool with_numbers = result.task != DataTask::lm || arguments.valid.size() == 1;
    print_wrapped("  in train", places_text(result.shared, item_name(result.task), with_numbers) +
                                    (result.task == DataTask::translate ? ", by the source" : ""));
  }
  print_findings(result, false, "worth knowing");
  print_findings(result, true, "must be fixed");
  if (faults(result) == 0) print_result("\nnothing must be fixed\n");
}

// JSON.

using Json = nlohmann::ordered_json;

Json summary_json(const LengthSummary& lengths) {
  return {{"shortest", lengths.shortest},
          {"median", lengths.median},
          {"mean", lengths.mean},
          {"longest", lengths.longest}};
}

Json summary_json(const Places& places) {
  return {{"count", places.count}, {"first", places.lines}};
}

Json summary_json(const DataSummary& set, const std::vector<std::string>& files) {
  Json page{{"files", files}, {"format", set.format}, {"items", set.items}};
  for (const SideSummary& side : set.sides) {
    page["lengths"][side.name] = {{"characters", summary_json(side.characters)},
                                  {"words", summary_json(side.words)}};
  }
  page["labels"] = set.labels;
  page["duplicates"] = summary_json(set.duplicates);
  page["conflicts"] = summary_json(set.conflicts);
  page["faults"] = page["notes"] = Json::array();
  for (const Finding& finding : set.findings) {
    page[finding.is_fault ? "faults" : "notes"].push_back(with_option_names(finding.text));
  }
  return page;
}

void print_check_json(const Result& result, const CheckArguments& arguments) {
  Json page{{"task", result.task_name},
            {"fine", faults(result) == 0},
            {"train", summary_json(result.train, arguments.train)}};
  if (!arguments.valid.empty()) {
    page["valid"] = summary_json(result.valid, arguments.valid);
    page["valid_in_train"] = summary_json(result.shared);
  }
  print_result("{}\n", page.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

void check_files(const CheckArguments& arguments) {
  const Result result = inspect_all(arguments);
  if (arguments.json) {
    print_check_json(result, arguments);
  } else {
    print_text(result, arguments);
  }
  const int64_t count = faults(result);
  if (count == 0) return;
  fail("{} {} must be fixed", count, count == 1 ? "thing" : "things");
}

}  // namespace

void add_check_command(CLI::App& app, Run& run) {
  Command command(app, "check", "What is in data files, and what is wrong");
  auto arguments = std::make_shared<CheckArguments>();
  CheckArguments& a = *arguments;
  command.add_option("FILES", a.train, "Files to train on; for translate source and target")
      .type_name("FILE");
  command.add_option("--valid", a.valid, "Files to validate on: also looked for in FILES")
      .type_name("FILE");
  command
      .add_option(
          "--task", a.task,
          "What the files are for: lm, translate, summarize, classify or tag (default: guessed)")
      .type_name("NAME")
      .check(one_of({"lm", "translate", "summarize", "classify", "tag"}));
  command.add_option("--encoding", a.encoding, "Of the files: utf-8 (default) or latin1")
      .type_name("NAME")
      .check(one_of({"utf-8", "utf8", "latin1"}));
  command
      .add_option("--format", a.format,
                  "Of the files, if their names do not say: tsv, csv, csv-no-header, conll, conllu")
      .type_name("NAME")
      .check(one_of({"tsv", "csv", "csv-no-header", "conll", "conllu"}));
  command
      .add_option("--text-column", a.text_column,
                  "CSV: name or number of the column; JSON: the field")
      .type_name("COLUMN");
  command
      .add_option("--label-column", a.label_column,
                  "CSV: name or number of the column; JSON: the field")
      .type_name("COLUMN");
  command.add_flag("--no-header", a.no_header, "CSV: the first row is data");
  command.add_option("--token-column", a.token_column, "Columns: the word, from 1; -1: last")
      .type_name("N")
      .check(whole_number(-1000, 1000));
  command.add_option("--tag-column", a.tag_column, "Columns: the tag, from 1; -1: last")
      .type_name("N")
      .check(whole_number(-1000, 1000));
  command.add_option("--longest", a.longest, "Bytes of a line that count as long (default: 2^20)")
      .type_name("N")
      .check(whole_number(4, int64_t{1} << 40));
  command.add_flag("--json", a.json, "One JSON object");
  command.footer(
      "The exit code is 1 if something must be fixed: bytes that are not UTF-8, files\n"
      "of different length, records that cannot be read.\n"
      "Example:\n  heed check train.en train.de --valid val.en val.de");
  command.callback([&run, command, arguments] {
    require_option(command, "FILES");
    run = [arguments] { check_files(*arguments); };
  });
}

}  // namespace heed::cli
