"""Slow, obviously right twins of the reordering models: dense matrices, one formula a function."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
from scipy.special import gammaln


def softmax(scores):
    shifted = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return shifted / shifted.sum(axis=-1, keepdims=True)


def primal(weights, x, labels, sigma2):
    """P of (6): weights [M, K]."""
    logs = np.log(softmax(x @ weights))
    return (weights**2).sum() / (2 * sigma2) - logs[np.arange(len(labels)), labels].sum()


def weights_of(alpha, x, labels, sigma2):
    """(10)."""
    truth = np.eye(alpha.shape[1])[labels]
    return sigma2 * x.T @ (truth - alpha)


def dual(alpha, x, labels, sigma2):
    """D of (9)."""
    weights = weights_of(alpha, x, labels, sigma2)
    entropy = np.where(alpha > 0, alpha * np.log(np.where(alpha > 0, alpha, 1)), 0).sum()
    return (weights**2).sum() / (2 * sigma2) + entropy


def start(labels, classes, epsilon):
    """(15)."""
    alpha = np.full((len(labels), classes), epsilon / (classes - 1))
    alpha[np.arange(len(labels)), labels] = 1 - epsilon
    return alpha


def exponentiated_gradient(alpha, i, x, labels, sigma2, trials=12):
    """One step of Algorithm 1 for example i: new variables, step size, change of D; None if stuck."""
    weights = weights_of(alpha, x, labels, sigma2)
    own = weights[:, labels[i]] @ x[i]
    gradient = 1 + np.log(alpha[i]) + own - x[i] @ weights
    eta = 0.5
    for _ in range(trials):
        fresh = alpha.copy()
        raised = alpha[i] * np.exp(-eta * gradient)
        fresh[i] = raised / raised.sum()
        change = dual(fresh, x, labels, sigma2) - dual(alpha, x, labels, sigma2)
        if change <= 0:
            return fresh, eta, change
        eta /= 2
    return None


def optimum(x, labels, classes, sigma2, steps=60):
    """Weights at the minimum of (6), by Newton's method on all of them."""
    m = x.shape[1]
    weights = np.zeros((m, classes))
    truth = np.eye(classes)[labels]
    for _ in range(steps):
        p = softmax(x @ weights)
        gradient = weights / sigma2 - x.T @ (truth - p)
        hessian = np.eye(m * classes) / sigma2
        for row, q in zip(x, p, strict=True):
            hessian += np.kron(np.outer(row, row), np.diag(q) - np.outer(q, q))
        step = np.linalg.solve(hessian, gradient.reshape(-1)).reshape(m, classes)
        scale = 1.0
        while primal(weights - scale * step, x, labels, sigma2) > primal(weights, x, labels, sigma2) and scale > 1e-9:
            scale /= 2
        weights = weights - scale * step
        if np.abs(step).max() < 1e-13:
            break
    return weights


def bayes_map(x, labels, classes, alpha, rows):
    """Joint log-probabilities by (5) and (10)."""
    joint = np.empty((len(rows), classes))
    for k in range(classes):
        mine = x[labels == k]
        counts = mine.sum(axis=0)
        q = (alpha - 1 + counts) / (np.sum(np.broadcast_to(alpha - 1, counts.shape)) + counts.sum())
        joint[:, k] = math.log(len(mine) / len(x)) + (rows * np.log(q)).sum(axis=1)
    return joint


def bayes_closed_form(x, labels, classes, alpha, rows):
    """Joint log-probabilities by (5) and (11), without C."""
    joint = np.empty((len(rows), classes))
    for k in range(classes):
        mine = x[labels == k]
        a = alpha + mine.sum(axis=0)
        likelihood = (
            gammaln(a.sum()) - gammaln(a).sum() + gammaln(a + rows).sum(axis=1) - gammaln((a + rows).sum(axis=1))
        )
        joint[:, k] = math.log(len(mine) / len(x)) + likelihood
    return joint


def entropy(values):
    counts = np.array(list(Counter(values).values())) / len(values)
    return -(counts * np.log(counts)).sum()


def information(column, labels):
    """I(X; Y) = H(X) + H(Y) - H(X, Y), and its normalised form (16)."""
    x, y = [float(v) for v in column], [int(v) for v in labels]
    mutual = entropy(x) + entropy(y) - entropy(list(zip(x, y, strict=True)))
    least = min(entropy(x), entropy(y))
    return mutual, mutual / least if least > 1e-15 else 0.0


def moses_row(counts, smoothing):
    """(4) with a constant added."""
    return [(count + smoothing) / (sum(counts) + smoothing * len(counts)) for count in counts]


def examples_of(source, target, links, *, max_length, window, marks_sides):
    """Phrase pairs with their features, by trying every pair of spans; orientations aside."""
    found = []
    links = sorted(set(links))
    for j1 in range(len(target)):
        for j2 in range(j1, min(len(target), j1 + max_length)):
            for i1 in range(len(source)):
                for i2 in range(i1, min(len(source), i1 + max_length)):
                    inside = [(i, j) for i, j in links if i1 <= i <= i2 and j1 <= j <= j2]
                    touching = [(i, j) for i, j in links if i1 <= i <= i2 or j1 <= j <= j2]
                    if not inside or inside != touching:
                        continue
                    features = [
                        f"a:{source[i].replace('&', '&amp;')}&{target[j].replace('&', '&amp;')}" for i, j in inside
                    ]
                    for distance in range(1, window + 1):
                        for side, i in (("l", i1 - distance), ("r", i2 + distance)):
                            if 0 <= i < len(source):
                                features.append((f"{side}{distance}:" if marks_sides else "c:") + source[i])
                    pair = f"{' '.join(source[i1 : i2 + 1])} ||| {' '.join(target[j1 : j2 + 1])}"
                    found.append((pair, sorted(features)))
    return sorted(found)


def lexical_features(pairs, labels, classes, *, seen_pairs=None, seen_labels=None):
    """For each example and class: how often its phrase pair was seen, and the bin of the log-probability of the class.

    Counted over the other examples, or over all of those that were seen in training.
    """
    found = []
    for n, pair in enumerate(pairs):
        if seen_pairs is None:
            others = [y for m, (p, y) in enumerate(zip(pairs, labels, strict=True)) if p == pair and m != n]
        else:
            others = [y for p, y in zip(seen_pairs, seen_labels, strict=True) if p == pair]
        total = len(others)
        interval = total if total <= 4 else 5
        while total > 4 and total > 4 * 2 ** (interval - 4) and interval < 13:
            interval += 1
        row = []
        for k in range(classes):
            log = math.log((others.count(k) + 0.5) / (total + 0.5 * classes))
            row.append((interval, min(40, round(-4 * log))))
        found.append(row)
    return found
