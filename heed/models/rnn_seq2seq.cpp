#include "heed/models/rnn_seq2seq.h"

#include <cmath>
#include <utility>

#include "heed/base/fail.h"
#include "heed/ops/add.h"
#include "heed/ops/affine.h"
#include "heed/ops/concatenate.h"
#include "heed/ops/dropout.h"
#include "heed/ops/gather.h"
#include "heed/ops/reshape.h"
#include "heed/ops/split.h"

namespace heed {
namespace {

RnnConfig checked(RnnConfig c) {
  validate(c);
  const bool dot = c.attention == RnnAttention::dot;
  if (c.encoder_width == 0) c.encoder_width = dot ? c.width / 2 : c.width;
  return c;
}

Tensor index_of(const std::vector<int64_t>& values) {
  return Tensor::from(values, {static_cast<int64_t>(values.size())});
}

// The sequence of every time-major row.
Tensor sequences_of(const TimeMajor& time) {
  std::vector<int64_t> result;
  for (const int64_t count : time.counts()) {
    result.insert(result.end(), time.order().begin(), time.order().begin() + count);
  }
  return index_of(result);
}

// The row before every row, given all rows of h [N, H] and what came before each sequence [B, H].
Variable row_before(const Variable& h, const Variable& start, const Rows& rows) {
  std::vector<int64_t> ids;
  for (int64_t b = 0; b < rows.count(); ++b) {
    for (int64_t i = rows.begin(b); i < rows.end(b); ++i) {
      ids.push_back(i == rows.begin(b) ? rows.total() + b : i - 1);
    }
  }
  return gather(concatenate({h, start}), index_of(ids));
}

Tensor one_head(const Variable& x) {
  return x.value().contiguous().reshape({x.value().dim(0), 1, x.value().dim(1)});
}

}  // namespace

RnnSeq2seq::RnnSeq2seq(const RnnConfig& config, ParameterSource source)
    : Model(std::move(source)), config_(checked(config)) {
  const ParameterScope root(parameters_);
  const ParameterScope decoder = root.in("decoder");
  const int64_t E = config_.embedding, H = config_.width, De = 2 * config_.encoder_width;
  const int64_t G = gate_count(config_.cell) * H;
  const EmbeddingOptions table{.deviation = 1 / std::sqrt(static_cast<double>(E))};
  if (config_.source_width == 0 && !config_.shared_embedding) {
    source_embedding_ = Embedding(root.in("source_embedding"), config_.source_vocabulary, E, table);
  }
  target_embedding_ = Embedding(root.in("target_embedding"), config_.target_vocabulary, E, table);
  if (config_.shared_embedding) source_embedding_ = target_embedding_;
  encoder_ = Recurrent(root.in("encoder"), config_.source_width > 0 ? config_.source_width : E,
                       {.cell = config_.cell,
                        .hidden = config_.encoder_width,
                        .layers = config_.encoder_layers,
                        .bidirectional = true,
                        .dropout = config_.dropout});
  const int64_t layers = config_.decoder_layers;
  start_ = Linear(decoder.in("start"), De, layers * H, {.activation = Activation::tanh});
  if (config_.cell == CellKind::lstm)
    start_cell_ = Linear(decoder.in("start_cell"), De, layers * H);
  for (int64_t i = 0; i < layers; ++i) {
    const ParameterScope layer = decoder.in(std::to_string(i));
    decoder_.emplace_back(layer, config_.cell, i == 0 ? E : H, H);
    sites_.layers.push_back(layer.in("dropout").site());
  }
  const ParameterScope cross = decoder.in("cross");
  if (!attends_after()) {
    context_ = decoder.in("0").create("context", {De, G},
                                      Initializer::uniform(1 / std::sqrt(static_cast<double>(H))));
  }
  if (attends_before()) {
    w_q_ = cross.create("w_q", {H, H}, Initializer::glorot(H, H));
    w_k_ = cross.create("w_k", {H, De}, Initializer::glorot(De, H));
    w_v_ = cross.create("w_v", {H}, Initializer::glorot(H, 1));
  }
  if (config_.attention == RnnAttention::general) {
    m_ = cross.create("m", {H, De}, Initializer::glorot(H, De));
  }
  const int64_t R = config_.tied_output ? E : H;
  readout_ = Linear(decoder.in("readout"), De + H + (attends_after() ? 0 : E), R,
                    {.activation = Activation::tanh});
  if (config_.tied_output) {
    tied_bias_ =
        root.in("output").create("bias", {config_.target_vocabulary}, Initializer::constant(0));
  } else {
    output_ = Linear(root.in("output"), R, config_.target_vocabulary);
  }
  sites_.source = root.in("source_embedding").in("dropout").site();
  sites_.target = root.in("target_embedding").in("dropout").site();
  sites_.readout = decoder.in("readout").in("dropout").site();
}

OutputLayer RnnSeq2seq::output() const {
  if (config_.tied_output) {
    return {target_embedding_.table, tied_bias_, WeightLayout::out_in, target_embedding_.quantized};
  }
  return {output_.weight, output_.bias, WeightLayout::in_out, output_.quantized};
}

Score RnnSeq2seq::score() const {
  switch (config_.attention) {
    case RnnAttention::additive: return Additive{w_q_, w_k_, w_v_};
    case RnnAttention::general: return Bilinear{m_};
    case RnnAttention::dot:
    case RnnAttention::none: break;
  }
  return Dot{};
}

Variable RnnSeq2seq::dropped(const Variable& x, const Rows& rows, uint64_t site,
                             const Pass& pass) const {
  if (!pass.training || config_.dropout == 0) return x;
  return dropout(x, rows, {.p = config_.dropout, .site = pass.site(site)});
}

RnnSeq2seq::Memory RnnSeq2seq::encode(const Tensor& source, const Rows& rows,
                                      const Pass& pass) const {
  check(source.defined(), "rnn: the batch has no source");
  const bool floats = config_.source_width > 0;
  check(!floats || (source.rank() == 2 && source.dim(1) == config_.source_width),
        "rnn: the source must be rows of {} floats, got {}", config_.source_width, source);
  rows.require_total(source.dim(0), "rnn: the source");
  const Variable x = floats ? Variable(source) : source_embedding_(source);
  const RecurrentResult encoded = encoder_(dropped(x, rows, sites_.source, pass), rows, pass);
  Memory memory{.rows = rows, .states = encoded.y, .summary = {}, .keys = {}};
  const size_t top = encoded.last.size() - 2;
  memory.summary = concatenate({encoder_.layers[top].hidden(encoded.last[top]),
                                encoder_.layers[top + 1].hidden(encoded.last[top + 1])},
                               1);
  if (attends_before()) {
    memory.keys = affine(memory.states, w_k_, {}, {.weight_layout = WeightLayout::out_in});
  }
  pass.observe("encoder", memory.states, rows);
  return memory;
}

void RnnSeq2seq::pack(Memory& memory) const {
  if (attends_before()) memory.attended.emplace(memory.keys, memory.states, memory.rows);
}

std::vector<Variable> RnnSeq2seq::start(const Memory& memory) const {
  const std::vector<int64_t> widths(decoder_.size(), config_.width);
  std::vector<Variable> h = split(start_(memory.summary), widths);
  if (config_.cell == CellKind::gru) return h;
  const std::vector<Variable> c = split(start_cell_(memory.summary), widths);
  std::vector<Variable> states;
  for (size_t i = 0; i < h.size(); ++i) states.push_back(concatenate({h[i], c[i]}, 1));
  return states;
}

// The second layer and those after it, over the time-major states of the first; returns the h of
// the last one.
Variable RnnSeq2seq::upper_layers(Variable states, const TimeMajor& time, const Rows& rows,
                                  const std::vector<Variable>& start, const Pass& pass,
                                  std::vector<Variable>& last) const {
  last.push_back(time.last(states, start[0]));
  for (size_t i = 1; i < decoder_.size(); ++i) {
    Variable x = decoder_[i - 1].hidden(states);
    if (pass.training && config_.dropout > 0) {
      x = time.forth(dropped(time.back(x), rows, sites_.layers[i], pass));
    }
    states = decoder_[i].states(decoder_[i].input_gates(x), time.sorted(start[i]), time.counts());
    last.push_back(time.last(states, start[i]));
  }
  return decoder_.back().hidden(states);
}

RnnSeq2seq::Decoded RnnSeq2seq::decode(const Memory& memory, const Tensor& ids, const Rows& rows,
                                       const std::vector<Variable>& start, const Pass& pass) const {
  check(ids.defined(), "rnn: the batch has no target");
  check(rows.count() == memory.rows.count(), "rnn: {} sources but {} targets", memory.rows.count(),
        rows.count());
  rows.require_total(ids.dim(0), "rnn: the target");
  const TimeMajor time(rows);
  const RecurrentLayer& first = decoder_[0];
  const Variable e = time.forth(dropped(target_embedding_(ids), rows, sites_.target, pass));
  Variable gx = first.input_gates(e);
  Variable states, context;  // time-major
  if (attends_before()) {
    const AttentionRnnStates attended = attention_rnn(
        gx,
        {.cell = config_.cell,
         .recurrent = first.recurrent,
         .recurrent_bias = first.recurrent_bias,
         .context = context_,
         .w_q = w_q_,
         .w_v = w_v_},
        time.sorted(start[0]), *memory.attended, {.counts = time.counts(), .order = time.order()});
    states = attended.states;
    context = attended.contexts;
  } else {
    if (!attends_after()) {
      const Tensor sequences = sequences_of(time);
      context = gather(memory.summary, sequences);
      gx = add(gx, gather(affine(memory.summary, context_), sequences));
    }
    states = first.states(gx, time.sorted(start[0]), time.counts());
  }
  Decoded result;
  const Variable h = upper_layers(states, time, rows, start, pass, result.last);  // time-major
  Variable query = h;
  if (attends_after()) {
    query = time.back(h);
    context = attention(query, memory.states, memory.states, rows, memory.rows, {.score = score()});
    result.readout = readout_(concatenate({context, query}, 1));
  } else {
    result.readout = time.back(readout_(concatenate({h, context, e}, 1)));
  }
  if (pass.observer != nullptr) {
    if (attends_after()) pass.observe("decoder.state", query, rows);
    if (attends_before()) {
      query = row_before(time.back(first.hidden(states)), first.hidden(start[0]), rows);
    }
    if (config_.attention != RnnAttention::none) {
      pass.observer->attention("decoder.cross", {.q = one_head(query),
                                                 .query_rows = rows,
                                                 .k = one_head(memory.states),
                                                 .key_rows = memory.rows,
                                                 .options = {.score = score()}});
    }
    pass.observe("decoder.context", attends_after() ? context : time.back(context), rows);
    if (!attends_after()) pass.observe("decoder.state", time.back(h), rows);
    pass.observe("decoder.readout", result.readout, rows);
  }
  result.readout = dropped(result.readout, rows, sites_.readout, pass);
  return result;
}

Variable RnnSeq2seq::features(const Batch& batch, const Pass& pass) const {
  Memory memory = encode(batch.source, batch.source_rows, pass);
  pack(memory);
  return decode(memory, batch.target, batch.target_rows, start(memory), pass).readout;
}

}  // namespace heed
