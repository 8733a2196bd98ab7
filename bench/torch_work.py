"""What compare.py measures in PyTorch: for each row of `heed bench`, the same work.

A variant is one way to do it: a function without arguments that makes the data and returns a task,
(prepare, work). prepare() is not timed; what it returns is given to work().
"""

import math
from dataclasses import dataclass
from typing import Callable, Dict

import torch
import torch.nn.functional as F

import torch_train

HEADS, HEAD_WIDTH = 8, 64
LENGTHS = (512, 2048)
WIDTH = 768
PRODUCTS = (
    ("nn", 512, 768, 768),
    ("nn", 512, 3072, 768),
    ("nn", 2048, 2048, 2048),
    ("nt", 512, 768, 3072),
    ("nt", 2048, 2048, 2048),
    ("tn", 768, 3072, 4096),
    ("tn", 2048, 2048, 2048),
)


@dataclass
class Row:
    suite: str
    name: str  # of the row of heed bench
    variants: Dict[str, Callable]


def uniform(*shape):
    return torch.rand(*shape) * 2 - 1


def forward_task(work):
    """A task that records nothing."""

    def run(_):
        with torch.no_grad():
            return work()

    return lambda: None, run


# ---- matrix products --------------------------------------------------------------------------


def product(layout, M, N, K):
    def make():
        a = uniform(K, M).t() if layout == "tn" else uniform(M, K)
        b = uniform(N, K).t() if layout == "nt" else uniform(K, N)
        c = torch.empty(M, N)
        return forward_task(lambda: torch.mm(a, b, out=c))

    return Row("gemm", f"large-{layout}-{M}x{N}x{K}", {"mm": make})


# ---- attention --------------------------------------------------------------------------------
#
# This PyTorch has no fused attention. The usual composition, on [H, L, D] without any copying: the
# scale and the causal mask (0 and -inf, added) are part of the first product.


class Attention:
    def __init__(self, length, causal):
        self.q, self.k, self.v, self.dy = (uniform(HEADS, length, HEAD_WIDTH) for _ in range(4))
        self.scale = 1 / math.sqrt(HEAD_WIDTH)
        self.mask = torch.zeros(1)
        if causal:
            self.mask = torch.full((length, length), -math.inf).triu(1)
        self.beta = 1 if causal else 0
        self.shape = (HEADS, length, length)

    def scores(self, out=None):
        mask = self.mask.expand(self.shape)
        kt = self.k.transpose(1, 2)
        return torch.baddbmm(mask, self.q, kt, beta=self.beta, alpha=self.scale, out=out)

    def forward(self):
        return torch.bmm(torch.softmax(self.scores(), -1), self.v)


def attention_forward(length, causal):
    def plain():
        return forward_task(Attention(length, causal).forward)

    def in_place():
        data = Attention(length, causal)
        weights = torch.empty(data.shape)
        y = torch.empty_like(data.q)

        def work():
            data.scores(out=weights)
            torch._softmax(weights, -1, False, out=weights)
            return torch.bmm(weights, data.v, out=y)

        return forward_task(work)

    return {"new tensors": plain, "in place": in_place}


def attention_forward_backward(length, causal):
    def make():
        data = Attention(length, causal)
        inputs = (data.q, data.k, data.v)
        for x in inputs:
            x.requires_grad_()
        return lambda: None, lambda _: torch.autograd.grad(data.forward(), inputs, data.dy)

    return {"composition": make}


def attention(length, causal, backward):
    name = f"{'causal' if causal else 'full'}-forward{'-backward' if backward else ''}-{length}"
    variants = attention_forward_backward if backward else attention_forward
    return Row("attention", name, variants(length, causal))


# ---- Gaussian kernel regression ---------------------------------------------------------------
#
# All 100,000 x 5,000 weights at once would take 2 GB, so the queries are cut into chunks. The scores
#
#   -|q - k|^2 / 2w^2  =  [q, |q|^2, 1] . [k / w^2, -1 / 2w^2, -|k|^2 / 2w^2]
#
# are one product, several times as fast as torch.cdist. From them either softmax and the sum of
# values, or exp and the sums of values and of weights in one product.

KEYS, QUERIES, KERNEL_WIDTH = 100_000, 5_000, 0.1


def weigh_by_softmax(scores, y):
    torch._softmax(scores, -1, False, out=scores)
    return torch.mv(scores, y[:, 0])


def weigh_by_exp(scores, y):
    sums = torch.mm(scores.exp_(), y)
    return sums[:, 0] / sums[:, 1]


def regression_task(chunk, weigh):
    query, seen = uniform(QUERIES, 2), uniform(KEYS, 2)
    y = torch.cat([uniform(KEYS, 1), torch.ones(KEYS, 1)], 1)
    scores = torch.empty(chunk, KEYS)
    factor = 1 / KERNEL_WIDTH**2

    def work():
        squares = seen.square().sum(1, keepdim=True)
        keys = torch.cat([seen * factor, torch.full_like(squares, -factor / 2),
                          squares * (-factor / 2)], 1).t().contiguous()
        answers = []
        for part in query.split(chunk):
            squares = part.square().sum(1, keepdim=True)
            rows_of_part = torch.cat([part, squares, torch.ones_like(squares)], 1)
            s = torch.mm(rows_of_part, keys, out=scores[: len(part)])
            answers.append(weigh(s, y))
        return torch.cat(answers)

    return forward_task(work)


def regression():
    variants = {}
    for chunk in (100, 250, 500):
        for way, weigh in (("softmax", weigh_by_softmax), ("exp", weigh_by_exp)):
            variants[f"{way}, {chunk} queries at a time"] = (
                lambda chunk=chunk, weigh=weigh: regression_task(chunk, weigh)
            )
    return Row("attention", f"regression-gaussian-{KEYS}x{QUERIES}", variants)


# ---- operations bound by memory ---------------------------------------------------------------


def operation_rows(name, width, elements, f, parameters=0, out=None):
    """Forward, and backward alone. `out` writes the result of f into a tensor that exists."""

    def data():
        return uniform(elements // width, width), [uniform(width) for _ in range(parameters)]

    def forward():
        x, rest = data()
        return forward_task(lambda: f(x, *rest))

    def forward_out():
        x, rest = data()
        y = torch.empty_like(x)
        return forward_task(lambda: out(x, *rest, y))

    def backward():
        x, rest = data()
        inputs = [t.requires_grad_() for t in (x, *rest)]
        dy = uniform(*x.shape)
        return lambda: f(*inputs), lambda y: torch.autograd.grad(y, inputs, dy)

    variants = {"new tensor": forward}
    if out:
        variants["into a tensor"] = forward_out
    return [Row("ops", f"{name}-forward", variants), Row("ops", f"{name}-backward", {name: backward})]


def rows(quick):
    elements = ((4 if quick else 256) << 20) // 4  # as in heed bench
    result = [product(*shape) for shape in PRODUCTS]
    for backward in (False, True):
        for length in LENGTHS:
            result += [attention(length, causal, backward) for causal in (False, True)]
    result.append(regression())
    result += operation_rows("layer_norm", WIDTH, elements,
                             lambda x, gamma, beta: F.layer_norm(x, (WIDTH,), gamma, beta), 2)
    result += operation_rows("softmax", 1024, elements, lambda x: torch.softmax(x, -1),
                             out=lambda x, y: torch._softmax(x, -1, False, out=y))
    for form, approximate in (("exact", "none"), ("tanh", "tanh")):
        result += operation_rows(
            f"gelu_{form}", WIDTH, elements,
            lambda x, how=approximate: F.gelu(x, approximate=how),
            out=lambda x, y, how=approximate: torch._C._nn.gelu(x, approximate=how, out=y))
    result += [Row("train", name, torch_train.variants(name, quick)) for name in torch_train.WORKS]
    return result
