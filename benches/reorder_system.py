"""Trains one reordering model and measures it, in a process of its own: SYSTEM FILE SIGMA2. Prints JSON.

FILE is a folder with the arrays that `reordering` makes. The CPU seconds are those of training alone, from arrays in
memory; the peak is that of the whole process.
"""

from __future__ import annotations

import json
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

THREADS = 1


def main(system: str, folder: str, sigma2: str) -> None:
    """Train, rate the held-out examples, print the figures."""
    arrays = {path.stem: np.load(path) for path in Path(folder).glob("*.npy")}
    warnings.simplefilter("ignore")
    maker = OURS.get(system) or RIVALS[system]
    is_ours = system in OURS
    columns, k = int(arrays["columns"]), int(arrays["labels"].max()) + 1
    train = data(arrays, "", columns, is_ours, system)
    held_out = data(arrays, "test_", columns, is_ours, system)
    labels, truth = arrays["labels"], arrays["test_labels"]
    # From here on the rows have one owner, as on the command line.
    arrays.clear()
    model = maker(float(sigma2), columns)
    start = time.process_time()
    if system.startswith("information"):
        found = model(train, labels)
        print(json.dumps({"seconds": time.process_time() - start, "sum": float(found.sum()), "peak": peak()}))
        return
    if system == "dual --with-lexical":
        # Handed over, as on the command line: the texts of phrase pairs go before training begins.
        held = [train]
        del train
        model.fit(held.pop())
    else:
        model.fit(train, labels) if not hasattr(train, "classes") else model.fit(train)
    seconds = time.process_time() - start
    used = peak()
    proba = np.maximum(model.predict_proba(held_out), 1e-300)
    best = proba.argmax(axis=1)
    confusion = np.bincount(truth * k + best, minlength=k * k).reshape(k, k)
    result: dict[str, Any] = {
        "seconds": seconds,
        "peak": used,
        "error": float((best != truth).mean()),
        "log_loss": float(-np.log(proba[np.arange(len(truth)), truth]).mean()),
        "recall": (np.diag(confusion) / np.maximum(confusion.sum(axis=1), 1)).round(4).tolist(),
    }
    for name in ("objective_", "gap_", "n_iter_"):
        if is_ours and hasattr(model, name):
            result[name.rstrip("_")] = float(getattr(model, name))
    if hasattr(model, "active_"):
        result["active"] = (model.active_ / len(labels)).round(5).tolist()
    if "objective" not in result and hasattr(model, "coef_") and np.ndim(model.coef_) == 2 and len(model.coef_) == k:
        result["objective"] = objective(model, train, labels, float(sigma2))
    print(json.dumps(result))


def data(arrays: dict[str, Any], side: str, columns: int, is_ours: bool, system: str) -> Any:
    """Return the rows as a system takes them."""
    offsets, features, labels = (arrays[f"{side}{name}"] for name in ("offsets", "features", "labels"))
    if not is_ours or system in FROM_SCIPY:
        from scipy.sparse import csr_matrix

        made = csr_matrix((np.ones(len(features)), features.astype(np.int32), offsets.astype(np.int32)))
        made.resize(len(labels), columns)
        made.sum_duplicates()
        return made
    from plait.reorder.examples import Examples
    from plait.reorder.rows import Rows

    rows = Rows(offsets, features, None, columns)
    if system not in ("lexical", "dual --with-lexical"):
        return rows
    pairs = tuple(map(str, range(int(arrays["pair_of_row"].max()) + 1)))
    of_row = arrays[f"{side}pair_of_row"]
    pairs = (*pairs, *map(str, range(len(pairs), int(of_row.max()) + 1)))
    classes = tuple(map(str, range(int(arrays["labels"].max()) + 1)))
    return Examples(rows, ("",) * columns, labels, classes, pairs, of_row)


def objective(model: Any, train: Any, labels: Any, sigma2: float) -> float:
    """Return P of the multinomial loss at a model's weights."""
    chosen = model.predict_log_proba(train)[np.arange(len(labels)), labels]
    weights = float((model.coef_**2).sum() + (np.asarray(model.intercept_) ** 2).sum())
    return weights / (2 * sigma2) - float(chosen.sum())


def peak() -> int:
    """Return the largest resident set of this process so far, in bytes."""
    # Not getrusage, which counts what the process that forked this one held.
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))


def dual(**options: Any) -> Any:
    """Return a maker of dual models."""

    def make(sigma2: float, _: int) -> Any:
        from plait.reorder.dual import DualLogistic

        return DualLogistic(sigma2, **options)

    return make


def primal(epochs: int) -> Any:
    """Return a maker of models by gradient descent."""

    def make(sigma2: float, _: int) -> Any:
        from plait.reorder.primal import PrimalLogistic

        return PrimalLogistic(sigma2, max_iter=epochs)

    return make


def bayes(inference: str) -> Any:
    """Return a maker of naive Bayes."""

    def make(_: float, __: int) -> Any:
        from plait.reorder.bayes import NaiveBayes

        return NaiveBayes(inference=inference)  # type: ignore[arg-type]

    return make


def stacked(sigma2: float, _: int) -> Any:
    """Return logistic regression that reads the lexicalised model's counts."""
    from plait.reorder.stacked import StackedLogistic

    return StackedLogistic(sigma2)


def lexical(_: float, __: int) -> Any:
    """Return the lexicalised model."""
    from plait.reorder.lexicalised import Lexicalised

    return Lexicalised()


def information(_: float, __: int) -> Any:
    """Return our mutual information."""
    from plait.reorder.information import mutual_information

    return mutual_information


def saga(sigma2: float, _: int) -> Any:
    """Return scikit-learn's stochastic average gradient."""
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(C=sigma2, solver="saga", max_iter=20, fit_intercept=True)


def lbfgs(sigma2: float, _: int) -> Any:
    """Return scikit-learn's quasi-Newton method."""
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(C=sigma2, solver="lbfgs", max_iter=200)


def liblinear(sigma2: float, _: int) -> Any:
    """Return liblinear, one class against the rest."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.multiclass import OneVsRestClassifier

    return OneVsRestClassifier(LogisticRegression(C=sigma2, solver="liblinear"), n_jobs=1)


def rival_bayes(_: float, __: int) -> Any:
    """Return scikit-learn's naive Bayes."""
    from sklearn.naive_bayes import MultinomialNB

    return MultinomialNB(alpha=1.0)


def rival_information(_: float, columns: int) -> Any:
    """Return scikit-learn's mutual information, of a hundredth of the features."""
    from sklearn.feature_selection import mutual_info_classif

    some = np.arange(0, columns, 100)
    return lambda x, y: mutual_info_classif(x[:, some], y, discrete_features=True)


OURS = {
    "dual, epsilon 0.1": dual(),
    "dual, block": dual(method="block"),
    "dual, epsilon 0.01": dual(epsilon=0.01),
    "dual, epsilon 1.0": dual(epsilon=1.0),
    "Algorithm 1 as printed, epsilon 0.1": dual(unshrink=False),
    "Algorithm 1 as printed, epsilon 0.01": dual(unshrink=False, epsilon=0.01),
    "Algorithm 1 as printed, epsilon 1.0": dual(unshrink=False, epsilon=1.0),
    "primal, 1 epoch": primal(1),
    "primal, 10 epochs": primal(10),
    "primal, 100 epochs": primal(100),
    "bayes-map": bayes("map"),
    "bayes": bayes("bayesian"),
    "bayes-map, rows of SciPy": bayes("map"),
    "lexical": lexical,
    "dual --with-lexical": stacked,
    "information": information,
    "information, rows of SciPy": information,
}
FROM_SCIPY = ("bayes-map, rows of SciPy", "information, rows of SciPy")
RIVALS = {
    "scikit-learn saga": saga,
    "scikit-learn lbfgs": lbfgs,
    "liblinear, one against the rest": liblinear,
    "scikit-learn MultinomialNB": rival_bayes,
    "information, scikit-learn, 1% of features": rival_information,
}

if __name__ == "__main__":
    main(*sys.argv[1:])
