// A recurrent encoder-decoder, with attention or with a fixed context.
//
//   encoder   h_j = [forward; reversed] states of a bidirectional network over the source
//             summary = [last forward state; last reversed state]
//   start     s_0 = tanh(W summary + b), for each layer of the decoder (LSTM: c_0 too, no tanh)
//
//   additive  c_t = attention(s_{t-1}, h)
//             s_t = cell([e_t; c_t], s_{t-1})
//             r_t = tanh(W_r [s_t; c_t; e_t] + b_r)
//
//   none      c_t = summary, the rest as in additive
//
//   dot,      s_t = cell(e_t, s_{t-1})
//   general   c_t = attention(s_t, h)
//             r_t = tanh(W_r [c_t; s_t] + b_r)
//
// e_t is the embedding of target token t, r_t what the output layer maps. With several layers in
// the decoder, the first one attends (its state is the query), and the others run over its states.
//
// Observers see encoder [Ns, 2 He], decoder.state [Nt, H], decoder.context, decoder.readout, and
// the attention decoder.cross (queries s_{t-1} in additive, else s_t; keys h), in the order above.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "heed/attention/attention_rnn.h"
#include "heed/base/export.h"
#include "heed/models/model.h"
#include "heed/models/rnn_config.h"
#include "heed/nn/embedding.h"
#include "heed/nn/linear.h"
#include "heed/nn/recurrent.h"

namespace heed {

class HEED_API RnnSeq2seq final : public Model {
 public:
  explicit RnnSeq2seq(const RnnConfig& config, ParameterSource source = {});

  Variable features(const Batch& batch, const Pass& pass) const override;
  OutputLayer output() const override;
  std::unique_ptr<Decoding> decoding() const override;  // the model must outlive it

  const RnnConfig& config() const { return config_; }

  // What the decoder sees of the sources.
  struct Memory {
    Rows rows;
    Variable states;                                  // h, [Ns, 2 He]
    Variable summary;                                 // [B, 2 He]
    Variable keys;                                    // additive: W_k h, [Ns, A]
    std::optional<AttentionRnnMemory> attended = {};  // additive
  };
  Memory encode(const Tensor& source, const Rows& rows, const Pass& pass) const;
  void pack(Memory& memory) const;                          // fills `attended` from the rest
  std::vector<Variable> start(const Memory& memory) const;  // s_0 of each layer, [B, S]

  struct Decoded {
    Variable readout;            // r, [Nt, R]
    std::vector<Variable> last;  // the last state of each layer, [B, S]
  };
  Decoded decode(const Memory& memory, const Tensor& ids, const Rows& rows,
                 const std::vector<Variable>& start, const Pass& pass) const;

 private:
  bool attends_before() const { return config_.attention == RnnAttention::additive; }
  bool attends_after() const {
    return config_.attention == RnnAttention::dot || config_.attention == RnnAttention::general;
  }
  Score score() const;
  Variable dropped(const Variable& x, const Rows& rows, uint64_t site, const Pass& pass) const;
  Variable upper_layers(Variable states, const TimeMajor& time, const Rows& rows,
                        const std::vector<Variable>& start, const Pass& pass,
                        std::vector<Variable>& last) const;

  RnnConfig config_;
  Embedding source_embedding_, target_embedding_;
  Recurrent encoder_;
  Linear start_, start_cell_;  // the second for an LSTM
  std::vector<RecurrentLayer> decoder_;
  Variable context_;              // [2 He, G H]: the context's part of the first layer's gates
  Variable w_q_, w_k_, w_v_, m_;  // of the score
  Linear readout_;
  Linear output_;       // unless tied
  Variable tied_bias_;  // if tied
  struct Sites {
    uint64_t source, target, readout;
    std::vector<uint64_t> layers;
  } sites_;
};

}  // namespace heed
