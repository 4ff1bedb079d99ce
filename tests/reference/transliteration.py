"""Slow twins of transliteration: measures by definition, the two-step model by enumeration over `ChainCRF`."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from plait.crf import ChainCRF

Chunks = Sequence[tuple[Sequence[str], Sequence[str]]]


def common_subsequence(a: Sequence[str], b: Sequence[str]) -> int:
    """Return the length of the longest common subsequence by its recursion, a table of all beginnings."""
    table = np.zeros((len(a) + 1, len(b) + 1), dtype=int)
    for i, j in itertools.product(range(1, len(a) + 1), range(1, len(b) + 1)):
        table[i, j] = table[i - 1, j - 1] + 1 if a[i - 1] == b[j - 1] else max(table[i - 1, j], table[i, j - 1])
    return int(table[len(a), len(b)])


def measures(
    candidates: Sequence[Sequence[str]],
    references: Sequence[Sequence[str]],
    split: Callable[[str], Sequence[str]] = list,
) -> dict[str, float]:
    """Return ACC, mean F, MRR and MAP_ref by their definitions, for distinct candidates."""
    acc = f = mrr = map_ref = 0.0
    for answers, rights in zip(candidates, references, strict=True):
        rights = sorted(set(rights))
        if not answers:
            continue
        acc += answers[0] in rights
        best = 0.0
        for right in rights:
            a, b = split(answers[0]), split(right)
            common = common_subsequence(a, b)
            if not a and not b:
                best = 1.0
            if common:
                precision, recall = common / len(a), common / len(b)
                best = max(best, 2 * precision * recall / (precision + recall))
        f += best
        mrr += max((1 / (1 + answers.index(right)) for right in rights if right in answers), default=0.0)
        precisions = [len(set(answers[:k]) & set(rights)) / k for k in range(1, len(rights) + 1)]
        map_ref += sum(precisions) / len(rights)
    count = len(references)
    return {"acc": acc / count, "f_score": f / count, "mrr": mrr / count, "map_ref": map_ref / count}


def segmentations(length: int) -> Iterator[list[int]]:
    """Yield the ends of the chunks of all segmentations of a word."""
    for cuts in itertools.product((False, True), repeat=length - 1):
        yield [place for place, is_cut in enumerate(cuts, 1) if is_cut] + [length]


def segmenter_items(word: Sequence[str]) -> list[list[str]]:
    """Return the features of the paper's segmenter as texts, for each symbol."""

    def at(place: int) -> str:
        return word[place] if 0 <= place < len(word) else "#"

    windows = [(-2, 1), (-1, 1), (0, 1), (1, 1), (2, 1), (-1, 2), (0, 2)]
    return [
        [f"{o},{n}=" + "/".join(at(place + o + k) for k in range(n)) for o, n in windows] for place in range(len(word))
    ]


def converter_items(chunks: Sequence[str]) -> list[list[str]]:
    """Return the features of the paper's converter as texts, for each chunk."""
    padded = ["#", *chunks, "#"]
    return [
        [f"0={b}", f"-1={a}", f"-1,0={a}|{b}", f"1={c}", f"0,1={b}|{c}"]
        for a, b, c in zip(padded, padded[1:], padded[2:], strict=False)
    ]


class TwoStepTwin:
    """The two-step model with the paper's features, made of two `ChainCRF`, decoded by going through everything."""

    def __init__(self, pairs: Sequence[Chunks], l2: float) -> None:
        options = {"l2": l2, "epsilon": 1e-9, "delta": 1e-12, "max_iterations": 2000}
        words, tags, chunks, labels = [], [], [], []
        self.seen: dict[str, set[str]] = {}
        for pair in pairs:
            words.append(segmenter_items([symbol for source, _ in pair for symbol in source]))
            tags.append([tag for source, _ in pair for tag in ["B", *"N" * (len(source) - 1)]])
            sources = ["".join(source) for source, _ in pair]
            chunks.append(converter_items(sources))
            labels.append([" ".join(target) for _, target in pair])
            for source, label in zip(sources, labels[-1], strict=True):
                self.seen.setdefault(source, set()).add(label)
        self.segmenter = ChainCRF(**options).fit(words, tags)
        self.converter = ChainCRF(**options).fit(chunks, labels)

    def lists(self, word: str) -> list[tuple[float, list[tuple[str, float]]]]:
        """Return P(A | S), and all conversions of A with P(labels | S, A), for each segmentation A, the best first."""
        items = segmenter_items(list(word))
        first = ["B"] if "B" in self.segmenter.classes_ else None
        allowed = [[first, *[None] * (len(word) - 1)]]
        found = []
        for ends in segmentations(len(word)):
            begins = {0, *ends[:-1]}
            tags = ["B" if place in begins else "N" for place in range(len(word))]
            mass = float(np.exp(self.segmenter.log_probability([items], [tags], allowed=allowed)[0]))
            chunks = [word[start:stop] for start, stop in zip([0, *ends[:-1]], ends, strict=True)]
            candidates = [self.seen.get(chunk) for chunk in chunks]
            count = int(np.prod([len(self.converter.classes_ if own is None else own) for own in candidates]))
            labellings = self.converter.predict_nbest([converter_items(chunks)], count, allowed=[candidates])[0]
            conversions = [
                (" ".join(label for label in found.labels if label), found.probability) for found in labellings
            ]
            found.append((mass, conversions))
        return sorted(found, key=lambda item: -item[0])


def summed(
    lists: Sequence[tuple[float, Sequence[tuple[str, float]]]], first: int | None = None, best: int | None = None
) -> dict[str, float]:
    """Return the probability of each target, from the first segmentations and the best conversions of each."""
    sums: dict[str, float] = {}
    for mass, conversions in lists[:first]:
        for target, probability in conversions[:best]:
            sums[target] = sums.get(target, 0.0) + mass * probability
    return sums
