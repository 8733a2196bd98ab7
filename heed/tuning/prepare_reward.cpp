// Training a reward model from rankings.

#include "heed/base/fail.h"
#include "heed/tuning/ranking_parts_internal.h"
#include "heed/tuning/reward_data.h"
#include "heed/tuning/tuning.h"

namespace heed {

PreparedRun prepare_reward(const TrainSettings& settings, const std::string& folder,
                           const RunConfig* saved) {
  Tuning tuning = begin_tuning(settings, folder, saved);
  PreparedRun run{
      .config = {}, .tokenizer = tuning.tokenizer, .train = {}, .valid = {}, .notes = {}};
  RankingParts parts = read_rankings(tuning, run.notes);
  auto& model = std::get<TransformerConfig>(tuning.config.model);
  model.head = HeadKind::sentence_classes;
  model.pool = Pool::last;
  model.classes = 1;
  const auto count = static_cast<int64_t>(parts.train.size());
  tuning.settings.task = Task::reward;
  choose_tuning(tuning.settings, count,
                {.batch = 16, .epochs = 3, .lr = 1e-4, .metric = "accuracy"}, run);
  tuning.config.settings = tuning.settings;
  tuning.config.labels = {"reward"};
  run.config = tuning.config;
  run.train =
      std::make_unique<RewardData>(RankingCorpus(std::move(parts.train), RankingUse::scores));
  run.valid =
      std::make_unique<RewardData>(RankingCorpus(std::move(parts.valid), RankingUse::scores));
  return run;
}

}  // namespace heed
