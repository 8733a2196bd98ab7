// Rankings of --train and --valid as tokens.
#pragma once

#include "heed/tuning/ranking_corpus.h"
#include "heed/tuning/tuning_internal.h"

namespace heed {

struct RankingParts {
  std::vector<RankedIds> train, valid;
  std::vector<std::vector<ChatMessage>> prompts;  // of `valid`, as messages
};

RankingParts read_rankings(const Tuning& tuning, std::vector<std::string>& notes);

}  // namespace heed
