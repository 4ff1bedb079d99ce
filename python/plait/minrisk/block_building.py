"""Forests into blocks, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from plait import _core
from plait.errors import CycleError, DataError
from plait.hypergraph.features import feature_arrays
from plait.minrisk.block_file import Arrays, Block, Index
from plait.minrisk.risk_forest import RiskForest
from plait.progress import Callback as ProgressCallback

__all__ = ["build_blocks"]


def build_blocks(
    forests: Iterable[RiskForest],
    feature_names: Sequence[str] | None,
    keep: Callable[[Arrays], object],
    progress: ProgressCallback | None,
    *,
    block_bytes: int,
) -> Index:
    """Put forests into blocks.

    Parameters
    ----------
    forests, feature_names, progress
        As for `plait.minrisk.TrainingSet.build`.
    keep : callable
        Takes each block when it is complete.
    block_bytes : int
        A block ends with the forest that makes it so large.

    Returns
    -------
    Index
        Without places and checksums of blocks.
    """
    builder = _core.RiskBlockBuilder()
    blocks: list[Block] = []
    longest: tuple[str, ...] = ()
    first = number = empty = nodes = edges = 0

    def end_block() -> None:
        nonlocal first
        count, doubles, words, shorts = builder.take()
        keep((first, count, doubles, words, shorts))
        blocks.append(Block(0, first, count, len(doubles), len(words), len(shorts), ""))
        first += count
        if progress is not None:
            progress("reading", first, 0, ())

    for number, forest in enumerate(forests, 1):
        longest = _longer(longest, forest.features.names, number - 1)
        is_empty, size = _add(builder, forest, number - 1)
        empty += is_empty
        if not is_empty:
            nodes += forest.graph.nodes
            edges += forest.graph.edges
        if size >= block_bytes:
            end_block()
    if first < number:
        end_block()
    names = longest if feature_names is None else tuple(feature_names)
    if names[: len(longest)] != longest:
        raise DataError(
            f"the {len(longest)} names of features of a forest are not the beginning of the {len(names)} in "
            "feature_names; number the features of all forests together"
        )
    return Index(names, tuple(blocks), empty, nodes, edges)


def _add(builder: _core.RiskBlockBuilder, forest: RiskForest, number: int) -> tuple[bool, int]:
    try:
        return builder.add(forest.graph._core, feature_arrays(forest.features), forest.losses, forest.base)
    except CycleError as problem:
        message = f"forest {number}: {problem}"
        raise CycleError(cycle=list(problem.cycle), problem=problem.problem, message=message) from None
    except DataError as problem:
        raise DataError(f"forest {number}, {problem}") from None


def _longer(longest: tuple[str, ...], names: Sequence[str], number: int) -> tuple[str, ...]:
    """Return the longer of two lists of names, of which one must begin with the other."""
    if names is longest:
        return longest
    given = tuple(names)
    short, long = (given, longest) if len(given) < len(longest) else (longest, given)
    if long[: len(short)] != short:
        n = next(n for n, (a, b) in enumerate(zip(short, long, strict=False)) if a != b)
        raise DataError(
            f"forest {number}: its feature {n} is {given[n]!r}, which is {longest[n]!r} in a forest before it; number "
            "the features of all forests together"
        )
    return long
