"""Reordering tables that decoders read, from any model."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from plait import _core
from plait.errors import DataError
from plait.io.atomic import OutputFile
from plait.io.streams import Path
from plait.reorder.classifier import Classifier
from plait.reorder.examples import Examples
from plait.threads import resolve_threads

__all__ = ["reordering_table", "write_table"]

# Rows whose text is in memory at a time.
_ROWS_PER_BLOCK = 1 << 16


def reordering_table(model: Classifier, examples: Examples) -> tuple[list[str], npt.NDArray[np.float64]]:
    """Return the probabilities of each phrase pair, for a decoder that knows no context.

    Parameters
    ----------
    model
        A trained classifier.
    examples
        Examples with their phrase pairs and the features of the model.

    Returns
    -------
    pairs : list of str
        Different phrase pairs, ``source ||| target``, in the order of their bytes.
    probabilities : float64[pairs, K]
        The mean of the model's probabilities over the examples of each.

    Raises
    ------
    plait.errors.DataError
        The examples have not kept their phrase pairs; otherwise as `Classifier.predict_log_proba`.

    Notes
    -----
    For `Lexicalised`, which knows no context, these are its own probabilities, those of Moses.
    """
    if examples.pairs is None or examples.pair_of_row is None:
        raise DataError("a reordering table needs the phrase pairs of examples; read them with pairs=True")
    names = examples.pairs
    proba = model.predict_proba(examples)
    counts = np.bincount(examples.pair_of_row, minlength=len(names))
    sums = np.empty((len(names), proba.shape[1]))
    for k in range(proba.shape[1]):
        sums[:, k] = np.bincount(examples.pair_of_row, weights=proba[:, k], minlength=len(names))
    order = sorted(range(len(names)), key=lambda n: _sort_key(names[n]))
    return [names[n] for n in order], sums[order] / counts[order, None]


def write_table(path: Path, parts: Sequence[tuple[Classifier, Examples]], *, force: bool = False) -> int:
    """Write a Moses reordering table, whole or not at all; return the number of its rows.

    Parameters
    ----------
    path
        Where it goes; "-" is standard output; ``.gz .bz2 .xz .zst`` compress.
    parts
        Models and their examples. The columns of each follow one another: one part for a table of one direction, two
        for a bidirectional one.
    force
        Whether a file that exists may be replaced.

    Raises
    ------
    plait.errors.DataError
        The parts have different phrase pairs; otherwise as `reordering_table`.
    plait.errors.ConfigError
        The file exists, and ``force`` is false.
    plait.errors.ResourceError, OSError
        The disk is full; the folder cannot be written.

    Notes
    -----
    A row is ``source ||| target ||| p p p``, with six digits as Moses writes them, the classes in the order of the
    model. Rows are in the order of their bytes, as ``LC_ALL=C sort`` leaves them.
    """
    tables = [reordering_table(model, examples) for model, examples in parts]
    if not tables:
        raise DataError("a reordering table needs a model and examples")
    pairs = tables[0][0]
    for other, _ in tables[1:]:
        if other != pairs:
            raise DataError(
                "the parts of a table need the same phrase pairs; make their examples of the same text and links"
            )
    columns = np.concatenate([probabilities for _, probabilities in tables], axis=1)
    threads = resolve_threads(None)
    with OutputFile(path, force=force) as out:
        for start in range(0, len(pairs), _ROWS_PER_BLOCK):
            block = slice(start, start + _ROWS_PER_BLOCK)
            words = pairs[block]
            fields: list[_core.Field] = [(_core.Words(words), np.arange(len(words), dtype=np.uint32)), " |||"]
            for column in columns[block].T:
                fields += [" ", (np.ascontiguousarray(column), "general")]
            out.write(_core.write_rows(fields, threads=threads))
    return len(pairs)


def _sort_key(pair: str) -> bytes:
    # What follows in the row decides between a phrase and one that it begins.
    return f"{pair} |||".encode()
