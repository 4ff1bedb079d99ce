"""The HMM of the core in the terms of its twin: every option of the border, no preset in between."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from fitting import Links, links_of, table_of
from plait import _core
from plait.alignments import Alignments
from plait.bitext import Bitext
from plait.models import unpack_words
from reference.direction import Word
from reference.hmm import HmmModel, Jumps, Parameters
from strategies import Corpus

NO_CLASS = 2**16 - 1
PAPER: dict[str, Any] = {
    "initial_decay": 0.0,
    "prefixes": [],
    "strength": [0.0],
    "variety": 0.0,
    "leave_out": 0.0,
    "null_mixture": 0.0,
    "emission_beam": 0.0,
    "state_beam": 0.0,
    "warm_up_p0": None,
}
"""What makes the engine the model of the papers: nothing is smoothed, left out or dropped."""


@dataclass(frozen=True)
class Trained:
    """What training leaves, direction by direction: forward and reverse."""

    links: tuple[Alignments, Alignments]
    posteriors: tuple[Alignments, Alignments]
    history: tuple[list[float], list[float]]
    core: _core.Hmm

    def links_of(self, *, reverse: bool) -> Links:
        return links_of(self.links[reverse])

    def posteriors_of(self, *, reverse: bool) -> list[dict[tuple[int, int], float]]:
        return table_of(self.posteriors[reverse])

    def parameters(self, *, reverse: bool) -> Parameters:
        """What the last M-step left, where the lexicon does not back off."""
        arrays, here = self.core.arrays(), "reverse" if reverse else "forward"
        source, target = (
            [w.decode() for w in unpack_words(arrays[f"{side}_words"], arrays[f"{side}_word_offsets"])]
            for side in ("source", "target")
        )
        given, emitted = (target, source) if reverse else (source, target)
        sources = np.repeat(np.arange(len(source)), np.diff(arrays["offsets"].astype(np.int64)))
        lexicon: dict[tuple[Word, str], float] = dict(
            zip(((None, f) for f in emitted), arrays[f"null_{here}"].tolist(), strict=True)
        )
        totals: dict[str, float] = defaultdict(float)
        counts = arrays["links"][-1 if reverse else 0].tolist()
        pairs = [
            (target[f], source[e]) if reverse else (source[e], target[f])
            for e, f in zip(sources, arrays["targets"], strict=True)
        ]
        for (e, _), c in zip(pairs, counts, strict=True):
            totals[e] += c
        lexicon |= {(e, f): c / totals[e] for (e, f), c in zip(pairs, counts, strict=True) if totals[e] > 0}
        between, first, last = (tuple(row) for row in arrays[f"jumps_{here}"].tolist())
        # The plain HMM has none of its words' own.
        own = [tuple(row) for row in arrays[f"word_jumps_{here}"].tolist()]
        by_word = dict(zip(given, own, strict=True)) if own else {}
        by_class = dict(enumerate(tuple(row) for row in arrays.get(f"class_jumps_{here}", np.empty(0)).tolist()))
        return Parameters(lexicon, Jumps(first, between, last, by_word, by_class))

    def align(self, corpus: Corpus | Bitext, threads: int = 1) -> Aligned:
        """Links, posteriors and log-likelihoods of new text."""
        text = corpus if isinstance(corpus, Bitext) else Bitext.from_lists(*corpus)
        readouts, scores = self.core.align_new(text._core, threads=threads)
        links, posteriors = zip(*(_alignments(readout) for readout in readouts), strict=True)
        return Aligned(links, posteriors, (scores[0].tolist(), scores[1].tolist()))


@dataclass(frozen=True)
class Aligned:
    """Links, posteriors and ln-likelihoods (nats; NaN for pairs that are left out) of new text."""

    links: tuple[Alignments, Alignments]
    posteriors: tuple[Alignments, Alignments]
    scores: tuple[list[float], list[float]]


def classes_of(classes: Mapping[str, int] | None, words: list[str]) -> list[int] | None:
    """The class of each word of a vocabulary, as the core wants it."""
    return None if classes is None else [classes.get(word, NO_CLASS) for word in words]


def train(corpus: Corpus | Bitext, model: HmmModel, *, threads: int = 1, **options: Any) -> Trained:
    """The core with the hyper-parameters of a twin's model; classes hold for words of both sides."""
    text = corpus if isinstance(corpus, Bitext) else Bitext.from_lists(*corpus)
    settings = {
        **PAPER,
        "warm_up": 5,
        "iterations": 5,
        "agree": False,
        "viterbi": False,
        "p0": model.p0,
        "smoothing": model.alpha,
        "tau": model.tau,
        "class_tau": model.class_tau,
        **options,
    }
    trained = _core.train_hmm(
        text._core,
        settings,
        wants_posteriors=True,
        threads=threads,
        source_classes=classes_of(model.classes, text._core.source_vocabulary()),
        target_classes=classes_of(model.classes, text._core.target_vocabulary()),
    )
    (forward, forward_all), (reverse, reverse_all) = (_alignments(trained.take_readout(d)) for d in (0, 1))
    return Trained((forward, reverse), (forward_all, reverse_all), (trained.history(0), trained.history(1)), trained)


def _alignments(readout: Any) -> tuple[Alignments, Alignments]:
    links, posteriors = readout
    return Alignments._from_core(links), Alignments._from_core(posteriors)
