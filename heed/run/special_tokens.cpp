#include "heed/run/special_tokens.h"

#include "heed/base/fail.h"
#include "heed/run/pair_layout.h"
#include "heed/run/setting_names.h"

namespace heed {
namespace {

void add_token(const std::string& token, const Tokenizer& tokenizer, std::vector<int32_t>& to) {
  if (token.empty()) return;
  const auto id = tokenizer.find(token);
  check(id.has_value(), "config.json: the tokenizer has no token \"{}\" to put around a text",
        token);
  to.push_back(*id);
}

}  // namespace

std::vector<int32_t> SpecialTokens::around(const std::vector<int32_t>& ids) const {
  std::vector<int32_t> all = before;
  all.insert(all.end(), ids.begin(), ids.end());
  all.insert(all.end(), after.begin(), after.end());
  return all;
}

SpecialTokens special_tokens_of(const RunConfig& config, const Tokenizer& tokenizer) {
  SpecialTokens special;
  if (is_pair_task(config.settings.task)) {
    const PairLayout layout = pair_layout(config.settings);
    const GenerationRequest nothing = request_for({}, pair_tokens(tokenizer), layout);
    special.after = layout == PairLayout::encoder_decoder ? nothing.source : nothing.prompt;
    return special;
  }
  add_token(config.begin, tokenizer, special.before);
  add_token(config.end, tokenizer, special.after);
  const Pooling pool = config.settings.pool;
  const bool has_class_token = config.settings.task == Task::classify && pool != Pooling::mean;
  if (special.size() > 0 || !has_class_token) return special;
  const auto& cls = tokenizer.specials().cls;
  check(cls.has_value(), "`pool` {} needs a tokenizer with a cls token; one trained by heed has it",
        name_of(pool));
  (pool == Pooling::cls ? special.before : special.after).push_back(*cls);
  return special;
}

}  // namespace heed
