#!/usr/bin/python3
"""Writes goldens.txt: sentences and their scores, computed with Python's own means.

Needed only to remake the file; the tests just read it. Needs NLTK (Debian: python3-nltk), which
confirms what it computes as well: BLEU without smoothing, and chrF of a sentence with epsilon
smoothing.

    /usr/bin/python3 tests/metrics/make_goldens.py

Lines of fields with tabs between; # begins a comment.

    sentence    hypothesis, reference, reference
    words       the 13a words of the hypothesis above, with blanks between
    lower       the hypothesis above in lower case
    alone       BLEU of the sentence above with both references: exp smoothing, effective order
    rouge       precision, recall and F1 of ROUGE-1, -2 and -L for hypothesis and first reference
    bleu        tokenizer, smoothing, its value, lower case (0 or 1), references; score, p_1 .. p_4
    chrf        word order, beta, lower case, white space, epsilon, references; score

The last two are of all sentences together; references: 1, the first of each, or 2.

    entities    expected tags, predicted tags, blanks between; correct, found, expected entities
"""

import math
import os
import random
import re
from collections import Counter
from fractions import Fraction

from nltk.translate.bleu_score import corpus_bleu as nltk_bleu
from nltk.translate.chrf_score import sentence_chrf as nltk_chrf

random.seed(20240229)
WORDS = """the The of and to in a is that for it was on are as with his they I at be this have from
or one had by Straße ÉCOLE Älter žluťoučký kůň Ωμέγα МОСКВА большой 東京 ﬁn naïve
cafe\u0301 don't it's U.S. e.g. 3.14 1,000 10-12 2004-01-26 -5 x-y co-op 50% $20 (hi) "so" [sic] a/b
A&amp;B &lt;b&gt; &quot;yes&quot; ... .. ,, . , ; : ! ? - -- 's 'a a.b a,b 1.a a.1 .5 5.
#1 @me ~ {x} <skipped> `q` \u00a0 \u2003 \u201cquoted\u201d 😀 i\u0307 İ ǅ ẞ K a\u001fb""".split(" ")
WORDS = [w for line in WORDS for w in re.split("\n", line) if w]


def words_13a(text):
    text = text.rstrip().replace("<skipped>", "").replace("-\n", "").replace("\n", " ")
    for entity, sign in (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">")):
        text = text.replace(entity, sign)
    text = " " + text + " "
    text = re.sub("([ -&(-+:-@/[-`{-~])", r" \1 ", text)
    text = re.sub("([^0-9])([.,])", r"\1 \2 ", text)
    text = re.sub("([.,])([^0-9])", r" \1 \2", text)
    text = re.sub("([0-9])(-)", r"\1 \2 ", text)
    return text.split()


def tokens(text, tokenizer, lower):
    text = text.lower() if lower else text
    if tokenizer == "13a":
        return words_13a(text)
    return [c for c in text if not c.isspace()] if tokenizer == "char" else text.split()


def grams(items, n):
    return Counter(tuple(items[i : i + n]) for i in range(len(items) - n + 1))


def bleu(corpus, tokenizer, smoothing, value, lower, references, effective=False):
    matches, totals, h, r = [0] * 4, [0] * 4, 0, 0
    for hypothesis, *refs in corpus:
        hyp = tokens(hypothesis, tokenizer, lower)
        refs = [tokens(x, tokenizer, lower) for x in refs[:references]]
        h += len(hyp)
        r += min((abs(len(x) - len(hyp)), len(x)) for x in refs)[1]
        for n in range(4):
            ours, theirs = grams(hyp, n + 1), Counter()
            for x in refs:
                theirs |= grams(x, n + 1)
            matches[n] += sum((ours & theirs).values())
            totals[n] += sum(ours.values())
    if not any(matches):
        return 0.0, [0.0] * 4
    precisions, halved = [], 1
    for n in range(sum(t > 0 for t in totals) if effective else 4):
        m, t = Fraction(matches[n]), Fraction(totals[n])
        if smoothing == "add-k" and n > 0:
            m, t = m + Fraction(value), t + Fraction(value)
        if m == 0 and smoothing == "exp":
            halved /= 2
            m = Fraction(halved)
        if m == 0 and smoothing == "floor":
            m = Fraction(value)
        precisions.append(float(100 * m / t))
    penalty = 1 if h >= r else math.exp(1 - r / h)
    return penalty * math.prod(precisions) ** (1 / len(precisions)), precisions


def confirm_bleu(corpus, tokenizer, smoothing, value, lower, references):
    """NLTK counts one n-gram where a hypothesis is too short for any: those are left out here."""
    long = [s for s in corpus if len(tokens(s[0], tokenizer, lower)) >= 4]
    words = [[tokens(x, tokenizer, lower) for x in s] for s in long]
    peer = nltk_bleu([s[1 : 1 + references] for s in words], [s[0] for s in words])
    ours = bleu(long, tokenizer, smoothing, value, lower, references)[0]
    assert abs(ours - 100 * peer) < 1e-9, (tokenizer, lower, references, ours, peer)


def chrf_words(text):
    punctuation = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
    for word in text.split():
        if len(word) > 1 and word[-1] in punctuation:
            yield from (word[:-1], word[-1])
        elif len(word) > 1 and word[0] in punctuation:
            yield from (word[0], word[1:])
        else:
            yield word


def chrf_counts(hypothesis, reference, word_order, lower, white):
    rows = []
    a, b = (x.lower() if lower else x for x in (hypothesis, reference))
    sides = [(list(x if white else "".join(x.split())), list(chrf_words(x))) for x in (a, b)]
    for kind, order in ((0, 6), (1, word_order)):
        for n in range(1, order + 1):
            ours, theirs = grams(sides[0][kind], n), grams(sides[1][kind], n)
            count = sum(ours.values()) if theirs else 0
            rows.append((count, sum(theirs.values()), sum((ours & theirs).values())))
    return rows


def chrf(rows, beta, epsilon):
    def f(p, r):
        return (1 + beta**2) * p * r / (beta**2 * p + r) if p + r else 0

    rates = [(m / h, m / r) for h, r, m in rows if h and r]
    if epsilon:
        return 100 * sum(f(p, r) for p, r in rates) / len(rows)
    if not rates:
        return 0
    return 100 * f(sum(p for p, _ in rates) / len(rates), sum(r for _, r in rates) / len(rates))


def corpus_chrf(corpus, word_order, beta, lower, white, epsilon, references):
    sums = None
    for hypothesis, *refs in corpus:
        rows = max(
            (chrf_counts(hypothesis, x, word_order, lower, white) for x in refs[:references]),
            key=lambda rows: chrf(rows, beta, epsilon),
        )
        sums = rows if sums is None else [tuple(map(sum, zip(a, b))) for a, b in zip(sums, rows)]
    return chrf(sums, beta, epsilon)


def rouge(hypothesis, reference):
    a, b = (re.findall("[a-z0-9]+", x.lower()) for x in (hypothesis, reference))
    results = []
    for n in (1, 2):
        ours, theirs = grams(a, n), grams(b, n)
        results.append((sum((ours & theirs).values()), sum(ours.values()), sum(theirs.values())))
    table = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            longest = max(table[i][j + 1], table[i + 1][j])
            table[i + 1][j + 1] = table[i][j] + 1 if x == y else longest
    results.append((table[-1][-1], len(a), len(b)))
    for matches, found, expected in results:
        p, r = matches / max(found, 1), matches / max(expected, 1)
        yield from (p, r, 2 * p * r / (p + r) if p + r else 0)


def starts_and_ends(tags):
    """Where entities start and end, (token, type): between two tags, as conlleval sees it."""
    split = [(t + "-").split("-")[:2] for t in ["O"] + tags + ["O"]]
    starts, ends = [], []
    for i, ((was, old), (now, new)) in enumerate(zip(split, split[1:])):
        cut = was + now in ("BB", "BS", "BO", "IB", "IS", "IO") or was in "ES" or old != new
        if was != "O" and cut:
            ends.append((i, old))
        if now != "O" and (now in "BS" or was in "ESO" or old != new):
            starts.append((i, new))
    return starts, ends


def entities(tags):
    starts, ends = starts_and_ends(tags)
    assert [kind for _, kind in starts] == [kind for _, kind in ends]
    return {(first, last, kind) for (first, kind), (last, _) in zip(starts, ends)}


def vary(sentence, change):
    """Some words left out, doubled, exchanged or put elsewhere."""
    result = []
    for word in sentence:
        kind = random.random() / change
        if kind < 0.25:
            continue
        result.append(random.choice(WORDS) if kind < 0.6 else word)
        if random.random() < 0.1:
            result[-1] = result[-1].swapcase()
        if 0.6 <= kind < 0.75:
            result.append(word)
    if random.random() < change and len(result) > 1:
        i = random.randrange(len(result) - 1)
        result[i], result[i + 1] = result[i + 1], result[i]
    return random.choice(["", " "]).join(["", " ".join(result), ""])


def main():
    corpus = []
    for length in [0, 1, 1, 2, 3, 4, 5] + [random.randrange(6, 30) for _ in range(33)]:
        sentence = [random.choice(WORDS) for _ in range(length)]
        corpus.append([vary(sentence, 0.25), " ".join(sentence), vary(sentence, 0.5)])
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "goldens.txt"), "w") as out:

        def write(*fields):
            out.write("\t".join(f if isinstance(f, str) else "%.12g" % f for f in fields) + "\n")

        write("# Written by make_goldens.py. Do not edit.")
        for sentence in corpus:
            write("sentence", *sentence)
            write("words", " ".join(words_13a(sentence[0])))
            write("lower", sentence[0].lower())
            write("alone", bleu([sentence], "13a", "exp", 0, 0, 2, effective=True)[0])
            write("rouge", *rouge(sentence[0], sentence[1]))
        for tokenizer in ("13a", "none", "char"):
            for smoothing, value in (("exp", 0), ("floor", 0.1), ("add-k", 2), ("none", 0)):
                for lower in (0, 1):
                    for references in (1, 2):
                        case = tokenizer, smoothing, value, lower, references
                        score, precisions = bleu(corpus, *case)
                        if smoothing == "none":
                            confirm_bleu(corpus, *case)
                        write("bleu", *case, score, *precisions)
        for word_order, beta, lower, white, epsilon in (
            (0, 2, 0, 0, 0), (2, 2, 0, 0, 0), (0, 3, 1, 0, 0),
            (2, 2, 1, 1, 0), (0, 2, 0, 0, 1), (2, 1, 0, 1, 1),
        ):
            for references in (1, 2):
                case = word_order, beta, lower, white, epsilon, references
                write("chrf", *case, corpus_chrf(corpus, *case))
        for scheme in ("BIO", "BIESO"):
            kinds = [p + "-" + t for p in scheme[:-1] for t in ("PER", "LOC")] + ["O"] * len(scheme)
            for length in range(20):
                expected = random.choices(kinds, k=length)
                predicted = [random.choice(kinds) if random.random() < 0.3 else t for t in expected]
                a, b = entities(predicted), entities(expected)
                counts = len(a & b), len(a), len(b)
                write("entities", " ".join(expected), " ".join(predicted), *counts)
        for hypothesis, reference, _ in corpus:
            ours = chrf(chrf_counts(hypothesis, reference, 0, 0, 0), 2, 1)
            if min(len("".join(x.split())) for x in (hypothesis, reference)) >= 6:
                peer = nltk_chrf("".join(reference.split()), "".join(hypothesis.split()), beta=2)
                assert abs(ours - 100 * peer) < 1e-9, (hypothesis, ours, peer)


main()
