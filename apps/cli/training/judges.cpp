#include "apps/cli/training/judges.h"

#include "heed/base/fail.h"
#include "heed/corpora/world_corpus.h"

namespace heed::cli {

Judge judge_named(const std::string& name) {
  if (name.empty()) return {};
  if (name != "world") fail("there is no judge \"{}\"; there is world", name);
  return world_score;
}

}  // namespace heed::cli
