"""The labels that are allowed at each position, as the compiled core takes them."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from plait.crf.sequences import Sequences
from plait.errors import DataError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["Allowed", "claims_of"]

Allowed = Sequence[Sequence[Collection[str] | None]]
"""For each sequence and position the labels that are allowed; None for all."""


def claims_of(data: Sequences, allowed: Allowed | None, names: Sequence[str]) -> npt.NDArray[np.bool_] | None:
    """Return whether each label may stand at each position: bool[positions, labels]; None when all may.

    Parameters
    ----------
    data
        The sequences.
    allowed
        What a user gave for them.
    names
        The labels by number.

    Raises
    ------
    DataError
        ``allowed`` has another shape than the sequences, or a position has no label that the model knows.
    """
    if allowed is None:
        return None
    import numpy as np

    numbers = {name: number for number, name in enumerate(names)}
    claims = np.ones((data.positions, len(numbers)), dtype=np.bool_)
    if len(allowed) != len(data):
        raise DataError(f"there are {len(data)} sequences but allowed labels for {len(allowed)}; give a list for each")
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
