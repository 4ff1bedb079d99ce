"""Trains a random field with python-crfsuite and tells what it took, as JSON; labels of the test set go to FILE.labels.

::

    python benches/rivals/pycrfsuite_chain.py FILE ITERATIONS L2
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time

import pycrfsuite
from attribute_files import sequences
from own_memory import peak_mb


def main(file: str, iterations: int, l2: float) -> None:
    trainer = pycrfsuite.Trainer(verbose=False)
    trainer.set_params({"c2": l2, "max_iterations": iterations})
    for names, labels in sequences(f"{file}.train"):
        trainer.append(pycrfsuite.ItemSequence(names), labels)
    with tempfile.TemporaryDirectory() as folder:
        model = os.path.join(folder, "m")
        started, cpu = time.perf_counter(), time.process_time()
        trainer.train(model)
        last = trainer.logparser.last_iteration
        found = {
            "train s": time.perf_counter() - started,
            "train CPU s": time.process_time() - cpu,
            "iterations": last["num"],
            "objective": last["loss"],
            "weights": trainer.logparser.featgen_num_features,
        }
        found["peak MB"] = peak_mb()
        tagger = pycrfsuite.Tagger()
        tagger.open(model)
        part = "test" if os.path.exists(f"{file}.test") else "train"
        tested = [pycrfsuite.ItemSequence(names) for names, _ in sequences(f"{file}.{part}")]
        cpu = time.process_time()
        labels = [tagger.tag(items) for items in tested]
        found["tokens/CPU s"] = sum(map(len, labels)) / (time.process_time() - cpu)
    if part == "test":
        with open(f"{file}.labels", "w", encoding="utf-8") as out:
            out.writelines("\t".join(row) + "\n" for row in labels)
    print(json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]))
