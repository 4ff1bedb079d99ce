"""Reordering models in files."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from plait import _core, models
from plait.errors import ConfigError, ModelFileError
from plait.io.streams import Path, display_name
from plait.reorder.bayes import NaiveBayes
from plait.reorder.classifier import Classifier
from plait.reorder.dual import Check, DualLogistic
from plait.reorder.lexicalised import Lexicalised
from plait.reorder.linear import Linear
from plait.reorder.primal import PrimalLogistic
from plait.reorder.stacked import CELLS, StackedLogistic

__all__ = ["KIND", "contents", "load", "save"]

KIND = "reordering"
"""The kind of a model file that holds a reordering model."""

# Far more than a corpus has; sums over classes and phrase pairs stay below 2^63.
MOST_EXAMPLES = 1 << 40

_MODELS: dict[str, type[Classifier]] = {
    "dual": DualLogistic,
    "stacked": StackedLogistic,
    "primal": PrimalLogistic,
    "bayes": NaiveBayes,
    "lexical": Lexicalised,
}


def save(model: Classifier, path: Path, *, force: bool = False) -> None:
    """Write a trained model to a file, whole or not at all.

    Parameters
    ----------
    model
        A trained classifier of this package; its classes are texts, as those of `plait.reorder.Examples` are.
    path
        The file; "-" for standard output. A suffix ``.gz``, ``.bz2``, ``.xz`` or ``.zst`` compresses.
    force
        Whether a file that exists may be replaced.

    Raises
    ------
    plait.errors.ConfigError
        The model is not trained, has classes that are no texts, or was trained on rows without names; the file
        exists, and ``force`` is false.
    plait.errors.ResourceError, OSError
        The disk is full; the folder cannot be written.
    """
    arrays, metadata = contents(model)
    models.save(path, KIND, arrays, metadata, force=force)


def contents(model: Classifier) -> tuple[dict[str, npt.NDArray[Any]], dict[str, Any]]:
    """Return the arrays and metadata of a trained model.

    Raises
    ------
    plait.errors.ConfigError
        As `save`.
    """
    name = next((name for name, kind in _MODELS.items() if type(model) is kind), None)
    if name is None or not hasattr(model, "classes_"):
        raise ConfigError("only a trained model of plait.reorder can be saved; call fit first")
    if model.classes_.dtype.kind != "U" or model.vocabulary_ is None:
        raise ConfigError(
            "a model can be saved when it was trained on plait's Examples, which name features and classes"
        )
    words, offsets = models.pack_words(model.vocabulary_)
    arrays: dict[str, npt.NDArray[Any]] = {"vocabulary": words, "vocabulary_offsets": offsets}
    if isinstance(model, Linear):
        arrays["weights"] = model.weights_
    elif isinstance(model, NaiveBayes):
        arrays |= {"examples": model.class_count_, "sums": model.feature_count_}
    counted = model.lexical_ if isinstance(model, StackedLogistic) else model
    if isinstance(counted, Lexicalised):
        arrays["pairs"], arrays["pair_offsets"] = counted._seen.packed()
        arrays["counts"] = counted.pair_count_
    if isinstance(model, StackedLogistic):
        arrays["lexical_weights"] = model.lexical_weights_
    metadata: dict[str, Any] = {
        "model": name,
        "parameters": {key: _plain(value) for key, value in model.get_params().items()},
        "classes": model.classes_.tolist(),
        "identity": model.identity_,
    }
    if isinstance(model, DualLogistic):
        metadata["active"] = model.active_.tolist()
        metadata["checks"] = [list(check) for check in model.checks_]
        metadata["converged"] = model.converged_
    return arrays, metadata


def load(path: Path) -> Classifier:
    """Read a model that `save` wrote.

    Parameters
    ----------
    path
        The file; "-" for standard input.

    Raises
    ------
    plait.errors.ModelFileError
        The file is no model of this kind, is damaged or of a newer version, or its parts do not fit together.
    OSError
        The file cannot be opened or read.
    """
    file = models.load(path, KIND)
    name = display_name(path)
    try:
        model = _MODELS[file.metadata["model"]](**file.metadata["parameters"])
        _check_parameters(model)
        model.classes_ = np.array([str(text) for text in file.metadata["classes"]])
        model.identity_ = bool(file.metadata["identity"])
        words = models.unpack_words(file.array("vocabulary", np.uint8), file.array("vocabulary_offsets", np.uint64))
        model.vocabulary_ = tuple(word.decode() for word in words)
        model.n_features_in_ = len(words)
        _fill(model, file)
    except ModelFileError as problem:
        raise ModelFileError(f"{name}: {problem}") from None
    except (IndexError, KeyError, OverflowError, TypeError, ValueError) as problem:
        raise ModelFileError(f"{name}: the parts of the model do not fit together ({problem}); make it again") from None
    return model


def _fill(model: Classifier, file: models.ModelFile) -> None:
    """Take the arrays of a model."""
    features, k = model.n_features_in_, len(model.classes_)
    if k < 2 or len(set(model.classes_.tolist())) < k:
        raise ValueError("there are two classes or more, each once")
    if isinstance(model, Linear):
        model.weights_ = file.array("weights", np.float64, 2)
        _check(model.weights_.shape == (features + bool(model.fit_intercept), k), "weights")
        _check(bool(np.isfinite(model.weights_).all()), "weights")
        if isinstance(model, DualLogistic):
            model.active_ = np.array(file.metadata["active"], dtype=np.uint64)
            model.n_iter_ = len(model.active_)
            model.checks_ = [Check(*check) for check in file.metadata["checks"]]
            model.objective_, model.gap_ = model.checks_[-1].primal, model.checks_[-1].gap
            model.converged_ = bool(file.metadata["converged"])
        if isinstance(model, StackedLogistic):
            _fill_stacked(model, file)
    elif isinstance(model, NaiveBayes):
        sums = file.array("sums", np.float64, 2)
        _check(sums.shape == (features, k), "sums")
        examples = file.array("examples", np.uint64)
        _check(len(examples) == k and bool((examples <= MOST_EXAMPLES).all()), "examples")
        model._take(_core.FeatureCounts.from_arrays(examples, sums.reshape(-1)))
    elif isinstance(model, Lexicalised):
        _fill_counts(model, file)


def _fill_stacked(model: StackedLogistic, file: models.ModelFile) -> None:
    """Take the lexical weights, and the counts that they read."""
    k = len(model.classes_)
    model.lexical_weights_ = file.array("lexical_weights", np.float64, 2)
    _check(model.lexical_weights_.shape == (CELLS * k, k), "lexical_weights")
    _check(bool(np.isfinite(model.lexical_weights_).all()), "lexical_weights")
    model.lexical_ = Lexicalised()
    for name in ("classes_", "identity_", "vocabulary_", "n_features_in_"):
        setattr(model.lexical_, name, getattr(model, name))
    _fill_counts(model.lexical_, file)


def _fill_counts(model: Lexicalised, file: models.ModelFile) -> None:
    """Take the counts of phrase pairs."""
    k = len(model.classes_)
    names = models.unpack_words(file.array("pairs", np.uint8), file.array("pair_offsets", np.uint64))
    model.pair_count_ = file.array("counts", np.int64, 2)
    counts = model.pair_count_
    _check(counts.shape == (len(names), k) and bool(((counts >= 0) & (counts <= MOST_EXAMPLES)).all()), "counts")
    model._remember(tuple(word.decode() for word in names))
    _check(len(model._places) == len(names), "pairs")
    model.class_count_ = model.pair_count_.sum(axis=0)


def _check_parameters(model: Classifier) -> None:
    """Refuse parameters of another type than their defaults; where that is None, anything may be."""
    defaults = type(model)().get_params()
    for key, value in model.get_params().items():
        kinds = {bool: bool, int: int, float: int | float, str: str}.get(type(defaults[key]), object)
        is_truth = isinstance(value, bool)
        if not isinstance(value, kinds) or (is_truth and kinds not in (bool, object)):
            raise ValueError(f"{key} is {value!r}")


def _check(fits: bool, name: str) -> None:
    if not fits:
        raise ModelFileError(f"the array {name!r} is not that of a reordering model; make the model again")


def _plain(value: Any) -> Any:
    """Return a parameter as a value of JSON."""
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value
