"""Aligns a corpus with systran-align (fast_align as a library) in one process: SOURCE TARGET OUT.

Runs in the rivals' environment; needs nothing of plait.
"""

import sys
import tempfile
from pathlib import Path

import systran_align


def main(source: str, target: str, out: str) -> None:
    """Train both directions, align the same text, write links source-target."""
    pairs = list(zip(read(source), read(target), strict=True))
    with tempfile.TemporaryDirectory() as folder:
        joint, forward, backward = (str(Path(folder, name)) for name in ("joint", "forward", "backward"))
        # An empty side ends fast_align.
        full = [(s, t) for s, t in pairs if s and t]
        with Path(joint).open("w", encoding="utf-8", newline="\n") as stream:
            stream.writelines(f"{' '.join(s)} ||| {' '.join(t)}\n" for s, t in full)
        systran_align.generate_alignment_probabilities(
            joint,
            forward,
            backward,
            favor_diagonal=True,
            optimize_tension=True,
            variational_bayes=True,
        )
        aligner = systran_align.Aligner(forward, backward)
        aligned = iter(aligner.align_batch([s for s, _ in full], [t for _, t in full]))
    with Path(out).open("w", encoding="utf-8", newline="\n") as stream:
        for s, t in pairs:
            links = sorted(next(aligned)["alignments"]) if s and t else []
            stream.write(" ".join(f"{i}-{j}" for i, j in links) + "\n")


def read(path: str) -> list[list[str]]:
    """Return the lower-cased words of each line, as the other aligners of the comparison see them."""
    with Path(path).open(encoding="utf-8", newline="\n") as stream:
        return [line.lower().split() for line in stream]


if __name__ == "__main__":
    main(*sys.argv[1:])
