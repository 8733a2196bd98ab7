// Data of tagging: the first token of each word carries the tag of the word.

#include <algorithm>

#include "heed/base/fail.h"
#include "heed/data/tagged.h"
#include "heed/run/text_ids.h"
#include "heed/train/labels_internal.h"
#include "heed/train/preparation.h"
#include "heed/train/text_source.h"

namespace heed {
namespace {

TaggedOptions tagged_options(const TrainSettings& settings) {
  return {.read = read_options(settings),
          .format = format_of(settings),
          .token_column = settings.token_column,
          .tag_column = settings.tag_column};
}

struct TagPart {
  TokenStoreBuilder texts, classes;  // classes plus 1; 0: none
  LabelIndex labels;
  int64_t count = 0, tokens = 0, unknown_tokens = 0;
  int64_t unknown = 0;  // words whose tag training did not have
  int64_t cut = 0;      // sentences
  std::vector<LostWord> lost = {};
  SpecialTokens special;

  explicit TagPart(const Preparation& preparation)
      : texts(preparation.tokenizer->size(), {.directory = preparation.folder}),
        classes(static_cast<int64_t>(preparation.labels.size()) + 1,
                {.directory = preparation.folder}),
        labels(preparation.labels),
        special(preparation.special_tokens()) {}

  void add(const TaggedSentence& sentence, const Preparation& preparation) {
    const auto max_length = static_cast<size_t>(preparation.settings.max_length);
    std::vector<int32_t> ids, own;
    for (size_t i = 0; i < sentence.tokens.size(); ++i) {
      const std::vector<int32_t> word = word_ids(*preparation.tokenizer, sentence.tokens[i]);
      const int32_t tag = labels.find(sentence.tags[i]);
      const bool is_cut = max_length > 0 && ids.size() >= max_length;
      if (tag < 0) ++unknown;
      if (tag < 0 || is_cut) {
        const auto row = static_cast<int64_t>(special.before.size() + ids.size());
        lost.push_back({.item = count, .row = is_cut ? -1 : row, .tag = sentence.tags[i]});
      }
      for (size_t t = 0; t < word.size(); ++t) {
        ids.push_back(word[t]);
        own.push_back(t == 0 ? tag + 1 : 0);
      }
    }
    if (max_length > 0 && ids.size() > max_length) {
      ids.resize(max_length);
      own.resize(max_length);
      ++cut;
    }
    unknown_tokens += count_unknown(*preparation.tokenizer, ids);
    own.insert(own.begin(), special.before.size(), 0);
    own.insert(own.end(), special.after.size(), 0);
    ids = special.around(ids);
    texts.append(ids);
    classes.append(own);
    ++count;
    tokens += static_cast<int64_t>(ids.size());
  }

  void note(const TrainSettings& settings, std::vector<std::string>& notes) const {
    if (cut > 0) {
      notes.push_back(
          fmt::format("warning: {} longer than {} tokens (`max-length` in training) and cut",
                      cut == 1 ? "1 sentence was" : fmt::format("{} sentences were", cut),
                      settings.max_length));
    }
    if (unknown > 0) {
      notes.push_back(fmt::format(
          "warning: {} that the training data does not have; {} as wrong",
          unknown == 1 ? "1 word has a tag" : fmt::format("{} words have a tag", unknown),
          unknown == 1 ? "it counts" : "they count"));
    }
  }

  std::unique_ptr<TaskData> data(const Preparation& preparation) && {
    return std::make_unique<TagData>(
        std::make_unique<TokenCorpus>(texts.finish(), classes.finish()), preparation.labels,
        std::move(lost));
  }
};

}  // namespace

void prepare_tags(Preparation& preparation, PreparedRun& run) {
  TrainSettings& settings = preparation.settings;
  Sample sample;
  const TaggedReport report =
      for_each_tagged(settings.train[0], tagged_options(settings), [&](const TaggedSentence& s) {
        std::string line;
        for (const std::string& token : s.tokens) line += " " + token;
        sample.add(line);
      });
  check(report.sentences > 0, "{}: there is nothing to train on", settings.train[0]);
  note_findings(report.findings(), run.notes);
  choose_text_settings(settings, sample.bytes());
  if (preparation.tokenizer == nullptr) {
    preparation.tokenizer = make_tokenizer(settings, {sample.text()});
    for (const auto& [tag, count] : report.tags) preparation.labels.push_back(tag);
  }
  check(preparation.labels.size() >= 2, "{}: there must be two tags or more, got {}",
        settings.train[0], preparation.labels.size());
  run.tokenizer = preparation.tokenizer;
  TagPart train(preparation), valid(preparation);
  const bool held = settings.valid.empty();
  std::unique_ptr<HeldOut> held_out;
  if (held) held_out = std::make_unique<HeldOut>(report.sentences, settings);
  int64_t index = 0;
  for_each_tagged(settings.train[0], tagged_options(settings), [&](const TaggedSentence& s) {
    const bool out = held && held_out->contains(index++);
    (out ? valid : train).add(s, preparation);
  });
  if (held) {
    note_held_out(valid.count, "sentence", run.notes);
  } else {
    const TaggedReport found =
        for_each_tagged(settings.valid[0], tagged_options(settings),
                        [&](const TaggedSentence& s) { valid.add(s, preparation); });
    note_findings(found.findings(), run.notes);
    check(valid.count > 0, "{}: there is nothing to validate with", settings.valid[0]);
    require_known_label(settings.valid[0], found.tags, preparation.labels);
  }
  train.note(settings, run.notes);
  valid.note(settings, run.notes);
  note_unknown_tokens(train.unknown_tokens, train.tokens, run.notes);
  const DataFacts facts{.tokens = train.tokens,
                        .items = train.count,
                        .vocabulary = run.tokenizer->size(),
                        .classes = static_cast<int64_t>(preparation.labels.size())};
  complete_settings(settings, facts, run);
  run.config = {model_config(settings, facts), preparation.labels, settings};
  run.train = std::move(train).data(preparation);
  run.valid = std::move(valid).data(preparation);
}

std::unique_ptr<TaskData> evaluation_tags(const Preparation& preparation,
                                          std::vector<std::string>& notes) {
  TagPart part(preparation);
  const TaggedReport report =
      for_each_tagged(preparation.settings.valid[0], tagged_options(preparation.settings),
                      [&](const TaggedSentence& s) { part.add(s, preparation); });
  note_findings(report.findings(), notes);
  part.note(preparation.settings, notes);
  check(part.count > 0, "{}: there are no sentences in it", preparation.settings.valid[0]);
  return std::move(part).data(preparation);
}

}  // namespace heed
