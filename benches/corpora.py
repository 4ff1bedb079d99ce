"""The inputs of measurements: made ones with their seed and size in the name, and real ones from a folder."""

from __future__ import annotations

import lzma
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

SEED = 1


@dataclass(frozen=True)
class Corpus:
    """Two plain files, line by line parallel; where there are gold links, they belong to the last lines.

    Parameters
    ----------
    name
        Names origin and size.
    source, target
        Plain text.
    pairs, source_tokens, target_tokens
        Counted in the files.
    gold
        Pharaoh file with as many lines as the corpus has tested pairs.
    tested
        How many of the last lines have gold links.
    """

    name: str
    source: Path
    target: Path
    pairs: int
    source_tokens: int
    target_tokens: int
    gold: Path | None = None
    tested: int = 0

    @property
    def tokens(self) -> int:
        """Tokens of both sides: each is linked once in a sweep over both directions."""
        return self.source_tokens + self.target_tokens


def made(pairs: int, folder: Path) -> Corpus:
    """Return a corpus of the demo's grammar, made in a process of its own (see `measure`); all its links are known."""
    name = f"made-en-de-{pairs}"
    maker, place = Path(__file__).parent / "made.py", folder / name
    subprocess.run([sys.executable, str(maker), str(place), str(pairs), str(SEED)], check=True)
    return counted(name, place / "corpus.en", place / "corpus.de", gold=place / "corpus.gold", tested=pairs)


def real(data: Path, name: str, pairs: int, folder: Path) -> Corpus:
    """Return the first ``pairs`` pairs of ``data/align/name`` and its test pairs, which have gold links."""
    origin = data / "align" / name
    source, target = folder / f"{name}-{pairs}.src", folder / f"{name}-{pairs}.tgt"
    tested = 0
    for side, path in (("src", source), ("tgt", target)):
        with path.open("w", encoding="utf-8", newline="\n") as out:
            out.writelines(head(training(origin, side), pairs))
            test = list(lines(origin / f"test.{side}"))
            tested = len(test)
            out.writelines(test)
    return counted(f"{name}-{pairs}", source, target, gold=origin / "test.gold", tested=tested)


def training(origin: Path, side: str) -> Path:
    """Return the training file of a side: the plain one, or the only one there is."""
    for candidate in (origin / f"train.{side}", origin / "full" / f"train.full.{side}.xz"):
        if candidate.exists():
            return candidate
    sys.exit(f"benches: no training text in {origin}")


def files(source: Path, target: Path, folder: Path) -> Corpus:
    """Return the corpus of two files, which may be compressed with xz."""
    plain = []
    for side, path in (("src", source), ("tgt", target)):
        copy = folder / f"files.{side}"
        with copy.open("w", encoding="utf-8", newline="\n") as out:
            out.writelines(lines(path))
        plain.append(copy)
    return counted(source.name, *plain)


def lines(path: Path) -> Iterator[str]:
    """Yield the lines of a file; only a line feed ends one."""
    opened = lzma.open if path.suffix == ".xz" else open
    with opened(path, "rt", encoding="utf-8", newline="\n") as stream:
        yield from stream


def head(path: Path, count: int) -> Iterator[str]:
    """Yield the first lines of a file."""
    for number, line in enumerate(lines(path)):
        if number == count:
            return
        yield line


def counted(name: str, source: Path, target: Path, *, gold: Path | None = None, tested: int = 0) -> Corpus:
    """Return the corpus of two plain files with its counts."""
    pairs, tokens = [], []
    for path in (source, target):
        lengths = [len(line.split()) for line in lines(path)]
        pairs.append(len(lengths))
        tokens.append(sum(lengths))
    if pairs[0] != pairs[1]:
        sys.exit(f"benches: {source} has {pairs[0]} lines, {target} has {pairs[1]}")
    return Corpus(name, source, target, pairs[0], tokens[0], tokens[1], gold, tested)
