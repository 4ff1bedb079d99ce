"""Word classes: groups of words that stand in the same places, for class-based transitions and for GIZA++.

`cluster` finds them with the exchange algorithm under the class bigram model, as mkcls does; `WordClasses` reads and
writes mkcls's files.

Sources: Kneser and Ney (1993), Improved clustering techniques for class-based statistical language modelling.
Martin, Liermann and Ney (1998), Algorithms for bigram and trigram word clustering. Speech Communication 24.
Och (1999), An efficient method for determining bilingual word classes.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Self, Unpack

import numpy as np
import numpy.typing as npt

from plait import _core
from plait.bitext import Bitext
from plait.errors import ConfigError, DataError, TextError
from plait.io import mkcls
from plait.io.atomic import OutputFile
from plait.io.options import ReadOptions, make_builder
from plait.io.records import Sentence
from plait.io.streams import MAX_EXPANSION, Path, display_name, open_input, read_blocks
from plait.progress import Callback
from plait.threads import resolve_threads

__all__ = ["MAX_CLASSES", "MAX_RUNS", "WordClasses", "cluster", "read_text"]

MAX_CLASSES: int = _core.MAX_CLASSES
"""The most classes that `cluster` makes."""
MAX_RUNS: int = _core.MAX_RUNS
"""The most runs of `cluster`."""

_FIRST_LABEL = 2
"""mkcls keeps 0 and 1 for itself; readers of its files may do so too."""
_LARGEST_COUNT = 2**16 - 1
_MAX_SEED = 2**64 - 1

# What would end a word or a line of a file if it stood in a word.
_BREAKS = str.maketrans("", "", " \t\n")


@dataclass(frozen=True, eq=False)
class WordClasses:
    r"""The class of each word; immutable.

    Attributes
    ----------
    words
        The words that have a class, each once.
    classes
        The class of each of them: uint16[words], from 0, without gaps. From `cluster`, class 0 has the most tokens.
    labels
        The number of each class in files, rising. From `cluster`: 2, 3, ..
    history
        From `cluster`: the log-likelihood of the class bigram model in nats before the search and after each iteration.
    events
        From `cluster`: what the log-likelihood sums over, tokens and ends of sentences.

    Raises
    ------
    DataError
        A word has two classes, class numbers have gaps, or there are more than 65,535.

    Examples
    --------
    >>> classes = WordClasses.from_mapping({"the": 2, "house": 5, "a": 2})
    >>> classes["house"], classes.members(0), len(classes), classes.count
    (1, ['the', 'a'], 3, 2)
    >>> classes.array(["house", "a", "unheard"])
    array([1, 0, 2], dtype=uint16)
    >>> classes.to_bytes()
    b'a\t2\nhouse\t5\nthe\t2\n'
    """

    words: tuple[str, ...]
    classes: npt.NDArray[np.uint16]
    labels: tuple[int, ...]
    history: tuple[float, ...] = ()
    events: int = field(default=0)

    def __post_init__(self) -> None:
        given = np.asarray(self.classes)
        classes = given.astype(np.uint16)
        classes.flags.writeable = False
        object.__setattr__(self, "classes", classes)
        count = len(self.labels)
        if classes.shape != (len(self.words),):
            raise DataError(
                f"there are {len(self.words)} words but classes of shape {classes.shape}; give each word one"
            )
        if len(self._index) != len(self.words):
            raise DataError("a word has two classes; give each word once")
        for word in self.words:
            if not word or word.translate(_BREAKS) != word:
                raise DataError(f"a word is not empty and has no white space; found {word!r}")
        if count > _LARGEST_COUNT or list(self.labels) != sorted(set(self.labels)):
            raise DataError(f"labels must be at most {_LARGEST_COUNT} different numbers that rise")
        if not np.array_equal(np.unique(given), np.arange(count)):
            raise DataError(f"classes must be the numbers from 0 to {count - 1}, one for each label, without gaps")

    @classmethod
    def from_mapping(cls, classes: Mapping[str, int]) -> Self:
        """Make classes of a mapping from words to any numbers from 0 on, which become the labels.

        Raises
        ------
        DataError
            A number is negative, or there are more than 65,535 different ones.
        """
        labels = sorted(set(classes.values()))
        if labels and labels[0] < 0:
            raise DataError(f"the number of a class must be 0 or more; found {labels[0]}")
        if len(labels) > _LARGEST_COUNT:
            raise DataError(f"there are {len(labels)} classes; join some, at most {_LARGEST_COUNT} can be used")
        place = {label: n for n, label in enumerate(labels)}
        dense = np.fromiter((place[label] for label in classes.values()), dtype=np.uint16, count=len(classes))
        return cls(tuple(classes), dense, tuple(labels))

    @classmethod
    def read(cls, path: Path) -> Self:
        r"""Read mkcls's file of classes: a line ``word\tnumber`` for each word, in any order.

        Parameters
        ----------
        path
            A file, or "-" for standard input; compressed files are recognised by content. A space may stand for the
            tab.

        Raises
        ------
        plait.errors.TextError
            A line is not UTF-8, has no word or no number, or a word that an earlier line has; the message has file,
            line and column.
        plait.errors.DataError
            The file has no line, or more than 65,535 different classes; compressed data is damaged.
        OSError
            The file cannot be opened or read.
        """
        name = display_name(path)
        with open_input(path) as stream:
            found = mkcls.read(stream, name)
        if not found:
            raise DataError(f"{name} has no classes; it must have a line for each word: the word, a tab, its class")
        return cls.from_mapping(found)

    def to_bytes(self) -> bytes:
        """Return the lines of mkcls's file: word, tab, label; words in the order of their bytes.

        Raises
        ------
        DataError
            A word has a lone surrogate, which UTF-8 cannot hold.
        """
        return mkcls.to_bytes((word, self.labels[group]) for word, group in self._index.items())

    def write(self, path: Path, *, force: bool = False) -> None:
        """Write mkcls's file, whole or not at all.

        Parameters
        ----------
        path
            Where it goes; "-" is standard output; ``.gz .bz2 .xz .zst`` compress.
        force
            Whether a file that exists may be replaced.

        Raises
        ------
        plait.errors.ConfigError
            The file exists, and ``force`` is false.
        plait.errors.ResourceError, OSError
            The disk is full; the folder cannot be written.
        """
        with OutputFile(path, force=force) as out:
            out.write(self.to_bytes())

    @property
    def count(self) -> int:
        """The number of classes."""
        return len(self.labels)

    @property
    def perplexity(self) -> float:
        """exp(-log-likelihood / events) of the class bigram model on the text of `cluster`; NaN without one."""
        return math.exp(-self.history[-1] / self.events) if self.history and self.events else math.nan

    def array(self, vocabulary: Sequence[str]) -> npt.NDArray[np.uint16]:
        """Return the class of each word of a vocabulary, `count` for words without one: uint16[vocabulary].

        Takes a look-up for each word.
        """
        get, unknown = self._index.get, self.count
        return np.fromiter((get(word, unknown) for word in vocabulary), dtype=np.uint16, count=len(vocabulary))

    def members(self, group: int) -> list[str]:
        """Return the words of a class, from 0, in the order of `words`; by falling frequency from `cluster`.

        Raises
        ------
        IndexError
            There is no such class.
        """
        if not 0 <= group < self.count:
            raise IndexError(f"there is no class {group}; there are {self.count}, numbered from 0")
        return [self.words[n] for n in np.flatnonzero(self.classes == group).tolist()]

    def __getitem__(self, word: str) -> int:
        """Return the class of a word, from 0; KeyError when it has none."""
        return self._index[word]

    def __contains__(self, word: object) -> bool:
        """Return whether a word has a class."""
        return word in self._index

    def __len__(self) -> int:
        """Return the number of words."""
        return len(self.words)

    def __eq__(self, other: object) -> bool:
        """Return whether the same words have the same classes, with the same labels."""
        if not isinstance(other, WordClasses):
            return NotImplemented
        return self.labels == other.labels and self._index == other._index

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"WordClasses({len(self.words)} words in {self.count} classes)"

    @functools.cached_property
    def _index(self) -> dict[str, int]:
        return dict(zip(self.words, self.classes.tolist(), strict=True))


def cluster(
    text: Bitext | Iterable[Sentence],
    classes: int = 50,
    *,
    side: Literal["source", "target"] | None = None,
    iterations: int = 50,
    runs: int = 4,
    seed: int = 1,
    threads: int | None = None,
    progress: Callback | None = None,
) -> WordClasses:
    """Find classes for the words of a text by exchange under the class bigram model.

    Parameters
    ----------
    text
        A corpus, of which one side is clustered, or sentences: strings or lists of tokens. All sentences count,
        also those that take no part in training.
    classes
        Number of classes, 1 to `MAX_CLASSES`; there are fewer when there are fewer words.
    side
        Which side of a corpus.
    iterations
        The most visits to each word in a run; a run ends when no word moves.
    runs
        Number of searches from different starts, 1 to `MAX_RUNS`, of which the most likely result is kept.
    seed
        Of the starts of all runs but the first two, which are always the same.
    threads
        Number of threads, at most one for each run; None for all that may be used. The result does not depend on it.
    progress
        Hears of the stages.

    Returns
    -------
    WordClasses
        Words by falling frequency; classes by falling number of tokens.

    Raises
    ------
    ConfigError
        An option is out of range; a corpus without ``side``, or sentences with one.
    TextError
        A token is empty or has white space in it.
    KeyboardInterrupt
        Ctrl-C, within a second.

    Notes
    -----
    An iteration takes time proportional to the number of distinct pairs of neighbouring words, plus `classes` times
    the sum over words of the number of classes beside the word: about 0.02 s for 100,000 sentences and 50 classes.

    Examples
    --------
    >>> text = ["a cat sleeps", "the cat eats", "a dog eats", "the dog sleeps"]
    >>> classes = cluster(text, 3)
    >>> classes["cat"] == classes["dog"], classes["a"] == classes["the"], classes["a"] == classes["cat"]
    (True, True, False)
    """
    for name, value, largest in (
        ("classes", classes, MAX_CLASSES),
        ("iterations", iterations, 2**32 - 1),
        ("runs", runs, MAX_RUNS),
    ):
        _check_whole(name, value, 1, largest)
    _check_whole("seed", seed, 0, _MAX_SEED)
    if isinstance(text, Bitext):
        if side not in ("source", "target"):
            raise ConfigError(name="side", expected="'source' or 'target' for a corpus of two sides", found=repr(side))
    elif side is not None:
        raise ConfigError(name="side", expected="left out for sentences, which have one side", found=repr(side))
    else:
        sentences = list(text)
        text, side = Bitext.from_lists(sentences, sentences), "source"
    found, count, history, events = _core.cluster_words(
        text._core,
        side,
        classes=classes,
        iterations=iterations,
        runs=runs,
        seed=seed,
        threads=resolve_threads(threads),
        progress=progress,
    )
    return WordClasses(
        words=text.source_vocabulary if side == "source" else text.target_vocabulary,
        classes=found,
        labels=tuple(range(_FIRST_LABEL, _FIRST_LABEL + count)),
        history=tuple(history),
        events=events,
    )


def read_text(path: Path, **options: Unpack[ReadOptions]) -> Bitext:
    """Read one text as both sides of a corpus, for `cluster`.

    Parameters
    ----------
    path
        A file, a named pipe, or "-" for standard input; compressed files are recognised by content.
    **options
        See `plait.bitext.ReadOptions`; stems should be the same on both sides.

    Raises
    ------
    plait.errors.TextError, plait.errors.DataError, plait.errors.ResourceError, plait.errors.ConfigError, OSError
        As `plait.bitext.Bitext.read`.
    """
    builder, name = make_builder(options), display_name(path)
    try:
        # Both sides get the text: words are numbered by frequency in pairs that have both.
        for block in read_blocks(path, max_expansion=options.get("max_expansion", MAX_EXPANSION)):
            builder.feed_source(block)
            builder.feed_target(block)
        builder.end_source()
        builder.end_target()
    except TextError as problem:
        raise problem if problem.path else problem.at(name) from None
    return Bitext(builder.finish())


def _check_whole(name: str, value: object, least: int, largest: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= largest:
        raise ConfigError(name=name, expected=f"a whole number from {least} to {largest}", found=repr(value))
