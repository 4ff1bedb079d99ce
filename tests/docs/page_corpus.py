"""The small corpus that the examples of the documentation work on."""

from __future__ import annotations

import random
from pathlib import Path

PAIRS = 300
WORDS = {
    "the": "die", "a": "eine", "old": "alte", "small": "kleine", "red": "rote", "house": "Haus", "street": "Straße",
    "city": "Stadt", "bridge": "Brücke", "woman": "Frau", "friend": "Freundin", "sees": "sieht", "likes": "mag",
    "finds": "findet", "knows": "kennt", "today": "heute", "often": "oft", "never": "nie", "here": "hier", ".": ".",
}  # fmt: skip


def write_corpus(folder: Path) -> None:
    """Write ``train.en``, ``train.de``, their joint form ``corpus``, and ``gold.align``, all of them links known.

    ``train.pieces.en`` and ``train.pieces.de`` have the same text in subwords.
    """
    generator = random.Random(7)
    english, german, gold = [], [], []
    for _ in range(PAIRS):
        count = generator.randint(3, 9)
        words = [*generator.choices([word for word in WORDS if word != "."], k=count), "."]
        order = list(range(len(words)))
        # The verb-like swap of two neighbours: links are not all on the diagonal.
        at = generator.randrange(len(words) - 2)
        order[at], order[at + 1] = order[at + 1], order[at]
        english.append(" ".join(words))
        german.append(" ".join(WORDS[words[source]] for source in order))
        gold.append(
            " ".join(f"{source}-{target}" for source, target in sorted(zip(order, range(len(order)), strict=True)))
        )
    write(folder / "train.en", english)
    write(folder / "train.de", german)
    write(folder / "gold.align", gold)
    write(folder / "train.pieces.en", [in_pieces(line) for line in english])
    write(folder / "train.pieces.de", [in_pieces(line) for line in german])
    write(folder / "corpus", [f"{source} ||| {target}" for source, target in zip(english, german, strict=True)])


def in_pieces(line: str) -> str:
    """Cut words into pieces of at most four letters, the first of a word marked as SentencePiece marks it."""
    words = (" ".join(word[at : at + 4] for at in range(0, len(word), 4)) for word in line.split())
    return " ".join(f"▁{word}" for word in words)


def write(path: Path, lines: list[str]) -> None:
    """Write lines that end in a line feed on every system."""
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", newline="\n")
