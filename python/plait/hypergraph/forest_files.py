"""Reading and writing files of forests."""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Iterable, Iterator, Sequence
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from plait import _core, models
from plait.errors import ConfigError, TextError
from plait.hypergraph import forest_models
from plait.hypergraph.features import SparseFeatures
from plait.hypergraph.forest import Forest, shared_names
from plait.hypergraph.forest_formats import (
    FORMATS,
    OWN,
    SNIFFED_BYTES,
    format_of_content,
    format_to_write,
    stem_and_compression,
)
from plait.hypergraph.structure import Hypergraph
from plait.io.atomic import OutputGroup
from plait.io.streams import BLOCK_BYTES, Path, display_name, open_input, read_blocks

__all__ = ["read_forests", "write_forests"]

Sign = Literal["costs", "log-probabilities"]


def read_forests(
    path: Path,
    format: str | None = None,
    *,
    rules: Path | None = None,
    sign: Sign | None = None,
    model_weights: Sequence[float] = (),
    input_symbols: Path | None = None,
    output_symbols: Path | None = None,
    acceptor: bool = False,
) -> list[Forest]:
    r"""Read the forests of a file.

    Parameters
    ----------
    path
        The file; "-" for standard input. Compressed files are recognised by content.
    format : str, optional
        One of `plait.hypergraph.FORMATS`. By default the start of the file tells; the suffix decides between formats
        that a short file may have.
    rules
        joshua: the file of rules; by default ``FILE.rules`` beside ``FILE.items``, if it is there. Without
        rules, forests have no words.
    sign : {"costs", "log-probabilities"}, optional
        joshua: what the stored best weights are, which the file does not say. With it, forests have weights: the
        stored best weight of an edge less those of the nodes of its tail.
    model_weights : sequence of float
        joshua: weights of the model values, to check the stored best weights against; needs ``sign``.
    input_symbols, output_symbols
        openfst: tables of symbols.
    acceptor : bool
        openfst: arcs have one label.

    Returns
    -------
    list of Forest
        In the order of the file. They share words, texts and names of features.

    Raises
    ------
    plait.errors.TextError
        The file does not fit its format; the message has file, line, column, what was found and a remedy.
    plait.errors.DataError
        The format cannot be told; compressed data is damaged; a graph is not sound.
    plait.errors.ConfigError
        An option has a value that is none.
    plait.errors.ModelFileError
        plait: the file is damaged or of another version.
    OSError
        A file cannot be opened or read.

    Notes
    -----
    Linear time; memory for the forests, and for plait and cdec files also for their bytes.

    Examples
    --------
    >>> from pathlib import Path
    >>> from plait.hypergraph import read_forests
    >>> _ = Path("lattice.plf").write_text("((('in',1),('at',1),),(('Rome',1),),)\n")
    >>> lattice, = read_forests("lattice.plf")
    >>> lattice.nodes, lattice.edges, lattice.derivations
    (3, 4, 2)
    """
    if format is not None and format not in FORMATS:
        raise ConfigError(name="format", expected=f"one of {', '.join(FORMATS)}", found=format)
    with open_input(path) as stream:
        start = _start(stream)
        chosen = format or format_of_content(start, path)
        if chosen == OWN:
            return _read_own(path, start, stream)
        reader = _core.ForestReader(chosen, sign=sign, weights=list(model_weights), acceptor=acceptor)
        files: list[tuple[str, Path]] = []
        if chosen == "joshua":
            found = rules if rules is not None else _rules_beside(path)
            files = [] if found is None else [("rules", found)]
        elif chosen == "openfst":
            given = (("input-symbols", input_symbols), ("output-symbols", output_symbols))
            files = [(part, table) for part, table in given if table is not None]
        for part, file in files:
            reader.begin(part)
            with _naming(file):
                for block in read_blocks(file):
                    reader.feed(block)
                # That is when a last line without an end is read.
                reader.begin("forests")
        with _naming(path):
            for block in _rest(start, stream):
                reader.feed(block)
            lists = reader.finish()
    return _forests(*lists)


def write_forests(
    path: Path,
    forests: Forest | Iterable[Forest],
    *,
    format: str | None = None,
    rules: Path | None = None,
    sign: Sign = "log-probabilities",
    symbols: Path | None = None,
    acceptor: bool = False,
    force: bool = False,
) -> None:
    r"""Write forests to a file, whole or not at all.

    Parameters
    ----------
    path
        The file; "-" for standard output. A suffix ``.gz``, ``.bz2``, ``.xz`` or ``.zst`` compresses.
    forests : Forest or iterable of Forest
        moses, lazy and openfst files hold one.
    format : str, optional
        One of `plait.hypergraph.FORMATS`; by default that of the suffix.
    rules
        joshua: the file of rules; by default ``FILE.rules`` beside ``FILE.items``.
    sign : {"log-probabilities", "costs"}
        joshua: how the best weight of each edge is stored, if the forests have not kept it from such a file.
    symbols
        openfst: a file for the table of symbols.
    acceptor : bool
        openfst: one label for an arc.
    force : bool
        Replace a file that exists.

    Raises
    ------
    plait.errors.DataError
        The format cannot hold a forest: the message names the edge and what to do. Nothing is written.
    plait.errors.ConfigError
        A file exists and ``force`` is not set; the format cannot be told or holds one forest only.
    plait.errors.ResourceError
        The disk is full; what stood there before still does.

    Notes
    -----
    Linear time; memory for the bytes. plait keeps everything to the bit; the page on formats tells what others keep.

    Examples
    --------
    >>> from pathlib import Path
    >>> from plait.hypergraph import read_forests, write_forests
    >>> _ = Path("lattice.plf").write_text("((('in',1),('at',1),),(('Rome',1),),)\n")
    >>> write_forests("lattice.slf", read_forests("lattice.plf"), force=True)
    >>> print(Path("lattice.slf").read_text().splitlines()[-1])
    J=2 S=1 E=2 W=Rome
    """
    chosen = format_to_write(path, format)
    several = shared_names([forests] if isinstance(forests, Forest) else list(forests))
    if chosen == OWN:
        arrays, metadata = forest_models.pack(several)
        models.save(path, forest_models.KIND, arrays, metadata, force=force)
        return
    tables = (several[0].features.names, several[0].words, several[0].texts) if several else ((), (), ())
    features, words, texts = map(list, tables)
    main, rule_lines, table = _core.write_forests(
        chosen,
        features,
        words,
        texts,
        list(map(_arguments, several)),
        sign=sign,
        acceptor=acceptor,
        has_symbols=symbols is not None,
    )
    outputs = [(path, main)]
    if chosen == "joshua":
        outputs.append((rules if rules is not None else _rules_name(path), rule_lines))
    elif chosen == "openfst" and symbols is not None:
        outputs.append((symbols, table))
    with OutputGroup(force=force) as group:
        for name, data in outputs:
            group.open(name).write(data)


def _start(stream: io.BufferedReader) -> bytes:
    start = b""
    while len(start) < SNIFFED_BYTES and (block := stream.read1(SNIFFED_BYTES)):
        start += block
    return start


def _rest(start: bytes, stream: io.BufferedReader) -> Iterator[bytes]:
    yield start
    while block := stream.read1(BLOCK_BYTES):
        yield block


@contextlib.contextmanager
def _naming(file: Path) -> Iterator[None]:
    """Put the name of the file into errors."""
    try:
        yield
    except TextError as problem:
        raise problem.at(display_name(file)) from None


def _read_own(path: Path, start: bytes, stream: io.BufferedReader) -> list[Forest]:
    if os.fspath(path) == "-":
        raise ConfigError("plait's own format is not read from standard input; save it to a file first")
    return forest_models.unpack(models.load(path, forest_models.KIND), display_name(path))


def _rules_name(path: Path) -> str:
    """Return the name of the file of rules beside a file of items."""
    stem, compression = stem_and_compression(path)
    return stem.removesuffix(".items") + ".rules" + compression


def _rules_beside(path: Path) -> Path | None:
    if os.fspath(path) == "-":
        return None
    name = _rules_name(path)
    names = (name, *(stem_and_compression(name)[0] + suffix for suffix in ("", ".gz")))
    return next((name for name in names if os.path.exists(name)), None)


def _forests(features: list[str], words: list[str], texts: list[str], forests: list[dict[str, Any]]) -> list[Forest]:
    names = (tuple(features), tuple(words), tuple(texts))
    return [_forest(*names, arrays) for arrays in forests]


def _forest(
    features: tuple[str, ...], words: tuple[str, ...], texts: tuple[str, ...], arrays: dict[str, Any]
) -> Forest:
    graph = Hypergraph(
        arrays["heads"], arrays["tail_starts"], arrays["tails"], nodes=arrays["nodes"], root=arrays["root"]
    )
    return Forest(
        graph=graph,
        features=SparseFeatures(arrays["feature_starts"], arrays["feature_ids"], arrays["feature_values"], features),
        words=words,
        item_starts=arrays["item_starts"],
        items=arrays["items"],
        weights=arrays["weights"],
        axioms=arrays["axioms"],
        texts=texts,
        node_columns=MappingProxyType(arrays["node_columns"]),
        edge_columns=MappingProxyType(arrays["edge_columns"]),
        properties=MappingProxyType(dict(arrays["properties"])),
    )


def _arguments(forest: Forest) -> dict[str, Any]:
    """Return a forest as the core takes it."""
    graph, features = forest.graph, forest.features

    def columns(given: Any) -> list[tuple[str, npt.NDArray[Any]]]:
        return [(name, np.ascontiguousarray(column)) for name, column in given.items()]

    return {
        "nodes": graph.nodes,
        "root": graph.root,
        "heads": graph.heads,
        "tail_starts": graph.tail_starts,
        "tails": graph.tails,
        "axioms": np.ascontiguousarray(forest.axioms, np.uint32),
        "feature_starts": np.ascontiguousarray(features.starts, np.uint64),
        "feature_ids": np.ascontiguousarray(features.ids, np.uint32),
        "feature_values": np.ascontiguousarray(features.values, np.float64),
        "weights": None if forest.weights is None else np.ascontiguousarray(forest.weights, np.float64),
        "item_starts": np.ascontiguousarray(forest.item_starts, np.uint64),
        "items": np.ascontiguousarray(forest.items, np.int32),
        "node_columns": columns(forest.node_columns),
        "edge_columns": columns(forest.edge_columns),
        "properties": list(forest.properties.items()),
    }
