"""A whole system: what was learned, the weights it searches with, and the sentences it is tried on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Self

from plait.demo.corpus import Pair, make
from plait.demo.translation.chart import FEATURES, Beams, translate
from plait.demo.translation.language_model import BigramModel
from plait.demo.translation.phrase_table import PhraseTable
from plait.errors import ConfigError
from plait.hypergraph import Forest
from plait.progress import Callback

__all__ = ["LONGEST_SENTENCE", "WRONG_WEIGHTS", "Parts", "Text", "Translator", "jackknifed"]

WRONG_WEIGHTS: Mapping[str, float] = dict(zip(FEATURES, (0.2, 1.0, 0.2, 0.0, 0.0), strict=True))
"""Weights that trust the language model too little, and count neither words nor swaps."""

LONGEST_SENTENCE = 12
"""Source words of the longest sentences that are translated."""

# Words of phrases, and translations of a phrase: short and few, so that there is something left to be wrong about.
_LONGEST_SOURCE, _LONGEST_TARGET, _TOP = 3, 3, 10


@dataclass(frozen=True)
class Text:
    """Sentence pairs, as words."""

    source: Sequence[Sequence[str]] = field(repr=False)
    target: Sequence[Sequence[str]] = field(repr=False)

    def __len__(self) -> int:
        """Return the number of pairs."""
        return len(self.source)

    def __getitem__(self, rows: Sequence[int]) -> Text:
        """Return some of the pairs."""
        return Text([self.source[row] for row in rows], [self.target[row] for row in rows])


@dataclass(frozen=True)
class Parts:
    """The parts of a demo corpus.

    Attributes
    ----------
    training
        What phrases and word pairs are learned from; of any length.
    dev, test
        Of `LONGEST_SENTENCE` words at most, with source sentences that neither the training part nor the other has.
    """

    training: Text
    dev: Text
    test: Text

    @classmethod
    def make(cls, pair: Pair, training: int, dev: int, test: int, seed: int) -> Self:
        """Make a corpus and take it apart.

        Parameters
        ----------
        pair
            The languages.
        training, dev, test
            Sentence pairs of each part.
        seed
            Of the corpus.
        """
        corpus = make(pair, training + 2 * (dev + test) + 100, seed)
        text = Text(corpus.source, corpus.target)
        seen = {tuple(words) for words in text.source[:training]}
        held_out: list[int] = []
        for row in range(training, len(text)):
            words = tuple(text.source[row])
            if len(words) <= LONGEST_SENTENCE and words not in seen:
                seen.add(words)
                held_out.append(row)
        if len(held_out) < dev + test:
            raise ConfigError(
                name="test", expected=f"at most {len(held_out) - dev}: the grammar has no more", found=test
            )
        return cls(text[range(training)], text[held_out[:dev]], text[held_out[dev : dev + test]])


@dataclass(frozen=True, eq=False)
class Translator:
    """A translation system.

    Attributes
    ----------
    table, model
        What it has learned.
    weights
        What it prunes with.
    beams
        How much of a chart it keeps.
    """

    table: PhraseTable
    model: BigramModel
    weights: Mapping[str, float]
    beams: Beams

    @classmethod
    def learn(
        cls,
        training: Text,
        weights: Mapping[str, float] = WRONG_WEIGHTS,
        beams: Beams | None = None,
        *,
        threads: int | None = None,
    ) -> Self:
        """Learn a system from sentence pairs; about 0.2 ms each."""
        table = PhraseTable.learn(
            training.source,
            training.target,
            longest_source=_LONGEST_SOURCE,
            longest_target=_LONGEST_TARGET,
            top=_TOP,
            threads=threads,
        )
        return cls(table, BigramModel.learn(training.target), weights, Beams() if beams is None else beams)

    def translate(
        self,
        sentences: Sequence[Sequence[str]],
        names: Sequence[str] | None = None,
        *,
        stage: str = "translating",
        progress: Callback | None = None,
    ) -> list[Forest]:
        """Return a forest for each sentence.

        Parameters
        ----------
        sentences
            Source words of each.
        names
            The ``id`` of each forest; by default its place, from 0.
        stage, progress
            Progress is reported under this name after each sentence.
        """
        forests = []
        for n, words in enumerate(sentences):
            name = str(n) if names is None else names[n]
            forests.append(translate(words, self.table, self.model, self.weights, self.beams, name=name))
            if progress is not None:
                progress(stage, n + 1, len(sentences), ())
        return forests


def jackknifed(
    training: Text,
    sentences: int,
    weights: Mapping[str, float] = WRONG_WEIGHTS,
    beams: Beams | None = None,
    *,
    folds: int = 3,
    threads: int | None = None,
    progress: Callback | None = None,
) -> tuple[list[Forest], list[Sequence[str]]]:
    """Return forests of training sentences, each made by a system that has not seen it, and their references.

    A system knows the sentences that it has learned from too well: the phrases of their forests are whole and their
    word pairs frequent, and weights that are trained on them trust phrases that new sentences do not have.

    Parameters
    ----------
    training
        What the systems learn from: each from all but one of the folds.
    sentences
        How many forests, at most: the first of each fold that are no longer than `LONGEST_SENTENCE`.
    weights, beams, threads
        As for `Translator.learn`.
    folds
        Sentence ``n`` is in fold ``n % folds``.
    progress
        Stage "training text".
    """
    short = [row for row in range(len(training)) if 0 < len(training.source[row]) <= LONGEST_SENTENCE][:sentences]
    made: dict[int, Forest] = {}
    for fold in range(folds):
        rows = [row for row in short if row % folds == fold]
        system = Translator.learn(
            training[[row for row in range(len(training)) if row % folds != fold]], weights, beams, threads=threads
        )
        for row, forest in zip(rows, system.translate(training[rows].source, list(map(str, rows))), strict=True):
            made[row] = forest
            if progress is not None:
                progress("training text", len(made), len(short), ())
    return [made[row] for row in short], [training.target[row] for row in short]
