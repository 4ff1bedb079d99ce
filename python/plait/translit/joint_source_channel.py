"""The joint source-channel model: an n-gram model over pairs of chunks."""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Iterable, Sequence
from typing import Any, Literal, NamedTuple, Self, overload

import numpy as np
import numpy.typing as npt

from plait import _core, models
from plait.errors import ConfigError, DataError, ModelFileError
from plait.io.stored import from_a_file
from plait.io.streams import Path
from plait.progress import Callback
from plait.threads import resolve_threads
from plait.translit import joint_files
from plait.translit.alignment import ChunkAlignment, align_chunks, whole
from plait.translit.candidates import Candidate
from plait.translit.joint_parts import Parts
from plait.translit.pairs import Pair, WordPairs
from plait.translit.symbols import SymbolUnits

__all__ = ["JointSourceChannel", "Trial"]

# The search for one word ends after so many steps; 10 targets take some hundred.
MAX_STEPS = 1_000_000


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


class JointSourceChannel:
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

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the options by name; ``deep`` is for scikit-learn and changes nothing."""
        return {name: getattr(self, name) for name in _OPTIONS}

    def __repr__(self) -> str:
        """Return the options that are not the defaults."""
        shown = ", ".join(
            f"{name}={getattr(self, name)!r}" for name, default in _OPTIONS.items() if getattr(self, name) != default
        )
        return f"{type(self).__name__}({shown})"

    @property
    def core(self) -> _core.JointModel:
        """What the compiled core works on.

        Raises
        ------
        ConfigError
            The model is not trained.
        """
        if self._core is None:
            raise ConfigError("this JointSourceChannel is not trained; call fit, or load a saved model")
        return self._core

    @property
    def parts(self) -> Parts:
        """Units, names and training sequences.

        Raises
        ------
        ConfigError
            The model is not trained.
        """
        if self._parts is None:
            raise ConfigError("this JointSourceChannel is not trained; call fit, or load a saved model")
        return self._parts

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
        given = pairs if isinstance(pairs, ChunkAlignment) else None
        data = WordPairs.from_items(
            given.pairs if given else pairs,  # type: ignore[arg-type]
            source_units=self.source_units,
            target_units=self.target_units,
        )
        usual = {"length_penalty": 0.5, "prune": (0,), "discard": 0.0}
        chosen = {name: getattr(self, name) for name in usual}
        options = {name: usual[name] if value is None else value for name, value in chosen.items()}
        if dev is None:
            self._train(given or self._align(data, options, "warn", progress), options, progress)
            return self
        held_out = WordPairs.from_items(dev, source_units=data.source_units, target_units=data.target_units)
        sources, references = _by_item(held_out)
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

    def transliterate(self, words: Iterable[str], *, progress: Callback | None = None) -> list[str]:
        """Return the most probable target of each word.

        A source symbol that no unit covers alone becomes nothing, or itself (``unknown``): every word has a target.
        """
        return [found[0].target for found in self.nbest(words, 1, progress=progress)]

    def nbest(
        self,
        words: Iterable[str],
        n: int = 10,
        *,
        mass: float | None = None,
        normalize: Literal["exact", "list"] = "exact",
        progress: Callback | None = None,
    ) -> list[list[Candidate]]:
        """Return the most probable targets of each word, the best first, distinct, at least one.

        Parameters
        ----------
        words
            Source words.
        n
            The most targets of a word.
        mass
            Lists end as soon as their probabilities sum to this share, above 0 and at most 1.
        normalize
            "exact": probabilities given the source word, P(S, T) / P(S), where P(S) is the sum over all targets.
            "list": P(S, T) over the sum of the list (eq. 6 of Yang, Dixon and Furui, over n best).
        progress
            Called with stage, done and total.

        Raises
        ------
        plait.errors.ConfigError
            n, mass or normalize is out of range, or the model is not trained.

        Notes
        -----
        Probabilities are sums over all ways to cut the word. The targets that are looked at are those with the best
        single ways, ``candidates`` times n of them, found exactly.
        """
        count = whole("n", n)
        if mass is not None and not 0 < mass <= 1:
            raise ConfigError(name="mass", expected="above 0 and at most 1", found=mass)
        if normalize not in ("exact", "list"):
            raise ConfigError(name="normalize", expected="'exact' or 'list'", found=repr(normalize))
        parts = self.parts
        symbols, starts, ids = parts.encode_sources(words)
        counts, (target_starts, targets), joint, sums, _ = self.core.nbest(
            (starts, ids),
            n=count,
            candidates=max(count, whole("candidates", self.candidates) * count),
            steps=MAX_STEPS,
            unknown=self.unknown,
            threads=resolve_threads(self.threads),
            progress=progress,
        )
        probabilities = np.exp(np.minimum(joint - np.repeat(sums, counts), 0.0)).tolist()
        texts = parts.decode_targets(symbols, counts, target_starts, targets)
        lists, at = [], 0
        for length in counts:
            found = _merge(texts[at : at + length], probabilities[at : at + length])
            lists.append(_cut(_over_list(found) if normalize == "list" else found, mass))
            at += length
        return lists

    def score(self, words: Iterable[str], references: Iterable[str | Sequence[str]]) -> float:
        """Return the share of words whose first candidate is one of their references (ACC).

        Raises
        ------
        plait.errors.DataError
            There are no words, or not as many references.
        """
        sources = list(words)
        accepted = [{text} if isinstance(text, str) else set(text) for text in references]
        if len(sources) != len(accepted) or not sources:
            raise DataError(
                f"there are {len(sources)} words and {len(accepted)} references; give a reference, or a list of "
                "references, for each word"
            )
        found = self.transliterate(sources)
        return sum(text in texts for text, texts in zip(found, accepted, strict=True)) / len(sources)

    @overload
    def log_probability(  # type: ignore[overload-overlap]
        self, source: str, target: str, *, joint: bool = False
    ) -> float: ...
    @overload
    def log_probability(
        self, source: Sequence[str], target: Sequence[str], *, joint: bool = False
    ) -> npt.NDArray[np.float64]: ...
    def log_probability(
        self, source: str | Sequence[str], target: str | Sequence[str], *, joint: bool = False
    ) -> float | npt.NDArray[np.float64]:
        """Return the natural logarithm of P(T | S), or of P(S, T), by sums over all ways to cut the pair.

        Parameters
        ----------
        source, target
            A word and a target, or as many words as targets.
        joint
            P(S, T) rather than P(T | S).

        Returns
        -------
        float or float64[n]
            Minus infinity for a target that no units make, for instance one with a symbol never seen.
        """
        if isinstance(source, str) != isinstance(target, str):
            raise DataError("give a word and a target, or a list of words and a list of targets")
        sources = [source] if isinstance(source, str) else list(source)
        targets = [target] if isinstance(target, str) else list(target)
        if len(sources) != len(targets):
            raise DataError(f"there are {len(sources)} words and {len(targets)} targets; give a target for each word")
        symbols, starts, ids = self.parts.encode_sources(sources)
        logs, sums = self.core.score(
            (starts, ids),
            self.parts.encode_targets(targets, symbols, copies=self.unknown == "copy"),
            unknown=self.unknown,
            threads=resolve_threads(self.threads),
        )
        found = logs if joint else np.minimum(logs - sums, 0.0)
        return float(found[0]) if isinstance(source, str) else found

    def save(self, path: Path, *, force: bool = False) -> None:
        """Write the model to a file of the kind "transliteration-joint-source-channel".

        The file holds the training pairs as units; probabilities are estimated when it is loaded, to the same bits.

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
        return joint_files.arrays_of(parts), {
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
        model._core = model._estimate(None)
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
        self._parts, self.discarded_ = Parts.of(alignment, options["discard"])
        self._core = self._estimate(progress)

    def _estimate(self, progress: Callback | None) -> _core.JointModel:
        parts = self.parts
        return _core.JointModel(
            parts.unit_sources,
            parts.unit_targets,
            parts.sequences,
            order=self.options_["order"],
            prune=[whole("prune", threshold) for threshold in self.options_["prune"]],
            threads=resolve_threads(self.threads),
            progress=progress,
        )


_OPTIONS: dict[str, Any] = {
    name: parameter.default
    for name, parameter in inspect.signature(JointSourceChannel.__init__).parameters.items()
    if name != "self"
}

# What is tried on development data, in this order; the usual value first.
_CHOICES: dict[str, tuple[Any, ...]] = {
    "length_penalty": (0.5, 0.0, 1.0),
    "prune": ((0,), (0, 0, 0, 1), (0, 0, 1), (0, 1)),
    "discard": (0.0, 0.05, 0.1, 0.2),
}


def _by_item(pairs: WordPairs) -> tuple[list[str], list[list[str]]]:
    """Return source words with all their references."""
    sources, references = [], []
    for _, group in itertools.groupby(range(len(pairs)), key=pairs.items.__getitem__):
        numbers = list(group)
        sources.append(pairs[numbers[0]][0])
        references.append([pairs[number][1] for number in numbers])
    return sources, references


def _merge(texts: list[str], probabilities: list[float]) -> list[Candidate]:
    """Return candidates; runs of symbols that give the same text become one."""
    if len(set(texts)) == len(texts):
        return [Candidate(text, value) for text, value in zip(texts, probabilities, strict=True)]
    sums: dict[str, float] = {}
    for text, value in zip(texts, probabilities, strict=True):
        sums[text] = sums.get(text, 0.0) + value
    return [Candidate(text, min(value, 1.0)) for text, value in sorted(sums.items(), key=lambda item: -item[1])]


def _over_list(found: list[Candidate]) -> list[Candidate]:
    total = sum(candidate.probability for candidate in found)
    # Probabilities that are all too small for a float are as good as each other.
    return [
        candidate._replace(probability=candidate.probability / total if total > 0 else 1 / len(found))
        for candidate in found
    ]


def _cut(found: list[Candidate], mass: float | None) -> list[Candidate]:
    if mass is None:
        return found
    total = 0.0
    for number, candidate in enumerate(found, 1):
        total += candidate.probability
        if total >= mass:
            return found[:number]
    return found
