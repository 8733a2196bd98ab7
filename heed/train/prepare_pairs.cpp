// Data of translation and summarization.

#include "heed/base/fail.h"
#include "heed/data/pairs.h"
#include "heed/train/preparation.h"
#include "heed/train/text_source.h"

namespace heed {
namespace {

// Pairs of one part of the data, encoded.
struct PairPart {
  TokenStoreBuilder source_builder, target_builder;
  int64_t count = 0, tokens = 0, unknown_tokens = 0;
  std::vector<std::string> source_texts, target_texts;  // of the validation part

  explicit PairPart(const Preparation& preparation)
      : source_builder(preparation.tokenizer->size(), {.directory = preparation.folder}),
        target_builder(preparation.tokenizer->size(), {.directory = preparation.folder}) {}

  void add(std::string_view source, std::string_view target, Encoder& encode, bool keep_texts) {
    const std::vector<int32_t> source_ids = encode(source), target_ids = encode(target);
    source_builder.append(source_ids);
    target_builder.append(target_ids);
    ++count;
    tokens += static_cast<int64_t>(source_ids.size() + target_ids.size());
    unknown_tokens += count_unknown(encode.tokenizer(), source_ids) +
                      count_unknown(encode.tokenizer(), target_ids);
    if (!keep_texts) return;
    source_texts.emplace_back(source);
    target_texts.emplace_back(target);
  }

  std::unique_ptr<TaskData> data(const Preparation& preparation) && {
    return std::make_unique<PairData>(
        PairCorpus(source_builder.finish(), target_builder.finish(),
                   pair_tokens(*preparation.tokenizer), pair_layout(preparation.settings)),
        std::move(source_texts), std::move(target_texts), preparation.settings.task,
        preparation.tokenizer);
  }
};

PairReport read_pairs(const std::vector<std::string>& files, const TrainSettings& settings,
                      const UsePair& use) {
  if (files.size() == 1) return for_each_pair(files[0], read_options(settings), use);
  return for_each_pair(files[0], files[1], read_options(settings), use);
}

void note_json(const PairReport& report, std::vector<std::string>& notes) {
  if (report.is_json) notes.push_back(report.format());
}

}  // namespace

void prepare_pairs(Preparation& preparation, PreparedRun& run) {
  TrainSettings& settings = preparation.settings;
  Sample sources, targets;
  const PairReport report =
      read_pairs(settings.train, settings, [&](std::string_view source, std::string_view target) {
        sources.add(source);
        targets.add(target);
      });
  check(report.pairs > 0, "{}: there are no pairs to train on", settings.train[0]);
  note_json(report, run.notes);
  note_findings(report.findings(), run.notes);
  choose_text_settings(settings, sources.bytes() + targets.bytes());
  if (preparation.tokenizer == nullptr) {
    preparation.tokenizer = make_tokenizer(settings, {sources.text(), targets.text()});
  }
  run.tokenizer = preparation.tokenizer;
  PairPart train(preparation), valid(preparation);
  Encoder encode(*run.tokenizer, settings.max_length);
  if (settings.valid.empty()) {
    HeldOut held_out(report.pairs, settings);
    int64_t index = 0;
    read_pairs(settings.train, settings, [&](std::string_view source, std::string_view target) {
      const bool held = held_out.contains(index++);
      (held ? valid : train).add(source, target, encode, held);
    });
    note_held_out(valid.count, "pair", run.notes);
  } else {
    read_pairs(settings.train, settings, [&](std::string_view source, std::string_view target) {
      train.add(source, target, encode, false);
    });
    const PairReport found =
        read_pairs(settings.valid, settings, [&](std::string_view source, std::string_view target) {
          valid.add(source, target, encode, true);
        });
    note_findings(found.findings(), run.notes);
    check(valid.count > 0, "{}: there are no pairs to validate with", settings.valid[0]);
  }
  encode.note(run.notes);
  note_unknown_tokens(train.unknown_tokens, train.tokens, run.notes);
  const DataFacts facts{
      .tokens = train.tokens, .items = train.count, .vocabulary = run.tokenizer->size()};
  complete_settings(settings, facts, run);
  run.config.model = model_config(settings, facts);
  run.config.settings = settings;
  run.train = std::move(train).data(preparation);
  run.valid = std::move(valid).data(preparation);
}

std::unique_ptr<TaskData> evaluation_pairs(const Preparation& preparation,
                                           std::vector<std::string>& notes) {
  const TrainSettings& settings = preparation.settings;
  Encoder encode(*preparation.tokenizer, settings.max_length);
  PairPart part(preparation);
  const PairReport report =
      read_pairs(settings.valid, settings, [&](std::string_view source, std::string_view target) {
        part.add(source, target, encode, true);
      });
  note_json(report, notes);
  note_findings(report.findings(), notes);
  encode.note(notes);
  check(part.count > 0, "{}: there are no pairs in it", settings.valid[0]);
  return std::move(part).data(preparation);
}

}  // namespace heed
