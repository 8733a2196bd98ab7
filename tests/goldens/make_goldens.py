#!/usr/bin/python3
"""Writes the goldens: inputs, results and gradients of operations as PyTorch computes them.

Needed only to remake the files; the tests just read them. Needs PyTorch (Debian: python3-torch).

    /usr/bin/python3 tests/goldens/make_goldens.py

One text file per case, NAME.txt: lines "array NAME SIZE SIZE ..", each followed by the numbers, one
row of the last axis per line; # begins a comment. Computed in float64. Inputs have three decimals,
so that they are read back exactly; results have nine digits. The gradients are those of
sum(dy * y), with dy an input like the others.

Operations: layer_norm, rms_norm, gelu_exact, gelu_tanh, softmax, cross_entropy, affine, embedding,
rotary_adjacent, rotary_halves.

Optimizers, after each of 6 steps: adamw, sgd (momentum), sgd_plain, average (exponential). Parameters
"matrix" [5, 7], which decays, and "vector" [3], which does not; "gradients_matrix" [6, 5, 7] and
"gradients_vector" [6, 3] go in, "matrix_after" [6, 5, 7] and "vector_after" [6, 3] come out. "rates" [6]
are the learning rates. The average has d = 0.75 and starts with the first of "values" [6, 5].

Attention, in heed's layout: rows of all B = 2 sequences one after the other, q [B T, H, D],
k [B S, H, D], v [B S, H, Dv], y [B T, H, Dv], dy like y, dq, dk, dv; and weights [B, H, T, S].
T = 5, S = 7 (causal: 6 and 6), H = 3, D = 4, Dv = 6.

    attention_plain       scaled dot product
    attention_causal      key j <= query i; allowed [T, S] says the same
    attention_mask        allowed [B, H, T, S], 0 or 1; at least one key per query
    attention_bias        bias [B, H, T, S] added to the scaled scores, and dbias
    attention_grouped     q [B T, 4, D], k [B S, 2, D], v [B S, 2, Dv]: two query heads per key head
    attention_additive    w_v' tanh(W_q q + W_k k); no head axis: q [B T, 4], k [B S, 5], w_q [3, 4],
                          w_k [3, 5], w_v [3], and dw_q, dw_k, dw_v; weights [B, 1, T, S]
    attention_bilinear    q' M k; no head axis: q [B T, 4], k [B S, 5], m [4, 5], and dm
    attention_gaussian    -|(q - k) / width|^2 / 2 with width [1], and dwidth
    attention_gaussian_per_coordinate    the same with width [4]

Recurrent networks, two layers in both directions, over packed sequences of LENGTHS rows: x [N, In],
the rows of all sequences one after the other, y [N, 2 H], last [4, B, H] (layer by layer, forward
and reversed), the parameters under PyTorch's names, and all gradients. In = 5, H = 3.

    gru                   torch.nn.GRU
    lstm                  torch.nn.LSTM, and last_cell [4, B, H]; its dy is for y alone

    conv1d                torch.nn.functional.conv1d of the same sequences, each for itself: w [4, 5, 3],
                          b [4], padding 1
"""

import math
import os

import torch
import torch.nn.functional as F

HERE = os.path.dirname(os.path.abspath(__file__))
EPSILON = 1e-5
LENGTHS = [3, 1, 4]


def make(*shape, low=None, high=None):
    """An input: normal, or uniform in [low, high)."""
    x = torch.randn(shape) if low is None else low + (high - low) * torch.rand(shape)
    return (torch.round(x.double() * 1000) / 1000).requires_grad_()


def write(name, arrays, script="make_goldens.py"):
    with open(os.path.join(HERE, name + ".txt"), "w") as out:
        out.write("# Written by %s with PyTorch. Do not edit.\n" % script)
        for array, value in arrays.items():
            value = value.detach()
            out.write("array %s %s\n" % (array, " ".join(str(n) for n in value.shape)))
            for row in value.reshape(-1, value.shape[-1]).tolist():
                out.write(" ".join("%.9g" % x for x in row) + "\n")


def case(name, inputs, function, **more):
    """Writes the inputs, y = function(**inputs), dy, the gradients of the inputs, and `more`."""
    y = function(**inputs)
    dy = make(*y.shape)
    gradients = torch.autograd.grad((y * dy).sum(), list(inputs.values()))
    arrays = dict(inputs)
    arrays.update(more)
    arrays.update(y=y, dy=dy)
    arrays.update({"d" + key: g for key, g in zip(inputs, gradients)})
    write(name, arrays)


def operations():
    case("layer_norm", dict(x=make(4, 6), gain=make(6), bias=make(6)),
         lambda x, gain, bias: F.layer_norm(x, (6,), gain, bias, EPSILON))
    case("rms_norm", dict(x=make(4, 6), gain=make(6)),
         lambda x, gain: x / torch.sqrt((x * x).mean(-1, keepdim=True) + EPSILON) * gain)
    case("gelu_exact", dict(x=make(4, 6, low=-4, high=4)), lambda x: F.gelu(x))
    case("gelu_tanh", dict(x=make(4, 6, low=-4, high=4)),
         lambda x: F.gelu(x, approximate="tanh"))
    case("softmax", dict(x=make(4, 6, low=-4, high=4)), lambda x: torch.softmax(x, -1))

    targets = torch.tensor([6, 0, -1, 2, 2])
    case("cross_entropy", dict(x=make(5, 7, low=-3, high=3)),
         lambda x: F.cross_entropy(x, targets, label_smoothing=0.1, ignore_index=-1).reshape(1),
         targets=targets)
    case("affine", dict(x=make(4, 3), w=make(5, 3), b=make(5)), lambda x, w, b: F.linear(x, w, b))
    ids = torch.tensor([5, 2, 5, 0, 2, 5])
    case("embedding", dict(table=make(7, 3)), lambda table: F.embedding(ids, table), ids=ids)

    positions = torch.tensor([0, 1, 2, 0, 1, 40])
    angles = positions[:, None].double() * 10000.0 ** (-torch.arange(0, 8, 2).double() / 8)

    def adjacent(x):
        turn = torch.polar(torch.ones_like(angles), angles)[:, None, :]
        pairs = torch.view_as_complex(x.reshape(6, 2, 4, 2))
        return torch.view_as_real(pairs * turn).reshape(6, 2, 8)

    def halves(x):
        both = torch.cat([angles, angles], -1)[:, None, :]
        turned = torch.cat([-x[..., 4:], x[..., :4]], -1)
        return x * both.cos() + turned * both.sin()

    case("rotary_adjacent", dict(x=make(6, 2, 8)), adjacent, positions=positions)
    case("rotary_halves", dict(x=make(6, 2, 8)), halves, positions=positions)


def optimizers():
    steps, rates = 6, [0.01, 0.02, 0.05, 0.03, 0.01, 0.002]
    matrix, vector = make(5, 7), make(3)
    gradients = [(make(5, 7), make(3)) for _ in range(steps)]
    column = lambda arrays: torch.stack([x.detach().clone() for x in arrays])

    def run(name, make_optimizer):
        m, v = (x.detach().clone().requires_grad_() for x in (matrix, vector))
        optimizer = make_optimizer(dict(params=[m], weight_decay=0.1),
                                   dict(params=[v], weight_decay=0))
        after = []
        for rate, (dm, dv) in zip(rates, gradients):
            m.grad, v.grad = dm.detach().clone(), dv.detach().clone()
            for group in optimizer.param_groups:
                group["lr"] = rate
            optimizer.step()
            after.append((m.detach().clone(), v.detach().clone()))
        write(name, dict(
            rates=torch.tensor(rates, dtype=torch.float64), matrix=matrix, vector=vector,
            gradients_matrix=column([g[0] for g in gradients]),
            gradients_vector=column([g[1] for g in gradients]),
            matrix_after=column([a[0] for a in after]),
            vector_after=column([a[1] for a in after])))

    run("adamw", lambda *groups: torch.optim.AdamW(groups, betas=(0.8, 0.95), eps=1e-6))
    run("sgd", lambda *groups: torch.optim.SGD(groups, lr=1, momentum=0.9))
    run("sgd_plain", lambda *groups: torch.optim.SGD(groups, lr=1))

    values = make(steps, 5)
    averages = [values[0]]
    for value in values[1:]:
        averages.append(torch.lerp(averages[-1], value, 0.25))
    write("average", dict(values=values, averages=column(averages)))


def by_head(x, sequences=2):
    """[B T, H, D] or [B T, D] -> [B, H, T, D]"""
    x = x if x.dim() == 3 else x[:, None, :]
    return x.reshape(sequences, -1, x.shape[1], x.shape[2]).transpose(1, 2)


def attend(name, score, inputs, allowed=None):
    """score(q, k, **others) -> [B, H, T, S], from q and k by head."""
    groups = inputs["q"].shape[1] // inputs["k"].shape[1] if inputs["q"].dim() == 3 else 1
    kept = {}

    def function(q, k, v, **others):
        grow = lambda x: by_head(x).repeat_interleave(groups, 1)
        s = score(by_head(q), grow(k), **others)
        if allowed is not None:
            s = s.masked_fill(~allowed, -math.inf)
        kept["weights"] = torch.softmax(s, -1)
        y = (kept["weights"] @ grow(v)).transpose(1, 2)  # [B, T, H, Dv]
        y = y.reshape(-1, y.shape[2], y.shape[3])
        return y if q.dim() == 3 else y[:, 0]

    function(**inputs)
    if allowed is not None:
        kept["allowed"] = allowed.long()
    case(name, inputs, function, **kept)


def attention():
    B, H, T, S, D, Dv = 2, 3, 5, 7, 4, 6

    def heads(t=T, s=S, h=H, kv=H):
        return dict(q=make(B * t, h, D), k=make(B * s, kv, D), v=make(B * s, kv, Dv))

    def single(dq=D, dk=D):
        return dict(q=make(B * T, dq), k=make(B * S, dk), v=make(B * S, Dv))

    scaled = lambda q, k: q @ k.transpose(-1, -2) / math.sqrt(D)
    attend("attention_plain", scaled, heads())
    attend("attention_causal", scaled, heads(t=6, s=6), torch.ones(6, 6).tril().bool())
    allowed = torch.rand(B, H, T, S) < 0.5
    allowed[..., 3] |= ~allowed.any(-1)
    attend("attention_mask", scaled, heads(), allowed)
    attend("attention_bias", lambda q, k, bias: scaled(q, k) + bias,
           dict(**heads(), bias=make(B, H, T, S)))
    attend("attention_grouped", scaled, heads(h=4, kv=2))
    attend("attention_additive",
           lambda q, k, w_q, w_k, w_v: torch.tanh(
               (q @ w_q.T)[..., :, None, :] + (k @ w_k.T)[..., None, :, :]) @ w_v,
           dict(**single(4, 5), w_q=make(3, 4), w_k=make(3, 5), w_v=make(3)))
    attend("attention_bilinear", lambda q, k, m: q @ m @ k.transpose(-1, -2),
           dict(**single(4, 5), m=make(4, 5)))
    gaussian = lambda q, k, width: (
        -0.5 * (((q[..., :, None, :] - k[..., None, :, :]) / width) ** 2).sum(-1))
    attend("attention_gaussian", gaussian, dict(**single(), width=make(1, low=0.5, high=2)))
    attend("attention_gaussian_per_coordinate", gaussian,
           dict(**single(), width=make(D, low=0.5, high=2)))


def recurrent():
    In, H = 5, 3

    def network(name, kind):
        module = kind(In, H, num_layers=2, bidirectional=True, batch_first=True).double()
        parameters = {key: make(*p.shape) for key, p in module.named_parameters()}
        for key, p in module.named_parameters():
            p.data = parameters[key].detach().clone()
        x = make(sum(LENGTHS), In)
        packed = torch.nn.utils.rnn.pack_sequence(list(x.split(LENGTHS)), enforce_sorted=False)
        packed_y, last = module(packed)
        padded, _ = torch.nn.utils.rnn.pad_packed_sequence(packed_y, batch_first=True)
        y = torch.cat([padded[b, :n] for b, n in enumerate(LENGTHS)])
        dy = make(*y.shape)
        names = ["x"] + list(parameters)
        gradients = torch.autograd.grad((y * dy).sum(), [x] + list(module.parameters()))
        arrays = dict(x=x, **parameters, y=y, dy=dy, lengths=torch.tensor(LENGTHS))
        arrays["last"] = last[0] if isinstance(last, tuple) else last
        if isinstance(last, tuple):
            arrays["last_cell"] = last[1]
        arrays.update({"d" + key: g for key, g in zip(names, gradients)})
        write(name, arrays)

    network("gru", torch.nn.GRU)
    network("lstm", torch.nn.LSTM)
    case("conv1d", dict(x=make(sum(LENGTHS), In), w=make(4, In, 3), b=make(4)),
         lambda x, w, b: torch.cat([F.conv1d(part.t()[None], w, b, padding=1)[0].t()
                                    for part in x.split(LENGTHS)]),
         lengths=torch.tensor(LENGTHS))


if __name__ == "__main__":
    torch.manual_seed(2026)
    operations()
    attention()
    optimizers()
    recurrent()
