"""Trains Sequitur on word pairs, lists its answers for words, and tells what it took, as JSON.

::

    python benches/rivals/sequitur_words.py TRAIN DEV TEST OUT ORDER

TRAIN, DEV and TEST are lines SOURCE TAB TARGET[|TARGET..]; OUT gets lines SOURCE TAB TARGET TAB PROBABILITY, ten a word
at most. Models of the orders 1 to ORDER are trained one from the other, as its manual has it; DEV sets the discounts.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from word_pairs import WordPairs, cpu, peak_mb

# Its lexicons are cut at spaces.
RESERVED = set(" \t")


def write_lexicon(data: WordPairs, path: str, out: str) -> None:
    """Write the pairs of a file as a lexicon."""
    with open(out, "w", encoding="utf-8") as file:
        for source, target in data.pairs(path):
            if not RESERVED & set(source) and target.strip():
                print(source, target, file=file)


def call(*options: str, out=subprocess.DEVNULL) -> None:
    """Run its program, which stands beside the interpreter."""
    program = [sys.executable, str(Path(sys.executable).parent / "g2p.py"), "--encoding=UTF-8", *options]
    subprocess.run(program, check=True, stdout=out, stderr=subprocess.DEVNULL)


def main(train: str, dev: str, test: str, out: str, order: int) -> None:
    data = WordPairs(train)
    with tempfile.TemporaryDirectory() as folder:

        def at(name: str) -> str:
            return f"{folder}/{name}"

        write_lexicon(data, train, at("train"))
        write_lexicon(data, dev, at("dev"))
        words = data.write_words(test, at("words"))
        started, before = time.perf_counter(), cpu()
        lexicons = (f"--train={at('train')}", f"--devel={at('dev')}")
        for reached in range(1, order + 1):
            grown = () if reached == 1 else (f"--model={at('model')}", "--ramp-up")
            call(*grown, *lexicons, f"--write-model={at('next')}")
            os.replace(at("next"), at("model"))
        found = {"train s": time.perf_counter() - started, "train CPU s": cpu() - before}
        before = cpu()
        with open(at("answers"), "wb") as file:
            call(f"--model={at('model')}", f"--apply={at('words')}", "--variants-number=10", out=file)
        found["decode words/CPU s"] = words / (cpu() - before)
        found["model MB"] = os.path.getsize(at("model")) / 1e6
        found["peak MB"] = peak_mb()
        data.write_answers(at("answers"), out, (0, 3, 2), 4)
    print(json.dumps(found))


if __name__ == "__main__":
    main(*sys.argv[1:5], int(sys.argv[5]))
