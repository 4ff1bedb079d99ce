"""Exchange clustering under the class bigram model: the likelihood from its definition, one full count for each move.

Kneser and Ney 1993; Martin, Liermann and Ney 1998.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

BOUNDARY = None
"""Stands before the first and after the last word of a sentence, in a class of its own."""
Text = Sequence[Sequence[str]]


def log_likelihood(text: Text, classes: Mapping[str, int]) -> float:
    """Sum over words and ends of ln p(g(w) | g(v)) p(w | g(w)), with relative frequencies; v stands before w."""
    known: dict[str | None, int | None] = {**classes, BOUNDARY: None}
    events = [
        pair for sentence in text if sentence for pair in zip([BOUNDARY, *sentence], [*sentence, BOUNDARY], strict=True)
    ]
    pairs = Counter((known[v], known[w]) for v, w in events)
    lefts = Counter(known[v] for v, _ in events)
    words = Counter(w for _, w in events)
    rights = Counter(known[w] for _, w in events)
    return sum(math.log(pairs[known[v], known[w]] / lefts[known[v]] * words[w] / rights[known[w]]) for v, w in events)


def exchange(text: Text, count: int, iterations: int) -> tuple[dict[str, int], list[float]]:
    """One run: the classes, and the log-likelihood before it and after each iteration.

    Words are visited by falling frequency (ties: as they occur), dealt out to the classes in this order, and moved to
    the best class (ties: the smallest) until none moves.
    """
    frequencies = Counter(word for sentence in text for word in sentence)
    order = sorted(frequencies, key=lambda word: -frequencies[word])
    classes = {word: rank % count for rank, word in enumerate(order)}
    history = [log_likelihood(text, classes)]
    for _ in range(iterations):
        before = dict(classes)
        for word in order:
            scores = [log_likelihood(text, {**classes, word: group}) for group in range(count)]
            if max(scores) > scores[classes[word]] + 1e-9:
                # Equal but for rounding is equal.
                classes[word] = next(g for g, score in enumerate(scores) if score > max(scores) - 1e-9)
        history.append(log_likelihood(text, classes))
        if classes == before:
            break
    return classes, history
