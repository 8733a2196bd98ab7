#include "heed/run/special_tokens.h"

#include "heed/base/fail.h"
#include "heed/run/pair_layout.h"

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

std::vector<int32_t> Frame::around(const std::vector<int32_t>& ids) const {
  std::vector<int32_t> all = before;
  all.insert(all.end(), ids.begin(), ids.end());
  all.insert(all.end(), after.begin(), after.end());
  return all;
}

Frame frame_of(const RunConfig& config, const Tokenizer& tokenizer) {
  Frame frame;
  if (is_pair_task(config.settings.task)) {
    const PairLayout layout = pair_layout(config.settings);
    const GenerationRequest nothing = request_for({}, pair_tokens(tokenizer), layout);
    frame.after = layout == PairLayout::encoder_decoder ? nothing.source : nothing.prompt;
    return frame;
  }
  add_token(config.begin, tokenizer, frame.before);
  add_token(config.end, tokenizer, frame.after);
  const Pooling pool = config.settings.pool;
  const bool has_class_token = config.settings.task == Task::classify && pool != Pooling::mean;
  if (frame.size() > 0 || !has_class_token) return frame;
  const auto& cls = tokenizer.specials().cls;
  check(cls.has_value(), "`pool` {} needs a tokenizer with a cls token; one trained by heed has it",
        name_of(pool));
  (pool == Pooling::cls ? frame.before : frame.after).push_back(*cls);
  return frame;
}

}  // namespace heed
