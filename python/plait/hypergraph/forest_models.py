"""Our own format of forests: a model file of kind "forest" with every array of every forest."""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from plait.errors import DataError, ModelFileError
from plait.hypergraph.features import SparseFeatures
from plait.hypergraph.forest import Column, Forest
from plait.hypergraph.structure import Hypergraph
from plait.models import ModelFile, pack_words, unpack_words

__all__ = ["KIND", "pack", "unpack"]

KIND = "forest"
"""What `plait.models` calls such a file."""

Arrays = dict[str, npt.NDArray[Any]]
_TABLES = ("features", "words", "texts")
# So many nodes that no edge names are no harm.
_LONELY_NODES = 1 << 20


def pack(forests: Sequence[Forest]) -> tuple[Arrays, dict[str, Any]]:
    """Return forests that share their names as arrays and metadata of a model file."""
    arrays: Arrays = {}
    tables = (forests[0].features.names, forests[0].words, forests[0].texts) if forests else ((), (), ())
    for name, table in zip(_TABLES, tables, strict=True):
        arrays[name], arrays[f"{name}.offsets"] = pack_words(table)
    heads = []
    for number, forest in enumerate(forests):
        graph, features = forest.graph, forest.features
        _check_nodes(graph.nodes, len(graph.heads) + len(graph.tails))
        own: Arrays = {
            "heads": graph.heads,
            "tail_starts": graph.tail_starts,
            "tails": graph.tails,
            "axioms": forest.axioms,
            "feature_starts": features.starts,
            "feature_ids": features.ids,
            "feature_values": features.values,
            "item_starts": forest.item_starts,
            "items": forest.items,
        }
        if forest.weights is not None:
            own["weights"] = forest.weights
        columns = {"node": forest.node_columns, "edge": forest.edge_columns}
        for side, given in columns.items():
            own |= {f"{side}.{place}": column for place, column in enumerate(given.values())}
        arrays |= {f"{number}.{name}": array for name, array in own.items()}
        heads.append(
            {
                "nodes": graph.nodes,
                "root": graph.root,
                "properties": list(map(list, forest.properties.items())),
                "columns": {side: list(given) for side, given in columns.items()},
            }
        )
    return arrays, {"forests": heads}


def _check_nodes(nodes: int, named: int) -> None:
    """Refuse a number of nodes that takes memory out of all proportion to the edges."""
    if nodes > _LONELY_NODES + named:
        raise DataError(f"there are {nodes} nodes, and edges name {named} times one; remove nodes that no edge names")


def unpack(file: ModelFile, name: str) -> list[Forest]:
    """Return the forests of a model file.

    Raises
    ------
    plait.errors.ModelFileError
        What the file holds is no sound forest.
    """
    try:
        features, words, texts = (_table(file, table) for table in _TABLES)
        heads = file.metadata["forests"]
        return [_unpacked(file, number, head, features, words, texts) for number, head in enumerate(heads)]
    except (DataError, KeyError, TypeError, ValueError, AttributeError) as problem:
        _refuse(name, problem)


def _refuse(name: str, problem: Exception) -> NoReturn:
    raise ModelFileError(f"{name}: the file holds no sound forests ({problem}); write it again") from None


def _table(file: ModelFile, name: str) -> tuple[str, ...]:
    packed = unpack_words(file.array(name, np.uint8), file.array(f"{name}.offsets", np.uint64))
    return tuple(word.decode() for word in packed)


def _unpacked(
    file: ModelFile,
    number: int,
    head: dict[str, Any],
    features: tuple[str, ...],
    words: tuple[str, ...],
    texts: tuple[str, ...],
) -> Forest:
    def array(name: str, dtype: npt.DTypeLike) -> npt.NDArray[Any]:
        return file.array(f"{number}.{name}", dtype)

    def columns(side: str) -> MappingProxyType[str, Column]:
        names = head["columns"][side]
        return MappingProxyType({name: _column(file, f"{number}.{side}.{n}") for n, name in enumerate(names)})

    heads, tails = array("heads", np.uint32), array("tails", np.uint32)
    _check_nodes(head["nodes"], len(heads) + len(tails))
    return Forest(
        graph=Hypergraph(heads, array("tail_starts", np.uint64), tails, nodes=head["nodes"], root=head["root"]),
        features=SparseFeatures(
            array("feature_starts", np.uint64),
            array("feature_ids", np.uint32),
            array("feature_values", np.float64),
            features,
        ),
        words=words,
        item_starts=array("item_starts", np.uint64),
        items=array("items", np.int32),
        weights=array("weights", np.float64) if f"{number}.weights" in file.arrays else None,
        axioms=array("axioms", np.uint32),
        texts=texts,
        node_columns=columns("node"),
        edge_columns=columns("edge"),
        properties=MappingProxyType({str(key): str(value) for key, value in head["properties"]}),
    )


def _column(file: ModelFile, name: str) -> Column:
    found = file.arrays.get(name)
    if found is not None and found.ndim == 2:
        return file.array(name, np.int64, 2)
    return file.array(name, np.uint32)
