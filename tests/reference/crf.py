"""Chain random fields by enumeration: every labelling has its place in one array."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class EnumeratedChain:
    """All labellings of one sequence.

    ``scores`` are by position and label, minus infinity for what is not allowed; ``pairs`` by first and second label,
    or by position of the second one too, less 1.
    """

    scores: Array
    pairs: Array

    @property
    def totals(self) -> Array:
        """The score of each labelling, an axis for each position."""
        length, labels = self.scores.shape
        total = np.zeros((1,) * length)
        for position in range(length):
            shape = [1] * length
            shape[position] = labels
            total = total + self.scores[position].reshape(shape)
            if position:
                shape[position - 1] = labels
                pairs = self.pairs if self.pairs.ndim == 2 else self.pairs[position - 1]
                total = total + pairs.reshape(shape)
        return total

    @property
    def log_z(self) -> float:
        totals = self.totals
        top = totals.max()
        return float(top + np.log(np.exp(totals - top).sum()))

    @property
    def probabilities(self) -> Array:
        return np.exp(self.totals - self.log_z)

    def marginals(self) -> Array:
        """Sums over all axes but one."""
        length, labels = self.scores.shape
        chances = self.probabilities
        rows = [chances.sum(axis=tuple(a for a in range(length) if a != t)) for t in range(length)]
        return np.array(rows).reshape(length, labels)

    def pair_marginals(self) -> Array:
        """Sums over all axes but two neighbours."""
        length, labels = self.scores.shape
        chances = self.probabilities
        rows = [
            chances.sum(axis=tuple(a for a in range(length) if a not in (t, t + 1))) for t in range(max(length - 1, 0))
        ]
        return np.array(rows).reshape(max(length - 1, 0), labels, labels)

    def sorted_totals(self) -> Array:
        """The scores of all allowed labellings, falling."""
        totals = self.totals.ravel()
        return -np.sort(-totals[totals > -np.inf])


def log_sums(scores: Array, pairs: Array) -> tuple[float, Array]:
    """The logarithm of Z and the marginals by forward-backward in logarithms, one sum after the other."""
    length, _ = scores.shape
    alpha, beta = scores.copy(), np.zeros_like(scores)
    for position in range(1, length):
        alpha[position] += np.logaddexp.reduce(alpha[position - 1][:, None] + pairs, axis=0)
    for position in range(length - 1, 0, -1):
        after = scores[position] + beta[position]
        beta[position - 1] = np.logaddexp.reduce(pairs + after[None, :], axis=1)
    log_z = float(np.logaddexp.reduce(alpha[-1]))
    return log_z, np.exp(alpha + beta - log_z)
