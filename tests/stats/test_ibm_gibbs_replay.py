"""The sampler of the core, followed draw by draw on texts too large to enumerate.

The core's random numbers are a function of seed, chain, sweep, direction and the place of the token, so the twin can
make the same draws from its own conditionals, which it computes in double precision from counts taken anew for every
token. The links must be equal: single precision decides otherwise once in a million draws.
"""

from __future__ import annotations

import bisect
import itertools

import pytest

import fitting
from gibbs_chains import order_of_core
from made_corpora import zipf_corpus
from reference import stream
from reference.direction import Alignment, Direction
from reference.enumeration import Order
from reference.gibbs import conditional
from reference.ibm import Model
from strategies import Corpus

CHAIN = 0
FIRST_LINKS = 0xF1257111

FREQUENT = zipf_corpus(50, types=4, mean_length=5, seed=2)
"""Types with more than a hundred tokens."""
LONG = zipf_corpus(6, types=25, mean_length=30, seed=3)
"""Sentences of about thirty words, with long tails in Model 2."""
GAPS: Corpus = ([[], *FREQUENT[0][:20], ["s1"]], [["t0", "t1"], *FREQUENT[1][:20], []])
"""Pairs that do not train before and after those that do."""


def counter(direction: Direction, n: int, j: int) -> int:
    """The number of a token's draws: its sentence in the whole corpus and its position."""
    return direction.places[n] << 16 | j


def first_links(direction: Direction, seed: int) -> Alignment:
    """The uniform start."""
    key = [seed, CHAIN, FIRST_LINKS, int(direction.is_reverse)]
    return [
        [stream.below(key, counter(direction, n, j), len(pair.given)) for j in range(pair.emitted_length)]
        for n, pair in enumerate(direction.pairs)
    ]


def replay(
    direction: Direction, model: Model, alignment: Alignment, blocks: list[Order], *, seed: int, sweep: int
) -> Alignment:
    """One sweep: each block goes through its tokens and sees the others as they were when the sweep began."""
    key = [seed, CHAIN, sweep, int(direction.is_reverse)]
    result = [list(links) for links in alignment]
    for block in blocks:
        current = [list(links) for links in alignment]
        for n, j in block:
            ends = list(itertools.accumulate(conditional(direction, model, current, n, j)))
            drawn = bisect.bisect_right(ends, stream.unit(key, counter(direction, n, j)) * ends[-1])
            current[n][j] = result[n][j] = drawn
    return result


@pytest.mark.parametrize("sampler", ["exact", "parallel"])
@pytest.mark.parametrize(
    "model",
    [Model("ibm1"), Model("ibm1", 0.1, theta=0.1), Model("ibm2", 0.2), Model("ibm2", 0.2, 0.05, 0.5, tail="each")],
    ids=["ibm1", "ibm1-p0", "ibm2", "ibm2-each"],
)
@pytest.mark.parametrize("corpus", [FREQUENT, LONG, GAPS], ids=["frequent", "long", "gaps"])
def test_every_draw_is_the_twins(corpus: Corpus, model: Model, sampler: str) -> None:
    sweeps, seed = 2, 17
    fitted = fitting.fit(
        corpus,
        model,
        inference="gibbs",
        initial="uniform",
        burn_in=sweeps - 1,
        samples=1,
        seed=seed,
        sampler=sampler,
        # More blocks than types: each type is a block.
        blocks=10_000,
        threads=1,
    )
    for reverse in (False, True):
        direction = Direction.of(*corpus, reverse=reverse)
        types = order_of_core(direction, corpus)
        blocks = [[token for tokens in types for token in tokens]] if sampler == "exact" else types
        alignment = first_links(direction, seed)
        for sweep in range(sweeps):
            alignment = replay(direction, model, alignment, blocks, seed=seed, sweep=sweep)
        assert fitting.alignment(direction, fitting.links(fitted, reverse=reverse)) == alignment


def test_the_corpora_have_what_they_are_for() -> None:
    direction = Direction.of(*FREQUENT)
    assert max(len(tokens) for tokens in order_of_core(direction, FREQUENT)) > 100
    assert min(map(len, LONG[0])) > 15
    assert Direction.of(*GAPS).places[0] == 1
