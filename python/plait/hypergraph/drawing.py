"""Forests as pictures: text for Graphviz, and a table for notebooks."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

from plait.errors import ConfigError

if TYPE_CHECKING:
    from plait.hypergraph.forest import Forest

__all__ = ["forest_table", "to_dot"]

_SHOWN_DIGITS = 30


def to_dot(forest: Forest, *, max_edges: int = 500) -> str:
    """Return a forest as a digraph in the language of Graphviz.

    A node of the forest is an ellipse with its category, or its number; the root has two rings. An edge is a box with
    its yield, in which ``[1]`` is the first node of its tail, and arrows lead from the nodes of the tail, numbered
    where there is more than one, through the box to the head.

    Raises
    ------
    ConfigError
        The forest has more than ``max_edges`` edges.
    """
    if forest.edges > max_edges:
        raise ConfigError(
            name="max_edges",
            expected=f"at least the {forest.edges} edges of the forest; prune it first, or draw more",
            found=max_edges,
        )
    lines = ["digraph forest {", "  rankdir=BT;", '  node [fontname="sans-serif"];']
    categories = forest.node_texts("category")
    for node, category in enumerate(categories):
        label = str(node) if category is None else f"{category} {node}"
        rings = " peripheries=2" if node == forest.graph.root else ""
        lines.append(f"  n{node} [label={_quoted(label)}{rings}];")
    heads = forest.graph.heads.tolist()
    for edge, head in enumerate(heads):
        tail = forest.graph.tail(edge)
        items = " ".join(item if isinstance(item, str) else f"[{item + 1}]" for item in forest.yield_of(edge))
        lines.append(f"  e{edge} [shape=box, label={_quoted(items)}, tooltip={_quoted(f'edge {edge}')}];")
        for position, node in enumerate(tail, 1):
            number = f" [label={_quoted(str(position))}]" if len(tail) > 1 else ""
            lines.append(f"  n{node} -> e{edge}{number};")
        lines.append(f"  e{edge} -> n{head};")
    lines.append("}")
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def forest_table(forest: Forest) -> str:
    """Return the size of a forest as an HTML table."""
    digits = forest.derivations_text
    if len(digits) > _SHOWN_DIGITS:
        digits = f"{digits[0]}.{digits[1:4]}e{len(digits) - 1}"
    rows = [
        *forest.properties.items(),
        ("nodes", forest.nodes),
        ("edges", forest.edges),
        ("derivations", digits),
        ("features", len(forest.features.names)),
        ("words", len(forest.words)),
    ]
    cells = "".join(f"<tr><th>{html.escape(str(k))}</th><td>{html.escape(str(v))}</td></tr>" for k, v in rows)
    return f"<table>{cells}</table>"
