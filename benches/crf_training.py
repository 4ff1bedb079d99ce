"""Trains a random field with plait and tells what it took, as JSON; labels of the test set go to FILE.labels.

::

    python benches/crf_training.py FILE ITERATIONS L2|auto THREADS GRADIENTS [observed|all]
"""

from __future__ import annotations

import json
import sys
import time
import warnings
from typing import Literal

from plait import _core
from plait.crf import ChainCRF, Sequences, choose_penalty, evaluate
from plait.errors import ConvergenceWarning
from rivals.own_memory import peak_mb

Pairs = Literal["observed", "all"]


def main(file: str, iterations: int, l2: float | Literal["auto"], threads: int, gradients: int, pairs: Pairs) -> None:
    warnings.simplefilter("ignore", ConvergenceWarning)
    started = time.perf_counter()
    data = Sequences.read(f"{file}.train", format="crfsuite")
    read = time.perf_counter() - started
    model = ChainCRF(states=pairs, transitions=pairs, max_iterations=iterations, threads=threads)
    started, cpu = time.perf_counter(), time.process_time()
    model.l2 = choose_penalty(model, data).l2 if l2 == "auto" else l2
    model.fit(data)
    found: dict[str, object] = {
        "read s": read,
        "train s": time.perf_counter() - started,
        "train CPU s": time.process_time() - cpu,
        "iterations": model.n_iter_,
        "l2": model.l2,
        "objective": model.objective_,
        "weights": model.core.feature_count,
    }
    # As of rivals: of reading and training, before the test set is read.
    found["peak MB"] = peak_mb()
    # The difference of two run lengths leaves out what is done once; the first run brings in numpy.
    costs = []
    for repeat in (1, 1, 1 + gradients):
        cpu = time.process_time()
        _core.crf_gradient(model.core, data.core, repeat=repeat, threads=threads)
        costs.append(time.process_time() - cpu)
    found["gradient CPU s"] = (costs[2] - costs[1]) / gradients
    try:
        test = Sequences.read(f"{file}.test", format="crfsuite", model=model)
    except FileNotFoundError:
        test = data
    else:
        labels = model.predict(test)
        found["F1 %"] = 100 * evaluate(test.labels(), labels).all.f1
        with open(f"{file}.labels", "w", encoding="utf-8") as out:
            out.writelines("\t".join(row) + "\n" for row in labels)
    cpu = time.process_time()
    model.core.best(test.core, threads=threads)
    found["tokens/CPU s"] = test.positions / (time.process_time() - cpu)
    print(json.dumps(found))


if __name__ == "__main__":
    penalty: float | Literal["auto"] = "auto" if sys.argv[3] == "auto" else float(sys.argv[3])
    main(
        sys.argv[1],
        int(sys.argv[2]),
        penalty,
        int(sys.argv[4]),
        int(sys.argv[5]),
        "all" if sys.argv[6:] == ["all"] else "observed",
    )
