"""Makes the demo corpora: parallel sentences with their gold links, in memory or as files."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Literal, get_args

from plait.alignments import Alignments
from plait.demo import english, german, spanish
from plait.demo.engine import Draw, Link, Word, read_links
from plait.demo.lexicon import load
from plait.demo.meaning import Sentence
from plait.demo.sampler import Sampler
from plait.errors import ConfigError
from plait.io.atomic import OutputGroup
from plait.metrics import Gold

__all__ = ["PAIRS", "DemoCorpus", "Pair", "make"]

Pair = Literal["en-de", "en-es"]
PAIRS: tuple[Pair, ...] = get_args(Pair)
"""The language pairs that `make` knows."""

_TARGETS: dict[str, Callable[[Sentence], list[Word]]] = {"en-de": german.say, "en-es": spanish.say}


@dataclass(frozen=True)
class DemoCorpus:
    """Parallel sentences with gold links.

    Attributes
    ----------
    pair
        The languages, source first.
    seed
        What the sentences were drawn with.
    source, target
        The words of each sentence.
    sure, possible
        The links of each pair as (source, target) positions, 0-based and sorted; the sure links are among the
        possible.
    """

    pair: Pair
    seed: int
    source: list[list[str]] = field(repr=False)
    target: list[list[str]] = field(repr=False)
    sure: list[list[Link]] = field(repr=False)
    possible: list[list[Link]] = field(repr=False)

    def __len__(self) -> int:
        """Return the number of sentence pairs."""
        return len(self.source)

    @property
    def gold(self) -> Gold:
        """The links as a gold standard; made anew at each call, O(links)."""
        return Gold(Alignments.from_lists(self.sure), Alignments.from_lists(self.possible))

    def write(self, folder: str | os.PathLike[str], *, force: bool = False) -> list[str]:
        """Write ``corpus.en``, ``corpus.de`` (or ``corpus.es``) and ``corpus.gold``, all of them or none.

        Parameters
        ----------
        folder
            Where they go; it is made if it does not exist.
        force
            Whether files that exist may be replaced.

        Returns
        -------
        list of str
            The paths of the two texts and of the gold links: ``i-j`` sure, ``i?j`` possible.

        Raises
        ------
        plait.errors.ConfigError
            A file exists, and `force` is false.
        OSError
            The folder cannot be written.
        """
        os.makedirs(folder, exist_ok=True)
        names = [*self.pair.split("-"), "gold"]
        paths = [os.path.join(folder, f"corpus.{name}") for name in names]
        with OutputGroup(force=force) as outputs:
            for path, lines in zip(paths, (_text(self.source), _text(self.target), self._gold_lines()), strict=True):
                outputs.open(path).write("".join(f"{line}\n" for line in lines).encode())
        return paths

    def _gold_lines(self) -> Iterator[str]:
        for sure, possible in zip(self.sure, self.possible, strict=True):
            certain = set(sure)
            yield " ".join(f"{i}{'-' if (i, j) in certain else '?'}{j}" for i, j in possible)


def _text(sentences: list[list[str]]) -> Iterator[str]:
    return (" ".join(words) for words in sentences)


def make(pair: Pair = "en-de", sentences: int = 5000, seed: int = 1) -> DemoCorpus:
    """Make a parallel corpus with known links.

    The sentences are drawn from a grammar: content words by Zipf's law, word order, agreement and function
    words by the rules of each language. Equal arguments give equal corpora on every platform; sentence pair
    `n` depends on `seed` and `n` only, so a smaller corpus is the start of a larger one.

    Parameters
    ----------
    pair
        ``en-de`` or ``en-es``: source and target language.
    sentences
        Number of sentence pairs.
    seed
        Any integer.

    Returns
    -------
    DemoCorpus

    Raises
    ------
    plait.errors.ConfigError
        The pair is not known, or the number is negative.

    Notes
    -----
    Takes about 0.1 ms for each pair of sentences, some nine words a side. A link is *sure* where both words
    say the same; *possible* where a word (an auxiliary, an article, a preposition) has no counterpart and
    leans on another one; the rest, such as the German comma or the Spanish personal *a*, has no link at all.

    References
    ----------
    Och and Ney (2003), A Systematic Comparison of Various Statistical Alignment Models, section 6: sure and
    possible links.

    Examples
    --------
    >>> from plait import demo
    >>> corpus = demo.make("en-de", sentences=12, seed=1)
    >>> len(corpus)
    12
    >>> corpus.sure[0][0]
    (0, 0)
    """
    if pair not in _TARGETS:
        raise ConfigError(name="pair", expected=" or ".join(PAIRS), found=repr(pair))
    if sentences < 0:
        raise ConfigError(name="sentences", expected="0 or more", found=sentences)
    lexicon = load()
    say = _TARGETS[pair]
    corpus = DemoCorpus(pair, seed, [], [], [], [])
    for n in range(sentences):
        meaning = Sampler(lexicon, Draw(seed, n)).sentence()
        source, target = english.say(meaning), say(meaning)
        sure, possible = read_links(source, target)
        corpus.source.append([word.form for word in source])
        corpus.target.append([word.form for word in target])
        corpus.sure.append(sure)
        corpus.possible.append(possible)
    return corpus
