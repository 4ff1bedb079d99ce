"""Trains Sequitur on word pairs, lists its answers for words, and tells what it took, as JSON.

::

    python benches/rivals/sequitur_words.py TRAIN DEV TEST OUT ORDER

TRAIN, DEV and TEST are lines SOURCE TAB TARGET[|TARGET..]; OUT gets lines SOURCE TAB TARGET TAB PROBABILITY, ten a word
at most. Models of the orders 1 to ORDER are trained one from the other, as its manual has it; DEV sets the discounts.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

# Its lexicons are cut at spaces.
RESERVED = set(" \t")


def pairs(path: str, are_phones: bool):
    """Yield sources, and targets with spaces between symbols."""
    with open(path, encoding="utf-8") as file:
        for line in file:
            source, targets = line.rstrip("\n").split("\t")
            for target in targets.split("|"):
                yield source, target if are_phones else " ".join(target)


def write_lexicon(path: str, out: str, are_phones: bool) -> None:
    """Write the pairs of a file as a lexicon."""
    with open(out, "w", encoding="utf-8") as file:
        for source, target in pairs(path, are_phones):
            if not RESERVED & set(source) and target.strip():
                print(source, target, file=file)


def call(*options: str, out=subprocess.DEVNULL) -> None:
    """Run its program, which stands beside the interpreter."""
    program = [sys.executable, str(Path(sys.executable).parent / "g2p.py"), "--encoding=UTF-8", *options]
    subprocess.run(program, check=True, stdout=out, stderr=subprocess.DEVNULL)


def cpu() -> float:
    """Return the CPU seconds of all programs that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main(train: str, dev: str, test: str, out: str, order: int) -> None:
    with open(train, encoding="utf-8") as file:
        lines = file.read().splitlines()
    are_phones = 2 * sum(" " in line.split("\t")[1] for line in lines) > len(lines)
    with tempfile.TemporaryDirectory() as folder:

        def at(name: str) -> str:
            return f"{folder}/{name}"

        write_lexicon(train, at("train"), are_phones)
        write_lexicon(dev, at("dev"), are_phones)
        words = list(dict.fromkeys(source for source, _ in pairs(test, are_phones)))
        with open(at("words"), "w", encoding="utf-8") as file:
            print(*words, sep="\n", file=file)
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
        found["decode words/CPU s"] = len(words) / (cpu() - before)
        found["model MB"] = os.path.getsize(at("model")) / 1e6
        found["peak MB"] = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        with open(at("answers"), encoding="utf-8") as file, open(out, "w", encoding="utf-8") as to:
            for line in file:
                fields = line.rstrip("\n").split("\t")
                if len(fields) == 4:
                    word, _, probability, target = fields
                    print(word, target if are_phones else target.replace(" ", ""), probability, sep="\t", file=to)
    print(json.dumps(found))


if __name__ == "__main__":
    main(*sys.argv[1:5], int(sys.argv[5]))
