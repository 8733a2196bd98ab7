#include "apps/server/walk_steps.h"

#include "heed/attention/weights.h"

namespace heed::server {
namespace {

std::string side_of(const std::string& name) {
  return name.starts_with("encoder") ? "source" : "target";
}

std::string last_word(const std::string& name) {
  const size_t dot = name.rfind('.');
  return dot == std::string::npos ? name : name.substr(dot + 1);
}

bool is_number(const std::string& word) {
  return word.find_first_not_of("0123456789") == std::string::npos;
}

// What a value is, by the last word of its name.
struct Meaning {
  std::string part, formula;
  bool is_layer = false;  // the name is the layer's own, and not that of a part of it
};

Meaning meaning_of(const std::string& name) {
  const std::string word = last_word(name);
  if (word == "tokens") return {"tokens", "x_t = E[token_t], times sqrt(C) if the model scales"};
  if (word == "embedding") return {"embedding", "x_t + phi(t)"};
  if (word == "input") return {"input", "norm(x), or x if the norm comes after"};
  if (word == "v") return {"v", "v_j = x_j W_V + b"};
  if (word == "mix") return {"mix", "y_i = sum_j w_ij v_j"};
  if (word == "sum") return {"sum", "x + output"};
  if (word == "norm") return {"norm", "norm(x + output)"};
  if (word == "state") return {"state", "s_t = cell(x_t, s_(t-1), c_t)"};
  if (word == "context") return {"context", "c_t = sum_j w_tj h_j"};
  if (word == "readout") return {"readout", "tanh(W [s_t; c_t; x_t] + b)"};
  if (word == "feed_forward") return {"output", "f(h W_1 + b_1) W_2 + b_2", true};
  if (word == "attention" || word == "cross") return {"output", "[y^1; ..; y^H] W_O + b", true};
  if (is_number(word)) return {"block", "what the block gives", true};
  if (word == "encoder") return {"encoder", "what the encoder gives", true};
  return {"features", "what the output layer reads", true};
}

std::string score_formula(const Score& score) {
  if (std::holds_alternative<Additive>(score)) return "s_ij = w' tanh(W_q q_i + W_k k_j)";
  if (std::holds_alternative<Bilinear>(score)) return "s_ij = q_i' M k_j";
  if (std::holds_alternative<Dot>(score)) return "s_ij = q_i . k_j";
  return "s_ij = q_i . k_j / sqrt(D)";
}

// The weights of every head under some options, [H, T, S].
Tensor all_heads(const AttentionCall& call, const AttentionOptions& options) {
  const int64_t H = call.q.dim(1), T = call.query_rows.length(0), S = call.key_rows.length(0);
  Tensor all = Tensor::zeros({H, T, S});
  for (int64_t h = 0; h < H; ++h) {
    const Tensor one = attention_weights(call.q, call.k, call.query_rows, call.key_rows, options,
                                         {.sequence = 0, .head = h})
                           .to(DType::f32)
                           .contiguous();
    std::copy_n(one.data<float>(), T * S, all.data<float>() + h * T * S);
  }
  return all;
}

// 1 where a query may look, [T, S]: the engine's weights of a score that is 1 everywhere.
Tensor mask_of(const AttentionCall& call) {
  AttentionOptions options = call.options;
  options.score = Constant{};
  options.normalizer = Normalizer::none;
  // Only their numbers matter, and their widths may differ.
  const Tensor q = call.q.slice(2, 0, 1).contiguous(), k = call.k.slice(2, 0, 1).contiguous();
  return attention_weights(q, k, call.query_rows, call.key_rows, options,
                           {.sequence = 0, .head = 0});
}

}  // namespace

void WalkObserver::keep(WalkStep step) {
  if (is_wanted_(step.name)) steps_.push_back(std::move(step));
}

void WalkObserver::value(std::string_view name, const Variable& x, const Rows& /*rows*/) {
  WalkStep step{.name = std::string(name), .values = x.value()};
  const Meaning meaning = meaning_of(step.name);
  step.part = meaning.part;
  step.formula = meaning.formula;
  step.side = step.name.ends_with("cross.v") ? "source" : side_of(step.name);
  const size_t dot = step.name.rfind('.');
  step.layer = meaning.is_layer || dot == std::string::npos ? step.name : step.name.substr(0, dot);
  keep(std::move(step));
}

void WalkObserver::attention(std::string_view name, const AttentionCall& call) {
  const std::string layer(name);
  const std::string queries = side_of(layer);
  const std::string keys = layer.ends_with("cross") ? "source" : queries;
  const auto add = [&](const char* part, const std::string& formula, const std::string& side,
                       const Tensor& values, bool is_pairwise = false) {
    keep({.name = layer + "." + part,
          .layer = layer,
          .part = part,
          .formula = formula,
          .side = side,
          .values = values,
          .is_pairwise = is_pairwise});
  };
  const auto wants = [&](const char* part) { return is_wanted_(layer + "." + part); };
  add("q", "q_i = x_i W_Q + b, turned by its position if the model is rotary", queries, call.q);
  add("k", "k_j = x_j W_K + b, turned by its position if the model is rotary", keys, call.k);
  if (wants("scores")) {
    AttentionOptions options = call.options;
    options.mask = {};
    options.normalizer = Normalizer::none;
    add("scores", score_formula(options.score), queries, all_heads(call, options), true);
  }
  if (wants("mask")) add("mask", "1 where query i may look at key j", queries, mask_of(call), true);
  if (wants("weights")) {
    add("weights", "w_ij = exp(s_ij - m_i) / sum_j exp(s_ij - m_i)", queries,
        all_heads(call, call.options), true);
  }
}

}  // namespace heed::server
