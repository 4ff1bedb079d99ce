"""A made translation task: lattices of right and wrong words, with features that tell them apart, more or less."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from plait.hypergraph import Forest, Hypergraph, SparseFeatures, Yields, write_forests

WORDS = tuple(f"w{n}" for n in range(40))
NAMES = ("good", "noise", "penalty")


def made_sentence(generator: np.random.Generator, *, choices: int = 4) -> tuple[Forest, list[str]]:
    """A lattice, and its reference: a word of each position.

    The feature ``good`` is larger for right words, ``noise`` says nothing, and ``penalty`` is larger for wrong words.
    """
    length = int(generator.integers(6, 12))
    edges: list[tuple[int, list[int]]] = []
    rows, values = [], []
    reference = []
    for position in range(length):
        words = generator.choice(len(WORDS), size=choices, replace=False).tolist()
        right = int(generator.integers(choices))
        reference.append(WORDS[words[right]])
        for n, word in enumerate(words):
            edges.append((position, [position - 1] if position else []))
            rows.append([-1, word] if position else [word])
            good, noise, penalty = generator.normal(size=3) * (0.7, 1.0, 0.8)
            is_right = float(n == right)
            values.append([is_right + good, noise, penalty - is_right])
    starts, items = Yields.from_rows(rows).arrays
    count = len(edges)
    features = SparseFeatures(
        np.arange(0, 3 * count + 1, 3, dtype=np.uint64), np.tile(np.arange(3, dtype=np.uint32), count),
        np.array(values).ravel(), NAMES,
    )  # fmt: skip
    graph = Hypergraph.from_edges(edges)
    return Forest(graph=graph, features=features, words=WORDS, item_starts=starts, items=items), reference


def write_task(folder: Path, *, sentences: int = 12, seed: int = 1, name: str = "train") -> None:
    """Write ``NAME.plait``, the same one file each in ``NAME/``, and ``NAME.ref``."""
    generator = np.random.default_rng(seed)
    made = [made_sentence(generator) for _ in range(sentences)]
    write_forests(folder / f"{name}.plait", [forest for forest, _ in made])
    (folder / name).mkdir()
    for number, (forest, _) in enumerate(made):
        write_forests(folder / name / f"{number}.json", forest, format="cdec")
    lines = (" ".join(reference) + "\n" for _, reference in made)
    (folder / f"{name}.ref").write_text("".join(lines), encoding="utf-8", newline="\n")
