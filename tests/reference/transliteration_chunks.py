"""Chunk alignment and the joint source-channel model by enumeration of all ways: slow, and obviously right."""

from __future__ import annotations

import itertools
import math
from collections import defaultdict

from reference.ngram import Twin


def shapes(max_source, max_target, *, many_to_many=False, deletions=False, insertions=False):
    """The allowed numbers of source and target symbols of a unit."""
    found = {
        (a, b) for a in range(1, max_source + 1) for b in range(1, max_target + 1) if many_to_many or a == 1 or b == 1
    }
    return found | ({(1, 0)} if deletions else set()) | ({(0, 1)} if insertions else set())


def ways(source, target, allowed):
    """All ways to cut a pair into units."""
    if not source and not target:
        return [[]]
    found = []
    for a, b in sorted(allowed):
        if a <= len(source) and b <= len(target):
            unit = (tuple(source[:a]), tuple(target[:b]))
            found += [[unit, *rest] for rest in ways(source[a:], target[b:], allowed)]
    return found


def train(pairs, allowed, passes, *, penalty=0.0):
    """Expectation maximisation: the weight of each unit after some passes, and the log-likelihoods they began with."""
    weights = defaultdict(lambda: 1.0)
    history = []
    for _ in range(passes):
        counts, total = defaultdict(float), 0.0
        for source, target in pairs:
            cuts = ways(source, target, allowed)
            scores = [math.prod(weights[unit] for unit in way) for way in cuts]
            total += math.log(sum(scores))
            for way, score in zip(cuts, scores, strict=True):
                for unit in way:
                    counts[unit] += score / sum(scores)
        history.append(total)
        everything = sum(counts.values())
        weights = {
            unit: count / everything * math.exp(-penalty * (max(len(unit[0]), len(unit[1])) - 1))
            for unit, count in counts.items()
        }
    return weights, history


class JointTwin:
    """A joint source-channel model whose sums go over all ways."""

    def __init__(self, sequences, order, prune=(0,), unknown="skip"):
        self.units = sorted({unit for sequence in sequences for unit in sequence})
        self.ngrams = Twin(sequences, order, prune=prune)
        self.unknown = unknown

    def probability(self, way):
        """The probability of units one after the other, and then the end."""
        return math.prod(map(float, self.ngrams.sentence(way)))

    def cuts(self, source, at=0):
        """All ways to cut a source word: units, and an unknown unit for a symbol that none covers alone."""
        if at == len(source):
            return [[]]
        options = [unit for unit in self.units if tuple(source[at : at + len(unit[0])]) == unit[0]]
        if not any(len(unit[0]) == 1 for unit in options):
            options.append(((source[at],), (source[at],) if self.unknown == "copy" else (), "unknown"))
        return [[unit, *rest] for unit in options for rest in self.cuts(source, at + len(unit[0]))]

    def targets(self, source):
        """Each target with its probability together with the source, and that of its best way."""
        sums, best = defaultdict(float), defaultdict(float)
        for way in self.cuts(tuple(source)):
            target = tuple(itertools.chain.from_iterable(unit[1] for unit in way))
            probability = self.probability(way)
            sums[target] += probability
            best[target] = max(best[target], probability)
        return sums, best
