#!/usr/bin/python3
"""Whole training steps in PyTorch, as `heed bench train` has them: the same shapes, random tokens, no
dropout; forward, backward, norm of the gradient, clipping, AdamW.

Written for speed on the CPU: queries, keys and values from one product, attention as two batched
products with scale and mask folded into the first, whole sequences wherever no step needs the one
before it. Run as a program, it prints the peak of its memory for one row, with the system's own
malloc:

  bench/torch_train.py train-lm -t 2
"""

import argparse
import math

import torch
import torch.nn.functional as F
from torch import nn


def parameter(*shape):
    return nn.Parameter(torch.randn(*shape) / math.sqrt(shape[-1]))


class Attention(nn.Module):
    def __init__(self, width, heads, cross=False):
        super().__init__()
        self.heads = heads
        if cross:
            self.query, self.keys_values = nn.Linear(width, width), nn.Linear(width, 2 * width)
        else:
            self.qkv = nn.Linear(width, 3 * width)
        self.output = nn.Linear(width, width)

    def split(self, x, parts):
        """[B, T, parts C] -> parts times [B H, T, D]"""
        B, T, C = x.shape
        x = x.view(B, T, parts, self.heads, C // parts // self.heads).permute(2, 0, 3, 1, 4)
        return x.reshape(parts, B * self.heads, T, -1).unbind(0)

    def forward(self, x, mask, memory=None):
        B, T, C = x.shape
        if memory is None:
            q, k, v = self.split(self.qkv(x), 3)
        else:
            (q,) = self.split(self.query(x), 1)
            k, v = self.split(self.keys_values(memory), 2)
        scores = torch.baddbmm(mask.expand(B * self.heads, T, k.shape[1]), q, k.transpose(1, 2),
                               beta=0 if mask.numel() == 1 else 1, alpha=1 / math.sqrt(q.shape[2]))
        y = torch.bmm(torch.softmax(scores, -1), v)
        return self.output(y.view(B, self.heads, T, -1).transpose(1, 2).reshape(B, T, C))


class Block(nn.Module):
    def __init__(self, width, heads, hidden, activation, cross=False):
        super().__init__()
        self.attention_norm, self.attention = nn.LayerNorm(width), Attention(width, heads)
        if cross:
            self.cross_norm, self.cross = nn.LayerNorm(width), Attention(width, heads, cross=True)
        self.norm = nn.LayerNorm(width)
        self.inner, self.outer = nn.Linear(width, hidden), nn.Linear(hidden, width)
        self.activation = activation

    def forward(self, x, mask, memory=None):
        x = x + self.attention(self.attention_norm(x), mask)
        if memory is not None:
            x = x + self.cross(self.cross_norm(x), torch.zeros(1), memory)
        return x + self.outer(self.activation(self.inner(self.norm(x))))


def causal_mask(length):
    return torch.full((length, length), -math.inf).triu(1)


def gelu_tanh(x):
    return F.gelu(x, approximate="tanh")


class LanguageModel(nn.Module):
    def __init__(self, layers, width, heads, hidden, context, vocabulary):
        super().__init__()
        self.table, self.positions = parameter(vocabulary, width), parameter(context, width)
        self.blocks = nn.ModuleList(
            Block(width, heads, hidden, gelu_tanh) for _ in range(layers))
        self.norm = nn.LayerNorm(width)
        self.mask = causal_mask(context)

    def forward(self, _, target):
        x = F.embedding(target, self.table) + self.positions
        for block in self.blocks:
            x = block(x, self.mask)
        return F.linear(self.norm(x), self.table)


def sinusoids(length, width):
    angles = torch.arange(length)[:, None] * 10000 ** (-torch.arange(0, width, 2) / width)
    return torch.stack([angles.sin(), angles.cos()], 2).view(length, width)


class Translator(nn.Module):
    def __init__(self, layers, width, heads, hidden, length, vocabulary):
        super().__init__()
        self.table, self.positions = parameter(vocabulary, width), sinusoids(length, width)
        self.factor = math.sqrt(width)
        self.encoder = nn.ModuleList(Block(width, heads, hidden, F.relu) for _ in range(layers))
        self.decoder = nn.ModuleList(
            Block(width, heads, hidden, F.relu, cross=True) for _ in range(layers))
        self.encoder_norm, self.norm = nn.LayerNorm(width), nn.LayerNorm(width)
        self.mask = causal_mask(length)

    def embed(self, ids):
        return torch.add(self.positions, F.embedding(ids, self.table), alpha=self.factor)

    def forward(self, source, target):
        memory = self.embed(source)
        for block in self.encoder:
            memory = block(memory, torch.zeros(1))
        memory = self.encoder_norm(memory)
        x = self.embed(target)
        for block in self.decoder:
            x = block(x, self.mask, memory)
        return F.linear(self.norm(x), self.table)


class Bahdanau(nn.Module):
    def __init__(self, width, vocabulary):
        super().__init__()
        self.source_table, self.target_table = (parameter(vocabulary, width) for _ in range(2))
        self.encoder = nn.GRU(width, width, bidirectional=True, batch_first=True)
        self.start = nn.Linear(2 * width, width)
        self.query = nn.Linear(width, width, bias=False)
        self.keys = nn.Linear(2 * width, width, bias=False)
        self.score = parameter(width)
        self.input, self.recurrent = nn.Linear(width, 3 * width), nn.Linear(width, 3 * width)
        self.context = nn.Linear(2 * width, 3 * width, bias=False)
        self.readout = nn.Linear(4 * width, width)
        self.output = nn.Linear(width, vocabulary)

    def forward(self, source, target):
        memory, last = self.encoder(F.embedding(source, self.source_table))  # [B, S, 2 H]
        s = torch.tanh(self.start(torch.cat([last[0], last[1]], 1)))
        keys = self.keys(memory)
        embedded = F.embedding(target, self.target_table)
        states, contexts = [], []
        for gates in self.input(embedded).unbind(1):
            hidden = torch.tanh(keys + self.query(s)[:, None])
            weights = torch.softmax(hidden @ self.score, 1)
            context = torch.bmm(weights[:, None], memory)[:, 0]
            x = gates + self.context(context)
            s = self.cell(x, s)
            states.append(s)
            contexts.append(context)
        joined = torch.cat([torch.stack(states, 1), torch.stack(contexts, 1), embedded], 2)
        return self.output(torch.tanh(self.readout(joined)))

    def cell(self, x, s):
        x_rz, x_n = x.split([2 * s.shape[1], s.shape[1]], 1)
        h_rz, h_n = self.recurrent(s).split([2 * s.shape[1], s.shape[1]], 1)
        r, z = torch.sigmoid(x_rz + h_rz).chunk(2, 1)
        return torch.lerp(torch.tanh(torch.addcmul(x_n, r, h_n)), s, z)


class Work:
    """A model and its data; step() is what is timed."""

    def __init__(self, model, vocabulary, sequences, target, source=0, foreach=False):
        self.model = model
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, foreach=foreach)

        def ids(length):
            return torch.randint(vocabulary, (sequences, length))

        self.batches = [(ids(source), ids(target), ids(target).view(-1)) for _ in range(4)]
        self.next = 0

    def step(self):
        source, target, labels = self.batches[self.next % len(self.batches)]
        self.next += 1
        logits = self.model(source, target)
        loss = F.cross_entropy(logits.view(len(labels), -1), labels)
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()
        return loss.item()


def make_lm(foreach, quick):
    return Work(LanguageModel(6, 384, 6, 1536, 256, 8192), 8192, 2 if quick else 16, 256,
                foreach=foreach)


def make_translate(foreach, quick):
    return Work(Translator(3, 256, 4, 1024, 24, 8000), 8000, 2 if quick else 64, 24, 24,
                foreach=foreach)


def make_bahdanau(foreach, quick):
    return Work(Bahdanau(256, 8000), 8000, 2 if quick else 64, 24, 24, foreach=foreach)


def make_chars(foreach, quick):
    return Work(LanguageModel(4, 128, 4, 512, 64, 65), 65, 2 if quick else 12, 64, foreach=foreach)


WORKS = {
    "train-lm": make_lm,
    "train-translate": make_translate,
    "train-bahdanau": make_bahdanau,
    "train-chars": make_chars,
}


def variants(name, quick):
    def make(foreach):
        work = WORKS[name](foreach, quick)
        return lambda: None, lambda _: work.step()

    return {"AdamW, tensor by tensor": lambda: make(False), "AdamW, foreach": lambda: make(True)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("name", choices=WORKS)
    parser.add_argument("-t", "--threads", type=int, default=2)
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    work = WORKS[options.name](False, options.quick)
    for _ in range(2):
        work.step()
    with open("/proc/self/status") as status:
        print(next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM")))


if __name__ == "__main__":
    main()
