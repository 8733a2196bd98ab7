#include "heed/models/transformer.h"

#include <algorithm>

#include "heed/base/fail.h"
#include "heed/models/pool_internal.h"

namespace heed {
namespace {

MultiHeadAttentionOptions attention_options(const TransformerConfig& config) {
  MultiHeadAttentionOptions result{.heads = config.heads,
                                   .kv_heads = config.kv_heads,
                                   .key_width = config.key_width,
                                   .value_width = config.value_width,
                                   .score = config.score,
                                   .bias = config.bias,
                                   .dropout = config.attention_dropout};
  if (config.positions == PositionKind::rotary) {
    result.rotary = RotaryOptions{.pairs = config.rotary_pairs, .base = config.rotary_base};
  }
  return result;
}

BlockOptions block_options(const TransformerConfig& config, bool with_memory) {
  return {.hidden = config.hidden,
          .memory_width = with_memory ? config.width : 0,
          .attention = attention_options(config),
          .feed_forward = {.kind = config.feed_forward, .bias = config.bias},
          .norm = {.kind = config.norm, .epsilon = config.norm_epsilon},
          .norm_place = config.norm_place,
          .dropout = config.dropout};
}

PositionOptions position_options(const TransformerConfig& config, int64_t appended) {
  return {.kind = config.positions,
          .mode = config.position_mode,
          .width = appended > 0 ? appended : config.width,
          .learned = config.context};
}

// Window masks: `window` tokens back, itself included.
Mask windowed(Mask mask, int64_t window, bool causal) {
  if (window == 0) return mask;
  mask.left = window - 1;
  if (!causal) mask.right = window - 1;
  return mask;
}

// How many rows of each target sequence a query sees in a prefix model: its prefix, or up to
// itself.
Tensor prefix_lengths(const Rows& rows, const std::vector<int64_t>& prefixes) {
  check(static_cast<int64_t>(prefixes.size()) == rows.count(),
        "prefix model: {} prefixes for {} sequences", prefixes.size(), rows.count());
  std::vector<int64_t> lengths;
  for (int64_t b = 0; b < rows.count(); ++b) {
    const int64_t prefix = prefixes[b];
    for (int64_t i = 0; i < rows.length(b); ++i) lengths.push_back(std::max(prefix, i + 1));
  }
  return Tensor::from(lengths, {rows.total()});
}

}  // namespace

Transformer::Transformer(const TransformerConfig& config, ParameterSource source)
    : Model(std::move(source)), config_(config) {
  validate(config);
  const ParameterScope root(parameters_);
  const int64_t appended = appended_width(config);
  const int64_t embedded = config.width - appended;
  if (config.has_decoder() || config.source_width == 0) {
    tokens_ = Embedding(root.in("tokens"), config.vocabulary, embedded,
                        {.scaled = config.scaled_embedding});
  }
  if (config.has_encoder()) {
    if (config.source_width > 0) {
      source_linear_ = Linear(root.in("encoder").in("source"), config.source_width, embedded);
    }
    encoder_ = make_stack("encoder", config.encoder_layers, false);
  }
  if (config.has_decoder()) {
    decoder_ = make_stack("decoder", config.decoder_layers, config.has_encoder());
  }
  if (config.pooler) {
    pooler_ =
        Linear(root.in("pooler"), config.width, config.width, {.activation = Activation::tanh});
  }
  if (config.head == HeadKind::states) return;
  if (config.head != HeadKind::next_token) {
    output_ = Linear(root.in("output"), config.width, config.classes);
  } else if (!config.tied || appended > 0) {
    output_ = Linear(root.in("output"), config.width, config.vocabulary, {.bias = false});
  }
}

Transformer::Stack Transformer::make_stack(const std::string& name, int64_t layers,
                                           bool with_memory) {
  const ParameterScope scope = ParameterScope(parameters_).in(name);
  const NormOptions norm{.kind = config_.norm, .epsilon = config_.norm_epsilon};
  Stack stack{.name = name,
              .positions = Positions(scope.in("positions"),
                                     position_options(config_, appended_width(config_)))};
  if (config_.embedding_norm) {
    stack.embedding_norm = Norm(scope.in("embedding_norm"), config_.width, norm);
  }
  for (int64_t i = 0; i < layers; ++i) {
    stack.blocks.emplace_back(scope.in(std::to_string(i)), config_.width,
                              block_options(config_, with_memory));
  }
  if (config_.norm_place == NormPlace::pre) {
    stack.norm = Norm(scope.in("norm"), config_.width, norm);
  }
  return stack;
}

Variable Transformer::embed(const Variable& x, const Rows& rows, std::span<const int64_t> offsets,
                            const Stack& stack, const Pass& pass) const {
  if (pass.observer != nullptr) pass.observe(stack.name + ".tokens", x, rows);
  Variable y = stack.positions(x, row_positions(rows, offsets));
  if (config_.embedding_norm) y = stack.embedding_norm(y);
  const std::string full = stack.name + ".embedding";
  pass.observe(full, y, rows);
  // The site of an embedding's dropout must differ between encoder and decoder.
  return drop(y, rows, config_.dropout, pass, mix_bits(stack.name == "encoder" ? 1 : 2));
}

Variable Transformer::encode(const Tensor& source, const Rows& rows, const Pass& pass) const {
  check(config_.has_encoder(), "transformer: this model has no encoder");
  rows.require_total(source.dim(0), "transformer: source");
  Variable x = embed(config_.source_width > 0 ? source_linear_(source) : tokens_(source), rows, {},
                     encoder_, pass);
  const Mask mask = windowed({}, config_.window, false);
  for (const Block& block : encoder_.blocks) x = block(x, rows, mask, {}, pass);
  if (config_.norm_place == NormPlace::pre) x = encoder_.norm(x);
  pass.observe("encoder", x, rows);
  return x;
}

Mask Transformer::decoder_mask(const Rows& rows, const std::vector<int64_t>& prefixes) const {
  if (config_.kind == TransformerKind::prefix) {
    return windowed(Mask::key_lengths_per_query(prefix_lengths(rows, prefixes)), config_.window,
                    false);
  }
  return windowed(Mask::causal(), config_.window, true);
}

Variable Transformer::decode(const Batch& batch, const Variable& memory, const Pass& pass) const {
  check(config_.has_decoder(), "transformer: this model has no decoder");
  const Rows& rows = batch.target_rows;
  rows.require_total(batch.target.dim(0), "transformer: target");
  Variable x = embed(tokens_(batch.target), rows, {}, decoder_, pass);
  const Mask mask = decoder_mask(rows, batch.prefixes);
  for (const Block& block : decoder_.blocks) {
    x = block(x, rows, mask, {.states = memory, .rows = batch.source_rows}, pass);
  }
  if (config_.norm_place == NormPlace::pre) x = decoder_.norm(x);
  pass.observe("decoder", x, rows);
  return x;
}

Variable Transformer::features(const Batch& batch, const Pass& pass) const {
  Variable memory;
  if (config_.has_encoder()) memory = encode(batch.source, batch.source_rows, pass);
  switch (config_.head) {
    case HeadKind::next_token: return decode(batch, memory, pass);
    case HeadKind::sentence_classes: {
      if (config_.has_decoder()) {
        return pool_rows(decode(batch, memory, pass), batch.target_rows, config_.pool);
      }
      const Variable pooled = pool_rows(memory, batch.source_rows, config_.pool);
      return config_.pooler ? pooler_(pooled) : pooled;
    }
    case HeadKind::token_classes:
    case HeadKind::states: break;
  }
  return memory;
}

OutputLayer Transformer::output() const {
  check(config_.head != HeadKind::states,
        "transformer: this model gives states; it has no output layer");
  const bool own =
      config_.head != HeadKind::next_token || !config_.tied || appended_width(config_) > 0;
  if (own)
    return {output_.effective_weight(), output_.bias, WeightLayout::in_out, output_.quantized};
  return {tokens_.table, {}, WeightLayout::out_in, tokens_.quantized};
}

Transformer::Caches Transformer::make_caches() const {
  Caches caches;
  for (const Block& block : decoder_.blocks) {
    caches.self.push_back(block.attention.make_cache());
    if (config_.has_encoder()) caches.memory.push_back(block.cross.make_cache());
  }
  return caches;
}

void Transformer::remember(const Tensor& memory, const Rows& rows, Caches& caches,
                           std::span<const int64_t> slots) const {
  for (size_t i = 0; i < decoder_.blocks.size(); ++i) {
    decoder_.blocks[i].cross.remember(memory, rows, {&caches.memory[i], slots});
  }
}

Variable Transformer::decode_next(const Tensor& ids, const Rows& rows, bool is_prefix,
                                  Caches& caches, std::span<const int64_t> slots,
                                  const Pass& pass) const {
  std::vector<int64_t> offsets, sources;
  for (const int64_t slot : slots) {
    offsets.push_back(caches.self[0].length(slot));
    sources.push_back(caches.source_of.empty() ? slot : caches.source_of[slot]);
  }
  Variable x = embed(tokens_(ids), rows, offsets, decoder_, pass);
  // Inside a prefix everything is seen; after it, what came before.
  const Mask mask = is_prefix ? windowed({}, config_.window, false)
                              : windowed(Mask::causal(), config_.window, true);
  for (size_t i = 0; i < decoder_.blocks.size(); ++i) {
    Memory memory;
    if (!caches.memory.empty()) memory.cached = {&caches.memory[i], sources};
    x = decoder_.blocks[i](x, rows, mask, memory, pass, {&caches.self[i], slots});
  }
  if (config_.norm_place == NormPlace::pre) x = decoder_.norm(x);
  pass.observe("decoder", x, rows);
  return x;
}

}  // namespace heed
