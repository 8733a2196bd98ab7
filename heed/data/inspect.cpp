#include "heed/data/inspect.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "heed/base/blanks.h"
#include "heed/base/fail.h"
#include "heed/base/hash_text.h"
#include "heed/data/findings_internal.h"
#include "heed/data/pairs.h"
#include "heed/data/text_reader_internal.h"

namespace heed {
namespace {

int64_t characters_in(std::string_view text) {
  return std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; });
}

int64_t words_in(std::string_view text) {
  int64_t words = 0;
  bool inside = false;
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\t' || c == '\n';
    if (!blank && !inside) ++words;
    inside = !blank;
  }
  return words;
}

LengthSummary summary(std::vector<int64_t>& lengths) {
  LengthSummary result;
  if (lengths.empty()) return result;
  std::sort(lengths.begin(), lengths.end());
  result.shortest = lengths.front();
  result.median = lengths[lengths.size() / 2];
  result.longest = lengths.back();
  result.mean =
      std::accumulate(lengths.begin(), lengths.end(), 0.0) / static_cast<double>(lengths.size());
  return result;
}

struct Side {
  std::string name;
  std::vector<int64_t> characters, words;

  void add(std::string_view text) {
    characters.push_back(characters_in(text));
    words.push_back(words_in(text));
  }
};

struct Item {
  uint64_t key;    // of the text, or of the source
  uint64_t whole;  // of the text with its label, or of the pair
  int64_t number;
};

bool by_key(const Item& a, const Item& b) {
  return a.key != b.key ? a.key < b.key : a.number < b.number;
}

bool by_whole(const Item& a, const Item& b) {
  return a.whole != b.whole ? a.whole < b.whole : a.number < b.number;
}

Places places(std::vector<int64_t>& numbers) {
  std::sort(numbers.begin(), numbers.end());
  Places result;
  for (const int64_t number : numbers) result.add(number);
  return result;
}

class Inspection {
 public:
  Inspection(const std::vector<std::string>& files, const InspectOptions& options)
      : files_(files), options_(options) {
    const LineOptions lines{
        .encoding = options.encoding, .bad_bytes = OnMistake::count, .longest = options.longest};
    read_ = {.lines = lines, .records = OnMistake::count};
    options_.labeled.read = options_.tagged.read = read_;
  }

  DataSummary result() {
    switch (options_.task) {
      case DataTask::lm: read_text(); break;
      case DataTask::translate: read_pairs(); break;
      case DataTask::classify: read_labeled(); break;
      case DataTask::tag: read_tagged(); break;
    }
    for (Side& side : sides_) {
      result_.sides.push_back({side.name, summary(side.characters), summary(side.words)});
    }
    const bool is_explained = std::any_of(result_.findings.begin(), result_.findings.end(),
                                          [](const Finding& finding) { return finding.is_fault; });
    if (result_.items == 0 && !is_explained) {
      result_.findings.push_back({true, "there is no data"});
    }
    find_duplicates();
    return std::move(result_);
  }

 private:
  void add_findings(const std::string& file, const std::vector<Finding>& findings) {
    for (const Finding& finding : findings) {
      const bool named = finding.text.find(file) != std::string::npos || file.empty();
      result_.findings.push_back(
          {finding.is_fault, named ? finding.text : fmt::format("{}: {}", file, finding.text)});
    }
  }

  void read_text() {
    sides_ = {{.name = "line", .characters = {}, .words = {}}};
    bool has_plain = false, has_json = false;
    for (const std::string& file : files_) {
      TextReader reader(file, read_.lines, OnMistake::count);
      bool goes_on = false;  // a line, beyond what is looked at
      while (const auto line = reader.next()) {
        const bool is_rest = goes_on;
        goes_on = reader.is_open();
        if (is_rest || is_blank(*line, kLineBlanks)) continue;
        ++result_.items;
        sides_[0].add(*line);
        if (sides_[0].characters.back() < kTellingCharacters) continue;
        const uint64_t hash = hash_text(*line);
        items_.push_back({hash, hash, reader.line()});
      }
      TextReport report = reader.report();
      report.lines.in_pieces = false;
      add_findings(file, report.findings());
      (report.is_json ? has_json : has_plain) = true;
    }
    result_.format = !has_json   ? "plain text"
                     : has_plain ? "plain text and JSON lines"
                                 : "JSON lines";
  }

  void read_pairs() {
    check(files_.size() == 1 || files_.size() == 2,
          "translate needs two files, source and target, or one with lines source<TAB>target or "
          "JSON lines; got {}",
          files_.size());
    sides_ = {{.name = "source", .characters = {}, .words = {}},
              {.name = "target", .characters = {}, .words = {}}};
    const auto use = [&](std::string_view source, std::string_view target) {
      ++result_.items;
      sides_[0].add(source);
      sides_[1].add(target);
      const uint64_t key = hash_text(source);
      items_.push_back({key, mix_bits(key) ^ hash_text(target), result_.items});
    };
    const PairReport report = files_.size() == 2 ? for_each_pair(files_[0], files_[1], read_, use)
                                                 : for_each_pair(files_[0], read_, use);
    result_.format = report.format();
    add_findings(files_.size() == 2 ? "" : files_[0], report.findings());
  }

  void read_labeled() {
    sides_ = {{.name = "text", .characters = {}, .words = {}}};
    for (const std::string& file : files_) {
      const LabeledReport report =
          for_each_labeled(file, options_.labeled, [&](std::string_view label, auto text) {
            ++result_.items;
            sides_[0].add(text);
            const uint64_t key = hash_text(text);
            items_.push_back({key, mix_bits(key) ^ hash_text(label), result_.items});
          });
      for (const auto& [label, count] : report.labels) result_.labels[label] += count;
      result_.format = format_of(report);
      add_findings(file, report.findings());
    }
  }

  static std::string format_of(const LabeledReport& report) {
    switch (report.format) {
      case DataFormat::csv:
        return fmt::format("csv: text from column '{}', label from '{}'", report.text_column,
                           report.label_column);
      case DataFormat::json:
        return fmt::format("JSON lines: text from \"{}\", label from \"{}\"", report.text_column,
                           report.label_column);
      case DataFormat::tab: return "label<TAB>text";
      default: return "label, a blank, text (no tab in most lines)";
    }
  }

  void read_tagged() {
    sides_ = {{.name = "sentence", .characters = {}, .words = {}}};
    for (const std::string& file : files_) {
      const TaggedReport report =
          for_each_tagged(file, options_.tagged, [&](const TaggedSentence& sentence) {
            ++result_.items;
            uint64_t key = 0, whole = 0;
            int64_t characters = -1;
            for (size_t i = 0; i < sentence.tokens.size(); ++i) {
              characters += 1 + characters_in(sentence.tokens[i]);
              key = mix_bits(key ^ hash_text(sentence.tokens[i]));
              whole = mix_bits(whole ^ hash_text(sentence.tags[i]));
            }
            sides_[0].characters.push_back(characters);
            sides_[0].words.push_back(static_cast<int64_t>(sentence.tokens.size()));
            items_.push_back({key, key ^ whole, result_.items});
          });
      for (const auto& [tag, count] : report.tags) result_.labels[tag] += count;
      result_.format = report.format == DataFormat::conllu ? "CoNLL-U" : "columns (CoNLL)";
      add_findings(file, report.findings());
    }
  }

  void find_duplicates() {
    std::vector<int64_t> again;
    std::sort(items_.begin(), items_.end(), by_whole);
    for (size_t i = 1; i < items_.size(); ++i) {
      if (items_[i].whole == items_[i - 1].whole) again.push_back(items_[i].number);
    }
    result_.duplicates = places(again);
    again.clear();
    std::sort(items_.begin(), items_.end(), by_key);
    const bool labeled = options_.task == DataTask::classify || options_.task == DataTask::tag;
    for (size_t i = 0; i < items_.size(); ++i) {
      const bool same = i > 0 && items_[i].key == items_[i - 1].key;
      if (labeled && same && items_[i].whole != items_[i - 1].whole) {
        again.push_back(items_[i].number);
      }
      result_.keys.emplace_back(items_[i].key, items_[i].number);
    }
    result_.conflicts = places(again);
  }

  const std::vector<std::string>& files_;
  InspectOptions options_;
  ReadOptions read_;
  std::vector<Side> sides_;
  std::vector<Item> items_;
  DataSummary result_;
};

}  // namespace

std::string_view name(DataTask task) {
  switch (task) {
    case DataTask::lm: return "lm";
    case DataTask::translate: return "translate";
    case DataTask::classify: return "classify";
    case DataTask::tag: return "tag";
  }
  return "";
}

DataSummary inspect(const std::vector<std::string>& files, const InspectOptions& options) {
  check(!files.empty(), "inspect: there must be at least one file");
  return Inspection(files, options).result();
}

Places shared_items(const DataSummary& set, const DataSummary& other) {
  std::vector<int64_t> numbers;
  auto at = other.keys.begin();
  for (const auto& [key, number] : set.keys) {
    at = std::lower_bound(at, other.keys.end(), std::pair{key, int64_t{0}});
    if (at != other.keys.end() && at->first == key) numbers.push_back(number);
  }
  return places(numbers);
}

}  // namespace heed
