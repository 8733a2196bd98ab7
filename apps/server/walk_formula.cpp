#include "apps/server/walk_formula.h"

namespace heed::server {
namespace {

std::string last_word(const std::string& name) {
  const size_t dot = name.rfind('.');
  return dot == std::string::npos ? name : name.substr(dot + 1);
}

bool is_number(const std::string& word) {
  return word.find_first_not_of("0123456789") == std::string::npos;
}

std::string positions_formula(const TransformerConfig& c) {
  if (c.positions == PositionKind::rotary) return "x_t; positions turn queries and keys instead";
  if (c.positions == PositionKind::none) return "x_t; this model has no positions";
  return c.position_mode == PositionMode::append ? "[x_t; phi(t)]" : "x_t + phi(t)";
}

std::string feed_forward_formula(const TransformerConfig& c) {
  if (c.feed_forward == FeedForwardKind::silu_gated) return "(silu(h W_g) * (h W_1)) W_2";
  const std::string f = c.feed_forward == FeedForwardKind::relu ? "relu" : "gelu";
  return c.bias ? f + "(h W_1 + b_1) W_2 + b_2" : f + "(h W_1) W_2";
}

std::string formula_in(const TransformerConfig& c, const std::string& name,
                       const std::string& word) {
  const std::string bias = c.bias ? " + b" : "";
  const bool is_cross = name.find(".cross.") != std::string::npos;
  const bool is_turned = c.positions == PositionKind::rotary && !is_cross;
  if (word == "tokens") {
    if (c.source_width > 0 && name.starts_with("encoder")) return "x_t = row_t W + b";
    return c.scaled_embedding ? "x_t = E[token_t] sqrt(C)" : "x_t = E[token_t]";
  }
  if (word == "embedding") {
    return c.embedding_norm ? "norm(" + positions_formula(c) + ")" : positions_formula(c);
  }
  if (word == "input") return c.norm_place == NormPlace::pre ? "norm(x)" : "x";
  if (word == "q") return "q_i = x_i W_Q" + bias + (is_turned ? ", turned by position i" : "");
  if (word == "k") {
    return std::string(is_cross ? "k_j = h_j W_K" : "k_j = x_j W_K") + bias +
           (is_turned ? ", turned by position j" : "");
  }
  if (word == "v") return std::string(is_cross ? "v_j = h_j W_V" : "v_j = x_j W_V") + bias;
  if (word == "attention" || word == "cross") return "[y^1; ..; y^H] W_O" + bias;
  if (word == "feed_forward") return feed_forward_formula(c);
  if (word == "encoder" || word == "decoder") {
    return c.norm_place == NormPlace::pre ? "norm(what the last block gives)"
                                          : "what the last block gives";
  }
  return {};
}

std::string formula_in(const RnnConfig& c, const std::string& word) {
  const bool is_after = c.attention == RnnAttention::dot || c.attention == RnnAttention::general;
  if (word == "encoder") return "h_j = [state of the tokens to j; state of the tokens from j]";
  if (word == "q") return is_after ? "q_t = s_t" : "q_t = s_(t-1), the state before";
  if (word == "k") return "k_j = h_j";
  if (word == "state") {
    return is_after ? "s_t = cell(e_t, s_(t-1))" : "s_t = cell([e_t; c_t], s_(t-1))";
  }
  if (word == "context") {
    return c.attention == RnnAttention::none ? "c_t = c, the last states of the encoder"
                                             : "c_t = sum_j w_tj h_j";
  }
  if (word == "readout") return is_after ? "tanh(W [c_t; s_t] + b)" : "tanh(W [s_t; c_t; e_t] + b)";
  return {};
}

std::string score_in(const ModelConfig& config) {
  const auto* transformer = std::get_if<TransformerConfig>(&config);
  const auto* rnn = std::get_if<RnnConfig>(&config);
  if (rnn != nullptr ? rnn->attention == RnnAttention::additive
                     : transformer->score == ScoreKind::additive) {
    return "s_ij = w' tanh(W_q q_i + W_k k_j)";
  }
  if (rnn != nullptr ? rnn->attention == RnnAttention::general
                     : transformer->score == ScoreKind::bilinear) {
    return "s_ij = q_i' M k_j";
  }
  const bool is_scaled = rnn == nullptr && transformer->score == ScoreKind::scaled_dot;
  return is_scaled ? "s_ij = q_i . k_j / sqrt(D)" : "s_ij = q_i . k_j";
}

}  // namespace

StepMeaning meaning_of(const std::string& name, const ModelConfig& config) {
  const std::string word = last_word(name);
  if (word == "scores") return {"scores", score_in(config)};
  if (word == "mask") return {"mask", "1 where query i may look at key j"};
  if (word == "weights") return {"weights", "w_ij = exp(s_ij - m_i) / sum_j exp(s_ij - m_i)"};
  if (word == "mix") return {"mix", "y_i = sum_j w_ij v_j"};
  if (word == "sum") return {"sum", "x + output"};
  if (word == "norm") return {"norm", "norm(x + output)"};
  if (is_number(word)) return {"block", "what the block gives", true};
  const auto* transformer = std::get_if<TransformerConfig>(&config);
  const std::string formula = transformer != nullptr
                                  ? formula_in(*transformer, name, word)
                                  : formula_in(std::get<RnnConfig>(config), word);
  if (word == "attention" || word == "cross" || word == "feed_forward") {
    return {"output", formula, true};
  }
  // The states of an encoder without a decoder are what the output layer reads.
  const bool is_last = transformer != nullptr && !transformer->has_decoder();
  if (word == "encoder" && !is_last) return {"encoder", formula, true};
  if (word == "encoder" || word == "decoder") return {"features", formula, true};
  return {word, formula};
}

}  // namespace heed::server
