#!/usr/bin/python3
"""Writes the goldens of transformers: blocks, and 20 steps of training, as PyTorch computes them.

    /usr/bin/python3 tests/goldens/make_transformer_goldens.py

The files have the form that make_goldens.py describes. Computed in float64. The parameters are not in
the files: both sides compute them from their heed names by formula_values() below, which
tests/goldens/formula.h repeats.

Blocks, over ragged sequences (x [N, C], y [N, C]), with the gradients of x, of the memory and, under
heed's names, of every parameter, given dy. C = 6, H = 2, F = 10.

    block_encoder_pre_relu       torch.nn.TransformerEncoderLayer
    block_encoder_post_gelu
    block_decoder_pre_gelu       torch.nn.TransformerDecoderLayer: causal, with memory [M, C]
    block_decoder_post_relu

Training, 20 steps of AdamW on one batch: losses [20] and norms [20] of the gradient before clipping.


    training_encoder_decoder     pre-norm, sinusoidal positions, one tied table times sqrt(C)
    training_encoder_decoder_post  the same with post-norm and gelu
    training_decoder             learned positions, gelu by tanh, an output layer of its own
    training_modern              rotary positions, rms norm, gated silu, grouped heads, no biases
"""

import math
import os

import torch
import torch.nn.functional as F

import make_goldens
from make_goldens import EPSILON, LENGTHS, make

C, HEADS, HIDDEN = 6, 2, 10
MEMORY_LENGTHS = [2, 5, 3]
STEPS, WARMUP, PEAK, CLIP, SMOOTHING, DECAY = 20, 4, 0.005, 1.0, 0.1, 0.05
BETAS = (0.9, 0.98)


def write(name, arrays):
    make_goldens.write(name, arrays, os.path.basename(__file__))


def formula_values(name, *shape):
    """Numbers in [-1, 1] that look random: cubes modulo a prime."""
    p = 2003
    salt = sum((k + 1) * ord(c) for k, c in enumerate(name))
    count = math.prod(shape)
    values = [(((i * 7919 + salt * 104729) % p) ** 3 % p - 1001) / 1001 for i in range(count)]
    x = torch.tensor(values, dtype=torch.float64).reshape(shape)
    if name.endswith("gain"):
        return 1 + 0.2 * x
    if name.endswith("shift") or name.endswith("bias"):
        return 0.1 * x
    if name.endswith("table"):
        return 0.5 * x
    return x * math.sqrt(3 / shape[0])


class Parameters:
    """The parameters of a model, made when they are first asked for."""

    def __init__(self):
        self.made = {}

    def __call__(self, name, *shape):
        if name not in self.made:
            self.made[name] = formula_values(name, *shape).requires_grad_()
        return self.made[name]

    def linear(self, name, x, width, bias=True):
        y = x @ self(name + ".weight", x.shape[-1], width)
        return y + self(name + ".bias", width) if bias else y


def torch_layer(parameters, scope, kind, norm_first, activation, cross):
    """A layer of PyTorch's that uses our parameters."""
    names = {"self_attn": "attention", "multihead_attn": "cross"}
    weights = {}
    for part, own in names.items():
        if own == "cross" and not cross:
            continue
        if own == "attention":
            w = parameters(scope + ".attention.qkv.weight", C, 3 * C)
            b = parameters(scope + ".attention.qkv.bias", 3 * C)
        else:
            w = torch.cat([parameters(scope + ".cross.query.weight", C, C),
                           parameters(scope + ".cross.keys_values.weight", C, 2 * C)], 1)
            b = torch.cat([parameters(scope + ".cross.query.bias", C),
                           parameters(scope + ".cross.keys_values.bias", 2 * C)])
        weights[part + ".in_proj_weight"] = w.t()
        weights[part + ".in_proj_bias"] = b
        weights[part + ".out_proj.weight"] = parameters(scope + ".%s.output.weight" % own, C, C).t()
        weights[part + ".out_proj.bias"] = parameters(scope + ".%s.output.bias" % own, C)
    weights["linear1.weight"] = parameters(scope + ".feed_forward.inner.weight", C, HIDDEN).t()
    weights["linear1.bias"] = parameters(scope + ".feed_forward.inner.bias", HIDDEN)
    weights["linear2.weight"] = parameters(scope + ".feed_forward.outer.weight", HIDDEN, C).t()
    weights["linear2.bias"] = parameters(scope + ".feed_forward.outer.bias", C)
    norms = ["attention_norm"] + (["cross_norm"] if cross else []) + ["feed_forward_norm"]
    for i, norm in enumerate(norms):
        weights["norm%d.weight" % (i + 1)] = parameters(scope + ".%s.gain" % norm, C)
        weights["norm%d.bias" % (i + 1)] = parameters(scope + ".%s.shift" % norm, C)
    layer = kind(C, HEADS, HIDDEN, dropout=0.0, activation=activation, layer_norm_eps=EPSILON,
                 batch_first=True, norm_first=norm_first).double()
    return lambda *args, **more: torch.nn.utils.stateless.functional_call(
        layer, weights, args, more)


def encoder_layer(parameters, scope, norm_first, activation):
    return torch_layer(parameters, scope, torch.nn.TransformerEncoderLayer, norm_first, activation,
                       cross=False)


def decoder_layer(parameters, scope, norm_first, activation):
    return torch_layer(parameters, scope, torch.nn.TransformerDecoderLayer, norm_first, activation,
                       cross=True)


def later(length):
    """What a causal mask forbids."""
    return torch.ones(length, length).triu(1).bool()


def blocks():
    def block(name, norm_first, activation, cross):
        parameters = Parameters()
        make_layer = decoder_layer if cross else encoder_layer
        layer = make_layer(parameters, "block", norm_first, activation)
        x, memory = make(sum(LENGTHS), C), make(sum(MEMORY_LENGTHS), C)
        rows = []
        for part, seen in zip(x.split(LENGTHS), memory.split(MEMORY_LENGTHS)):
            if cross:
                rows.append(layer(part[None], seen[None], tgt_mask=later(len(part)))[0])
            else:
                rows.append(layer(part[None])[0])
        y = torch.cat(rows)
        dy = make(*y.shape)
        inputs = dict(x=x, **(dict(memory=memory) if cross else {}), **parameters.made)
        gradients = torch.autograd.grad((y * dy).sum(), list(inputs.values()))
        arrays = dict(x=x, y=y, dy=dy, lengths=torch.tensor(LENGTHS))
        if cross:
            arrays.update(memory=memory, memory_lengths=torch.tensor(MEMORY_LENGTHS))
        arrays.update({"d" + key: g for key, g in zip(inputs, gradients)})
        write(name, arrays)

    block("block_encoder_pre_relu", True, "relu", False)
    block("block_encoder_post_gelu", False, "gelu", False)
    block("block_decoder_pre_gelu", True, "gelu", True)
    block("block_decoder_post_relu", False, "relu", True)


def layer_norm(parameters, name, x):
    return F.layer_norm(x, (C,), parameters(name + ".gain", C), parameters(name + ".shift", C),
                        EPSILON)


def sinusoids(length):
    angles = torch.arange(length).double()[:, None] * 10000.0 ** (-torch.arange(0, C, 2).double() / C)
    return torch.stack([angles.sin(), angles.cos()], -1).reshape(length, C)


def ids_of(salt, count, below):
    """Token ids; the test repeats the formula."""
    return [(i * 7 + salt * 5 + i * i) % below for i in range(count)]


V = 11
SOURCES = [ids_of(s, n, V) for s, n in enumerate([4, 2, 3])]
TARGETS = [ids_of(s + 10, n, V) for s, n in enumerate([3, 5, 2])]
LABELS = [ids_of(s + 20, n, V) for s, n in enumerate([3, 5, 2])]


def encoder_decoder(norm_first, activation):
    p = Parameters()

    def embedded(ids):
        table = p("tokens.table", V, C)
        return (table[ids] * math.sqrt(C) + sinusoids(len(ids)))[None]

    def logits(source, target):
        h, y = embedded(source), embedded(target)
        h = encoder_layer(p, "encoder.0", norm_first, activation)(h)
        if norm_first:
            h = layer_norm(p, "encoder.norm", h)
        for i in range(2):
            y = decoder_layer(p, "decoder.%d" % i, norm_first, activation)(
                y, h, tgt_mask=later(len(target)))
        if norm_first:
            y = layer_norm(p, "decoder.norm", y)
        return y[0] @ p("tokens.table", V, C).t()

    return p, logits


def decoder():
    p = Parameters()

    def logits(_, target):
        y = (p("tokens.table", V, C)[target] + p("decoder.positions.table", 8, C)[:len(target)])[None]
        for i in range(2):
            y = encoder_layer(p, "decoder.%d" % i, True, lambda x: F.gelu(x, approximate="tanh"))(
                y, src_mask=later(len(target)))
        y = layer_norm(p, "decoder.norm", y)
        return p.linear("output", y[0], V, bias=False)

    return p, logits


def modern():
    p, width = Parameters(), 8  # heads of 4: rotary positions turn pairs
    head = width // HEADS

    def rms(name, x):
        return x / torch.sqrt((x * x).mean(-1, keepdim=True) + EPSILON) * p(name + ".gain", width)

    def turned(x):  # [T, H, D], pairs of neighbors
        angles = torch.arange(len(x)).double()[:, None] * \
            10000.0 ** (-torch.arange(0, head, 2).double() / head)
        turn = torch.polar(torch.ones_like(angles), angles)[:, None]
        pairs = torch.view_as_complex(x.reshape(*x.shape[:-1], head // 2, 2).contiguous())
        return torch.view_as_real(pairs * turn).reshape(x.shape)

    def logits(_, target):
        T = len(target)
        y = p("tokens.table", V, width)[target]
        for i in range(2):
            scope = "decoder.%d" % i
            qkv = p.linear(scope + ".attention.qkv", rms(scope + ".attention_norm", y),
                           width + 2 * head, bias=False)
            q, k, v = qkv.split([width, head, head], -1)
            q, k = turned(q.reshape(T, HEADS, head)), turned(k.reshape(T, 1, head))
            s = torch.einsum("thd,sd->hts", q, k[:, 0]) / math.sqrt(head)
            w = torch.softmax(s.masked_fill(later(T), -math.inf), -1)
            h = torch.einsum("hts,sd->thd", w, v).reshape(T, width)
            y = y + p.linear(scope + ".attention.output", h, width, bias=False)
            gate, up = p.linear(scope + ".feed_forward.inner", rms(scope + ".feed_forward_norm", y),
                                2 * HIDDEN, bias=False).split(HIDDEN, -1)
            y = y + p.linear(scope + ".feed_forward.outer", F.silu(gate) * up, width, bias=False)
        return rms("decoder.norm", y) @ p("tokens.table", V, width).t()

    return p, logits


def training(name, p, logits):
    batch = list(zip(SOURCES, TARGETS, LABELS))

    def loss():
        rows = torch.cat([logits(source, target) for source, target, _ in batch])
        labels = torch.tensor(sum(LABELS, []))
        return F.cross_entropy(rows, labels, label_smoothing=SMOOTHING)

    loss()
    parameters = list(p.made.values())
    optimizer = torch.optim.AdamW(
        [dict(params=[x for x in parameters if x.dim() >= 2], weight_decay=DECAY),
         dict(params=[x for x in parameters if x.dim() < 2], weight_decay=0)], betas=BETAS)
    losses, norms = [], []
    for step in range(STEPS):
        optimizer.zero_grad()
        value = loss()
        value.backward()
        norm = torch.sqrt(sum((x.grad ** 2).sum() for x in parameters))
        for x in parameters:
            x.grad *= min(1, CLIP / norm.item())
        for group in optimizer.param_groups:
            group["lr"] = PEAK * min(1, (step + 1) / WARMUP)
        optimizer.step()
        losses.append(value.item())
        norms.append(norm.item())
    write(name, dict(losses=torch.tensor(losses, dtype=torch.float64),
                     norms=torch.tensor(norms, dtype=torch.float64)))


if __name__ == "__main__":
    torch.manual_seed(2027)
    blocks()
    training("training_encoder_decoder", *encoder_decoder(True, "relu"))
    training("training_encoder_decoder_post", *encoder_decoder(False, "gelu"))
    training("training_decoder", *decoder())
    training("training_modern", *modern())
