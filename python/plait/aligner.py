"""An aligner that is trained: links, scores and words of new text, in files and out of them."""

from __future__ import annotations

import dataclasses
import functools
from dataclasses import dataclass, field

import numpy as np

from plait import _core, models
from plait._core import Hmm, Ibm
from plait.aligner_settings import config_of, folding_of, hmm_settings, jsonable
from plait.alignments import Alignments
from plait.bitext import Bitext, Folding
from plait.directions import Directions
from plait.errors import ConfigError, ModelFileError
from plait.explanation import PairExplanation, explanation_of
from plait.io.atomic import OutputFile
from plait.io.streams import Path, display_name
from plait.lexicon import Lexicon, Translation
from plait.pair_scores import Scores
from plait.presets import PRESETS, AlignConfig
from plait.progress import Callback
from plait.threads import resolve_threads

__all__ = ["KIND", "Aligner", "load"]

KIND = "aligner"
"""The kind of a model file that holds a trained aligner."""

_VERSION = 1
# Counts of NULL below this are rounding, and pairs too rare to be kept.
_NOISE = 1e-3


@dataclass(frozen=True)
class Aligner:
    """A trained aligner: what `load` returns, and the base of what `plait.align.fit` does.

    Attributes
    ----------
    config
        The settings it was trained with.
    folding
        How words were folded when the training text was read: new text must be read alike. None when nobody knows.
    """

    config: AlignConfig
    folding: Folding | None
    _core: Ibm | Hmm = field(repr=False)

    def align(self, bitext: Bitext, *, threads: int | None = None, progress: Callback | None = None) -> Alignments:
        """Align new text with what was learned; nothing is trained or sampled, so the result is always the same.

        Parameters
        ----------
        bitext
            The text, read with the same options (lower-casing, stems) as the training text.
        threads
            Number of threads; None for all that may be used.
        progress
            Hears of the stages.

        Returns
        -------
        Alignments
            One entry for each pair.

        Raises
        ------
        plait.errors.ConfigError
            The text was read with other options.

        Notes
        -----
        In Models 1 and 2 a pair of words without counts has the smoothed probability theta / (c(e) + V theta). In the
        HMM what is known of shorter forms of both words takes its place.
        """
        return self.align_directions(bitext, threads=threads, progress=progress).symmetrized(
            self.config, threads=threads
        )

    def align_directions(
        self, bitext: Bitext, *, threads: int | None = None, progress: Callback | None = None
    ) -> Directions:
        """Align new text as `align` does, and return both directions with their posteriors."""
        self._check_folding(bitext)
        count = resolve_threads(threads)
        found = self._core.align_new(bitext._core, threads=count, progress=progress)
        # The HMM scores the pairs, too.
        forward, reverse = found[0] if isinstance(found, tuple) else found
        return Directions._from_core(forward, reverse)

    def score(self, bitext: Bitext, *, threads: int | None = None, progress: Callback | None = None) -> Scores:
        """Return how probable each side of a pair is, given the other one.

        Parameters
        ----------
        bitext
            The text, read with the same options as the training text; it may be the training text itself.
        threads
            Number of threads; None for all that may be used.
        progress
            Hears of the stages.

        Returns
        -------
        Scores
            ln P(target | source) and ln P(source | target) of each pair, summed over all alignments (Och and Ney 2003,
            eq. 9). The length of the generated side is taken as given.

        Raises
        ------
        plait.errors.ConfigError
            The model is no HMM; the text was read with other options.
        """
        core = self._hmm("score")
        self._check_folding(bitext)
        _, (forward, reverse) = core.align_new(bitext._core, threads=resolve_threads(threads), progress=progress)
        for scores in (forward, reverse):
            scores[~np.isfinite(scores)] = np.nan
            scores.flags.writeable = False
        return Scores(forward, reverse, bitext.source_lengths, bitext.target_lengths)

    def lexicon(self) -> Lexicon:
        """Return the expected links between the words of the training text.

        Returns
        -------
        Lexicon
            Of agreeing directions the links that both expect, else the mean of both. A word's tokens that have no links
            by this count are those of NULL. Pairs of less than 0.001 links are not kept in a model.

        Raises
        ------
        plait.errors.ConfigError
            The model is no HMM.
        """
        return self._lexicon

    @functools.cached_property
    def _lexicon(self) -> Lexicon:
        arrays = self._hmm("lexicon").arrays()
        source_words, target_words = (
            [word.decode() for word in models.unpack_words(arrays[f"{side}_words"], arrays[f"{side}_word_offsets"])]
            for side in ("source", "target")
        )
        sizes = len(source_words), len(target_words)
        starts = arrays["offsets"].astype(np.int64)
        sources = np.repeat(np.arange(sizes[0]), np.diff(starts))
        targets, counts = arrays["targets"].astype(np.int64), arrays["links"].astype(np.float64).mean(axis=0)
        without = [
            arrays[f"{side}_frequencies"] - np.bincount(ids, counts, minlength=size)
            for side, ids, size in (("source", sources, sizes[0]), ("target", targets, sizes[1]))
        ]
        nulls = [np.flatnonzero(rest >= _NOISE) for rest in without]
        return Lexicon._from_entries(
            source_words,
            target_words,
            np.concatenate([sources, nulls[0], np.full(len(nulls[1]), sizes[0])]),
            np.concatenate([targets, np.full(len(nulls[0]), sizes[1]), nulls[1]]),
            np.concatenate([counts, without[0][nulls[0]], without[1][nulls[1]]]),
        )

    def translations(
        self, word: str | None, *, reverse: bool = False, top: int | None = 10, threshold: float = 0.0
    ) -> list[Translation]:
        """Return the translations of a word; see `plait.lexicon.Lexicon.translations`."""
        return self._lexicon.translations(word, reverse=reverse, top=top, threshold=threshold)

    def explain(self, bitext: Bitext, n: int, *, near_miss: float = 0.1, threads: int | None = None) -> PairExplanation:
        """Return what is behind the links of one sentence pair, in numbers.

        Parameters
        ----------
        bitext
            The text, read with the same options as the training text.
        n
            Which pair, from 0.
        near_miss
            Words that are not linked are told of, too, if their mean posterior is at least so high.
        threads
            Number of threads for what is prepared once; None for all that may be used.

        Returns
        -------
        PairExplanation
            Of the links that `align` gives this pair, and of near misses; `print` shows it. The levels of the back-off
            are "prefix N" and "frequency", the relative frequency of the word.

        Raises
        ------
        plait.errors.ConfigError
            The model is no HMM; the text was read with other options.
        IndexError
            There is no such pair.

        Notes
        -----
        O(I J (I + J)) time for I and J words. The links of the training text itself were made with what each sentence
        teaches left out, so that one or another may differ here.
        """
        core = self._hmm("explain")
        self._check_folding(bitext)
        source, target = bitext.source(n), bitext.target(n)
        evidence = None
        if bitext.usable[n]:
            # Words as written are folded once more; folding those that are folded changes nothing.
            pair = Bitext.from_lists([source], [target], **(bitext.folding or Folding())._asdict())
            evidence = core.explain(pair._core, 0, threads=resolve_threads(threads))
        if evidence is None:
            return PairExplanation(tuple(source), tuple(target), ())
        forward, reverse = core.align_new(pair._core, threads=1)[0]
        links = Directions._from_core(forward, reverse).symmetrized(self.config, threads=1)
        return explanation_of(
            (tuple(source), tuple(target)),
            {(int(i), int(j)) for i, j in links[0]},
            evidence,
            levels=["", *(f"prefix {length}" for length in self.config.prefixes), "frequency"],
            near_miss=near_miss,
        )

    def save(self, path: Path, *, force: bool = False) -> None:
        """Write the model to a file, whole or not at all; `load` reads it.

        Parameters
        ----------
        path
            The file; "-" for standard output. A suffix ``.gz``, ``.bz2``, ``.xz`` or ``.zst`` compresses.
        force
            Replace a file that exists.

        Raises
        ------
        plait.errors.ConfigError
            The file exists and ``force`` is not set; the model is no HMM.
        plait.errors.ResourceError
            The disk is full; what stood there before still does.

        Notes
        -----
        The file takes 8 bytes for each pair of words (12 when the directions do not agree), and up to 150 for each
        word.
        """
        self._hmm("save")
        with OutputFile(path, force=force) as out:
            self.save_to(out)

    def save_to(self, out: models.Writable) -> None:
        """Write the model to an open file, as `save` does."""
        arrays = self._hmm("save").arrays()
        config = {name: jsonable(value) for name, value in dataclasses.asdict(self.config).items()}
        folding = None if self.folding is None else self.folding._asdict()
        models.write_to(out, KIND, arrays, {"version": _VERSION, "config": config, "folding": folding})

    def _hmm(self, what: str) -> Hmm:
        """Return the HMM; Models 1 and 2 keep only what links new text."""
        if isinstance(self._core, Hmm):
            return self._core
        presets = ", ".join(name for name, config in PRESETS.items() if config.model == "hmm")
        raise ConfigError(
            f"{what}: a model {self.config.model!r} cannot do this; train with one of the presets {presets}"
        )

    def _check_folding(self, bitext: Bitext) -> None:
        if None not in (self.folding, bitext.folding) and self.folding != bitext.folding:
            raise ConfigError(
                f"the text was read with {bitext.folding}, but the model learned from one that was read with "
                f"{self.folding}; read the text with these options"
            )


def load(path: Path) -> Aligner:
    r"""Load an aligner that `Aligner.save` or ``plait align --save`` has written.

    Parameters
    ----------
    path
        The file; "-" for standard input. Compressed files are recognised by content.

    Returns
    -------
    Aligner
        It gives the same links, scores and translations as the one that was saved, to the bit.

    Raises
    ------
    plait.errors.ModelFileError
        The file is damaged, of a newer version, or holds something else.
    OSError
        The file cannot be opened or read.

    Examples
    --------
    >>> import plait
    >>> english, german = ["the house", "the book", "a book"], ["das Haus", "das Buch", "ein Buch"]
    >>> text = plait.Bitext.from_lists(english * 2, german * 2)
    >>> plait.align.fit(text).save("m.plait", force=True)
    >>> model = plait.align.load("m.plait")
    >>> model.align(plait.Bitext.from_lists(["a house"], ["ein Haus"])).to_pharaoh()
    b'0-0 1-1\n'
    """
    return of_file(models.load(path, KIND), display_name(path))


def of_file(file: models.ModelFile, name: str) -> Aligner:
    """Return the aligner of a model file that was read from ``name``.

    Raises
    ------
    plait.errors.ModelFileError
        What it holds is no aligner of this version.
    """
    version = file.metadata.get("version")
    if version != _VERSION:
        raise ModelFileError(
            f"{name}: the aligner has version {version!r}, written by plait {file.plait_version}; this is plait "
            f"{_core.__version__}, which reads version {_VERSION}; upgrade plait (pip install -U plait), or train again"
        )
    try:
        config = config_of(file.metadata.get("config"))
        folding = folding_of(file.metadata.get("folding"))
        core = Hmm.from_arrays(hmm_settings(config), file.arrays)
    except (ConfigError, TypeError, OverflowError) as problem:
        raise ModelFileError(f"{name}: the settings of the model cannot be used: {problem}; train again") from None
    except ModelFileError as problem:
        raise ModelFileError(f"{name}: {problem}") from None
    return Aligner(config=config, folding=folding, _core=core)
