"""The inputs of measurements: made ones with their seed and size in the name, and real ones from a folder.

A real one is named by its *set*: a folder below ``DATA/align``, then ``-full`` for its full text instead of its
sample, then ``-10k`` for the first 10,000 pairs (``-500`` for 500) or ``/113`` for every 113th one: ``hansards-10k``,
``nc30k-de-en``, ``hansards-full-500k``, ``hansards-full/113``. ``hansards`` is short for ``hansards-en-fr``. The test
pairs, which have gold links, stand at the end and take part in training, as usual for unsupervised aligners; a set
without training text is trained on them alone.
"""

from __future__ import annotations

import functools
import itertools
import lzma
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

SEED = 1
SHORT = {"hansards": "hansards-en-fr"}
SIZED = {"hansards-en-fr": ("hansards-10k", "hansards-100k")}
"""Sets in place of a folder's whole sample where rivals have published figures for these sizes."""


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


@functools.cache
def made(pairs: int, folder: Path) -> Corpus:
    """Return a corpus of the demo's grammar, made in a process of its own (see `measure`); all its links are known."""
    name = f"made-en-de-{pairs}"
    maker, place = Path(__file__).parent / "made.py", folder / name
    subprocess.run([sys.executable, str(maker), str(place), str(pairs), str(SEED)], check=True)
    return counted(name, place / "corpus.en", place / "corpus.de", gold=place / "corpus.gold", tested=pairs)


def every_set(data: Path) -> list[str]:
    """Return the names of all sets with gold links, without full texts, which take hours."""
    folders = sorted(path.parent.name for path in (data / "align").glob("*/test.gold"))
    return [name for folder in folders for name in SIZED.get(folder, (folder,))]


@functools.cache
def real(data: Path, name: str, folder: Path) -> Corpus:
    """Return the set of this name."""
    parts = re.fullmatch(
        r"(?P<folder>.+?)(?P<full>-full)?(-(?P<head>[0-9]+)(?P<thousands>k)?)?(/(?P<step>[0-9]+))?", name
    )
    origin = data / "align" / SHORT.get(parts["folder"], parts["folder"]) if parts else data / "align" / name
    if not parts or not (origin / "test.gold").exists():
        sys.exit(f"benches: there is no set {name!r} in {data}: no {origin / 'test.gold'}")
    stop = int(parts["head"]) * (1_000 if parts["thousands"] else 1) if parts["head"] else None
    paths, tested = [], 0
    for side in ("src", "tgt"):
        training = origin / "full" / f"train.full.{side}.xz" if parts["full"] else origin / f"train.{side}"
        if parts["full"] and not training.exists():
            sys.exit(f"benches: there is no full text of {name!r}: no {training}")
        paths.append(folder / f"{name.replace('/', '-by-')}.{side}")
        with paths[-1].open("w", encoding="utf-8", newline="\n") as out:
            if training.exists():
                out.writelines(itertools.islice(lines(training), 0, stop, int(parts["step"] or 1)))
            test = list(lines(origin / f"test.{side}"))
            tested = len(test)
            out.writelines(test)
    corpus = counted(name, *paths, gold=origin / "test.gold", tested=tested)
    if stop is not None and parts["step"] is None and corpus.pairs - tested < stop:
        sys.exit(f"benches: {name!r} has {corpus.pairs - tested:,} training pairs only")
    return corpus


def parallel(data: Path, name: str, folder: Path) -> Corpus:
    """Return a set of `real`, ``:swap`` left aside; ``NAME:train`` is its training text alone.

    ``NAME:SOURCE-TARGET`` is the training text of two languages in ``DATA/parallel/NAME``.
    """
    origin, _, part = name.removesuffix(":swap").partition(":")
    if not part:
        return real(data, origin, folder)
    if part == "train":
        place = data / "align" / SHORT.get(origin, origin)
        paths = [place / "train.src", place / "train.tgt"]
    else:
        paths = [data / "parallel" / origin / f"train.{language}" for language in part.split("-")]
    if len(paths) != 2 or not all(path.exists() for path in paths):
        sys.exit(f"benches: there is no set {name!r} in {data}: no {' or '.join(map(str, paths))}")
    return counted(name, *paths)


def first_pair(corpus: Corpus, folder: Path) -> Corpus:
    """Return a corpus of one pair, whose alignment takes as long as a process needs to start."""
    paths = [folder / f"one.{side}" for side in ("src", "tgt")]
    for path, whole in zip(paths, (corpus.source, corpus.target), strict=True):
        path.write_text(next(lines(whole)), encoding="utf-8")
    return counted("one pair", *paths)


@functools.cache
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
