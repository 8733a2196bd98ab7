// Data whose sources are rows of floats. One line of text belongs to each sequence: the target
// (translate, summarize), the class (classify), or a tag for each row, with spaces between
// (tag). No line is left out, because they are counted.

#include <map>
#include <numeric>
#include <set>
#include <sstream>

#include "heed/base/fail.h"
#include "heed/data/hold_out.h"
#include "heed/run/setting_names.h"
#include "heed/train/labels_internal.h"
#include "heed/train/preparation.h"
#include "heed/train/text_source.h"
#include "heed/train/vector_corpus_internal.h"
#include "heed/train/vectors_internal.h"

namespace heed {
namespace {

struct VectorPart {
  SourceVectors vectors;
  std::vector<std::string> lines;

  int64_t count() const { return vectors.layout.count(); }
};

VectorPart read_part(const TrainSettings& settings, const std::string& vectors,
                     const std::string& texts) {
  VectorPart part{read_vectors(vectors), {}};
  LineReader reader(texts, read_options(settings).lines);
  while (const auto line = reader.next()) part.lines.emplace_back(*line);
  check(static_cast<int64_t>(part.lines.size()) == part.count(),
        "{} has {} lines, but {} has {} sequences", texts, part.lines.size(), vectors,
        part.count());
  return part;
}

VectorPart choose_items(const VectorPart& all, std::span<const int64_t> items) {
  VectorPart part{choose_sequences(all.vectors, items, 0), {}};
  for (const int64_t item : items) part.lines.push_back(all.lines[item]);
  return part;
}

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream in(line);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

std::string trimmed(const std::string& line) {
  const size_t begin = line.find_first_not_of(" \t");
  if (begin == std::string::npos) return "";
  return line.substr(begin, line.find_last_not_of(" \t") + 1 - begin);
}

// The classes that the lines name, as text.
std::vector<std::string> classes_in(const std::string& line, bool tags) {
  return tags ? words_of(line) : std::vector<std::string>{trimmed(line)};
}

class Preparer {
 public:
  Preparer(const Preparation& preparation, std::vector<std::string>& notes)
      : preparation_(preparation), notes_(notes) {}

  std::unique_ptr<TaskData> data(VectorPart part) {
    cut(part);
    return is_pair_task(task()) ? pairs(std::move(part)) : classes(std::move(part));
  }
  int64_t target_tokens() const { return target_tokens_; }
  int64_t unknown_tokens() const { return unknown_tokens_; }  // of the targets

 private:
  Task task() const { return preparation_.settings.task; }

  std::unique_ptr<TaskData> pairs(VectorPart part) {
    Encoder encode(*preparation_.tokenizer, preparation_.settings.max_length);
    TokenStoreBuilder targets(preparation_.tokenizer->size(), {.directory = preparation_.folder});
    for (const std::string& line : part.lines) {
      const std::vector<int32_t> ids = encode(line);
      targets.append(ids);
      target_tokens_ += static_cast<int64_t>(ids.size());
      unknown_tokens_ += count_unknown(*preparation_.tokenizer, ids);
    }
    encode.note(notes_);
    return std::make_unique<PairData>(
        PairCorpus(part.vectors.rows, part.vectors.layout, targets.finish(),
                   pair_tokens(*preparation_.tokenizer)),
        std::vector<std::string>(), std::move(part.lines), task(), preparation_.tokenizer);
  }

  std::unique_ptr<TaskData> classes(VectorPart part) {
    const bool tags = task() == Task::tag;
    const std::vector<std::string>& labels = preparation_.labels;
    const LabelIndex index(labels);
    std::vector<int32_t> classes;
    std::vector<LostWord> lost;
    int64_t unknown = 0;
    for (size_t i = 0; i < part.lines.size(); ++i) {
      const auto item = static_cast<int64_t>(i);
      const std::vector<std::string> names = classes_in(part.lines[i], tags);
      const int64_t kept = tags ? part.vectors.layout.length(item) : 1;
      for (int64_t row = 0; row < static_cast<int64_t>(names.size()); ++row) {
        const std::string& name = names[row];
        const int32_t label = index.find(name);
        const bool is_cut = row >= kept;
        unknown += label < 0 ? 1 : 0;
        if (!is_cut) classes.push_back(label);
        if (label < 0 || is_cut) lost.push_back({item, is_cut ? -1 : row, name});
      }
    }
    if (unknown > 0) {
      notes_.push_back(fmt::format(
          "warning: the training data does not have the labels of {} {}; they count as wrong",
          unknown, tags ? "rows" : "sequences"));
    }
    auto corpus = std::make_unique<VectorCorpus>(std::move(part.vectors), std::move(classes),
                                                 tags ? ClassPer::row : ClassPer::sequence);
    if (tags) return std::make_unique<TagData>(std::move(corpus), labels, std::move(lost));
    return std::make_unique<SentenceData>(std::move(corpus), static_cast<int64_t>(labels.size()));
  }

  void cut(VectorPart& part) {
    if (task() == Task::tag) check_tags(part);
    const int64_t max_length = preparation_.settings.max_length;
    int64_t longer = 0;
    for (int64_t i = 0; i < part.count(); ++i) {
      longer += part.vectors.layout.length(i) > max_length ? 1 : 0;
    }
    if (max_length == 0 || longer == 0) return;
    notes_.push_back(
        fmt::format("warning: {} {} longer than {} rows (`max-length` in training) and cut", longer,
                    longer == 1 ? "sequence was" : "sequences were", max_length));
    std::vector<int64_t> items(static_cast<size_t>(part.count()));
    std::iota(items.begin(), items.end(), 0);
    part.vectors = choose_sequences(part.vectors, items, max_length);
  }

  static void check_tags(const VectorPart& part) {
    for (size_t i = 0; i < part.lines.size(); ++i) {
      const size_t tags = words_of(part.lines[i]).size();
      const int64_t rows = part.vectors.layout.length(static_cast<int64_t>(i));
      check(static_cast<int64_t>(tags) == rows, "line {} has {} tags, but its sequence has {} rows",
            i + 1, tags, rows);
    }
  }

  const Preparation& preparation_;
  std::vector<std::string>& notes_;
  int64_t target_tokens_ = 0, unknown_tokens_ = 0;
};

void choose_labels(Preparation& preparation, const VectorPart& train) {
  if (!preparation.labels.empty()) return;
  const TrainSettings& settings = preparation.settings;
  std::set<std::string> names;
  for (const std::string& line : train.lines) {
    for (std::string& name : classes_in(line, settings.task == Task::tag)) {
      check(!name.empty(), "{}: a line is empty; each must name a label", settings.train[0]);
      names.insert(std::move(name));
    }
  }
  check(names.size() >= 2, "{}: there must be two labels or more, got {}", settings.train[0],
        names.size());
  preparation.labels.assign(names.begin(), names.end());
}

void check_labels(const Preparation& preparation, const VectorPart& valid) {
  const TrainSettings& settings = preparation.settings;
  std::map<std::string, int64_t> found;
  for (const std::string& line : valid.lines) {
    for (const std::string& name : classes_in(line, settings.task == Task::tag)) ++found[name];
  }
  require_known_label(settings.valid[0], found, preparation.labels);
}

void choose_tokenizer(Preparation& preparation, const VectorPart& train) {
  TrainSettings& settings = preparation.settings;
  if (preparation.tokenizer == nullptr) {
    Sample sample;
    for (const std::string& line : train.lines) sample.add(line);
    choose_text_settings(settings, sample.bytes());
    preparation.tokenizer = make_tokenizer(settings, {sample.text()});
  }
}

}  // namespace

void prepare_vectors(Preparation& preparation, PreparedRun& run) {
  TrainSettings& settings = preparation.settings;
  check(settings.task != Task::lm, "`source-vectors` is for tasks with a source; lm has none");
  check(settings.valid.empty() == settings.valid_vectors.empty(),
        "`valid` and `valid-vectors` belong together, as `train` and `source-vectors` do");
  check(settings.task != Task::classify || settings.pool == Pooling::mean,
        "`pool` {} needs a token of its own; sequences of rows take `pool` mean",
        name_of(settings.pool));
  VectorPart train = read_part(settings, settings.source_vectors, settings.train[0]), valid;
  if (settings.valid.empty()) {
    HeldOut held_out(train.count(), settings);
    std::vector<int64_t> held, kept;
    for (int64_t i = 0; i < train.count(); ++i) (held_out.contains(i) ? held : kept).push_back(i);
    valid = choose_items(train, held);
    train = choose_items(train, kept);
    note_held_out(valid.count(), "sequence", run.notes);
  } else {
    valid = read_part(settings, settings.valid_vectors, settings.valid[0]);
    check(valid.vectors.rows.dim(1) == train.vectors.rows.dim(1),
          "rows of {} numbers in {}, of {} in {}", train.vectors.rows.dim(1),
          settings.source_vectors, valid.vectors.rows.dim(1), settings.valid_vectors);
  }
  choose_lengths(settings, train.vectors.layout.max_length());
  DataFacts facts{.tokens = train.vectors.layout.total(),
                  .items = train.count(),
                  .source_width = train.vectors.rows.dim(1)};
  if (is_pair_task(settings.task)) {
    choose_tokenizer(preparation, train);
    run.tokenizer = preparation.tokenizer;
    facts.vocabulary = run.tokenizer->size();
  } else {
    choose_labels(preparation, train);
    if (!settings.valid.empty()) check_labels(preparation, valid);
    facts.classes = static_cast<int64_t>(preparation.labels.size());
  }
  Preparer preparer(preparation, run.notes);
  run.train = preparer.data(std::move(train));
  facts.tokens += preparer.target_tokens();
  note_unknown_tokens(preparer.unknown_tokens(), preparer.target_tokens(), run.notes);
  run.valid = preparer.data(std::move(valid));
  complete_settings(settings, facts, run);
  run.config = {model_config(settings, facts), preparation.labels, settings};
}

std::unique_ptr<TaskData> evaluation_vectors(const Preparation& preparation, int64_t width,
                                             std::vector<std::string>& notes) {
  const TrainSettings& settings = preparation.settings;
  VectorPart part = read_part(settings, settings.valid_vectors, settings.valid[0]);
  check(part.vectors.rows.dim(1) == width, "{}: rows of {} numbers, but the model reads rows of {}",
        settings.valid_vectors, part.vectors.rows.dim(1), width);
  return Preparer(preparation, notes).data(std::move(part));
}

}  // namespace heed
