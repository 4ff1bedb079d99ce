"""The estimator: a linear-chain conditional random field with the manners of scikit-learn."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal, Self

from plait import _core
from plait.crf import files, fitting, persistence
from plait.crf.claims import Allowed
from plait.crf.fitting import Algorithm, Data, Watch
from plait.crf.labelling import Labeller
from plait.crf.model_formats import read_foreign
from plait.crf.sequences import Format, Sequences
from plait.errors import ConfigError
from plait.io.streams import Path
from plait.progress import Callback

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["ChainCRF", "Pairs"]

Pairs = Literal["observed", "all", "none"]


class ChainCRF(Labeller):
    r"""A linear-chain conditional random field.

    Parameters
    ----------
    algorithm
        "lbfgs": the minimum of the objective, on all threads. "sgd" and "adagrad": stochastic gradient descent with one
        rate, or one for each weight, near the minimum after some passes, on one thread. "perceptron": the averaged
        perceptron, whose weights are no probabilities' logarithms; the fastest.
    l1, l2
        Factors of the sum of absolute values, and of squares, of the weights: CRFsuite's c1 and c2. l2 is
        :math:`1 / 2\sigma^2` of a Gaussian prior; with l1 above 0 many weights become exactly 0.
    states, transitions
        Which pairs of an attribute and a label, and of neighbouring labels, have weights: those ``"observed"`` in the
        training data, ``"all"``, or, of labels, ``"none"``.
    min_count
        Observed pairs whose values sum to less have no weight.
    max_iterations
        The most iterations of L-BFGS (OWL-QN with l1; 1000 by default), or passes over the data (sgd and adagrad 30,
        perceptron 10).
    epsilon
        L-BFGS ends when the norm of the gradient is at most this times that of the weights (or 1).
    delta, period
        Training also ends when the objective fell by less than this share of itself in so many iterations; 0 never.
    memory
        Pairs of vectors that L-BFGS remembers.
    warm_passes
        Passes of gradient descent before L-BFGS begins: it then needs fewer iterations to the same minimum.
    posterior_beam
        Above 0: L-BFGS first runs over few labels at each position, until that converges, then over all. Of a sequence
        of T positions, log Z loses at most T times this number; where that cannot be shown, sums run over all labels.
        What objective and gradient may lose is told with each iteration, and in ``phases_``. It is for hundreds of
        labels that are mostly certain; see ``docs/design/crf.md``.
    candidates
        What the names of some attributes begin with ("0=" for ``0=word``): the labels of a position are then those seen
        with such an attribute of it in training, or all without one. Probabilities are those among candidates, in
        training and when labels are found: it is another model, sooner trained.
    warm_start_candidates
        So many iterations in which weights of neighbouring labels count between ``candidates`` only, then training over
        all labels: to the same minimum as without, from a start that is cheap to find.
    batch
        Sequences that sgd and adagrad look at between two changes of weights.
    rate
        The first rate of sgd and adagrad; None to find it on up to 1000 sequences.
    seed
        Of the orders of passes.
    threads
        Threads; all that may be used by default. Results do not depend on it.

    Attributes
    ----------
    classes_ : list of str
        The labels, in the order of their first occurrence.
    history_ : float64[iterations + 1]
        The objective, negative log-likelihood and penalties, before training and after each iteration of L-BFGS. For
        sgd and adagrad float64[passes]: as it was seen in each pass, each sequence at the weights of that moment. For a
        perceptron float64[passes]: the share of wrong labels in each.
    objective_ : float or None
        The objective at the end (before weights of an earlier iteration are put back); None for a perceptron.
    n_iter_ : int
        Iterations.
    stopped_by_ : str
        "gradient", "objective", "iterations", "held-out", or "precision": no lower objective can be told from rounding.
    held_out_history_ : float64[looks]
        The scores of held-out sequences; empty without such.
    candidates_ : str or None
        Labels are chosen among candidates of such attributes: those of training, unless it ended over all labels. Set
        it to None to choose among all labels, or to what names begin with to choose among candidates with any model.
    needs_allowed_ : bool
        Whether training had candidates of its own for each position (``candidate_labels``): labelling must have too.
    phases_ : list of dict
        Phases of training over candidates, pruned and all labels, if there were several: "over", "iterations",
        "evaluations", "objective" at its end, and of evaluations over pruned labels "objective_error" and
        "gradient_error" (how much too small, and the sum of absolute errors, at most), "sequences", "positions" and
        "labels" that were pruned and left. ``history_`` is that of the last one.
    gradient_norm_ : float or None
        The norm of the gradient at the end; None for a perceptron and for a model of CRFsuite.

    Notes
    -----
    The objective is convex: the weights at its minimum are the only ones when l2 is above 0. It is computed with all
    labels (without ``candidates``) and in double precision; see ``docs/design/crf.md``. The same data and options give
    the same bits for any number of threads.

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

    _history: list[float]
    _held_out_history: list[float]
    objective_: float | None
    gradient_norm_: float | None
    stopped_by_: str
    n_iter_: int
    phases_: list[dict[str, Any]]

    def __init__(
        self,
        *,
        algorithm: Algorithm = "lbfgs",
        l1: float = 0.0,
        l2: float = 1.0,
        states: Literal["observed", "all"] = "observed",
        transitions: Pairs = "observed",
        min_count: float = 0.0,
        max_iterations: int | None = None,
        epsilon: float = 1e-5,
        delta: float = 1e-5,
        period: int = 10,
        memory: int = 6,
        warm_passes: int = 0,
        posterior_beam: float = 0.0,
        candidates: str | None = None,
        warm_start_candidates: int = 0,
        batch: int = 16,
        rate: float | None = None,
        seed: int = 1,
        threads: int | None = None,
    ) -> None:
        self.algorithm = algorithm
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
        self.warm_passes = warm_passes
        self.posterior_beam = posterior_beam
        self.candidates = candidates
        self.warm_start_candidates = warm_start_candidates
        self.batch = batch
        self.rate = rate
        self.seed = seed
        self.threads = threads
        self.template = None
        self.width = None
        self.format: Format | None = None
        # Whether lines may have more columns than attributes are made from: only models of CRF++ do not know.
        self.takes_more_columns = False
        self._core = None

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

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn what this is; only scikit-learn asks.

        It is no classifier in its sense: a target is a list of labels, and folds cannot be balanced by it.
        """
        from sklearn.utils import InputTags, Tags, TargetTags  # type: ignore[import-untyped]

        return Tags(
            estimator_type=None,
            target_tags=TargetTags(required=True),
            input_tags=InputTags(two_d_array=False, dict=True),
        )

    def __repr__(self) -> str:
        """Return the options that are not the defaults."""
        shown = ", ".join(
            f"{name}={getattr(self, name)!r}" for name, default in _OPTIONS.items() if getattr(self, name) != default
        )
        return f"{type(self).__name__}({shown})"

    @property
    def history_(self) -> npt.NDArray[np.float64]:
        """The objective, or the share of wrong labels, in training: see above."""
        return self._figures("_history")

    @property
    def held_out_history_(self) -> npt.NDArray[np.float64]:
        """The scores of held-out sequences."""
        return self._figures("_held_out_history")

    def _figures(self, name: str) -> npt.NDArray[np.float64]:
        # As any attribute that training brings: a model that is not trained has none.
        if name not in vars(self):
            raise AttributeError(f"{type(self).__name__} has no {name.removeprefix('_')}_: it is not trained")
        import numpy as np

        return np.array(vars(self)[name], dtype=np.float64)

    def fit(
        self,
        X: Data,
        y: Iterable[Iterable[str | None]] | None = None,
        *,
        sample_weight: npt.ArrayLike | None = None,
        allowed: Allowed | None = None,
        candidate_labels: Allowed | None = None,
        start: ChainCRF | None = None,
        held_out: Sequences | tuple[Iterable[Any], Iterable[Iterable[str]]] | None = None,
        patience: int | None = 20,
        held_out_score: Literal["f1", "accuracy"] = "f1",
        held_out_every: int = 1,
        checkpoint: Path | None = None,
        checkpoint_seconds: float = 60.0,
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
            A number from 0 for each sequence: it counts as if it stood there so often. Which pairs have weights depends
            on the sequences alone.
        allowed
            Labels that may stand at each position that has none: see `Sequences.with_allowed`. Their probability
            together is maximised, by L-BFGS alone, and is not convex: the weights depend on ``start``.
        candidate_labels
            Candidates for each position, instead of ``candidates``: a list of labels, or None for all. The label of a
            position is always among its own.
        start
            Begin with the weights of this model (and with weight 0 for what it has not). `Sequences` must then have
            been made with ``extends=start``.
        held_out
            Labelled `Sequences` made with ``model=X``, or features and labels. They are scored after each iteration;
            training then also ends when the score was not better for some iterations, and the best weights are kept.
        patience
            So many iterations; None to go on in any case, and keep the last weights.
        held_out_score
            "f1" of chunks, where all labels are such as B-NP, I-NP and O, else the share of right labels; "accuracy":
            that share in any case.
        held_out_every
            Iterations between two looks at held-out sequences.
        checkpoint
            Keep the state of training in this file; where it is there, go on from it, to the bits of a run that was not
            interrupted. It is that of L-BFGS after an iteration (with what it remembers, about 16 vectors of weights),
            or of the others after a pass. The file stays when training is done.
        checkpoint_seconds
            Write it when the last one is so old, and at an interrupt.
        progress
            Called with stage, done, total and figures (the objective, the norm of its gradient, the score "dev").

        Returns
        -------
        ChainCRF
            Itself.

        Raises
        ------
        plait.errors.DataError
            X and y cannot be used, or do not fit each other.
        plait.errors.ConfigError
            An option is out of range, there is nothing to train on, values are too large, or the checkpoint is that of
            another run.
        plait.errors.ModelFileError
            The checkpoint is damaged.

        Warns
        -----
        plait.errors.ConvergenceWarning
            The most iterations were made before the objective was at its minimum.
        """
        fitting.fit(
            self,
            X,
            y,
            sample_weight=sample_weight,
            allowed=allowed,
            candidate_labels=candidate_labels,
            start=start,
            held_out=held_out,
            watch=Watch(patience, held_out_score, held_out_every),
            checkpoint=checkpoint,
            checkpoint_seconds=checkpoint_seconds,
            progress=progress,
        )
        return self

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
        files.save(path, self.core, persistence.metadata_of(self), force=force, single=single)

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read a model that `save` wrote, one of CRFsuite (of python-crfsuite, crfs, chaine), or one of CRF++.

        Models of CRFsuite have weights and names, those of CRF++ templates too, but no options or figures of their
        training.

        Raises
        ------
        plait.errors.ModelFileError
            The file is no model of this kind, or damaged.
        plait.errors.TextError
            A line of a text model of CRF++ cannot be read.
        OSError
            The file cannot be opened or read.
        """
        return cls._of(*(read_foreign(path) or files.load(path)))

    @classmethod
    def _of(cls, core: _core.CrfModel, metadata: Mapping[str, Any]) -> Self:
        model = cls(**{name: value for name, value in metadata["options"].items() if name in _OPTIONS})
        model._core = core
        persistence.restore(model, metadata)
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


_OPTIONS: dict[str, Any] = {
    name: parameter.default
    for name, parameter in inspect.signature(ChainCRF.__init__).parameters.items()
    if name != "self"
}
