"""Slow twins of discounted relative frequencies, from their definitions with dictionaries and exact counts.

Good-Turing: a count r becomes r* = (r + 1) (n_{r+1} + 0.1) / (n_r + 0.1), where n_r phrase pairs are counted r times;
the factor r*/r is between the one of the count below (0.01 for the first) and 1. Counts from 9 stay.

Kneser-Ney (Foster, Kuhn and Johnson 2006, section 3.2, with the discounts of Chen and Goodman 1998): p(s | t) =
(c(s, t) - D(c)) / c(t) + alpha(t) p_b(s), where p_b(s) is the share of s in all distinct phrase pairs, and
alpha(t) c(t) is all that the pairs of t give up.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

Pairs = Mapping[tuple[str, str], int]


def good_turing(pairs: Pairs) -> dict[tuple[str, str], tuple[float, float]]:
    """Return p(s|t) and p(t|s) of each phrase pair."""
    numbers = Counter(pairs.values())
    factors = [0.01]
    for r in range(1, 10):
        factor = (r + 1) / r * (numbers[r + 1] + 0.1) / (numbers[r] + 0.1)
        factors.append(max(min(factor, 1.0), factors[-1]))
    sources, targets = totals(pairs)
    result = {}
    for (source, target), count in pairs.items():
        adjusted = count * factors[count] if count < 9 else count
        result[source, target] = adjusted / targets[target], adjusted / sources[source]
    return result


def discount_of(pairs: Pairs, count: int) -> float:
    """Return D(c): three discounts from the numbers of phrase pairs that are counted once to four times."""
    numbers = Counter(pairs.values())
    y = numbers[1] / (numbers[1] + 2 * numbers[2])
    r = min(count, 3)
    return min(max(r - (r + 1) * y * numbers[r + 1] / numbers[r], 0.0), r - 0.1)


def kneser_ney(pairs: Pairs) -> dict[tuple[str, str], tuple[float, float]]:
    """Return p(s|t) and p(t|s) of each phrase pair."""
    sources, targets = totals(pairs)
    distinct_of_source, distinct_of_target = Counter(s for s, _ in pairs), Counter(t for _, t in pairs)
    given_up_by_source: dict[str, float] = dict.fromkeys(sources, 0.0)
    given_up_by_target: dict[str, float] = dict.fromkeys(targets, 0.0)
    for (source, target), count in pairs.items():
        given_up_by_source[source] += discount_of(pairs, count)
        given_up_by_target[target] += discount_of(pairs, count)
    result = {}
    for (source, target), count in pairs.items():
        kept = count - discount_of(pairs, count)
        inverse = (kept + given_up_by_target[target] * distinct_of_source[source] / len(pairs)) / targets[target]
        direct = (kept + given_up_by_source[source] * distinct_of_target[target] / len(pairs)) / sources[source]
        result[source, target] = inverse, direct
    return result


def totals(pairs: Pairs) -> tuple[Counter[str], Counter[str]]:
    """Return the counts of sources and of targets."""
    sources: Counter[str] = Counter()
    targets: Counter[str] = Counter()
    for (source, target), count in pairs.items():
        sources[source] += count
        targets[target] += count
    return sources, targets
