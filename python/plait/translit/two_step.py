"""The two-step random field: a segmenter and a converter, decoded together."""

from __future__ import annotations

import inspect
import warnings
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Self, get_args

import numpy as np
import numpy.typing as npt

from plait import _core, models
from plait.errors import AlignmentWarning, ConfigError, ConvergenceWarning, DataError, ModelFileError
from plait.io.stored import from_a_file
from plait.io.streams import Path
from plait.metrics.transliteration import evaluate
from plait.progress import Callback
from plait.threads import resolve_threads
from plait.translit.alignment import ChunkAlignment, Unaligned, align_chunks
from plait.translit.candidates import Candidate
from plait.translit.pairs import Pair, WordPairs
from plait.translit.symbols import ChosenUnits, SymbolUnits, join, split
from plait.translit.two_step_chunks import Chunks, Flat, flatten

_FieldArrays = tuple[
    npt.NDArray[np.uint64],
    npt.NDArray[np.uint64],
    npt.NDArray[np.uint32],
    npt.NDArray[np.uint64],
    npt.NDArray[np.uint32],
    npt.NDArray[np.float64],
]

__all__ = ["FEATURES", "KIND", "Chunks", "Decoded", "Stop", "TwoStepCRF"]

KIND = "transliteration-two-step"

Stop = Literal["never", "truncated", "exact"]
FEATURES: dict[str, tuple[int, int]] = {"paper": (2, 0), "letters": (5, 3)}
"""Names of sets of features, and their widths: the longest strings of the segmenter, and letters around a chunk."""

# An id that no symbol has.
_UNKNOWN = 2**32 - 2
_GRAMS = ("grams.beginnings", "grams.symbols")
_CANDIDATES = ("candidates.chunks", "candidates.starts", "candidates.labels")
_LABELS = ("labels.starts", "labels.symbols")


@dataclass(frozen=True, eq=False)
class Decoded:
    """Candidates of words, and how they were found.

    Attributes
    ----------
    candidates : list of list of Candidate
        For each word, the best first.
    conversions : uint32[words]
        Segmentations that were converted. With the segmenter's, a word took one decoding more.
    masses : float64[words]
        The probability of these segmentations: a candidate lacks at most 1 minus this, beside what lists leave out.
    certain : bool[words]
        Whether the rule of early stopping vouches for the first candidate (``stop="truncated"``: for as many as were
        asked to be certain). With ``stop="never"``: whether there was no other segmentation.
    """

    candidates: list[list[Candidate]]
    conversions: npt.NDArray[np.uint32]
    masses: npt.NDArray[np.float64]
    certain: npt.NDArray[np.bool_]

    @property
    def decodings_per_word(self) -> float:
        """The mean number of decodings of a word: one of the segmenter, and the converter's."""
        return 1 + float(self.conversions.mean()) if len(self.conversions) else 0.0


class TwoStepCRF:
    r"""Transliteration by two conditional random fields.

    The segmenter cuts a source word into chunks, the converter turns each chunk into target symbols; a target has

    .. math:: P(T \mid S) = \sum_A P(A \mid S)\, P(T \mid S, A)

    over segmentations A, of which the ``segmentations`` best, and the ``conversions`` best of each, are summed.

    Parameters
    ----------
    features
        "paper": those of the paper. "letters": strings of up to 5 letters for the segmenter, and up to 3 letters on
        both sides of a chunk for the converter, besides. Or two such widths, from 0 to 6. "auto": "paper" where chunks
        of more than two letters become one symbol each (Chinese characters), otherwise "letters".
    l2_segmenter, l2_converter
        Factors of the sum of squared weights of both fields.
    segmentations, conversions
        How many of each are taken; one segmentation is the baseline of the paper.
    stop
        When `transliterate` takes no more segmentations: "truncated", when no segmentation that is left of those
        counted above can change the first candidate; "exact", when none at all can, and what lists leave out cannot
        either (``segmentations`` is then only a limit); "never".
    labels
        What a chunk may become: "seen", what it became in training (everything, for a chunk that training did not
        have), or "all".
    max_source, max_target, deletions
        Of the alignment into chunks: the longest chunks, and whether a source chunk may have no target. By default
        chosen by the lengths of the words, see `align_chunks`.
    length_penalty, method, iterations
        Of the alignment, too.
    source_units, target_units
        Symbols: "characters", "clusters", "words" (between spaces) or, of targets, "auto".
    max_iterations, epsilon, delta, period
        When training ends, as for `plait.crf.ChainCRF`.
    threads
        Threads; all that may be used by default. Results do not depend on it.

    Attributes
    ----------
    widths_ : (int, int)
        The widths of features that the model has.
    unaligned_ : list of Unaligned
        Pairs that could not be cut into chunks and were left out of training, and why.
    histories_ : dict
        For "segmenter" and "converter" the objective before training and after each iteration.

    Notes
    -----
    Each field is trained exactly, on one alignment of the pairs. ``docs/design/transliteration.md`` says how decoding
    works and proves the rule of early stopping.

    References
    ----------
    Yang, Dixon and Furui (2010), Jointly optimizing a two-step conditional random field model for machine
    transliteration and its fast decoding algorithm.

    Examples
    --------
    >>> from plait.translit import TwoStepCRF
    >>> pairs = [("anna", "анна"), ("nina", "нина"), ("ivan", "иван"), ("vanya", "ваня"), ("yana", "яна")]
    >>> model = TwoStepCRF(max_source=2, max_target=1, l2_segmenter=0.01, l2_converter=0.01).fit(pairs)
    >>> model.transliterate(["vanina", "yanina"])
    ['ванина', 'янина']
    """

    def __init__(
        self,
        *,
        features: str | tuple[int, int] = "auto",
        l2_segmenter: float = 0.5,
        l2_converter: float = 0.5,
        segmentations: int = 10,
        conversions: int = 10,
        stop: Stop = "truncated",
        labels: Literal["seen", "all"] = "seen",
        max_source: int | None = None,
        max_target: int | None = None,
        deletions: bool | None = None,
        length_penalty: float = 0.5,
        method: Literal["viterbi", "em"] = "em",
        iterations: int = 50,
        source_units: SymbolUnits = "characters",
        target_units: SymbolUnits = "auto",
        max_iterations: int = 300,
        epsilon: float = 1e-4,
        delta: float = 1e-4,
        period: int = 10,
        threads: int | None = None,
    ) -> None:
        self.features = features
        self.l2_segmenter = l2_segmenter
        self.l2_converter = l2_converter
        self.segmentations = segmentations
        self.conversions = conversions
        self.stop: Stop = stop
        self.labels = labels
        self.max_source = max_source
        self.max_target = max_target
        self.deletions = deletions
        self.length_penalty = length_penalty
        self.method: Literal["viterbi", "em"] = method
        self.iterations = iterations
        self.source_units: SymbolUnits = source_units
        self.target_units: SymbolUnits = target_units
        self.max_iterations = max_iterations
        self.epsilon = epsilon
        self.delta = delta
        self.period = period
        self.threads = threads
        self.widths_: tuple[int, int] = FEATURES["paper"]
        self.unaligned_: list[Unaligned] = []
        self.source_units_: ChosenUnits = "characters"
        self.target_units_: ChosenUnits = "characters"
        self._set_symbols([], [])
        self._core: _core.TwoStepModel | None = None

    def __repr__(self) -> str:
        """Return the options that are not the defaults."""
        shown = ", ".join(
            f"{name}={getattr(self, name)!r}" for name, default in _OPTIONS.items() if getattr(self, name) != default
        )
        return f"{type(self).__name__}({shown})"

    @property
    def core(self) -> _core.TwoStepModel:
        """What the compiled core works on.

        Raises
        ------
        ConfigError
            The model is not trained.
        """
        if self._core is None:
            raise ConfigError("this TwoStepCRF is not trained; call fit, or load a saved model")
        return self._core

    def fit(
        self,
        pairs: WordPairs | ChunkAlignment | Iterable[Pair],
        *,
        dev: WordPairs | Iterable[Pair] | None = None,
        progress: Callback | None = None,
    ) -> Self:
        """Cut pairs into chunks and train both fields on them.

        Parameters
        ----------
        pairs
            Source and target words, what `WordPairs.from_items` takes, or pairs that are cut into chunks already.
        dev
            Not used; all systems take it.
        progress
            Called with stage, done, total and figures.

        Returns
        -------
        TwoStepCRF
            Itself.

        Raises
        ------
        plait.errors.DataError
            A side of a pair is empty, or no pair can be cut into chunks.
        plait.errors.ConfigError
            An option is out of range.

        Warns
        -----
        plait.errors.AlignmentWarning
            Pairs were left out; ``unaligned_`` has them.
        plait.errors.ConvergenceWarning
            The most iterations were made before an objective was at its minimum.
        """
        self._check_features()
        given = pairs if isinstance(pairs, ChunkAlignment) else None
        data = WordPairs.from_items(
            given.pairs if given else pairs,  # type: ignore[arg-type]
            source_units=self.source_units,
            target_units=self.target_units,
        )
        aligned = given or align_chunks(
            data,
            max_source=self.max_source,
            max_target=self.max_target,
            deletions=self.deletions,
            # A chunk without source symbols has no place in a segmentation of the source.
            insertions=False,
            length_penalty=self.length_penalty,
            method=self.method,
            iterations=self.iterations,
            unaligned="ignore",
            threads=self.threads,
            progress=progress,
        )
        chunks = [pair for pair in aligned if pair]
        if not chunks:
            raise DataError(f"none of the {len(data)} pairs can be cut into chunks; {aligned.unaligned[0].reason}")
        self.fit_chunks(chunks, source_units=data.source_units, target_units=data.target_units, progress=progress)
        self.unaligned_ = aligned.unaligned
        if self.unaligned_:
            warnings.warn(
                f"{len(self.unaligned_)} of {len(data)} pairs were left out; {self.unaligned_[0].reason}",
                AlignmentWarning,
                stacklevel=2,
            )
        return self

    def fit_chunks(
        self,
        chunks: Iterable[Chunks],
        *,
        source_units: ChosenUnits = "characters",
        target_units: ChosenUnits = "characters",
        progress: Callback | None = None,
    ) -> Self:
        """Train both fields on word pairs that are cut into chunks already.

        Parameters
        ----------
        chunks
            For each pair its chunks, source and target symbols of each.
        source_units, target_units
            What the symbols are: how new words are split, and target symbols joined.
        progress
            Called with stage, done, total and figures.

        Raises
        ------
        plait.errors.DataError
            There is no pair, or a source side is empty.
        """
        self._check_features()
        flat = flatten(chunks)
        window, letters = self.widths_ = self._widths(flat)
        self.source_units_, self.target_units_ = source_units, target_units
        self._set_symbols(flat.sources, flat.targets)
        core, *ends = _core.two_step_train(
            *flat.arrays,
            window=window,
            letters=letters,
            l2_segmenter=self.l2_segmenter,
            l2_converter=self.l2_converter,
            max_iterations=self.max_iterations,
            epsilon=self.epsilon,
            delta=self.delta,
            period=self.period,
            threads=resolve_threads(self.threads),
            progress=progress,
        )
        self._core = core
        self.histories_ = {}
        for name, (history, norm, reason) in zip(("segmenter", "converter"), ends, strict=True):
            self.histories_[name] = history
            if reason == "iterations" and self.max_iterations > 0:
                warnings.warn(
                    f"training of the {name} stopped after {self.max_iterations} iterations with a gradient of norm "
                    f"{norm:.3g}; raise max_iterations, or epsilon or delta",
                    ConvergenceWarning,
                    stacklevel=2,
                )
        return self

    def transliterate(self, words: Sequence[str]) -> list[str]:
        """Return the most probable target of each word, found with early stopping."""
        found = self.decode(words, n=1, stop=self.stop)
        return [candidates[0].target for candidates in found.candidates]

    def nbest(self, words: Sequence[str], n: int = 10, *, mass: float | None = None) -> list[list[Candidate]]:
        """Return up to n targets of each word, the most probable first.

        Parameters
        ----------
        words
            Source words.
        n
            The most candidates of a word.
        mass
            Of these, only as many as are needed for this sum of probabilities.

        Notes
        -----
        All segmentations are converted: probabilities are those of the system, not bounds. Targets are distinct.

        Raises
        ------
        plait.errors.ConfigError
            n is below 1, or ``mass`` not above 0 and at most 1.
        plait.errors.DataError
            A word is empty.
        """
        if mass is not None and not 0 < mass <= 1:
            raise ConfigError(name="mass", expected="above 0 and at most 1", found=mass)
        lists = self.decode(words, n=n, stop="never").candidates
        return lists if mass is None else [_covering(candidates, mass) for candidates in lists]

    def decode(
        self,
        words: Sequence[str],
        *,
        n: int = 1,
        stop: Stop | None = None,
        certain: int = 1,
        progress: Callback | None = None,
    ) -> Decoded:
        """Return candidates, and what it took to find them.

        Parameters
        ----------
        words
            Source words.
        n
            The most candidates of a word.
        stop
            As for the model, which is the default.
        certain
            With "truncated": how many of the first candidates, in their order, must not change. Their probabilities
            are lower bounds when the rule ended the search.
        progress
            Called with stage, done, total and figures.

        Raises
        ------
        plait.errors.ConfigError
            An option is out of range.
        plait.errors.DataError
            A word is empty.
        """
        stop = self.stop if stop is None else stop
        if stop not in get_args(Stop):
            raise ConfigError(name="stop", expected=f"one of {', '.join(get_args(Stop))}", found=repr(stop))
        starts, ids = self._encode(words, self._source_ids, self.source_units_, "word")
        arrays = self.core.decode(
            starts,
            ids,
            segmentations=_count("segmentations", self.segmentations),
            conversions=_count("conversions", self.conversions),
            stop=stop,
            certain=_count("certain", certain),
            all_labels=self._wants_all(),
            first=_count("n", n),
            threads=resolve_threads(self.threads),
            progress=progress,
        )
        by_word, by_candidate, symbols, probabilities, conversions, masses, certain_words = arrays
        candidates = self._candidates(by_word, by_candidate, symbols, probabilities)
        return Decoded(candidates, conversions, masses, certain_words)

    def probabilities(
        self, words: Sequence[str], targets: Sequence[str], *, tolerance: float = 1e-3, segmentations: int = 1000
    ) -> npt.NDArray[np.float64]:
        """Return P(T | S) of given targets, summed over segmentations and over all labels that give the target.

        Parameters
        ----------
        words, targets
            A target for each word.
        tolerance
            Segmentations are taken, the most probable first, until the others have less probability than this: the
            exact value is between the result and this much more.
        segmentations
            The most segmentations.

        Returns
        -------
        float64[words]

        Notes
        -----
        The sum over segmentations does not fold into one dynamic program, for the converter is normalised for each
        segmentation by itself. Given a segmentation the sum is exact.
        """
        if len(words) != len(targets):
            raise DataError(f"there are {len(words)} words but {len(targets)} targets; give one target for each word")
        source_starts, sources = self._encode(words, self._source_ids, self.source_units_, "word")
        target_starts, ids = self._encode(targets, self._target_ids, self.target_units_, "target", may_be_empty=True)
        found, _ = self.core.probabilities(
            source_starts,
            sources,
            target_starts,
            ids,
            tolerance=tolerance,
            segmentations=_count("segmentations", segmentations),
            all_labels=self._wants_all(),
            threads=resolve_threads(self.threads),
        )
        return found

    def score(self, words: Sequence[str], references: Sequence[str] | Sequence[Sequence[str]]) -> float:
        """Return the share of words whose most probable target is a reference (ACC)."""
        lists = [[reference] if isinstance(reference, str) else list(reference) for reference in references]
        return evaluate([[target] for target in self.transliterate(words)], lists).acc

    def unknown_symbols(self, words: Iterable[str]) -> Counter[str]:
        """Return the source symbols that training did not have, and how often they stand in the words."""
        return Counter(
            symbol for word in words for symbol in split(word, self.source_units_) if symbol not in self._source_ids
        )

    def save(self, path: Path, *, force: bool = False) -> None:
        """Write the model to a file; `plait.translit.load` reads it.

        Raises
        ------
        plait.errors.ConfigError
            The file exists, and ``force`` is not set; or the model is not trained.
        """
        models.save(path, KIND, *self.stored(), force=force)

    def stored(self) -> tuple[dict[str, npt.NDArray[Any]], dict[str, Any]]:
        """Return the arrays and the metadata of a model file."""
        arrays: dict[str, npt.NDArray[Any]] = dict(self.core.arrays())
        for side, names in (("sources", self._sources), ("targets", self._targets)):
            arrays[f"{side}.bytes"], arrays[f"{side}.offsets"] = models.pack_words(names)
        options = {name: getattr(self, name) for name in _OPTIONS if name != "threads"}
        return arrays, {
            "options": options,
            "widths": list(self.widths_),
            "source_units": self.source_units_,
            "target_units": self.target_units_,
            "histories": {name: history.tolist() for name, history in self.histories_.items()},
        }

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read a model that `save` wrote.

        Raises
        ------
        plait.errors.ModelFileError
            The file is no model of this kind, or damaged.
        """
        return cls.from_stored(models.load(path, KIND))

    @classmethod
    @from_a_file(KIND)
    def from_stored(cls, found: models.ModelFile) -> Self:
        """Make a model of the arrays and the metadata of a file.

        Raises
        ------
        plait.errors.ModelFileError
            They are not those of a model of this kind.
        """
        metadata = found.metadata
        try:
            model = cls(**{name: value for name, value in metadata["options"].items() if name in _OPTIONS})
            window, letters = (int(width) for width in metadata["widths"])
            model.widths_ = window, letters
            model.source_units_, model.target_units_ = metadata["source_units"], metadata["target_units"]
            model.histories_ = {name: np.asarray(values) for name, values in metadata["histories"].items()}
        except (KeyError, TypeError, ValueError, AttributeError):
            raise ModelFileError(
                f"the metadata of a model of kind {KIND!r} is incomplete; make the model again"
            ) from None
        if isinstance(model.features, list):
            model.features = (window, letters)
        words = {
            side: [
                word.decode()
                for word in models.unpack_words(
                    found.array(f"{side}.bytes", np.uint8), found.array(f"{side}.offsets", np.uint64)
                )
            ]
            for side in ("sources", "targets")
        }
        model._set_symbols(words["sources"], words["targets"])
        _check_symbols(found.array("labels.symbols", np.uint32), len(words["targets"]))
        model._core = _core.TwoStepModel(
            (window, letters),
            (found.array(_GRAMS[0], np.uint32), found.array(_GRAMS[1], np.uint32)),
            _field(found, "segmenter"),
            _field(found, "converter"),
            (
                found.array(_CANDIDATES[0], np.uint32),
                found.array(_CANDIDATES[1], np.uint64),
                found.array(_CANDIDATES[2], np.uint32),
            ),
            (found.array(_LABELS[0], np.uint64), found.array(_LABELS[1], np.uint32)),
        )
        return model

    def _check_features(self) -> None:
        if isinstance(self.features, str):
            if self.features != "auto" and self.features not in FEATURES:
                expected = f"auto, one of {', '.join(FEATURES)}, or two widths"
                raise ConfigError(name="features", expected=expected, found=repr(self.features))
        elif len(self.features) != 2:
            raise ConfigError(name="features", expected="a name or two widths", found=repr(self.features))

    def _widths(self, flat: Flat) -> tuple[int, int]:
        if not isinstance(self.features, str):
            window, letters = self.features
            return _count("the window of features", window, 0), _count("the letters of features", letters, 0)
        if self.features != "auto":
            return FEATURES[self.features]
        return FEATURES["paper" if flat.longest > 2 and flat.is_logographic else "letters"]

    def _wants_all(self) -> bool:
        if self.labels not in ("seen", "all"):
            raise ConfigError(name="labels", expected="'seen' or 'all'", found=repr(self.labels))
        return self.labels == "all"

    def _set_symbols(self, sources: Sequence[str], targets: Sequence[str]) -> None:
        self._sources, self._targets = list(sources), list(targets)
        self._source_ids = {symbol: number for number, symbol in enumerate(sources)}
        self._target_ids = {symbol: number for number, symbol in enumerate(targets)}

    def _encode(
        self, texts: Sequence[str], ids: Mapping[str, int], units: ChosenUnits, what: str, *, may_be_empty: bool = False
    ) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint32]]:
        if self._core is None:
            raise ConfigError("this TwoStepCRF is not trained; call fit, or load a saved model")
        if isinstance(texts, str):
            raise ConfigError(name=f"{what}s", expected="a list of texts", found=f"the text {texts!r}")
        starts = np.zeros(len(texts) + 1, dtype=np.uint64)
        flat: list[int] = []
        for number, text in enumerate(texts, 1):
            symbols = split(text, units)
            if not symbols and not may_be_empty:
                raise DataError(f"{what} {number} is empty; leave it out")
            flat += [ids.get(symbol, _UNKNOWN) for symbol in symbols]
            starts[number] = len(flat)
        return starts, np.asarray(flat, dtype=np.uint32)

    def _candidates(
        self,
        by_word: npt.NDArray[np.uint64],
        by_candidate: npt.NDArray[np.uint64],
        symbols: npt.NDArray[np.uint32],
        probabilities: npt.NDArray[np.float64],
    ) -> list[list[Candidate]]:
        names = [self._targets[number] for number in symbols.tolist()]
        ends = by_candidate.tolist()
        units = self.target_units_
        made = [
            Candidate(join(names[ends[number] : ends[number + 1]], units), probability)
            for number, probability in enumerate(probabilities.tolist())
        ]
        bounds = by_word.tolist()
        return [made[bounds[number] : bounds[number + 1]] for number in range(len(bounds) - 1)]


_OPTIONS: dict[str, Any] = {
    name: parameter.default
    for name, parameter in inspect.signature(TwoStepCRF.__init__).parameters.items()
    if name != "self"
}


def _field(found: models.ModelFile, name: str) -> _FieldArrays:
    return (
        found.array(f"{name}.keys", np.uint64),
        found.array(f"{name}.states.starts", np.uint64),
        found.array(f"{name}.states.labels", np.uint32),
        found.array(f"{name}.transitions.starts", np.uint64),
        found.array(f"{name}.transitions.labels", np.uint32),
        found.array(f"{name}.weights", np.float64),
    )


def _check_symbols(symbols: npt.NDArray[np.uint32], count: int) -> None:
    if symbols.size and int(symbols.max()) >= count:
        raise ModelFileError(f"labels name a target symbol that is not among the {count}; make the model again")


def _covering(candidates: list[Candidate], mass: float) -> list[Candidate]:
    total = 0.0
    for number, candidate in enumerate(candidates, 1):
        total += candidate.probability
        if total >= mass:
            return candidates[:number]
    return candidates


def _count(name: str, value: int, least: int = 1) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise ConfigError(name=name, expected=f"a whole number from {least}", found=repr(value))
    return value
