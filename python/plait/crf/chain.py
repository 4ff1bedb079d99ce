"""The estimator: a linear-chain conditional random field with the manners of scikit-learn."""

from __future__ import annotations

import inspect
import itertools
import os
import warnings
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from plait import _core
from plait.crf import crfsuite, files
from plait.crf.sequences import Format, Sequences
from plait.errors import ConfigError, ConvergenceWarning, DataError
from plait.io.streams import Path
from plait.progress import Callback
from plait.threads import resolve_threads

__all__ = ["Allowed", "ChainCRF", "Data", "Labelling", "Pairs"]

Pairs = Literal["observed", "all", "none"]
Data = Sequences | Iterable[Iterable[Mapping[str, Any] | Iterable[str]]]
"""Sequences, or what `Sequences.from_items` takes."""
Allowed = Sequence[Sequence[Collection[str] | None]]
"""For each sequence and position the labels that are allowed; None for all."""


class Labelling(NamedTuple):
    """Labels of a sequence.

    Attributes
    ----------
    labels
        A label for each position.
    probability
        Their probability among all allowed labels, given the sequence.
    log_probability
        Its natural logarithm, also where the probability is too small for a float.
    """

    labels: list[str]
    probability: float
    log_probability: float


class ChainCRF:
    r"""A linear-chain conditional random field.

    Parameters
    ----------
    l1, l2
        Factors of the sum of absolute values, and of squares, of the weights: CRFsuite's c1 and c2. l2 is
        :math:`1 / 2\sigma^2` of a Gaussian prior; with l1 above 0 many weights become exactly 0.
    states, transitions
        Which pairs of an attribute and a label, and of neighbouring labels, have weights: those ``"observed"`` in the
        training data, ``"all"``, or, of labels, ``"none"``.
    min_count
        Observed pairs whose values sum to less have no weight.
    max_iterations
        The most iterations of L-BFGS (OWL-QN with l1).
    epsilon
        Training ends when the norm of the gradient is at most this times that of the weights (or 1).
    delta, period
        It also ends when the objective fell by less than this share of itself in so many iterations; 0 never.
    memory
        Pairs of vectors that L-BFGS remembers.
    threads
        Threads; all that may be used by default. Results do not depend on it.

    Attributes
    ----------
    classes_ : list of str
        The labels, in the order of their first occurrence.
    history_ : float64[iterations + 1]
        The objective, negative log-likelihood and penalties, before training and after each iteration.
    n_iter_ : int
        Iterations.
    stopped_by_ : str
        "gradient", "objective", "iterations", "held-out", or "precision": no lower objective can be told from rounding.
    held_out_history_ : float64[iterations]
        The share of right labels of held-out sequences after each iteration; empty without such.
    gradient_norm_ : float or None
        The norm of the gradient at the end; None for a model of CRFsuite.

    Notes
    -----
    The objective is convex: the weights at its minimum are the only ones when l2 is above 0. It is computed with all
    labels and in double precision; see ``docs/design/crf.md``. The same data and options give the same bits for any
    number of threads.

    References
    ----------
    Lafferty, McCallum and Pereira (2001). Andrew and Gao (2007), Scalable training of L1-regularized log-linear models.
    Okazaki (2007), CRFsuite.

    Examples
    --------
    >>> from plait.crf import ChainCRF
    >>> X = [[{"w": "the"}, {"w": "cat"}], [{"w": "a"}, {"w": "dog"}, {"w": "barks"}]]
    >>> y = [["D", "N"], ["D", "N", "V"]]
    >>> crf = ChainCRF(l2=0.1).fit(X, y)
    >>> crf.predict([[{"w": "the"}, {"w": "dog"}]])
    [['D', 'N']]
    >>> best, second = crf.predict_nbest([[{"w": "the"}, {"w": "dog"}]], 2)[0]
    >>> best.labels, best.probability > second.probability
    (['D', 'N'], True)
    """

    def __init__(
        self,
        *,
        l1: float = 0.0,
        l2: float = 1.0,
        states: Literal["observed", "all"] = "observed",
        transitions: Pairs = "observed",
        min_count: float = 0.0,
        max_iterations: int = 1000,
        epsilon: float = 1e-5,
        delta: float = 1e-5,
        period: int = 10,
        memory: int = 6,
        threads: int | None = None,
    ) -> None:
        self.l1 = l1
        self.l2 = l2
        self.states = states
        self.transitions = transitions
        self.min_count = min_count
        self.max_iterations = max_iterations
        self.epsilon = epsilon
        self.delta = delta
        self.period = period
        self.memory = memory
        self.threads = threads
        self.template: str | None = None
        self.width: int | None = None
        self.format: Format | None = None
        self._core: _core.CrfModel | None = None

    @property
    def core(self) -> _core.CrfModel:
        """What the compiled core works on.

        Raises
        ------
        ConfigError
            The model is not trained.
        """
        if self._core is None:
            raise ConfigError("this ChainCRF is not trained; call fit, or load a saved model")
        return self._core

    @property
    def classes_(self) -> list[str]:
        """The labels by number."""
        return self.core.label_names()

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the options by name; ``deep`` is for scikit-learn and changes nothing."""
        return {name: getattr(self, name) for name in _OPTIONS}

    def set_params(self, **options: Any) -> Self:
        """Set options by name.

        Raises
        ------
        ConfigError
            There is no such option.
        """
        for name, value in options.items():
            if name not in _OPTIONS:
                raise ConfigError(name="an option", expected=f"one of {', '.join(_OPTIONS)}", found=repr(name))
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        """Return the options that are not the defaults."""
        shown = ", ".join(
            f"{name}={getattr(self, name)!r}" for name, default in _OPTIONS.items() if getattr(self, name) != default
        )
        return f"{type(self).__name__}({shown})"

    def fit(
        self,
        X: Data,
        y: Iterable[Iterable[str | None]] | None = None,
        *,
        sample_weight: npt.ArrayLike | None = None,
        allowed: Allowed | None = None,
        start: ChainCRF | None = None,
        held_out: Sequences | tuple[Iterable[Any], Iterable[Iterable[str]]] | None = None,
        patience: int = 20,
        progress: Callback | None = None,
    ) -> Self:
        """Train.

        Parameters
        ----------
        X
            `Sequences` with labels, or a list of dictionaries or names for each sequence (see `Sequences.from_items`).
        y
            Labels for each sequence, unless X has them; with ``allowed``, None where a label is not known.
        sample_weight
            How much each sequence counts: see `Sequences.with_weights`.
        allowed
            Labels that may stand at each position that has none: see `Sequences.with_allowed`. Their probability
            together is maximised, which is not convex: the weights depend on ``start``.
        start
            Begin with the weights of this model (and with weight 0 for what it has not). `Sequences` must then have
            been made with ``extends=start``.
        held_out
            Labelled `Sequences` made with ``model=X``, or features and labels. Training then also ends when the share
            of right labels there was not better for some iterations, and the weights of the best iteration are kept.
        patience
            So many iterations.
        progress
            Called with stage, done, total and figures (the objective and the norm of its gradient).

        Returns
        -------
        ChainCRF
            Itself.

        Raises
        ------
        plait.errors.DataError
            X and y cannot be used, or do not fit each other.
        plait.errors.ConfigError
            An option is out of range, there is nothing to train on, or values are too large.

        Warns
        -----
        plait.errors.ConvergenceWarning
            The most iterations were made before the objective was at its minimum.
        """
        if not isinstance(X, Sequences):
            X = Sequences.from_items(X, y if allowed is not None else _required(y), extends=start)
        elif y is not None:
            raise ConfigError(name="y", expected="None for Sequences, which have labels", found=type(y).__name__)
        if sample_weight is not None:
            X = X.with_weights(sample_weight)
        if allowed is not None:
            X = X.with_allowed(allowed)
        if held_out is not None and not isinstance(held_out, Sequences):
            held_out = Sequences.from_items(*held_out, model=X)
        model, history, norm, _, reason, shares = _core.crf_train(
            X.core,
            None if start is None else start.core,
            states=self.states,
            transitions=self.transitions,
            min_count=self.min_count,
            l1=self.l1,
            l2=self.l2,
            max_iterations=_whole("max_iterations", self.max_iterations),
            epsilon=self.epsilon,
            delta=self.delta,
            period=_whole("period", self.period),
            memory=_whole("memory", self.memory),
            threads=resolve_threads(self.threads),
            held_out=None if held_out is None else held_out.core,
            patience=_whole("patience", patience),
            progress=progress,
        )
        self._core = model
        self.template, self.width = X.template, X.width
        self.history_, self.gradient_norm_, self.stopped_by_ = history, norm, reason
        self.held_out_history_ = shares
        self.n_iter_ = len(history) - 1
        if reason == "iterations" and self.max_iterations > 0:
            warnings.warn(
                f"training stopped after {self.n_iter_} iterations with a gradient of norm {norm:.3g}; "
                "raise max_iterations, or epsilon or delta",
                ConvergenceWarning,
                stacklevel=2,
            )
        return self

    def predict(self, X: Data, *, allowed: Allowed | None = None) -> list[list[str]]:
        """Return the labels of the most likely labelling of each sequence (Viterbi).

        Parameters
        ----------
        X
            `Sequences` made with ``model=`` this model, or what `Sequences.from_items` takes.
        allowed
            For each sequence and position the labels that may be chosen, or None for all.

        Notes
        -----
        Of equal labellings the one with the smallest last label that differs is chosen, in the order of ``classes_``.
        The most likely labelling need not consist of the labels with the highest marginals.
        """
        data = self._sequences(X)
        ids, _ = self.core.best(data.core, self._claims(data, allowed), threads=resolve_threads(self.threads))
        return data.split(ids, self.classes_)

    def predict_nbest(self, X: Data, n: int, *, allowed: Allowed | None = None) -> list[list[Labelling]]:
        """Return the n most likely labellings of each sequence, the best first; all, if there are fewer.

        Labellings are distinct, exact and have their probabilities. An empty sequence has one, without labels.

        Notes
        -----
        Time n T (L + log(n T)) for T positions and L labels, beyond that of Viterbi.
        """
        data = self._sequences(X)
        claims = self._claims(data, allowed)
        counts, ids, scores, log_z = self.core.nbest(
            data.core, _whole("n", n), claims, threads=resolve_threads(self.threads)
        )
        names, flat, logs = self.classes_, ids.tolist(), iter(scores.tolist())
        lists, at = [], 0
        lengths = np.diff(data.starts).tolist()
        for count, length, log in zip(counts.tolist(), lengths, log_z.tolist(), strict=True):
            found = []
            for _ in range(count):
                labels = [names[label] for label in flat[at : at + length]]
                at += length
                # Both are sums of the same terms; rounding must not make a probability above 1.
                difference = min(next(logs) - log, 0.0)
                found.append(Labelling(labels, float(np.exp(difference)), difference))
            lists.append(found)
        return lists

    def marginals(self, X: Data, *, allowed: Allowed | None = None) -> list[npt.NDArray[np.float64]]:
        """Return the probability of each label at each position: float64[positions, labels] for each sequence."""
        data = self._sequences(X)
        claims = self._claims(data, allowed)
        matrix, _ = self.core.posteriors(data.core, claims, threads=resolve_threads(self.threads))
        return [matrix[start:stop] for start, stop in itertools.pairwise(data.starts.tolist())]

    def pair_marginals(self, X: Data, *, allowed: Allowed | None = None) -> list[npt.NDArray[np.float64]]:
        """Return the probability of each pair of labels at each position and the next.

        A float64[positions - 1, labels, labels] for each sequence.

        Notes
        -----
        T L^2 numbers and exponentials for each sequence of T positions.
        """
        data = self._sequences(X)
        claims = self._claims(data, allowed)
        return [self.core.pair_posteriors(data.core, number, claims) for number in range(len(data))]

    def predict_marginals(self, X: Data, *, allowed: Allowed | None = None) -> list[list[dict[str, float]]]:
        """Return the probability of each label at each position as dictionaries, as sklearn-crfsuite does."""
        names = self.classes_
        return [
            [dict(zip(names, row, strict=True)) for row in matrix.tolist()]
            for matrix in self.marginals(X, allowed=allowed)
        ]

    def log_probability(
        self, X: Data, y: Iterable[Iterable[str]] | None = None, *, allowed: Allowed | None = None
    ) -> npt.NDArray[np.float64]:
        """Return the natural logarithm of the probability of given labels of each sequence: float64[sequences].

        Labels that the model does not know, or that are not allowed, have minus infinity.
        """
        data = self._sequences(X, y)
        data.labels()
        claims, threads = self._claims(data, allowed), resolve_threads(self.threads)
        scores = self.core.scores_of(data.core, data.core.labels(), claims, threads=threads)
        return np.minimum(scores - self.core.log_z(data.core, claims, threads=threads), 0.0)

    def score(self, X: Data, y: Iterable[Iterable[str]] | None = None) -> float:
        """Return the share of positions whose label in the most likely labelling is the given one.

        Raises
        ------
        DataError
            There is no position.
        """
        data = self._sequences(X, y)
        gold = [label for labels in data.labels() for label in labels]
        if not gold:
            raise DataError("there is no position to score; give at least one")
        found = [label for labels in self.predict(data) for label in labels]
        return sum(a == b for a, b in zip(gold, found, strict=True)) / len(gold)

    @property
    def state_features_(self) -> dict[tuple[str, str], float]:
        """The weights of pairs of an attribute and a label that are not 0, as a new dictionary."""
        return dict(_pairs(self.core.attribute_names(), self.classes_, self.core.states()))

    @property
    def transition_features_(self) -> dict[tuple[str, str], float]:
        """The weights of pairs of neighbouring labels that are not 0, as a new dictionary."""
        return dict(_pairs(self.classes_, self.classes_, self.core.transitions()))

    def save(self, path: Path, *, force: bool = False, single: bool = False) -> None:
        """Write the model to a file, whole or not at all.

        Parameters
        ----------
        path
            The file; a suffix ``.gz``, ``.bz2``, ``.xz`` or ``.zst`` compresses.
        force
            Replace a file that exists.
        single
            Store weights in single precision: half the size, and relative differences below 6e-8.
        """
        files.save(path, self.core, self._metadata(), force=force, single=single)

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read a model that `save` wrote, or one of CRFsuite (of python-crfsuite, crfs, chaine).

        Models of CRFsuite have weights and names, but no options or figures of their training.

        Raises
        ------
        plait.errors.ModelFileError
            The file is no model of this kind, or damaged.
        OSError
            The file cannot be opened or read.
        """
        # What is read of standard input is gone; only plait's own models come from there.
        if os.fspath(path) != "-" and crfsuite.is_crfsuite(path):
            return cls._of(files.core_of(crfsuite.read_arrays(path)), _FROM_CRFSUITE)
        core, metadata = files.load(path)
        return cls._of(core, metadata)

    def _metadata(self) -> dict[str, Any]:
        return {
            "options": self.get_params() | {"threads": None},
            "template": self.template,
            "width": self.width,
            "format": self.format,
            "history": self.history_.tolist(),
            "gradient_norm": self.gradient_norm_,
            "stopped_by": self.stopped_by_,
            "held_out_history": self.held_out_history_.tolist(),
        }

    @classmethod
    def _of(cls, core: _core.CrfModel, metadata: Mapping[str, Any]) -> Self:
        model = cls(**{name: value for name, value in metadata["options"].items() if name in _OPTIONS})
        model._core = core
        model.template, model.width, model.format = metadata["template"], metadata["width"], metadata["format"]
        model.history_ = np.array(metadata["history"], dtype=np.float64)
        model.n_iter_ = max(len(model.history_) - 1, 0)
        model.gradient_norm_, model.stopped_by_ = metadata["gradient_norm"], metadata["stopped_by"]
        model.held_out_history_ = np.array(metadata["held_out_history"], dtype=np.float64)
        return model

    def __getstate__(self) -> dict[str, Any]:
        """Return what a pickle holds: options and arrays."""
        state = {name: value for name, value in vars(self).items() if name != "_core"}
        return state | {"arrays": None if self._core is None else files.arrays_of(self._core)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Make the model of a pickle again."""
        arrays = state.pop("arrays")
        vars(self).update(state)
        self._core = None if arrays is None else files.core_of(arrays)

    def _sequences(self, X: Data, y: Iterable[Iterable[str]] | None = None) -> Sequences:
        if not isinstance(X, Sequences):
            return Sequences.from_items(X, y, model=self)
        if y is not None:
            raise ConfigError(name="y", expected="None for Sequences, which have labels", found=type(y).__name__)
        return X

    def _claims(self, data: Sequences, allowed: Allowed | None) -> npt.NDArray[np.bool_] | None:
        if allowed is None:
            return None
        numbers = {name: number for number, name in enumerate(self.classes_)}
        claims = np.ones((data.positions, len(numbers)), dtype=np.bool_)
        if len(allowed) != len(data):
            raise DataError(
                f"there are {len(data)} sequences but allowed labels for {len(allowed)}; give a list for each"
            )
        for number, (start, stop) in enumerate(itertools.pairwise(data.starts.tolist())):
            choices = allowed[number]
            if len(choices) != stop - start:
                raise DataError(
                    f"sequence {number} has {stop - start} positions but allowed labels for {len(choices)}; "
                    "give a list of labels, or None, for each"
                )
            for position, labels in enumerate(choices):
                if labels is None:
                    continue
                known = [numbers[label] for label in labels if label in numbers]
                if isinstance(labels, str) or not known:
                    raise DataError(
                        f"sequence {number}, position {position}: allowed labels are a list with at least one that the "
                        f"model knows; found {labels!r}"
                    )
                claims[start + position] = False
                claims[start + position, known] = True
        return claims


_OPTIONS: dict[str, Any] = {
    name: parameter.default
    for name, parameter in inspect.signature(ChainCRF.__init__).parameters.items()
    if name != "self"
}


_FROM_CRFSUITE: dict[str, Any] = {
    "options": {},
    "template": None,
    "width": None,
    "format": "crfsuite",
    "history": [],
    "gradient_norm": None,
    "stopped_by": "CRFsuite",
    "held_out_history": [],
}


def _required(y: Iterable[Iterable[str | None]] | None) -> Iterable[Iterable[str | None]]:
    if y is None:
        raise ConfigError(name="y", expected="labels for each sequence", found=None)
    return y


def _whole(name: str, value: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 0:
        raise ConfigError(name=name, expected="a whole number from 0", found=repr(value))
    return int(value)


def _pairs(
    firsts: list[str], seconds: list[str], arrays: tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any]]
) -> Iterable[tuple[tuple[str, str], float]]:
    starts, others, weights = (array.tolist() for array in arrays)
    for first, (start, stop) in zip(firsts, itertools.pairwise(starts), strict=False):
        for at in range(start, stop):
            if weights[at] != 0:
                yield (first, seconds[others[at]]), weights[at]
