"""Files of word pairs for rivals that are programs, and what these programs take."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from pathlib import Path


class WordPairs:
    """Lines SOURCE TAB TARGET[|TARGET..]; of phones when most targets of ``path`` have spaces."""

    def __init__(self, path: str) -> None:
        lines = Path(path).read_text(encoding="utf-8").split("\n")
        targets = [line.split("\t")[1] for line in lines if line]
        self.are_phones = 2 * sum(" " in target for target in targets) > len(targets)

    def pairs(self, path: str) -> Iterator[tuple[str, str]]:
        """Yield sources, and targets with spaces between symbols."""
        with open(path, encoding="utf-8") as file:
            for line in file:
                source, targets = line.rstrip("\n").split("\t")
                for target in targets.split("|"):
                    yield source, target if self.are_phones else " ".join(target)

    def write_words(self, path: str, out: str) -> int:
        """Write the distinct sources of a file, one a line, and return their number."""
        words = list(dict.fromkeys(source for source, _ in self.pairs(path)))
        Path(out).write_text("".join(f"{word}\n" for word in words), encoding="utf-8")
        return len(words)

    def write_answers(self, found: str, out: str, places: tuple[int, int, int], fields: int) -> None:
        """Write lines SOURCE TAB TARGET TAB NUMBER from lines of so many fields, these three among them."""
        with open(found, encoding="utf-8") as file, open(out, "w", encoding="utf-8") as to:
            for line in file:
                parts = line.rstrip("\n").split("\t")
                if len(parts) == fields:
                    word, target, number = (parts[place] for place in places)
                    print(word, target if self.are_phones else target.replace(" ", ""), number, sep="\t", file=to)


def cpu() -> float:
    """Return the CPU seconds of all programs that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def peak_mb() -> float:
    """Return the memory of the largest program that has ended."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
