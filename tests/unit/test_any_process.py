"""The same bits from every kind of process: on one CPU, on far too many threads, forked, spawned, served."""

from __future__ import annotations

import hashlib
import multiprocessing
import os
from collections.abc import Callable

import numpy as np
import pytest

from made_corpora import zipf_corpus
from plait import align, reorder
from plait.bitext import Bitext
from plait.crf import ChainCRF, Sequences

SOURCES, TARGETS = zipf_corpus(300, types=60, mean_length=6)


def digest(*parts: bytes) -> str:
    made = hashlib.sha256()
    for part in parts:
        made.update(part)
    return made.hexdigest()


def links(threads: int | None) -> str:
    model = align.fit(Bitext.from_lists(SOURCES, TARGETS), threads=threads)
    scores = model.score(Bitext.from_lists(SOURCES, TARGETS), threads=threads)
    return digest(model.alignments.to_pharaoh(), scores.forward.tobytes())


def sampled_links(threads: int | None) -> str:
    return digest(
        align.fit(Bitext.from_lists(SOURCES, TARGETS), "best", samples=3, threads=threads).alignments.to_pharaoh()
    )


def field(threads: int | None) -> str:
    items = [[{"word": word, "last": word[-1]} for word in words] for words in SOURCES]
    labels = [[str(len(word)) for word in words] for words in SOURCES]
    model = ChainCRF(max_iterations=8, delta=0, threads=threads).fit(Sequences.from_items(items, labels))
    return digest(np.array(sorted(model.state_features_.values())).tobytes(), repr(model.predict(items)).encode())


def orientations(threads: int | None) -> str:
    text = Bitext.from_lists(SOURCES, TARGETS)
    found = reorder.Examples.from_bitext(text, align.fit(text, "EM-5").alignments, threshold=2, threads=threads)
    model = reorder.DualLogistic(max_iter=5, tol=0.5).fit(found)
    return digest(model.weights_.tobytes(), model.predict_proba(found).tobytes())


WORK: dict[str, Callable[[int | None], str]] = {
    "links": links,
    "sampled links": sampled_links,
    "field": field,
    "orientations": orientations,
}


def put(name: str, threads: int | None, queue: multiprocessing.Queue[str], cpus: int | None = None) -> None:
    """What a child does."""
    import warnings

    warnings.simplefilter("ignore")
    if cpus is not None:
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:cpus])
    queue.put(WORK[name](threads))


def in_child(method: str, *words: object) -> str:
    context = multiprocessing.get_context(method)
    queue = context.Queue()
    child = context.Process(target=put, args=(words[0], words[1], queue, *words[2:]))
    child.start()
    found = queue.get(timeout=50)
    child.join(20)
    assert child.exitcode == 0
    return str(found)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", WORK)
def test_1_and_64_threads(name: str) -> None:
    assert WORK[name](1) == WORK[name](64)


@pytest.mark.slow
@pytest.mark.timeout(120)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("name", WORK)
def test_forked_spawned_and_served_children(name: str) -> None:
    expected = WORK[name](2)
    for method in ("fork", "spawn", "forkserver"):
        assert in_child(method, name, None) == expected, method


@pytest.mark.slow
@pytest.mark.timeout(120)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="needs Linux")
@pytest.mark.parametrize("name", WORK)
def test_bound_to_one_cpu(name: str) -> None:
    assert in_child("spawn", name, None, 1) == WORK[name](2)
