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

TEST(ModelConfig, RecurrentModelsComeBackToo) {
  const RnnConfig config{.source_vocabulary = 7,
                         .target_vocabulary = 9,
                         .cell = CellKind::lstm,
                         .attention = RnnAttention::general,
                         .embedding = 4,
                         .width = 6,
                         .encoder_layers = 2,
                         .dropout = 0.5,
                         .tied_output = false};
  const std::string json = to_json(config);
  EXPECT_EQ(to_json(model_config_from_json(json)), json);
  const auto back = std::get<RnnConfig>(model_config_from_json(json));
  EXPECT_EQ(back.cell, CellKind::lstm);
  EXPECT_EQ(back.attention, RnnAttention::general);
  EXPECT_EQ(back.encoder_layers, 2);
  EXPECT_GT(make_model(back)->parameters().count(), 100);
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
      R"({"type": 1})",
      R"({"type": "transformer", "vocabulary": 5, "decoder_layers": 1, "width": 8, "hidden": 8,
          "context": 4, "heads": 3})",
      R"({"type": "transformer", "vocabulary": 5, "decoder_layers": 1, "width": 8, "hidden": 8,
          "context": 4, "heads": 4, "kv_heads": 3})",
      R"({"type": "transformer", "vocabulary": 5, "decoder_layers": 1, "width": 8, "hidden": 8,
          "context": 4, "position_mode": "append", "position_width": 8})",
      R"({"type": "rnn", "source_vocabulary": 5})",
      R"({"type": "rnn", "source_vocabulary": 5, "target_vocabulary": 5, "width": 100000000})",
      R"({"type": "rnn", "source_vocabulary": 5, "target_vocabulary": 5, "width": 8, "heads": 2})",
  };
  for (const char* text : texts) EXPECT_THROW(model_config_from_json(text), Error) << text;
  const std::string deep = std::string(100000, '[') + std::string(100000, ']');
  EXPECT_THROW(model_config_from_json(R"({"type": "transformer", "width": )" + deep + "}"), Error);
}

}  // namespace
}  // namespace heed
