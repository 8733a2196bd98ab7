#include "apps/server/walk_steps.h"

#include <algorithm>

#include "apps/server/walk_formula.h"
#include "heed/attention/weights.h"

namespace heed::server {
namespace {

std::string side_of(const std::string& name) {
  return name.starts_with("encoder") ? "source" : "target";
}

// The weights of every head under some options, [H, rows, S].
Tensor all_heads(const AttentionCall& call, const AttentionOptions& options,
                 const RowWindow& rows) {
  const int64_t H = call.q.dim(1), S = call.key_rows.length(0);
  Tensor all = Tensor::zeros({H, rows.count, S});
  if (rows.count == 0) return all;
  for (int64_t h = 0; h < H; ++h) {
    const Tensor one =
        attention_weights(call.q, call.k, call.query_rows, call.key_rows, options,
                          {.sequence = 0, .head = h, .first_row = rows.first, .rows = rows.count})
            .to(DType::f32)
            .contiguous();
    std::copy_n(one.data<float>(), rows.count * S, all.data<float>() + h * rows.count * S);
  }
  return all;
}

// 1 where a query may look, [rows, S]: the engine's weights of a score that is 1 everywhere.
Tensor mask_of(const AttentionCall& call, const RowWindow& rows) {
  if (rows.count == 0) return Tensor::zeros({0, call.key_rows.length(0)});
  AttentionOptions options = call.options;
  options.score = Constant{};
  options.normalizer = Normalizer::none;
  // Only their numbers matter, and their widths may differ.
  const Tensor q = call.q.slice(2, 0, 1).contiguous(), k = call.k.slice(2, 0, 1).contiguous();
  return attention_weights(q, k, call.query_rows, call.key_rows, options,
                           {.sequence = 0, .head = 0, .first_row = rows.first, .rows = rows.count});
}

}  // namespace

RowWindow RowWindow::of(int64_t rows) const {
  if (count < 0) {
    const int64_t begin = std::min(first, std::max<int64_t>(rows - 1, 0));
    return {.first = begin, .count = rows - begin};
  }
  const int64_t shown = std::min(count, rows);
  return {.first = std::min(first, rows - shown), .count = shown};
}

void WalkObserver::keep(WalkStep step) {
  if (is_wanted_(step.name)) steps_.push_back(std::move(step));
}

// A step that has the rows of one side first, [T, ..].
void WalkObserver::keep_rows(WalkStep step, const Tensor& all) {
  step.shape = all.shape();
  step.rows = window_.of(all.dim(0));
  step.values = all.slice(0, step.rows.first, step.rows.first + step.rows.count);
  keep(std::move(step));
}

void WalkObserver::value(std::string_view name, const Variable& x, const Rows& /*rows*/) {
  WalkStep step{.name = std::string(name)};
  const StepMeaning meaning = meaning_of(step.name, config_);
  step.part = meaning.part;
  step.formula = meaning.formula;
  step.side = step.name.ends_with("cross.v") ? "source" : side_of(step.name);
  const size_t dot = step.name.rfind('.');
  step.layer = meaning.is_layer || dot == std::string::npos ? step.name : step.name.substr(0, dot);
  keep_rows(std::move(step), x.value());
}

void WalkObserver::attention(std::string_view name, const AttentionCall& call) {
  const std::string layer(name);
  const std::string queries = side_of(layer);
  const std::string keys = layer.ends_with("cross") ? "source" : queries;
  const auto step = [&](const char* part, const std::string& side) {
    const std::string full = layer + "." + part;
    return WalkStep{.name = full,
                    .layer = layer,
                    .part = part,
                    .formula = meaning_of(full, config_).formula,
                    .side = side};
  };
  const int64_t H = call.q.dim(1), T = call.query_rows.length(0), S = call.key_rows.length(0);
  const RowWindow rows = window_.of(T);
  const auto keep_pairs = [&](const char* part, const Shape& shape, const auto& compute) {
    WalkStep pairs = step(part, queries);
    if (!is_wanted_(pairs.name)) return;
    pairs.shape = shape;
    pairs.rows = rows;
    pairs.values = compute();
    pairs.is_pairwise = true;
    keep(std::move(pairs));
  };
  keep_rows(step("q", queries), call.q);
  keep_rows(step("k", keys), call.k);
  keep_pairs("scores", {H, T, S}, [&] {
    AttentionOptions options = call.options;
    options.mask = {};
    options.normalizer = Normalizer::none;
    return all_heads(call, options, rows);
  });
  keep_pairs("mask", {T, S}, [&] { return mask_of(call, rows); });
  keep_pairs("weights", {H, T, S}, [&] { return all_heads(call, call.options, rows); });
}

}  // namespace heed::server
