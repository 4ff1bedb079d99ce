"""Stub of the compiled border; kept by hand, checked by mypy's stubtest."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

__version__: str

# --- text (rust/bindings/src/text.rs) ---

# --- links (rust/bindings/src/links.rs) ---

# Links: int32[n, 2] positions sorted within each pair, uint64[m + 1] offsets, float32[n] probabilities or None.
type _Links = tuple[npt.NDArray[np.int32], npt.NDArray[np.uint64], npt.NDArray[np.float32] | None]

def parse_pharaoh(
    block: bytes, *, first_line: int = 1, allow_possible: bool = False, base: int = 0, threads: int = 1
) -> tuple[_Links, npt.NDArray[np.bool_]]: ...
def write_pharaoh(links: _Links, *, with_probabilities: bool = False, threads: int = 1) -> bytes: ...
def write_jsonl(links: _Links, *, threads: int = 1) -> bytes: ...
def check_links(
    links: _Links,
    source_lengths: npt.NDArray[np.uint32] | None = None,
    target_lengths: npt.NDArray[np.uint32] | None = None,
) -> None: ...
def symmetrize_links(
    forward: _Links, reverse: _Links, method: str, *, variant: str = "symal", threads: int = 1
) -> _Links: ...
def symmetrize_soft(forward: _Links, reverse: _Links, threshold: float, *, threads: int = 1) -> _Links: ...
def combine_vote(alignments: Sequence[_Links], threshold: float, *, threads: int = 1) -> _Links: ...
def combine_average(alignments: Sequence[_Links], threshold: float, *, threads: int = 1) -> _Links: ...
def concatenate_links(alignments: Sequence[_Links]) -> _Links: ...
def transpose_links(links: _Links) -> _Links: ...

# --- align (rust/bindings/src/align.rs) ---
