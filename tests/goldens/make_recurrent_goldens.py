#!/usr/bin/python3
"""Writes the goldens of recurrent encoder-decoders: 20 steps of training, as PyTorch computes them.

    /usr/bin/python3 tests/goldens/make_recurrent_goldens.py

Batch, parameters by formula and settings are those of make_transformer_goldens.py. Embeddings of 5,
a decoder of 4 units, an encoder of 3 in each direction.

    training_bahdanau       GRU, additive attention from the state before (torch.gru, GRUCell)
    training_luong          LSTM, general attention from the state after (torch.lstm, LSTMCell)
    training_fixed_context  GRU, the encoder's last states at every step
"""

import torch

import make_transformer_goldens as shared
from make_transformer_goldens import V, Parameters

E, H, HE = 5, 4, 3
functional_call = torch.nn.utils.stateless.functional_call


def write(name, arrays):
    shared.make_goldens.write(name, arrays, "make_recurrent_goldens.py")


def cell_weights(p, scope, width, units, lstm, context=None):
    """weight_ih, weight_hh, bias_ih and bias_hh of PyTorch. An LSTM has one bias here."""
    gates = (4 if lstm else 3) * units
    weight = p(scope + ".weight", width, gates)
    if context is not None:
        weight = torch.cat([weight, p(scope + ".context", context, gates)])
    bias = p(scope + ".bias", gates)
    second = torch.zeros_like(bias) if lstm else p(scope + ".recurrent_bias", gates)
    return dict(weight_ih=weight.t(), weight_hh=p(scope + ".recurrent", units, gates).t(),
                bias_ih=bias, bias_hh=second)


def model(attention, lstm):
    p = Parameters()
    after = attention == "general"
    make_cell = torch.nn.LSTMCell if lstm else torch.nn.GRUCell
    cell = make_cell(E if after else E + 2 * HE, H).double()

    def encode(ids):
        weights = []
        for direction in ("forward", "reversed"):
            weights += cell_weights(p, "encoder.0." + direction, E, HE, lstm).values()
        x = p("source_embedding.table", V, E)[ids][:, None]
        zero = torch.zeros(2, 1, HE, dtype=torch.float64)
        network, start = (torch.lstm, (zero, zero)) if lstm else (torch.gru, zero)
        y, h = network(x, start, weights, True, 1, 0.0, False, True, False)[:2]
        return y[:, 0], torch.cat([h[0, 0], h[1, 0]])

    def attended(query, states):
        if attention == "none":
            return None
        if attention == "general":
            scores = query @ p("decoder.cross.m", H, 2 * HE) @ states.t()
        else:
            hidden = torch.tanh(states @ p("decoder.cross.w_k", H, 2 * HE).t()
                                + p("decoder.cross.w_q", H, H) @ query)
            scores = hidden @ p("decoder.cross.w_v", H)
        return torch.softmax(scores, -1) @ states

    def logits(source, target):
        states, summary = encode(source)
        h = torch.tanh(p.linear("decoder.start", summary, H))
        c = p.linear("decoder.start_cell", summary, H) if lstm else None
        weights = cell_weights(p, "decoder.0", E, H, lstm, None if after else 2 * HE)
        rows = []
        for e in p("target_embedding.table", V, E)[target]:
            context = summary if attention == "none" else attended(h, states)
            x = (e if after else torch.cat([e, context]))[None]
            if lstm:
                h, c = functional_call(cell, weights, (x, (h[None], c[None])))
                h, c = h[0], c[0]
            else:
                h = functional_call(cell, weights, (x, h[None]))[0]
            read = torch.cat([attended(h, states), h]) if after else torch.cat([h, context, e])
            rows.append(torch.tanh(p.linear("decoder.readout", read, H)))
        return p.linear("output", torch.stack(rows), V)

    return p, logits


if __name__ == "__main__":
    shared.write = write
    shared.training("training_bahdanau", *model("additive", lstm=False))
    shared.training("training_luong", *model("general", lstm=True))
    shared.training("training_fixed_context", *model("none", lstm=False))
