"""The two-step random field: a segmenter and a converter, decoded together."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt

from plait import _core, models
from plait.errors import AlignmentWarning, ModelFileError
from plait.io.stored import from_a_file
from plait.io.streams import Path
from plait.progress import Callback
from plait.threads import resolve_threads
from plait.translit.alignment import ChunkAlignment, Unaligned, align_chunks
from plait.translit.decoded import Decoded
from plait.translit.fitting import by_item, warn_of_limits, words_of
from plait.translit.pairs import Pair, WordPairs
from plait.translit.symbols import ChosenUnits, SymbolUnits
from plait.translit.two_step_chunks import Chunks, Flat, check_rare, common_chunks, flatten, sampled
from plait.translit.two_step_decoding import Stop, TwoStepDecoding
from plait.translit.two_step_features import FEATURES, Rivals, check_features, rivals_of, widths_of
from plait.translit.two_step_files import KIND, core_of, names_of, packed
from plait.translit.two_step_penalties import TRIED, Penalties, beginning, best_of, choose

__all__ = ["FEATURES", "KIND", "Chunks", "Decoded", "Stop", "TwoStepCRF"]


class TwoStepCRF(TwoStepDecoding):
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
        Factors of the sum of squared weights of both fields. By default 0.5; with development data the best of some.
    rivals
        What a chunk's label is weighed against in the training of the converter: "all" labels, as in the paper; those
        that the chunk has somewhere in training ("seen"), many times faster; "auto": "all" where letters become
        Chinese characters or ``labels`` is "all", otherwise "seen".
    rare
        A target chunk that stands fewer times than this share of the number of pairs is no label; pairs that have one
        are left out. It takes effect from 1 / ``rare`` pairs on; 0 keeps all.
    unusual
        Pairs are left out, too, where a source chunk becomes what it becomes in less than this share of all cases: most
        are noise, and labels that a chunk has "seen" cost time. Not with all labels as rivals; 0 keeps all.
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
    rivals_ : str
        "all" or "seen": what the converter was trained against.
    l2_ : (float, float)
        The factors of squared weights that the model was trained with.
    trials_ : list of Penalties
        What was tried on development data.
    unaligned_ : list of Unaligned
        Pairs that could not be cut into common chunks and were left out of training, and why.
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
        l2_segmenter: float | None = None,
        l2_converter: float | None = None,
        rivals: Rivals = "auto",
        rare: float = 1e-4,
        unusual: float = 1e-3,
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
        self.rivals: Rivals = rivals
        self.rare = rare
        self.unusual = unusual
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
        self.rivals_: Literal["all", "seen"] = "all"
        self.l2_ = beginning(self.l2_segmenter, self.l2_converter)
        self.trials_: list[Penalties] = []
        self.histories_: dict[str, npt.NDArray[np.float64]] = {}
        self.unaligned_: list[Unaligned] = []
        self.source_units_: ChosenUnits = "characters"
        self.target_units_: ChosenUnits = "characters"
        self._set_symbols([], [])
        self._core: _core.TwoStepModel | None = None

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
            Development data: those of ``l2_segmenter`` and ``l2_converter`` that are None are chosen by the share of
            right words there, the converter's first. A trial begins at the weights of the best one so far; of more
            than 20,000 training pairs it has so many, evenly spread.
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
        check_rare(rare=self.rare, unusual=self.unusual)
        check_features(self.features)
        data, given = words_of(pairs, source_units=self.source_units, target_units=self.target_units)
        held_out = None if dev is None else words_of(dev, source_units=data.source_units, target_units="auto")[0]
        aligned = given or align_chunks(
            data,
            max_source=self.max_source,
            max_target=self.max_target,
            deletions=self.deletions,
            insertions=False,  # a chunk without source symbols has no place in a segmentation of the source
            length_penalty=self.length_penalty,
            method=self.method,
            iterations=self.iterations,
            unaligned="ignore",
            threads=self.threads,
            progress=progress,
        )
        chunks, self.unaligned_ = common_chunks(aligned, self.rare)
        if self.unusual > 0 and rivals_of(self.rivals, flatten(chunks), wants_all=self.wants_all()) == "seen":
            chunks, self.unaligned_ = common_chunks(aligned, self.rare, self.unusual)
        units = data.source_units, data.target_units
        trials, part = list[Penalties](), sampled(chunks, TRIED)
        if held_out is not None and None in (self.l2_segmenter, self.l2_converter):
            trials = self._choose(flatten(part), units, held_out, progress)
        if not trials or len(part) < len(chunks):
            penalties = best_of(trials) if trials else beginning(self.l2_segmenter, self.l2_converter)
            self._train(flatten(chunks), *units, penalties, progress)
        self.trials_ = trials
        warn_of_limits(self._ends, self.max_iterations)
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
        check_rare(rare=self.rare, unusual=self.unusual)
        check_features(self.features)
        self.unaligned_ = []
        penalties = beginning(self.l2_segmenter, self.l2_converter)
        self._train(flatten(chunks), source_units, target_units, penalties, progress)
        warn_of_limits(self._ends, self.max_iterations)
        return self

    def _train(
        self,
        flat: Flat,
        source_units: ChosenUnits,
        target_units: ChosenUnits,
        penalties: tuple[float, float],
        progress: Callback | None,
        start: _core.TwoStepModel | None = None,
    ) -> None:
        self._core = None
        window, letters = self.widths_ = widths_of(self.features, flat)
        self.rivals_ = rivals_of(self.rivals, flat, wants_all=self.wants_all())
        self.source_units_, self.target_units_ = source_units, target_units
        self._set_symbols(flat.sources, flat.targets)
        self.trials_, self.l2_ = [], penalties
        self._core, *ends = _core.two_step_train(
            *flat.arrays,
            window=window,
            letters=letters,
            l2_segmenter=penalties[0],
            l2_converter=penalties[1],
            rivals=self.rivals_,
            max_iterations=self.max_iterations,
            epsilon=self.epsilon,
            delta=self.delta,
            period=self.period,
            threads=resolve_threads(self.threads),
            start=start,
            progress=progress,
        )
        self._ends = dict(zip(("segmenter", "converter"), ends, strict=True))
        self.histories_ = {name: history for name, (history, _, _) in self._ends.items()}

    def _choose(
        self, flat: Flat, units: tuple[ChosenUnits, ChosenUnits], held_out: WordPairs, progress: Callback | None
    ) -> list[Penalties]:
        """Try penalties, and keep the model that is best on held-out words."""
        sources, references = by_item(held_out)
        states: dict[tuple[float, float], dict[str, Any]] = {}

        def trial(penalties: tuple[float, float], best: tuple[float, float] | None) -> float:
            self._train(flat, *units, penalties, progress, None if best is None else states[best]["_core"])
            states[penalties] = {name: getattr(self, name) for name in ("_core", "_ends", "histories_", "l2_")}
            return self.score(sources, references)

        first = beginning(self.l2_segmenter, self.l2_converter)
        trials = choose(first, (self.l2_segmenter is None, self.l2_converter is None), trial)
        vars(self).update(states[best_of(trials)])
        return trials

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
        arrays: dict[str, npt.NDArray[Any]] = dict(self.core.arrays()) | packed(self._sources, self._targets)
        options = {name: value for name, value in self.get_params().items() if name != "threads"}
        return arrays, {
            "options": options,
            "widths": list(self.widths_),
            "l2": list(self.l2_),
            "rivals": self.rivals_,
            "trials": [list(trial) for trial in self.trials_],
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
            options = {name: value for name, value in metadata["options"].items() if name in cls.defaults()}
            model = cls(**options)
            window, letters = (int(width) for width in metadata["widths"])
            model.widths_ = window, letters
            # Files of the first version lack these: their penalties are options, and their rivals are all.
            segmenter, converter = (float(value) for value in metadata.get("l2", model.l2_))
            model.l2_ = segmenter, converter
            model.rivals_ = metadata.get("rivals", "all")
            model.trials_ = [Penalties(*(float(value) for value in trial)) for trial in metadata.get("trials", [])]
            model.source_units_, model.target_units_ = metadata["source_units"], metadata["target_units"]
            model.histories_ = {name: np.asarray(values) for name, values in metadata["histories"].items()}
        except (KeyError, TypeError, ValueError, AttributeError):
            raise ModelFileError(
                f"the metadata of a model of kind {KIND!r} is incomplete; make the model again"
            ) from None
        if isinstance(model.features, list):
            model.features = (window, letters)
        model._set_symbols(*names_of(found))
        model._core = core_of(found, model.widths_, len(model._targets))
        return model
