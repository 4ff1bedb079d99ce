"""Chains of the core's Gibbs sampler, in the terms of the twins, and corpora small enough to enumerate.

Chains of different seeds are independent, so one link set from each of thousands of chains can be tested
without any allowance for autocorrelation; and the law of the alignment after any number of sweeps is known
exactly, so there is no burn-in to argue about.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import fitting
from plait import align
from plait.bitext import Bitext
from reference.chi_squared import FALSE_ALARMS, fit_probability
from reference.direction import Direction
from reference.enumeration import Order, State, to_state, tokens_by_type
from reference.ibm import Model
from strategies import Corpus

SHORT: Corpus = ([["a", "b"], ["b"], ["a"]], [["x", "y"], ["y"], ["x"]])
"""36 alignments in either direction."""
MIXED: Corpus = ([["a", "b", "a"], ["c", "b"], ["b"]], [["x", "y"], ["y", "z"], ["y"]])
"""Repeated words, unequal lengths; 288 alignments forward, 432 reverse."""
LONG: Corpus = ([list("abcdefabcdef"), ["a", "b"]], [["x", "y"], ["x"]])
"""A sentence whose positions reach both tails of Model 2; 507 alignments forward."""

MODELS = {
    "ibm1": Model("ibm1", theta=0.5),
    "ibm1, sparse": Model("ibm1"),
    "ibm1, p0": Model("ibm1", 0.1, theta=0.1),
    "ibm2": Model("ibm2", 0.2, theta=0.5, phi=1.0),
    "ibm2, sparse": Model("ibm2", 0.2),
    "ibm2, whole tails": Model("ibm2", 0.3, theta=0.2, phi=0.4, tail="each"),
}


def order_of_core(direction: Direction, corpus: Corpus) -> list[Order]:
    """The core visits the tokens type by type, in the order of its vocabulary."""
    bitext = Bitext.from_lists(*corpus)
    vocabulary = bitext.source_vocabulary if direction.is_reverse else bitext.target_vocabulary
    return tokens_by_type(direction, list(vocabulary))


def chains(
    corpus: Corpus, model: Model, seeds: Iterable[int], *, sweeps: int, **options: object
) -> tuple[Counter[State], Counter[State]]:
    """How often each alignment is the state of a chain after so many sweeps, forward and reverse."""
    bitext = Bitext.from_lists(*corpus)
    directions = [Direction.of(*corpus, reverse=reverse) for reverse in (False, True)]
    counts: tuple[Counter[State], Counter[State]] = (Counter(), Counter())
    settings: dict[str, object] = {"initial": "uniform", "sampler": "exact", **options}
    for seed in seeds:
        fitted = align.fit(
            bitext,
            "GS-5",
            model=model.name,
            tail=model.tail,
            theta=model.theta,
            phi=model.phi,
            p0=model.p0,
            inference="gibbs",
            burn_in=sweeps - 1,
            samples=1,
            seed=seed,
            symmetrize="intersection",
            threads=1,
            **settings,
        )
        for count, direction in zip(counts, directions, strict=True):
            links = fitting.links(fitted, reverse=direction.is_reverse)
            count[to_state(fitting.alignment(direction, links))] += 1
    return counts


def assert_law(counts: tuple[Counter[State], Counter[State]], laws: list[dict[State, float]]) -> None:
    for name, count, law in zip(("forward", "reverse"), counts, laws, strict=True):
        assert fit_probability(count, law) > FALSE_ALARMS, name
