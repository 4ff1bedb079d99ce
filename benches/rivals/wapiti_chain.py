"""Trains a random field with Wapiti and tells what it took, as JSON; labels of the test set go to FILE.labels.

::

    python benches/rivals/wapiti_chain.py FILE ITERATIONS L2

Each attribute is a column, so that it has the same attributes as other systems; Wapiti has a weight for each of them
and each label.
It stops when the errors of the training text stand still, as by default.
"""

from __future__ import annotations

import json
import os
import re
import sys
import tempfile
import time

import wapiti
from attribute_files import as_columns, patterns
from own_memory import peak_mb


def main(file: str, iterations: int, l2: float) -> None:
    text, width = as_columns(f"{file}.train")
    options = {"algo": "l-bfgs", "rho1": 0.0, "rho2": 2 * l2, "maxiter": iterations, "nthread": 1}
    model = wapiti.Model(patterns=patterns(width, "b"), **options)
    for block in text.strip("\n").split("\n\n"):
        model.add_training_sequence(block)
    started, cpu = time.perf_counter(), time.process_time()
    with tempfile.TemporaryFile() as log:
        # The library writes its progress to standard error itself.
        kept = os.dup(2)
        os.dup2(log.fileno(), 2)
        model.train()
        os.dup2(kept, 2)
        log.seek(0)
        last = re.findall(r"\[ *(\d+)\] obj=([\d.]+)", log.read().decode())[-1]
    found = {
        "train s": time.perf_counter() - started,
        "train CPU s": time.process_time() - cpu,
        "iterations": int(last[0]),
        "objective": float(last[1]),
        "weights": model._model.contents.nftr,
        "peak MB": peak_mb(),
    }
    if os.path.exists(f"{file}.test"):
        text, _ = as_columns(f"{file}.test")
        blocks = text.strip("\n").split("\n\n")
        cpu = time.process_time()
        rows = [model.label_sequence(block).decode().split() for block in blocks]
        found["tokens/CPU s"] = sum(map(len, rows)) / (time.process_time() - cpu)
        with open(f"{file}.labels", "w", encoding="utf-8") as out:
            out.writelines("\t".join(row) + "\n" for row in rows)
    print(json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]))
