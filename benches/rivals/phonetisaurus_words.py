"""Trains Phonetisaurus on word pairs, lists its answers for words, and tells what it took, as JSON.

::

    python benches/rivals/phonetisaurus_words.py TRAIN TEST OUT ORDER LONGEST_SOURCE LONGEST_TARGET DELETIONS

TRAIN and TEST are lines SOURCE TAB TARGET[|TARGET..]; OUT gets lines SOURCE TAB TARGET TAB COST, ten a word at most.
DELETIONS is 0 or 1.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import phonetisaurus
from word_pairs import WordPairs, cpu, peak_mb

BINARIES = Path(phonetisaurus.__file__).parent / "bin" / platform.machine()
# Characters that its files use for themselves.
RESERVED = set("}|_\t ")


def call(*command: str, out=subprocess.DEVNULL) -> None:
    """Run one of the programs."""
    folder = BINARIES.parent.parent / "lib" / platform.machine()
    environment = {**os.environ, "LD_LIBRARY_PATH": str(folder)}
    program = [str(BINARIES / command[0]), *command[1:]]
    subprocess.run(program, check=True, env=environment, stdout=out, stderr=subprocess.DEVNULL)


def main(train: str, test: str, out: str, order: str, longest: tuple[str, str], deletes: bool) -> None:
    data = WordPairs(train)
    with tempfile.TemporaryDirectory() as folder:

        def at(name: str) -> str:
            return f"{folder}/{name}"

        with open(at("dict"), "w", encoding="utf-8") as file:
            for source, target in data.pairs(train):
                if not RESERVED & set(source) and not RESERVED & set(target.replace(" ", "")):
                    print(source, target, sep="\t", file=file)
        words = data.write_words(test, at("words"))
        started, before = time.perf_counter(), cpu()
        call(
            "phonetisaurus-align",
            f"--input={at('dict')}",
            f"--ofile={at('corpus')}",
            f"--seq1_max={longest[0]}",
            f"--seq2_max={longest[1]}",
            f"--seq1_del={str(deletes).lower()}",
            f"--seq2_del={str(deletes).lower()}",
        )
        call("estimate-ngram", "-o", order, "-t", at("corpus"), "-wl", at("arpa"))
        call("phonetisaurus-arpa2wfst", f"--lm={at('arpa')}", f"--ofile={at('fst')}")
        found = {"train s": time.perf_counter() - started, "train CPU s": cpu() - before}
        before = cpu()
        with open(at("answers"), "wb") as file:
            call("phonetisaurus-g2pfst", f"--model={at('fst')}", f"--wordlist={at('words')}", "--nbest=10", out=file)
        found["decode words/CPU s"] = words / (cpu() - before)
        found["model MB"] = os.path.getsize(at("fst")) / 1e6
        found["peak MB"] = peak_mb()
        data.write_answers(at("answers"), out, (0, 2, 1), 3)
    print(json.dumps(found))


if __name__ == "__main__":
    main(*sys.argv[1:5], (sys.argv[5], sys.argv[6]), sys.argv[7] == "1")
