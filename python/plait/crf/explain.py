"""What is behind the labels of a sequence: the terms of its score, and the probabilities of other labels."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from plait import _core
from plait.crf.sequences import Sequences
from plait.errors import DataError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["Explanation", "Term", "explain_sequences"]

_SHOWN = 5
"""Terms of a position that a text shows."""


class Term(NamedTuple):
    """What an attribute adds to the score of a label.

    Attributes
    ----------
    attribute
        Its name.
    value
        Its value at the position.
    weight
        The weight of the attribute and the label.
    score
        Value times weight.
    """

    attribute: str
    value: float
    weight: float
    score: float


@dataclass(frozen=True)
class Explanation:
    """The labels of one sequence, and the sums that make their probability.

    ``score`` is the sum of ``state_scores`` at the labels and of ``transition_scores``; ``log_probability`` is
    ``score - log_z``. A position's row of ``state_scores`` is the sum of its `terms`.

    Attributes
    ----------
    labels
        The label of each position.
    classes
        All labels of the model, in the order of columns.
    score
        The sum of all weights that the labels have here.
    log_z
        The logarithm of the sum over all labellings.
    log_probability
        Of the labels, natural.
    state_scores : float64[positions, labels]
        What the attributes of a position add up to for each label.
    transition_scores : float64[positions - 1]
        The weight of each label and the next, with those that attributes of the next position add to it (templates B
        with cells).
    marginals : float64[positions, labels]
        The probability of each label at each position.
    """

    labels: list[str]
    classes: list[str]
    score: float
    log_z: float
    log_probability: float
    state_scores: npt.NDArray[np.float64]
    transition_scores: npt.NDArray[np.float64]
    marginals: npt.NDArray[np.float64]
    _terms: tuple[tuple[tuple[str, float, dict[int, float]], ...], ...]

    def terms(self, position: int, label: str | None = None) -> list[Term]:
        """Return what each attribute of a position adds to a label, the largest by size first.

        Attributes that the model does not know, or that have no weight with the label, are not there.

        Parameters
        ----------
        position
            From 0.
        label
            Any label of the model; by default the one of the position.

        Raises
        ------
        plait.errors.DataError
            There is no such position or label.
        """
        if not 0 <= position < len(self.labels):
            raise DataError(f"the sequence has positions 0 to {len(self.labels) - 1}; found {position}")
        name = self.labels[position] if label is None else label
        if name not in self.classes:
            raise DataError(f"{name!r} is no label of the model, which are {', '.join(self.classes)}")
        number = self.classes.index(name)
        found = [
            Term(attribute, value, weights[number], value * weights[number])
            for attribute, value, weights in self._terms[position]
            if number in weights
        ]
        return sorted(found, key=lambda term: (-abs(term.score), term.attribute))

    def __str__(self) -> str:
        """Return a line for each position, with the largest terms below."""
        lines = [f"log p {self.log_probability:.4f} = score {self.score:.4f} - log Z {self.log_z:.4f}"]
        for position, label in enumerate(self.labels):
            number = self.classes.index(label)
            before = ""
            if position:
                before = f", after {self.labels[position - 1]} {self.transition_scores[position - 1]:+.4f}"
            lines.append(
                f"{position}: {label}  p {self.marginals[position, number]:.4f}"
                f"  attributes {self.state_scores[position, number]:+.4f}{before}"
            )
            terms = self.terms(position)
            lines.extend(f"    {term.score:+.4f}  {term.attribute}" for term in terms[:_SHOWN])
            if len(terms) > _SHOWN:
                lines.append(f"    {sum(term.score for term in terms[_SHOWN:]):+.4f}  {len(terms) - _SHOWN} others")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """Return a table for notebooks: a row for each label, darker where it is more probable."""
        # Drawing is for those who look.
        from html import escape

        head = "".join(f"<th>{position}</th>" for position in range(len(self.labels)))
        rows = []
        for number, name in enumerate(self.classes):
            cells = []
            for position, label in enumerate(self.labels):
                chance = float(self.marginals[position, number])
                top = self.terms(position, name)[:_SHOWN]
                title = escape("\n".join(f"{term.score:+.4f} {term.attribute}" for term in top), quote=True)
                shown = f"<b>{chance:.2f}</b>" if name == label else f"{chance:.2f}"
                # Dark text stays readable on the darkest shade.
                cells.append(f'<td title="{title}" style="background:rgba(70,130,180,{0.6 * chance:.3f})">{shown}</td>')
            rows.append(f"<tr><th>{escape(name)}</th>{''.join(cells)}</tr>")
        return f"<table><tr><th></th>{head}</tr>{''.join(rows)}</table>"


def explain_sequences(
    core: _core.CrfModel,
    data: Sequences,
    labels: Sequence[Sequence[str]],
    claims: npt.NDArray[np.bool_] | None,
    threads: int,
) -> list[Explanation]:
    """Return what is behind given labels of each sequence.

    Raises
    ------
    DataError
        A label is not known to the model.
    """
    classes = core.label_names()
    numbers = {name: number for number, name in enumerate(classes)}
    import numpy as np

    marginals, log_z = core.posteriors(data.core, claims, threads=threads)
    transitions = _Weights(core.transitions())
    triples = _triples(core)
    terms = _terms(core, data)
    found = []
    for sequence, (start, stop) in enumerate(itertools.pairwise(data.starts.tolist())):
        own = list(labels[sequence])
        unknown = [name for name in own if name not in numbers]
        if unknown:
            raise DataError(f"sequence {sequence}: {unknown[0]!r} is no label of the model, which are {classes}")
        ids = [numbers[name] for name in own]
        states = np.zeros((stop - start, len(classes)))
        for row, position in zip(states, terms[start:stop], strict=True):
            for _, value, weights in position:
                for number, weight in weights.items():
                    row[number] += value * weight
        steps = np.array([transitions.row(a).get(b, 0.0) for a, b in itertools.pairwise(ids)], dtype=np.float64)
        for at, (pair, position) in enumerate(zip(itertools.pairwise(ids), terms[start + 1 : stop], strict=True)):
            steps[at] += sum(value * triples.get((name, *pair), 0.0) for name, value, _ in position)
        score = float(states[np.arange(len(ids)), ids].sum() + steps.sum())
        found.append(
            Explanation(
                labels=own,
                classes=classes,
                score=score,
                log_z=float(log_z[sequence]),
                log_probability=min(score - float(log_z[sequence]), 0.0),
                state_scores=states,
                transition_scores=steps,
                marginals=marginals[start:stop],
                _terms=tuple(terms[start:stop]),
            )
        )
    return found


class _Weights:
    """Weights by the first of a pair."""

    def __init__(self, arrays: tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint32], npt.NDArray[np.float64]]) -> None:
        self.starts, self.seconds, self.weights = arrays
        self.rows: dict[int, dict[int, float]] = {}

    def row(self, first: int) -> dict[int, float]:
        """Return the weights of a first, by second."""
        if first not in self.rows:
            # Ids behind those with weights are there when a model was trained further.
            run = slice(0, 0)
            if first + 1 < len(self.starts):
                run = slice(int(self.starts[first]), int(self.starts[first + 1]))
            self.rows[first] = dict(zip(self.seconds[run].tolist(), self.weights[run].tolist(), strict=True))
        return self.rows[first]


def _triples(core: _core.CrfModel) -> dict[tuple[str, int, int], float]:
    """Weights of an attribute and two neighbouring labels."""
    starts, before, after, weights = (array.tolist() for array in core.triples())
    names = core.attribute_names()
    return {
        (names[attribute], before[at], after[at]): weights[at]
        for attribute, (start, stop) in enumerate(itertools.pairwise(starts))
        for at in range(start, stop)
    }


def _terms(core: _core.CrfModel, data: Sequences) -> list[tuple[tuple[str, float, dict[int, float]], ...]]:
    """For each position its attributes, with value and weights by label."""
    names, states = core.attribute_names(), _Weights(core.states())
    starts, attributes, values = data.core.rows()
    ids = attributes.tolist()
    numbers = [1.0] * len(ids) if values is None else values.tolist()
    return [
        tuple((names[ids[at]], numbers[at], states.row(ids[at])) for at in range(start, stop) if ids[at] < len(names))
        for start, stop in itertools.pairwise(starts.tolist())
    ]
