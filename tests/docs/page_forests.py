"""The forests that the examples of the documentation train on."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
from page_corpus import WORDS, write

from plait.hypergraph import Forest, Hypergraph, SparseFeatures, Yields, write_forests

SENTENCES = 40
GERMAN = tuple(WORDS.values())
NAMES = ("TranslationModel", "LanguageModel", "WordPenalty")


def write_tuning_task(folder: Path) -> None:
    """Write lattices of German words, ``dev/`` and ``test/``, their references and ``weights.txt``.

    Each position has the right word and wrong ones. The features of right words are larger, more or less.
    """
    for name, seed in (("dev", 1), ("test", 2)):
        generator = random.Random(seed)
        references = []
        (folder / name).mkdir()
        for number in range(SENTENCES):
            reference = [generator.choice(GERMAN[:-1]) for _ in range(generator.randint(4, 8))] + ["."]
            references.append(" ".join(reference))
            forest = lattice(reference, generator)
            write_forests(folder / name / f"{number}.json.gz", forest, format="cdec")
        write(folder / f"{name}.de", references)
    write(folder / "weights.txt", ["TranslationModel 0.2", "LanguageModel -0.5", "WordPenalty 0.1"])


def lattice(reference: list[str], generator: random.Random) -> Forest:
    """A lattice with its start on the left, as a decoder's search graph."""
    edges: list[tuple[int, list[int]]] = []
    items: list[list[int]] = []
    values = []
    for position, right in enumerate(reference):
        wrong = generator.sample([word for word in GERMAN if word != right], 4)
        choices = [[right], *([word] for word in wrong[:3])]
        # Sometimes a word can be left out, or another one put in.
        choices += generator.choice([[], [], [[]], [[right, wrong[3]]]])
        for words in choices:
            tail = [position - 1] if position else []
            edges.append((position, tail))
            items.append([*(-1 for _ in tail), *map(GERMAN.index, words)])
            fit = float(words == [right]) - 2
            values += [round(generator.gauss(fit, 0.7), 3), round(generator.gauss(fit, 0.9), 3), -float(len(words))]
    starts, flat = Yields.from_rows(items).arrays
    count = len(edges)
    features = SparseFeatures(
        np.arange(0, 3 * count + 1, 3, dtype=np.uint64),
        np.tile(np.arange(3, dtype=np.uint32), count),
        np.array(values),
        NAMES,
    )
    graph = Hypergraph.from_edges(edges)
    return Forest(graph=graph, features=features, words=GERMAN, item_starts=starts, items=flat)
