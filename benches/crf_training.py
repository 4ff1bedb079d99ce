"""Trains a random field with plait and tells what it took, as JSON.

::

    python benches/crf_training.py FILE ITERATIONS L2 THREADS GRADIENTS [observed|all]
"""

from __future__ import annotations

import json
import resource
import sys
import time
import warnings
from typing import Literal

from plait import _core
from plait.crf import ChainCRF, Sequences, evaluate
from plait.errors import ConvergenceWarning

Pairs = Literal["observed", "all"]


def main(file: str, iterations: int, l2: float, threads: int, gradients: int, pairs: Pairs) -> None:
    warnings.simplefilter("ignore", ConvergenceWarning)
    started = time.perf_counter()
    data = Sequences.read(f"{file}.train", format="crfsuite")
    read = time.perf_counter() - started
    model = ChainCRF(l2=l2, states=pairs, transitions=pairs, max_iterations=iterations, threads=threads)
    started, cpu = time.perf_counter(), time.process_time()
    model.fit(data)
    found: dict[str, object] = {
        "read s": read,
        "train s": time.perf_counter() - started,
        "train CPU s": time.process_time() - cpu,
        "iterations": model.n_iter_,
        "objective": float(model.history_[-1]),
        "weights": model.core.feature_count,
    }
    # As of rivals: of reading and training, before the test set is read.
    found["peak MB"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    # The difference of two run lengths leaves out what is done once.
    costs = []
    for repeat in (1, 1 + gradients):
        cpu = time.process_time()
        _core.crf_gradient(model.core, data.core, repeat=repeat, threads=threads)
        costs.append(time.process_time() - cpu)
    found["gradient CPU s"] = (costs[1] - costs[0]) / gradients
    try:
        test = Sequences.read(f"{file}.test", format="crfsuite", model=model)
    except FileNotFoundError:
        test = data
    else:
        found["F1 %"] = 100 * evaluate(test.labels(), model.predict(test)).all.f1
    cpu = time.process_time()
    model.core.best(test.core, threads=threads)
    found["tokens/CPU s"] = test.positions / (time.process_time() - cpu)
    print(json.dumps(found))


if __name__ == "__main__":
    numbers = (int(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4]), int(sys.argv[5]))
    main(sys.argv[1], *numbers, "all" if sys.argv[6:] == ["all"] else "observed")
