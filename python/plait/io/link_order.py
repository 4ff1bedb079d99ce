"""Links in the order of the aligners: by the position of the word that a direction predicts."""

from __future__ import annotations

import re

from plait.alignments import Alignments

__all__ = ["lines_by_target"]

_LINK = re.compile(rb"(\d+)-(\d+)")


def lines_by_target(alignments: Alignments, *, threads: int | None = None) -> bytes:
    r"""Return Pharaoh lines whose links are sorted by target, then source position.

    fast_align and eflomal write the links of P(target | source) so, and symal those of its growing heuristics.

    Examples
    --------
    >>> lines_by_target(Alignments.from_lists([[(0, 1), (2, 0)]]))
    b'2-0 0-1\n'
    """
    return _LINK.sub(rb"\2-\1", alignments.transposed().to_pharaoh(threads=threads))
