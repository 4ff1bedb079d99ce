"""The joint source-channel model: an n-gram model over pairs of chunks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal, NamedTuple, Self

import numpy.typing as npt

from plait import _core, models
from plait.errors import ConfigError, ModelFileError
from plait.io.stored import from_a_file
from plait.io.streams import Path
from plait.progress import Callback
from plait.threads import resolve_threads
from plait.translit import joint_files
from plait.translit.alignment import ChunkAlignment, align_chunks, whole
from plait.translit.fitting import by_item, words_of
from plait.translit.joint_decoding import JointDecoding
from plait.translit.joint_parts import Parts
from plait.translit.pairs import Pair, WordPairs
from plait.translit.symbols import SymbolUnits

__all__ = ["JointSourceChannel", "Trial"]


class Trial(NamedTuple):
    """Options that were tried on development data.

    Attributes
    ----------
    options
        Those that were to be chosen.
    accuracy
        The share of words whose first candidate is right.
    """

    options: dict[str, Any]
    accuracy: float


class JointSourceChannel(JointDecoding):
    r"""A joint source-channel model (Li, Zhang and Su 2004).

    Parameters
    ----------
    order
        The length of n-grams of units. By default 3 where source words are much longer than targets (letters and
        Chinese characters), as in the paper, and 6 otherwise.
    prune
        For each length of n-grams, those with this count or less are left out; the last value holds for greater
        lengths. By default none; with development data the best of some. Noisy pairs call for ``(0, 1)``.
    discard
        The share of training pairs with the least likely alignments by symbol that are left out: pairs that were
        mined are not all transliterations. By default none; with development data the best of some.
    length_penalty
        See `align_chunks`. By default 0.5; with development data the best of some.
    max_source, max_target, many_to_many, deletions, insertions
        See `ChunkLimits`; by default chosen by the lengths of the words.
    method, iterations
        Of the alignment, see `align_chunks`.
    direction
        "forward": a unit depends on those before it, as in the paper. "backward": on those behind it; beside a forward
        model in an `Interpolation` it adds what follows to what went before.
    source_units, target_units
        What the symbols of words are, see `WordPairs.from_items`.
    unknown
        What becomes of a source symbol that no chunk covers alone: "skip" (nothing) or "copy" (itself).
    candidates
        Targets that are looked at for a list of n, as a multiple of n: those with the best ways to cut the word. Their
        sums over all ways decide which are listed, in which order.
    threads
        Threads; all that may be used by default. Results do not depend on it.

    Attributes
    ----------
    alignment_ : ChunkAlignment or None
        How the training pairs were cut; None for a model from a file.
    options_ : dict
        The order, thresholds and so on that the model was made with.
    trials_ : list of Trial
        What was tried on development data.
    discarded_ : list of int
        The training pairs that were left out for their alignments.

    Notes
    -----
    The probability of a pair is a sum over all ways to cut it into units, and the probability of a target given a
    source is that over the sum of all targets, both exact. See ``docs/design/joint_source_channel.md``.

    References
    ----------
    Li, Zhang and Su (2004), A joint source-channel model for machine transliteration. Yang, Dixon and Furui (2010),
    eq. 4 to 6.

    Examples
    --------
    >>> from plait.translit import JointSourceChannel
    >>> pairs = [("phil", "fil"), ("sophia", "sofia"), ("phi", "fi"), ("sip", "sip")]
    >>> model = JointSourceChannel().fit(pairs)
    >>> model.transliterate(["phila"])
    ['fila']
    """

    def __init__(
        self,
        *,
        order: int | None = None,
        prune: Sequence[int] | None = None,
        discard: float | None = None,
        length_penalty: float | None = None,
        max_source: int | None = None,
        max_target: int | None = None,
        many_to_many: bool | None = None,
        deletions: bool | None = None,
        insertions: bool | None = None,
        method: Literal["em", "viterbi"] = "em",
        iterations: int = 50,
        direction: Literal["forward", "backward"] = "forward",
        source_units: SymbolUnits = "auto",
        target_units: SymbolUnits = "auto",
        unknown: Literal["skip", "copy"] = "skip",
        candidates: int = 2,
        threads: int | None = None,
    ) -> None:
        self.order = order
        self.prune = None if prune is None else tuple(prune)
        self.discard = discard
        self.length_penalty = length_penalty
        self.max_source = max_source
        self.max_target = max_target
        self.many_to_many = many_to_many
        self.deletions = deletions
        self.insertions = insertions
        self.method: Literal["em", "viterbi"] = method
        self.iterations = iterations
        self.direction: Literal["forward", "backward"] = direction
        self.source_units: SymbolUnits = source_units
        self.target_units: SymbolUnits = target_units
        self.unknown: Literal["skip", "copy"] = unknown
        self.candidates = candidates
        self.threads = threads
        self.alignment_: ChunkAlignment | None = None
        self.options_: dict[str, Any] = {}
        self.trials_: list[Trial] = []
        self.discarded_: list[int] = []
        self._parts: Parts | None = None
        self._core: _core.JointModel | None = None

    def fit(
        self,
        pairs: WordPairs | ChunkAlignment | Iterable[Pair],
        *,
        dev: WordPairs | Iterable[Pair] | None = None,
        progress: Callback | None = None,
    ) -> Self:
        """Train.

        Parameters
        ----------
        pairs
            Pairs of words, what `WordPairs.from_items` takes, or pairs that are cut into chunks already.
        dev
            Development data: those of ``length_penalty``, ``prune`` and ``discard`` that are None are chosen, one
            after the other, by the share of right words there.
        progress
            Called with stage, done, total and figures.

        Returns
        -------
        JointSourceChannel
            Itself.

        Raises
        ------
        plait.errors.DataError
            There are no pairs, or none of them can be aligned.
        plait.errors.ConfigError
            An option is out of range.

        Warns
        -----
        plait.errors.AlignmentWarning
            Some pairs cannot be aligned; ``alignment_.unaligned`` lists them.

        Notes
        -----
        Choosing takes up to ten models of which three are aligned anew.
        """
        self._check()
        self.trials_ = []
        data, given = words_of(pairs, source_units=self.source_units, target_units=self.target_units)
        usual = {"length_penalty": 0.5, "prune": (0,), "discard": 0.0}
        chosen = {name: getattr(self, name) for name in usual}
        options = {name: usual[name] if value is None else value for name, value in chosen.items()}
        if dev is None:
            self._train(given or self._align(data, options, "warn", progress), options, progress)
            return self
        held_out, _ = words_of(dev, source_units=data.source_units, target_units=data.target_units)
        sources, references = by_item(held_out)
        alignments = {} if given is None else {options["length_penalty"]: given}
        best = -1.0
        for name, values in _CHOICES.items():
            if chosen[name] is not None or (name == "length_penalty" and given):
                continue
            for value in values:
                trial = options | {name: value}
                if self.trials_ and trial == options:
                    continue
                penalty = trial["length_penalty"]
                if penalty not in alignments:
                    how: Literal["warn", "ignore"] = "ignore" if alignments else "warn"
                    alignments[penalty] = self._align(data, trial, how, progress)
                self._train(alignments[penalty], trial, progress)
                accuracy = self.score(sources, references)
                self.trials_.append(Trial(trial, accuracy))
                if accuracy > best:
                    best, options = accuracy, trial
        penalty = options["length_penalty"]
        alignment = alignments.get(penalty) or self._align(data, options, "warn", progress)
        self._train(alignment, options, progress)
        return self

    def save(self, path: Path, *, force: bool = False) -> None:
        """Write the model to a file of the kind "transliteration-joint-source-channel".

        The file holds the training pairs as units, and the n-gram model. Files of versions that did not store it are
        read as well: it is estimated again, to the same bits.

        Raises
        ------
        plait.errors.ConfigError
            The file exists and ``force`` is not set, or the model is not trained.
        """
        models.save(path, joint_files.KIND, *self.stored(), force=force)

    def stored(self) -> tuple[dict[str, npt.NDArray[Any]], dict[str, Any]]:
        """Return the arrays and the metadata of a model file."""
        settings = {name: value for name, value in self.get_params().items() if name != "threads"}
        trials = [[trial.options, trial.accuracy] for trial in self.trials_]
        parts = self.parts
        return joint_files.arrays_of(parts, self.core), {
            "settings": settings,
            "options": self.options_,
            "trials": trials,
            "source_units": parts.source_units,
            "target_units": parts.target_units,
        }

    @classmethod
    def load(cls, path: Path, *, threads: int | None = None) -> Self:
        """Read a model that `save` wrote.

        Raises
        ------
        plait.errors.ModelFileError
            The file is none, or damaged.
        """
        return cls.from_stored(models.load(path, joint_files.KIND), threads=threads)

    @classmethod
    @from_a_file(joint_files.KIND)
    def from_stored(cls, found: models.ModelFile, *, threads: int | None = None) -> Self:
        """Make a model of the arrays and the metadata of a file.

        Raises
        ------
        plait.errors.ModelFileError
            They are not those of a model of this kind.
        """
        parts, metadata = joint_files.parts_of(found), found.metadata
        try:
            model = cls(**metadata["settings"], threads=threads)
            model.trials_ = [Trial(options, accuracy) for options, accuracy in metadata["trials"]]
        except (TypeError, ValueError) as problem:
            raise ModelFileError(
                f"a model of kind {joint_files.KIND!r} has settings that are not known; make the model again"
            ) from problem
        model.options_ = metadata["options"] | {"prune": tuple(metadata["options"]["prune"])}
        model._check()
        model._parts = parts
        model._core = model._estimate(None, joint_files.ngrams_of(found))
        return model

    def __getstate__(self) -> dict[str, Any]:
        """Return what a pickle holds: all but the compiled core, which is estimated again."""
        return {name: value for name, value in vars(self).items() if name != "_core"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Make the model of a pickle again."""
        vars(self).update(state)
        self._core = None if self._parts is None else self._estimate(None)

    def _check(self) -> None:
        """Refuse options out of range before any work."""
        if self.discard is not None and not 0 <= self.discard < 1:
            raise ConfigError(name="discard", expected="from 0 to below 1", found=self.discard)
        if self.unknown not in ("skip", "copy"):
            raise ConfigError(name="unknown", expected="'skip' or 'copy'", found=repr(self.unknown))
        if self.direction not in ("forward", "backward"):
            raise ConfigError(name="direction", expected="'forward' or 'backward'", found=repr(self.direction))
        if self.order is not None and whole("order", self.order) < 1:
            raise ConfigError(name="order", expected="at least 1", found=self.order)
        if whole("candidates", self.candidates) < 1:
            raise ConfigError(name="candidates", expected="at least 1", found=self.candidates)

    def _align(
        self,
        data: WordPairs,
        options: dict[str, Any],
        unaligned: Literal["warn", "ignore"],
        progress: Callback | None,
    ) -> ChunkAlignment:
        return align_chunks(
            data,
            max_source=self.max_source,
            max_target=self.max_target,
            many_to_many=self.many_to_many,
            deletions=self.deletions,
            insertions=self.insertions,
            method=self.method,
            iterations=self.iterations,
            length_penalty=options["length_penalty"],
            unaligned=unaligned,
            threads=self.threads,
            progress=progress,
        )

    def _train(self, alignment: ChunkAlignment, options: dict[str, Any], progress: Callback | None) -> None:
        order = self.order
        if order is None:
            order = 3 if alignment.limits.max_source > 2 and alignment.limits.max_target == 1 else 6
        # Thresholds beyond the order would have no n-grams to hold for.
        thresholds = tuple(options["prune"])[:order]
        self.alignment_ = alignment
        self.options_ = options | {"order": order, "prune": thresholds, "limits": list(alignment.limits)}
        self._parts, self.discarded_ = Parts.of(alignment, options["discard"], is_backward=self.direction == "backward")
        self._core = self._estimate(progress)

    def _estimate(self, progress: Callback | None, ngrams: _core.NgramArrays | None = None) -> _core.JointModel:
        parts = self.parts
        return _core.JointModel(
            parts.unit_sources,
            parts.unit_targets,
            parts.sequences,
            order=self.options_["order"],
            prune=[whole("prune", threshold) for threshold in self.options_["prune"]],
            threads=resolve_threads(self.threads),
            ngrams=ngrams,
            progress=progress,
        )


# What is tried on development data, in this order; the usual value first.
_CHOICES: dict[str, tuple[Any, ...]] = {
    "length_penalty": (0.5, 0.0, 1.0),
    "prune": ((0,), (0, 0, 0, 1), (0, 0, 1), (0, 1)),
    "discard": (0.0, 0.05, 0.1, 0.2),
}
