"""Trains a random field with CRF++ and tells what it took, as JSON; labels of the test set go to FILE.labels.

::

    python benches/rivals/crfpp_chain.py FILE ITERATIONS L2

Each attribute is a column, so that it has the same attributes as other systems; CRF++ has a weight for each of them
and each label.
Times are those of ``crf_learn`` and ``crf_test`` with reading, for they do not tell others.
"""

from __future__ import annotations

import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time

from attribute_files import as_columns, patterns

LAST = re.compile(r"iter=(\d+) .*?obj=([\d.]+)")


def run(*command: str) -> str:
    """Run a program that stands beside the interpreter."""
    program = os.path.join(os.path.dirname(sys.executable), command[0])
    return subprocess.run([program, *command[1:]], capture_output=True, text=True, check=True).stdout


def cpu() -> float:
    """Return the CPU seconds of children."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main(file: str, iterations: int, l2: float) -> None:
    cost = 1 / (2 * l2)
    with tempfile.TemporaryDirectory() as folder:
        train, template, model = (os.path.join(folder, name) for name in ("train", "template", "model"))
        text, width = as_columns(f"{file}.train")
        for path, content in ((train, text), (template, patterns(width, "B"))):
            with open(path, "w", encoding="utf-8") as out:
                out.write(content)
        started = time.perf_counter()
        told = run("crf_learn", "-p", "1", "-c", repr(cost), "-m", str(iterations), template, train, model)
        last = LAST.findall(told)[-1]
        found = {
            "train s": time.perf_counter() - started,
            "train CPU s": cpu(),
            "iterations": int(last[0]),
            "objective": float(last[1]),
            "weights": int(re.findall(r"Number of features: *(\d+)", told)[0]),
            "peak MB": resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024,
        }
        if os.path.exists(f"{file}.test"):
            text, _ = as_columns(f"{file}.test")
            test = os.path.join(folder, "test")
            with open(test, "w", encoding="utf-8") as out:
                out.write(text)
            before = cpu()
            blocks = [block for block in run("crf_test", "-m", model, test).split("\n\n") if block.strip("\n")]
            rows = [[line.rsplit("\t", 1)[1] for line in block.split("\n") if line] for block in blocks]
            found["tokens/CPU s"] = sum(map(len, rows)) / (cpu() - before)
            with open(f"{file}.labels", "w", encoding="utf-8") as out:
                out.writelines("\t".join(row) + "\n" for row in rows)
    print(json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]))
