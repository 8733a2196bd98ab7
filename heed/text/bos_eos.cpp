// The tokens that begin and end a text, where they are others than a tokenizer's file has.

#include <utility>

#include "heed/base/fail.h"
#include "heed/text/bos_eos.h"
#include "heed/text/json.h"

namespace heed {
namespace {

class WithTextEnds final : public Tokenizer {
 public:
  WithTextEnds(std::shared_ptr<const Tokenizer> tokenizer, const SpecialIds& specials)
      : tokenizer_(std::move(tokenizer)), specials_(specials) {}

  TokenizerKind kind() const override { return tokenizer_->kind(); }
  int64_t size() const override { return tokenizer_->size(); }
  const std::string& token(int32_t id) const override { return tokenizer_->token(id); }
  std::optional<int32_t> find(std::string_view token) const override {
    return tokenizer_->find(token);
  }
  const SpecialIds& specials() const override { return specials_; }
  std::vector<int32_t> encode(std::string_view text, SpecialNames names) const override {
    return tokenizer_->encode(text, names);
  }
  void decode_next(int32_t id, DecodeState& state, std::string& text) const override {
    tokenizer_->decode_next(id, state, text);
  }
  std::string file_name() const override { return tokenizer_->file_name(); }
  std::string file_contents() const override { return tokenizer_->file_contents(); }
  std::string config_contents() const override {
    nlohmann::ordered_json config;
    if (specials_.bos) config[kBosToken] = token(*specials_.bos);
    if (specials_.eos) config[kEosToken] = token(*specials_.eos);
    return config.dump(2) + "\n";
  }

 private:
  std::shared_ptr<const Tokenizer> tokenizer_;
  SpecialIds specials_;
};

// "<s>" or {"content": "<s>", ..}; none if it is not there.
std::optional<int32_t> configured(const nlohmann::json& config, const char* key,
                                  const std::string& name, const Tokenizer& tokenizer) {
  const nlohmann::json& value = member(config, key, name);
  const nlohmann::json& token = value.is_object() ? member(value, "content", name) : value;
  if (token.is_null()) return std::nullopt;
  return tokenizer.find(string_of(token, fmt::format("{}: \"{}\"", name, key)));
}

}  // namespace

std::shared_ptr<const Tokenizer> with_bos_eos(std::shared_ptr<const Tokenizer> tokenizer,
                                              const BosEos& ends) {
  SpecialIds specials = tokenizer->specials();
  if (ends.bos) specials.bos = ends.bos;
  if (ends.eos) specials.eos = ends.eos;
  const SpecialIds& own = tokenizer->specials();
  if (specials.bos == own.bos && specials.eos == own.eos) return tokenizer;
  for (const auto& id : {specials.bos, specials.eos}) {
    if (id) (void)tokenizer->token(*id);  // checks the id
  }
  return std::make_shared<WithTextEnds>(std::move(tokenizer), specials);
}

BosEos read_bos_eos(const nlohmann::json& config, const std::string& name,
                    const Tokenizer& tokenizer) {
  return {.bos = configured(config, kBosToken, name, tokenizer),
          .eos = configured(config, kEosToken, name, tokenizer)};
}

}  // namespace heed
