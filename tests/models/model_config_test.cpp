#include "heed/models/model_config.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"

namespace heed {
namespace {

TransformerConfig unusual() {
  return {.kind = TransformerKind::prefix,
          .vocabulary = 17,
          .decoder_layers = 3,
          .width = 12,
          .hidden = 20,
          .heads = 6,
          .kv_heads = 2,
          .context = 33,
          .window = 5,
          .positions = PositionKind::rotary,
          .rotary_base = 500,
          .score = ScoreKind::bilinear,
          .norm = NormKind::rms,
          .feed_forward = FeedForwardKind::silu_gated,
          .bias = false,
          .dropout = 0.25};
}

TEST(ModelConfig, ComesBackFromJson) {
  const std::string json = to_json(unusual());
  EXPECT_EQ(to_json(model_config_from_json(json)), json);
  const auto config = std::get<TransformerConfig>(model_config_from_json(json));
  EXPECT_EQ(config.kv_heads, 2);
  EXPECT_EQ(config.positions, PositionKind::rotary);
  EXPECT_EQ(config.dropout, 0.25);
}

TEST(ModelConfig, HostileJsonIsAnError) {
  const char* texts[] = {
      "",
      "[]",
      "{}",
      R"({"type": "oracle"})",
      R"({"type": "transformer", "kind": "decodr"})",
      R"({"type": "transformer", "wdith": 8})",
      R"({"type": "transformer", "width": "8"})",
      R"({"type": "transformer", "vocabulary": 10, "decoder_layers": 1, "width": 1e9})",
      R"({"type": "transformer", "vocabulary": 18446744073709551615})",
      R"({"type": "transformer", "vocabulary": 5, "decoder_layers": 1, "width": 8, "hidden": 8,
          "context": 4, "dropout": 1})",
  };
  for (const char* text : texts) EXPECT_THROW(model_config_from_json(text), Error) << text;
}

}  // namespace
}  // namespace heed
