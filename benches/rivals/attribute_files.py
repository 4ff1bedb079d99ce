"""Reads the files of `crf_sets`: attributes, the label first. It needs nothing but Python, for rivals' environments."""

from __future__ import annotations

from collections.abc import Iterator


def sequences(path: str) -> Iterator[tuple[list[list[str]], list[str]]]:
    """Yield the attributes of each position, and the labels, of each sequence."""
    with open(path, encoding="utf-8") as file:
        for block in file.read().split("\n\n"):
            rows = [line.split("\t") for line in block.split("\n") if line]
            if rows:
                names = [[field.replace("\\:", ":").replace("\\\\", "\\") for field in row[1:]] for row in rows]
                yield names, [row[0] for row in rows]


def as_columns(path: str) -> tuple[str, int]:
    """Return a file of columns, an attribute each, the label last, and the number of attributes of a position.

    Raises
    ------
    SystemExit
        Positions have different numbers of attributes.
    """
    texts, widths = [], set()
    for names, labels in sequences(path):
        widths |= {len(row) for row in names}
        rows = [" ".join([*row, label]) for row, label in zip(names, labels, strict=True)]
        texts.append("\n".join(rows))
    if len(widths) != 1:
        raise SystemExit(f"{path}: columns need the same number of attributes everywhere; there are {sorted(widths)}")
    return "\n\n".join(texts) + "\n\n", widths.pop()


def patterns(width: int, of_pairs: str) -> str:
    """Return a template that takes each column as it is, and pairs of labels."""
    return "".join(f"U{column}:%x[0,{column}]\n" for column in range(width)) + f"{of_pairs}\n"
