#include "apps/server/walk_steps.h"

#include "apps/server/walk_formula.h"
#include "heed/attention/weights.h"

namespace heed::server {
namespace {

std::string side_of(const std::string& name) {
  return name.starts_with("encoder") ? "source" : "target";
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
  const StepMeaning meaning = meaning_of(step.name, config_);
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
  const auto add = [&](const char* part, const std::string& side, const Tensor& values,
                       bool is_pairwise = false) {
    const std::string full = layer + "." + part;
    keep({.name = full,
          .layer = layer,
          .part = part,
          .formula = meaning_of(full, config_).formula,
          .side = side,
          .values = values,
          .is_pairwise = is_pairwise});
  };
  const auto wants = [&](const char* part) { return is_wanted_(layer + "." + part); };
  add("q", queries, call.q);
  add("k", keys, call.k);
  if (wants("scores")) {
    AttentionOptions options = call.options;
    options.mask = {};
    options.normalizer = Normalizer::none;
    add("scores", queries, all_heads(call, options), true);
  }
  if (wants("mask")) add("mask", queries, mask_of(call), true);
  if (wants("weights")) add("weights", queries, all_heads(call, call.options), true);
}

}  // namespace heed::server
