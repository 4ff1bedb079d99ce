"""Whether two forests say the same, whatever the numbers of their words, names and texts."""

from __future__ import annotations

from typing import Any

from plait.hypergraph import Forest

__all__ = ["content"]


def content(forest: Forest) -> dict[str, Any]:
    """Everything that a forest says, by the numbers of its nodes and edges."""
    graph, features = forest.graph, forest.features
    starts = features.starts.tolist()
    columns = {}
    for side, given, texts in (
        ("node", forest.node_columns, forest.node_texts),
        ("edge", forest.edge_columns, forest.edge_texts),
    ):
        for name, column in given.items():
            columns[side, name] = texts(name) if column.ndim == 1 else column.tolist()
    return {
        "nodes": graph.nodes,
        "root": graph.root,
        "edges": [(head, graph.tail(edge)) for edge, head in enumerate(graph.heads.tolist())],
        "features": [
            [(features.names[features.ids[n]], features.values[n]) for n in range(starts[e], starts[e + 1])]
            for e in range(graph.edges)
        ],
        "yields": [forest.yield_of(edge) for edge in range(graph.edges)],
        "weights": None if forest.weights is None else forest.weights.tolist(),
        "axioms": forest.axioms.tolist(),
        "columns": columns,
        "properties": dict(forest.properties),
    }
