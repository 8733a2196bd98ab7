#!/usr/bin/python3
"""Writes the goldens of converted models: what models with the weights and options of Hugging Face's
layouts compute, written down here once more with PyTorch's operations.

    /usr/bin/python3 tests/goldens/make_convert_goldens.py

Computed in float64 from formula_values() of the layout's own names. Each file has the ids [T] and the
first 20 columns of the logits [T, 20].

    convert_gpt2            gelu by tanh, tied
    convert_gpt2_options    relu, own hidden width, scores without scale, own output, epsilon
    convert_llama           grouped heads, own output
    convert_llama_options   own head width, biases, tied, window, base, epsilon
    convert_bert            states [T, C]: exact gelu, the usual epsilon
    convert_bert_classes    logits [1, K] of the sentence: gelu by tanh, own epsilon
    convert_bert_tags       logits [T, K] of the tokens: relu
"""

import os

import torch
import torch.nn.functional as F

import make_goldens
from make_transformer_goldens import formula_values

C, V, T, LAYERS, POSITIONS, SHOWN = 8, 270, 9, 2, 12, 20


def ids():
    return torch.tensor([(i * 7 + 15 + i * i) % 250 for i in range(T)])


def attend(q, k, v, scale, window=0):
    """[T, H, D] with as many heads each."""
    scores = torch.einsum("thd,shd->hts", q, k) * scale
    t = torch.arange(T)
    allowed = t[None, :] <= t[:, None]
    if window:
        allowed &= t[:, None] - t[None, :] < window
    scores = scores.masked_fill(~allowed, float("-inf"))
    return torch.einsum("hts,shd->thd", scores.softmax(-1), v).reshape(T, -1)


def gpt2(activation, inner, scaled, tied, epsilon):
    heads = 2
    w = formula_values
    norm = lambda name, x: F.layer_norm(x, (C,), w(name + ".weight", C), w(name + ".bias", C), epsilon)
    conv = lambda name, x, out: x @ w(name + ".weight", x.shape[-1], out) + w(name + ".bias", out)
    table = w("transformer.wte.weight", V, C)
    x = table[ids()] + w("transformer.wpe.weight", POSITIONS, C)[:T]
    for i in range(LAYERS):
        h = f"transformer.h.{i}."
        qkv = conv(h + "attn.c_attn", norm(h + "ln_1", x), 3 * C)
        q, k, v = (part.reshape(T, heads, C // heads) for part in qkv.split(C, dim=1))
        scale = (C // heads) ** -0.5 if scaled else 1
        x = x + conv(h + "attn.c_proj", attend(q, k, v, scale), C)
        x = x + conv(h + "mlp.c_proj", activation(conv(h + "mlp.c_fc", norm(h + "ln_2", x), inner)), C)
    x = norm("transformer.ln_f", x)
    return x @ (table if tied else w("lm_head.weight", V, C)).T


def rotate(x, base):
    """[T, H, D], pairs (i, i + D/2)."""
    half = x.shape[-1] // 2
    angles = torch.arange(T)[:, None] * base ** (-torch.arange(half, dtype=torch.float64) / half)
    cos, sin = angles.cos()[:, None], angles.sin()[:, None]
    a, b = x[..., :half], x[..., half:]
    return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1)


def llama(head_width, attention_bias, mlp_bias, tied, window, base, epsilon):
    heads, kv_heads, hidden = 4, 2, 10
    w = formula_values
    norm = lambda name, x: x * (x.pow(2).mean(-1, keepdim=True) + epsilon).rsqrt() * w(name + ".weight", C)

    def linear(name, x, out, bias):
        y = x @ w(name + ".weight", out, x.shape[-1]).T
        return y + w(name + ".bias", out) if bias else y

    table = w("model.embed_tokens.weight", V, C)
    x = table[ids()]
    for i in range(LAYERS):
        h = f"model.layers.{i}."
        u = norm(h + "input_layernorm", x)
        project = lambda name, n: linear(h + f"self_attn.{name}_proj", u, n * head_width,
                                         attention_bias).reshape(T, n, head_width)
        q, k, v = project("q", heads), project("k", kv_heads), project("v", kv_heads)
        q, k = rotate(q, base), rotate(k, base)
        k, v = (y.repeat_interleave(heads // kv_heads, dim=1) for y in (k, v))
        y = attend(q, k, v, head_width**-0.5, window)
        x = x + linear(h + "self_attn.o_proj", y, C, attention_bias)
        u = norm(h + "post_attention_layernorm", x)
        gate = F.silu(linear(h + "mlp.gate_proj", u, hidden, mlp_bias))
        x = x + linear(h + "mlp.down_proj", gate * linear(h + "mlp.up_proj", u, hidden, mlp_bias), C,
                       mlp_bias)
    x = norm("model.norm", x)
    return x @ (table if tied else w("lm_head.weight", V, C)).T


def bert(activation, epsilon, head, classes):
    """An encoder of 3 layers with 4 heads, hidden width 10, 12 positions and 5 segments."""
    heads, hidden, positions, segments, rows, layers = 4, 10, 12, 5, 30, 3
    w = formula_values
    root = "" if head == "states" else "bert."
    norm = lambda name, x: F.layer_norm(x, (C,), w(name + ".weight", C), w(name + ".bias", C), epsilon)
    linear = lambda name, x, out: x @ w(name + ".weight", out, x.shape[-1]).T + w(name + ".bias", out)
    e = root + "embeddings."
    x = w(e + "word_embeddings.weight", rows, C)[bert_ids()]
    x = x + w(e + "token_type_embeddings.weight", segments, C)[0]
    x = norm(e + "LayerNorm", x + w(e + "position_embeddings.weight", positions, C)[:T])
    for i in range(layers):
        h = f"{root}encoder.layer.{i}."
        q, k, v = (linear(h + "attention.self." + part, x, C).reshape(T, heads, C // heads)
                   for part in ("query", "key", "value"))
        scores = torch.einsum("thd,shd->hts", q, k) * (C // heads) ** -0.5
        y = torch.einsum("hts,shd->thd", scores.softmax(-1), v).reshape(T, C)
        x = norm(h + "attention.output.LayerNorm", x + linear(h + "attention.output.dense", y, C))
        y = linear(h + "output.dense", activation(linear(h + "intermediate.dense", x, hidden)), C)
        x = norm(h + "output.LayerNorm", x + y)
    if head == "states":
        return x
    if head == "sentence":
        x = torch.tanh(linear(root + "pooler.dense", x[:1], C))
    return linear("classifier", x, classes)


def bert_ids():
    return torch.tensor([(i * 7 + 5 + i * i) % 25 for i in range(T)])


def main():
    tanh_gelu = lambda x: F.gelu(x, approximate="tanh")
    encoders = {
        "convert_bert": bert(F.gelu, 1e-12, "states", 0),
        "convert_bert_classes": bert(tanh_gelu, 1e-3, "sentence", 6),
        "convert_bert_tags": bert(F.relu, 1e-12, "tokens", 7),
    }
    for name, output in encoders.items():
        make_goldens.write(name, {"ids": bert_ids().double(), "output": output},
                           os.path.basename(__file__))
    cases = {
        "convert_gpt2": gpt2(lambda x: F.gelu(x, approximate="tanh"), 4 * C, True, True, 1e-5),
        "convert_gpt2_options": gpt2(F.relu, 12, False, False, 1e-3),
        "convert_llama": llama(2, False, False, False, 0, 10000.0, 1e-6),
        "convert_llama_options": llama(4, True, True, True, 3, 500.0, 1e-4),
    }
    for name, logits in cases.items():
        make_goldens.write(name, {"ids": ids().double(), "logits": logits[:, :SHOWN]},
                           os.path.basename(__file__))


if __name__ == "__main__":
    main()
