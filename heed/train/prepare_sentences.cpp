// Data of classification.

#include <algorithm>

#include "heed/base/fail.h"
#include "heed/data/labeled.h"
#include "heed/train/labels_internal.h"
#include "heed/train/preparation.h"
#include "heed/train/text_source.h"

namespace heed {
namespace {

LabeledOptions labeled_options(const TrainSettings& settings) {
  return {.read = read_options(settings),
          .format = format_of(settings),
          .text_column = settings.text_column,
          .label_column = settings.label_column,
          .header = settings.format != FileFormat::csv_no_header};
}

struct SentencePart {
  TokenStoreBuilder texts;
  LabelIndex labels;
  int64_t tokens = 0, unknown_tokens = 0;
  std::vector<int32_t> classes;
  int64_t unknown = 0;  // labels that training did not have

  explicit SentencePart(const Preparation& preparation)
      : texts(preparation.tokenizer->size(), {.directory = preparation.folder}),
        labels(preparation.labels) {}

  int64_t count() const { return static_cast<int64_t>(classes.size()); }

  void add(std::string_view label, std::string_view text, Encoder& encode) {
    classes.push_back(labels.find(label));
    unknown += classes.back() < 0 ? 1 : 0;
    const std::vector<int32_t> ids = encode(text);
    texts.append(ids);
    tokens += static_cast<int64_t>(ids.size());
    unknown_tokens += count_unknown(encode.tokenizer(), ids);
  }

  std::unique_ptr<TaskData> data(const Preparation& preparation) && {
    return std::make_unique<SentenceData>(
        std::make_unique<SentenceCorpus>(texts.finish(), std::move(classes),
                                         preparation.special_tokens()),
        static_cast<int64_t>(preparation.labels.size()));
  }
};

void note_format(const LabeledReport& report, bool header, std::vector<std::string>& notes) {
  if (report.format == DataFormat::space) {
    notes.push_back("there are no tabs: the first word of each line is taken as its label");
  }
  if (report.format == DataFormat::json) {
    notes.push_back(fmt::format("JSON lines: text from \"{}\", label from \"{}\"",
                                report.text_column, report.label_column));
  }
  if (report.format == DataFormat::csv && header) {
    notes.push_back(fmt::format("the first line is a header: text from '{}', label from '{}'",
                                report.text_column, report.label_column));
  }
}

void note_unknown(int64_t unknown, std::vector<std::string>& notes) {
  if (unknown == 0) return;
  notes.push_back(fmt::format(
      "warning: {} that the training data does not have; {} wrong",
      unknown == 1 ? "1 text has a label" : fmt::format("{} texts have a label", unknown),
      unknown == 1 ? "it counts as" : "they count as"));
}

}  // namespace

void prepare_sentences(Preparation& preparation, PreparedRun& run) {
  TrainSettings& settings = preparation.settings;
  Sample sample;
  const LabeledReport report =
      for_each_labeled(settings.train[0], labeled_options(settings),
                       [&](std::string_view, std::string_view text) { sample.add(text); });
  check(report.items > 0, "{}: there is nothing to train on", settings.train[0]);
  note_format(report, labeled_options(settings).header, run.notes);
  note_findings(report.findings(), run.notes);
  choose_text_settings(settings, sample.bytes());
  if (preparation.tokenizer == nullptr) {
    preparation.tokenizer = make_tokenizer(settings, {sample.text()});
    for (const auto& [label, count] : report.labels) preparation.labels.push_back(label);
  }
  check(preparation.labels.size() >= 2, "{}: there must be two labels or more, got {}",
        settings.train[0], preparation.labels.size());
  run.tokenizer = preparation.tokenizer;
  SentencePart train(preparation), valid(preparation);
  Encoder encode(*run.tokenizer, settings.max_length);
  const bool held = settings.valid.empty();
  std::unique_ptr<HeldOut> held_out;
  if (held) held_out = std::make_unique<HeldOut>(report.items, settings);
  int64_t index = 0;
  for_each_labeled(settings.train[0], labeled_options(settings),
                   [&](std::string_view label, std::string_view text) {
                     const bool out = held && held_out->contains(index++);
                     (out ? valid : train).add(label, text, encode);
                   });
  if (held) {
    note_held_out(valid.count(), "text", run.notes);
  } else {
    const LabeledReport found = for_each_labeled(
        settings.valid[0], labeled_options(settings),
        [&](std::string_view label, std::string_view text) { valid.add(label, text, encode); });
    note_findings(found.findings(), run.notes);
    check(valid.count() > 0, "{}: there is nothing to validate with", settings.valid[0]);
    require_known_label(settings.valid[0], found.labels, preparation.labels);
  }
  note_unknown(valid.unknown, run.notes);
  encode.note(run.notes);
  note_unknown_tokens(train.unknown_tokens, train.tokens, run.notes);
  const DataFacts facts{.tokens = train.tokens,
                        .items = train.count(),
                        .vocabulary = run.tokenizer->size(),
                        .classes = static_cast<int64_t>(preparation.labels.size())};
  complete_settings(settings, facts, run);
  run.config = {model_config(settings, facts), preparation.labels, settings};
  run.train = std::move(train).data(preparation);
  run.valid = std::move(valid).data(preparation);
}

std::unique_ptr<TaskData> evaluation_sentences(const Preparation& preparation,
                                               std::vector<std::string>& notes) {
  const TrainSettings& settings = preparation.settings;
  SentencePart part(preparation);
  Encoder encode(*preparation.tokenizer, settings.max_length);
  const LabeledOptions options = labeled_options(settings);
  const LabeledReport report = for_each_labeled(
      settings.valid[0], options,
      [&](std::string_view label, std::string_view text) { part.add(label, text, encode); });
  note_format(report, options.header, notes);
  note_findings(report.findings(), notes);
  note_unknown(part.unknown, notes);
  encode.note(notes);
  check(part.count() > 0, "{}: there are no texts in it", settings.valid[0]);
  return std::move(part).data(preparation);
}

}  // namespace heed
