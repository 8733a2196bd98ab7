#include "heed/base/fail.h"
#include "heed/train/preparation.h"
#include "heed/train/text_source.h"
#include "heed/tuning/ranking_parts_internal.h"

namespace heed {

RankingParts read_rankings(const Tuning& tuning, std::vector<std::string>& notes) {
  const TrainSettings& settings = tuning.settings;
  RankingParts parts;
  const auto encoded = [&](const Ranking& ranking) {
    return encode_ranking(ranking, tuning.config.chat, *tuning.tokenizer, tuning.context);
  };
  const auto add_valid = [&](const Ranking& ranking) {
    parts.valid.push_back(encoded(ranking));
    parts.prompts.push_back(ranking.prompt);
  };
  const std::string& file = only_file("`train`", settings.train);
  if (settings.valid.empty()) {
    const RecordReport all = for_each_ranking(file, tuning.on_mistake, [](const Ranking&) {});
    note_records(all, notes);
    HeldOut held_out(all.used, settings);
    int64_t index = 0;
    for_each_ranking(file, tuning.on_mistake, [&](const Ranking& ranking) {
      if (held_out.contains(index++)) {
        add_valid(ranking);
      } else {
        parts.train.push_back(encoded(ranking));
      }
    });
    note_held_out(static_cast<int64_t>(parts.valid.size()), "ranking", notes);
  } else {
    note_records(
        for_each_ranking(file, tuning.on_mistake,
                         [&](const Ranking& ranking) { parts.train.push_back(encoded(ranking)); }),
        notes);
    note_records(
        for_each_ranking(only_file("`valid`", settings.valid), tuning.on_mistake, add_valid),
        notes);
  }
  notes.push_back(fmt::format("{} rankings to train on, {} to validate with", parts.train.size(),
                              parts.valid.size()));
  return parts;
}

}  // namespace heed
