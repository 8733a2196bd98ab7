// Data of language models.

#include <algorithm>

#include "heed/base/fail.h"
#include "heed/data/text_blocks.h"
#include "heed/train/preparation.h"
#include "heed/train/text_source.h"

namespace heed {
namespace {

constexpr double kHeldOut = 0.05;
constexpr int64_t kMaxHeldOut = 200'000;  // validation need not take longer than this

// Adds to `unknown` how many tokens the vocabulary does not have.
TokenStore encode_files(const Preparation& preparation, const std::vector<std::string>& files,
                        int64_t& unknown) {
  const Tokenizer& tokenizer = *preparation.tokenizer;
  const SpecialTokens special = preparation.special_tokens();
  TokenStoreBuilder builder(tokenizer.size(), {.directory = preparation.folder});
  // The end of one text and the beginning of another, which may be one token.
  const auto& eos = tokenizer.specials().eos;
  const bool is_begin = !special.before.empty() && special.before.front() == eos;
  const auto begin = [&] {
    if (!special.before.empty()) builder.append(special.before);
  };
  const auto between = [&] {
    if (eos && !is_begin) builder.append(std::vector<int32_t>{*eos});
    begin();
  };
  for (const std::string& file : files) {
    if (&file == &files.front()) {
      begin();
    } else {
      between();
    }
    for_each_block(file, {.encoding = preparation.settings.encoding, .between = between},
                   [&](std::string_view block) {
                     const auto ids = tokenizer.encode(block, SpecialNames::are_text);
                     unknown += count_unknown(tokenizer, ids);
                     builder.append(ids);
                   });
  }
  return builder.finish();
}

TokenStore encode_valid(const Preparation& preparation) {
  const std::vector<std::string>& files = preparation.settings.valid;
  int64_t unknown = 0;
  TokenStore store = encode_files(preparation, files, unknown);
  check(store.total() >= 2, "{}: {} to predict one", files[0],
        store.total() == 1 ? "1 token is too few" : "0 tokens are too few");
  return store;
}

}  // namespace

void prepare_stream(Preparation& preparation, PreparedRun& run) {
  TrainSettings& settings = preparation.settings;
  Samples samples;
  for (const std::string& file : settings.train) {
    Sample& sample = samples.next();
    const TextReport report = for_each_block(file, {.encoding = settings.encoding},
                                             [&](std::string_view block) { sample.add(block); });
    check(sample.bytes() > 0, "{}: the file is empty", file);
    note_findings(report.findings(), run.notes);
  }
  choose_text_settings(settings, samples.bytes());
  if (preparation.tokenizer == nullptr) {
    preparation.tokenizer = make_tokenizer(settings, samples.texts());
  }
  samples = Samples();
  run.tokenizer = preparation.tokenizer;
  int64_t unknown = 0;
  const auto train = encode_files(preparation, settings.train, unknown);
  note_unknown_tokens(unknown, train.total(), run.notes);
  auto valid = train;
  int64_t train_end = train.total(), valid_begin = 0;
  if (settings.valid.empty()) {
    // To predict one token takes two.
    const auto held_out = std::clamp<int64_t>(
        static_cast<int64_t>(static_cast<double>(train.total()) * kHeldOut), 2, kMaxHeldOut);
    check(train.total() >= 2 * held_out,
          "the text has only {} {}: too few to hold some out for validation", train.total(),
          train.total() == 1 ? "token" : "tokens");
    train_end -= held_out;
    valid_begin = train_end;
    run.notes.push_back(
        fmt::format("no `valid`: the last {} tokens of the training data are held out", held_out));
  } else {
    valid = encode_valid(preparation);
  }
  DataFacts facts{.tokens = train_end, .vocabulary = run.tokenizer->size()};
  complete_settings(settings, facts, run);
  run.config.model = model_config(settings, facts);
  run.config.settings = settings;
  const auto seed = static_cast<uint64_t>(settings.seed);
  run.train = std::make_unique<StreamData>(StreamRange{train, 0, train_end}, settings.context, seed,
                                           run.tokenizer);
  run.valid = std::make_unique<StreamData>(StreamRange{valid, valid_begin, valid.total()},
                                           settings.context, seed, run.tokenizer);
}

std::unique_ptr<TaskData> evaluation_stream(const Preparation& preparation,
                                            std::vector<std::string>& /*notes*/) {
  const auto store = encode_valid(preparation);
  return std::make_unique<StreamData>(
      StreamRange{store, 0, store.total()}, preparation.settings.context,
      static_cast<uint64_t>(preparation.settings.seed), preparation.tokenizer);
}

}  // namespace heed
