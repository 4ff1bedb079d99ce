"""GIZA++ A3 records.

A record is three lines::

    # Sentence pair (1) source length 3 target length 4 alignment score : 0.25
    the house is small
    NULL ({ }) das ({ 1 }) Haus ({ 2 }) ist-klein ({ 3 4 })

The second line is the target sentence. The third holds the source sentence, each word followed by the
positions (from 1) of the target words it is linked to; NULL is followed by the target words that are linked
to nothing.

In GIZA++ each target word is linked to one source word or to NULL, so it stands in exactly one list. That
is so here for the forward direction. In a symmetrised alignment a target word may stand in several lists.
The score is GIZA++'s probability of the Viterbi alignment there; here it is the product of the links'
posterior probabilities, and 1 when the links have none.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from plait.alignments import Alignments
    from plait.bitext import Bitext

__all__ = ["records"]


def records(alignments: Alignments, bitext: Bitext, *, first: int = 0) -> Iterator[bytes]:
    """Yield the A3 record of each sentence pair.

    Parameters
    ----------
    alignments
        Links of the pairs ``first``, ``first + 1``, .. of the text. They must lie inside the sentences.
    bitext
        Gives the words.
    first
        The pair of the text that the first links belong to.
    """
    for n in range(len(alignments)):
        links = alignments[n].tolist()
        probabilities = alignments.sentence_probabilities(n)
        score = 1.0 if probabilities is None else float(np.prod(probabilities, dtype=np.float64))
        source, target = bitext.source(first + n), bitext.target(first + n)
        yield _record(first + n + 1, source, target, links, score).encode()


def _record(number: int, source: list[str], target: list[str], links: list[list[int]], score: float) -> str:
    targets: list[list[int]] = [[] for _ in source]
    for i, j in links:
        targets[i].append(j + 1)
    linked = {j for _, j in links}
    unlinked = [j + 1 for j in range(len(target)) if j not in linked]
    words = [("NULL", unlinked), *zip(source, targets, strict=True)]
    lists = " ".join(f"{word} ({{ {''.join(f'{j} ' for j in places)}}})" for word, places in words)
    return (
        f"# Sentence pair ({number}) source length {len(source)} target length {len(target)} "
        f"alignment score : {score:.6g}\n{' '.join(target)}\n{lists}\n"
    )
