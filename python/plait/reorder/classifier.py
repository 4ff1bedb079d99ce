"""What the classifiers have in common: the conventions of scikit-learn, without scikit-learn.

An estimator of scikit-learn is a class with parameters in its constructor, `get_params`, `set_params`, and tags that
only scikit-learn asks for. So scikit-learn's tools (cross-validation, grid search, pipelines) take these classifiers
as their own, and nobody else needs it.
"""

from __future__ import annotations

import inspect
import sys
import warnings
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from plait import _core
from plait.errors import ConfigError, DataError
from plait.reorder.examples import Examples
from plait.reorder.rows import Entries, Rows, as_entries, as_rows
from plait.reorder.tally import ExampleCounts

__all__ = ["Classifier", "Labelled", "check_two"]


# Classes that the core reads as they are.
_WHOLE = (np.dtype(np.uint32), np.dtype(np.int32), np.dtype(np.int64))


class Labelled:
    """Rows, the class of each as a number, and the classes.

    Attributes
    ----------
    rows
        The features.
    labels : uint32[n]
        Indices of ``classes``.
    classes : array[K]
        The classes.
    """

    def __init__(self, rows: Rows, labels: npt.NDArray[np.uint32], classes: npt.NDArray[Any]) -> None:
        self.rows = rows
        self.labels = labels
        self.classes = classes


class Classifier:
    """Base of the classifiers; not made itself.

    Attributes
    ----------
    classes_ : array[K]
        The classes, in the order of the columns of `predict_proba`.
    n_features_in_ : int
        Number of features.
    vocabulary_ : tuple of str or None
        Names of the features, when the examples had them.
    """

    classes_: npt.NDArray[Any]
    n_features_in_: int
    vocabulary_: tuple[str, ...] | None
    identity_: bool

    def fit(self, X: Any, y: Any = None) -> Self:
        """Train on examples; each classifier says how."""
        raise NotImplementedError

    def predict_log_proba(self, X: Any) -> npt.NDArray[np.float64]:
        """Return the logarithm of the probability of each class: float64[n, K].

        Parameters
        ----------
        X
            `Examples`, a SciPy sparse matrix, or an array.

        Raises
        ------
        plait.errors.DataError
            The features are not those of the model, or no finite numbers; or the model is not trained.
        """
        raise NotImplementedError

    def predict_proba(self, X: Any) -> npt.NDArray[np.float64]:
        """Return the probability of each class: float64[n, K]; see `predict_log_proba`."""
        proba: npt.NDArray[np.float64] = np.exp(self.predict_log_proba(X))
        return proba

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the most probable class of each example (ties: the first of `classes_`); see `predict_log_proba`."""
        best = self._decide(X).argmax(axis=1)
        found: npt.NDArray[Any] = self.classes_[best]
        return found

    def score(self, X: Any, y: Any = None) -> float:
        """Return the share of examples whose most probable class is the true one."""
        truth = X.y if y is None and isinstance(X, Examples) else np.asarray(y)
        return float(np.mean(self.predict(X) == truth))

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters of the constructor by name; ``deep`` changes nothing."""
        return {name: getattr(self, name) for name in self._parameter_names()}

    def set_params(self, **parameters: Any) -> Self:
        """Set parameters of the constructor.

        Raises
        ------
        plait.errors.ConfigError
            There is no such parameter.
        """
        names = self._parameter_names()
        for name, value in parameters.items():
            if name not in names:
                raise ConfigError(f"{type(self).__name__} has no parameter {name!r}; it has {', '.join(names)}")
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        defaults = inspect.signature(type(self).__init__).parameters
        changed = [
            f"{name}={value!r}"
            for name, value in self.get_params().items()
            if not (value is defaults[name].default or repr(value) == repr(defaults[name].default))
        ]
        return f"{type(self).__name__}({', '.join(changed)})"

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn what this is; only scikit-learn asks."""
        from sklearn.utils import (  # type: ignore[import-untyped]
            ClassifierTags,
            InputTags,
            Tags,
            TargetTags,
        )

        return Tags(
            estimator_type="classifier",
            target_tags=TargetTags(required=True),
            transformer_tags=None,
            classifier_tags=ClassifierTags(),
            regressor_tags=None,
            input_tags=InputTags(sparse=True),
        )

    @classmethod
    def _parameter_names(cls) -> list[str]:
        return [name for name in inspect.signature(cls.__init__).parameters if name != "self"]

    def _decide(self, X: Any) -> npt.NDArray[np.float64]:
        """Return what grows with the probability of each class."""
        return self.predict_log_proba(X)

    def _labelled(self, X: Any, y: Any, classes: Any = None) -> Labelled:
        """Return checked examples; ``classes`` are those of a model that learns in parts."""
        rows = as_rows(X, type(self).__name__)
        labels, names = self._classes(X, y, len(rows), classes)
        return Labelled(rows, labels, names)

    def _counted(self, X: Any, y: Any, values: bool) -> tuple[_core.FeatureCounts, npt.NDArray[Any]]:
        """Return counts of examples, and the classes."""
        if isinstance(X, ExampleCounts):
            names = np.asarray(X.classes)
            check_two(names)
            return X.counts if values else X.sums(), names
        entries = as_entries(X, type(self).__name__)
        labels, names = self._classes(X, y, len(entries))
        start = _core.FeatureCounts(entries.columns, len(names), values=values)
        return entries.counted(start, labels), names

    def _classes(
        self, X: Any, y: Any, count: int, classes: Any = None
    ) -> tuple[npt.NDArray[np.uint32], npt.NDArray[Any]]:
        """Return the number of each example's class, and the classes: those given, if a model learns in parts."""
        if isinstance(X, Examples) and y is None:
            return self._from_examples(X, classes)
        if y is None:
            raise DataError(f"{type(self).__name__} requires y to be passed, but the target y is None: give classes")
        y = _checked_classes(y, count, type(self).__name__)
        found, labels = _numbered(y)
        if classes is None:
            check_two(found)
            return labels, found
        places = np.minimum(np.searchsorted(classes, found), len(classes) - 1)
        unknown = np.flatnonzero(classes[places] != found)
        if len(unknown):
            first = np.flatnonzero(np.isin(labels, unknown))[0]
            raise DataError(
                f"example {first + 1} has the class {y[first : first + 1].tolist()[0]!r}, none of "
                f"{', '.join(map(str, classes))}; name all classes at the start"
            )
        return places.astype(np.uint32)[labels], classes

    def _from_examples(self, examples: Examples, classes: Any) -> tuple[npt.NDArray[np.uint32], npt.NDArray[Any]]:
        labels, names = examples.known_labels(), np.asarray(examples.classes)
        if classes is None:
            check_two(names)
            counts = np.bincount(labels, minlength=len(names))
            if not counts.all():
                empty = names.tolist()[counts.argmin()]
                raise DataError(f"the class {empty!r} has no example; leave it out, or give it some")
            return labels, names
        place = {name: n for n, name in enumerate(classes.tolist())}
        missing = [name for name in examples.classes if name not in place]
        if missing:
            raise DataError(
                f"examples have the class {missing[0]!r}, none of {', '.join(map(str, classes))}; "
                "name all classes at the start"
            )
        moved = np.array([place[name] for name in examples.classes], dtype=np.uint32)
        return moved[labels], classes

    def _learns_of(self, X: Any, columns: int) -> None:
        """Note whose features the model has."""
        self.n_features_in_ = columns
        is_named = isinstance(X, Examples | ExampleCounts)
        self.vocabulary_ = X.vocabulary if is_named else None
        self.identity_ = is_named and X.identity

    def _checked(self, X: Any) -> Rows:
        """Return the rows of examples that a trained model can rate."""
        if not hasattr(self, "classes_"):
            raise _not_fitted(type(self).__name__)
        rows = as_rows(X, type(self).__name__)
        self._fitting(rows)
        return rows

    def _fitting(self, rows: Rows | Entries) -> None:
        """Fail unless the model knows these features."""
        if rows.columns != self.n_features_in_:
            raise DataError(
                f"X has {rows.columns} features, but {type(self).__name__} is expecting {self.n_features_in_} features "
                "as input; read examples with the vocabulary of the model"
            )

    def _named(self, X: Any, classes: Any) -> npt.NDArray[Any]:
        """Return all classes of a model that learns in parts, from its first call or, later, its own."""
        if hasattr(self, "classes_"):
            if classes is not None and not np.array_equal(np.unique(np.asarray(classes)), np.unique(self.classes_)):
                raise DataError(
                    f"the classes are those of the first call, {', '.join(map(str, self.classes_))}; leave them out"
                )
            return self.classes_
        if classes is None and not isinstance(X, Examples):
            raise DataError("the first call of partial_fit needs classes, all that there are")
        return np.asarray(X.classes) if classes is None else np.unique(np.asarray(classes))


def _numbered(y: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], npt.NDArray[np.uint32]]:
    """Return the classes, rising, and the place of each example's among them."""
    if y.dtype.kind in "bi" or (y.dtype.kind == "u" and y.dtype.itemsize < 8):
        kind = y.dtype if y.dtype in _WHOLE else np.int64
        firsts, labels = _core.number_classes(np.require(y, kind, ["C", "A"]))
    elif y.dtype.kind == "U" and y.dtype.itemsize:
        characters = np.ascontiguousarray(y, dtype=y.dtype.newbyteorder("=")).view(np.uint32)
        firsts, labels = _core.number_words(characters, y.dtype.itemsize // 4)
    else:
        found, places = np.unique(y, return_inverse=True)
        return found, places.astype(np.uint32)
    return y[firsts.astype(np.intp)], labels


def check_two(classes: npt.NDArray[Any]) -> None:
    """Refuse fewer than two classes with a `plait.errors.DataError`."""
    if len(classes) < 2:
        found = f"1 class, {classes.tolist()[0]!r}" if len(classes) else "no class"
        raise DataError(f"training needs examples of at least 2 classes; found {found}; give examples of others")


def _checked_classes(given: Any, count: int, owner: str) -> npt.NDArray[Any]:
    """Return classes, one for each row."""
    y: npt.NDArray[Any] = np.asarray(given)
    if y.ndim == 2 and y.shape[1] == 1:
        warnings.warn(
            "A column-vector y was passed when a 1d array was expected; it is read as one", _conversion(), stacklevel=4
        )
        y = y.ravel()
    if y.ndim != 1:
        raise DataError(f"y should be a 1d array of classes, one for each example; got an array of shape {y.shape}")
    if len(y) != count:
        raise DataError(f"inconsistent numbers of samples: X has {count} and y {len(y)}; give each example a class")
    if y.dtype.kind == "f":
        if not np.isfinite(y).all():
            raise DataError("Input y contains NaN or infinity; give each example a class")
        if not np.array_equal(y, np.rint(y)):
            raise DataError(f"Unknown label type: continuous; {owner} tells classes apart, numbers it cannot fit")
    if y.dtype == np.object_ and any(isinstance(value, float) and value != value for value in y.tolist()):
        raise DataError("Input y contains NaN; give each example a class")
    return y


def _conversion() -> type[Warning]:
    """Return scikit-learn's warning when it is in use: its tools look for it."""
    module = sys.modules.get("sklearn.exceptions")
    found: type[Warning] = UserWarning if module is None else module.DataConversionWarning
    return found


def _not_fitted(owner: str) -> Exception:
    message = f"this {owner} is not trained yet; call fit first"
    module = sys.modules.get("sklearn.exceptions")
    if module is None:
        return DataError(message)

    class NotFittedError(DataError, module.NotFittedError):  # type: ignore[name-defined,misc]
        """The model is not trained, in the words of both packages."""

    return NotFittedError(message)
