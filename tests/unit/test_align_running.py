"""How `plait.align.fit` behaves while it runs: interrupts, callbacks, other threads, forks, warnings."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
import warnings
from typing import Any

import pytest

from made_corpora import zipf_corpus
from plait import align
from plait.bitext import Bitext
from plait.errors import AlignmentWarning

SOON = 5.0
"""Seconds. The work answers within one on an idle machine; tests share theirs."""
ENDLESS = {
    "em": {"preset": "EM-5", "iterations": 100_000_000},
    "vb": {"preset": "VB-5", "iterations": 100_000_000, "model": "ibm2"},
    "hmm": {"preset": "default", "iterations": 100_000_000},
    "model 1 of the hmm": {"preset": "default", "warm_up": 100_000_000},
    "gibbs": {"preset": "GS-5", "burn_in": 100_000_000, "sampler": "exact"},
    "parallel": {"preset": "gibbs", "burn_in": 100_000_000, "sampler": "parallel"},
}


@pytest.fixture(scope="module")
def bitext() -> Bitext:
    sources, targets = ([words or ["."] for words in side] for side in zipf_corpus(1500, types=300))
    return Bitext.from_lists(sources, targets)


@pytest.fixture(autouse=True)
def no_thread_is_left() -> Any:
    """Threads of the core are those of the process."""
    before = count_threads()
    yield
    end = time.monotonic() + SOON
    # A thread that was joined stays in the list for a moment.
    while count_threads() > before:
        assert time.monotonic() < end
        time.sleep(0.01)


def count_threads() -> int:
    try:
        return len(os.listdir("/proc/self/task"))
    except FileNotFoundError:
        return 0


@pytest.mark.parametrize("way", ENDLESS)
@pytest.mark.parametrize("with_progress", [False, True])
def test_ctrl_c_stops_the_work_and_it_can_be_done_again(bitext: Bitext, way: str, with_progress: bool) -> None:
    sent: list[float] = []

    def interrupt() -> None:
        sent.append(time.monotonic())
        signal.raise_signal(signal.SIGINT)

    progress = (lambda *_: None) if with_progress else None
    timer = threading.Timer(0.2, interrupt)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        align.fit(bitext, threads=2, progress=progress, **ENDLESS[way])
    assert time.monotonic() - sent[0] < SOON
    timer.join()
    again = align.fit(bitext, "EM-5", threads=2)
    assert again.alignments == align.fit(bitext, "EM-5", threads=1).alignments


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_a_handler_of_the_users_decides_what_a_signal_does(bitext: Bitext) -> None:
    class Stop(Exception):
        pass

    def stop(*_: object) -> None:
        raise Stop

    before = signal.signal(signal.SIGUSR1, stop)
    timer = threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGUSR1))
    timer.start()
    try:
        with pytest.raises(Stop):
            align.fit(bitext, **ENDLESS["gibbs"])
    finally:
        timer.join()
        signal.signal(signal.SIGUSR1, before)


@pytest.mark.parametrize(
    ("preset", "stage"),
    [
        *(("GS-5", stage) for stage in ("indexing", "EM", "Gibbs", "reading out", "symmetrizing")),
        *(("default", stage) for stage in ("counting word pairs", "aligning", "symmetrizing")),
    ],
)
def test_what_a_callback_raises_ends_the_work(bitext: Bitext, preset: str, stage: str) -> None:
    calls: list[str] = []

    def fail(name: str, *_: object) -> None:
        calls.append(name)
        if name == stage:
            raise LookupError("from the callback")

    burn_in = 100_000_000 if stage == "Gibbs" else 1
    started = time.monotonic()
    with pytest.raises(LookupError, match="from the callback"):
        align.fit(bitext, preset, burn_in=burn_in, samples=1, progress=fail)
    assert time.monotonic() - started < SOON
    assert calls[-1] == stage, "not called again"


def test_a_callback_that_cannot_be_called_is_told(bitext: Bitext) -> None:
    with pytest.raises(TypeError):
        align.fit(bitext, "EM-5", progress=lambda: None)  # type: ignore[misc, arg-type]


def test_the_callback_is_called_in_this_thread_in_the_order_of_the_work(bitext: Bitext) -> None:
    calls: list[tuple[int, str, int]] = []
    align.fit(
        bitext,
        "GS-5",
        burn_in=2,
        samples=2,
        progress=lambda stage, done, *_: calls.append((threading.get_ident(), stage, done)),
    )
    assert {thread for thread, _, _ in calls} == {threading.get_ident()}
    stages = list(dict.fromkeys(stage for _, stage, _ in calls))
    assert stages == ["indexing", "EM", "Gibbs", "reading out", "symmetrizing"]
    for stage, total in (("EM", 5), ("Gibbs", 4)):
        assert [done for _, name, done in calls if name == stage] == list(range(total + 1))


def test_the_hmm_counts_word_pairs_and_aligns(bitext: Bitext) -> None:
    calls: list[tuple[str, int, int, tuple[str, ...]]] = []
    align.fit(
        bitext,
        "default",
        warm_up=2,
        iterations=3,
        progress=lambda stage, done, total, figures: calls.append(
            (stage, done, total, tuple(name for name, _ in figures))
        ),
    )
    assert list(dict.fromkeys(stage for stage, *_ in calls)) == ["counting word pairs", "aligning", "symmetrizing"]
    # The end of an iteration is the start of the next.
    iterations = list(dict.fromkeys(done for stage, done, *_ in calls if stage == "aligning"))
    assert iterations == list(range(6))
    assert {total for stage, _, total, _ in calls if stage == "aligning"} == {5}
    assert calls[-2][3] == ("forward", "reverse")


def test_a_slow_callback_does_not_hold_up_the_work() -> None:
    """It misses reports instead, but never the first and the last of a stage."""
    calls: list[int] = []
    sweeps = 20_000

    def listen(stage: str, done: int, *_: object) -> None:
        if stage == "Gibbs":
            calls.append(done)
            time.sleep(0.001)

    tiny = Bitext.from_lists(["a b"], ["x y"])
    align.fit(tiny, "GS-5", burn_in=sweeps - 1, samples=1, threads=1, progress=listen)
    assert (calls[0], calls[-1]) == (0, sweeps)
    assert calls == sorted(calls)
    assert len(calls) < sweeps / 2


def test_other_threads_run_meanwhile(bitext: Bitext) -> None:
    """The work does not hold the interpreter's lock: this thread counts while another one trains."""
    trained = threading.Event()
    finished: list[align.AlignmentModel] = []

    def train() -> None:
        finished.append(align.fit(bitext, "GS-5", burn_in=150, samples=10, threads=1, sampler="exact"))
        trained.set()

    worker = threading.Thread(target=train)
    start = time.monotonic()
    worker.start()
    turns, longest, before = 0, 0.0, start
    while not trained.is_set():
        turns += 1
        time.sleep(0.001)
        now = time.monotonic()
        longest, before = max(longest, now - before), now
    worker.join()
    seconds = time.monotonic() - start
    assert len(finished[0].alignments) == len(bitext)
    assert seconds > 0.1, "too short to tell"
    assert longest < seconds / 2, "the counter stood still for most of the work"
    assert turns > 20


def test_several_trainings_at_a_time(bitext: Bitext) -> None:
    expected = align.fit(bitext, "GS-5", burn_in=3, samples=3).alignments
    results: list[object] = []

    def train() -> None:
        results.append(align.fit(bitext, "GS-5", burn_in=3, samples=3, threads=2).alignments)

    workers = [threading.Thread(target=train) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert len(results) == 4
    assert all(result == expected for result in results)


def _digest_in_child(bitext: Bitext, queue: Any) -> None:
    queue.put(align.fit(bitext, "GS-5", burn_in=3, samples=3, threads=3).alignments.to_pharaoh())


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_can_train(bitext: Bitext) -> None:
    """Also when the parent has used threads before."""
    expected = align.fit(bitext, "GS-5", burn_in=3, samples=3, threads=3).alignments.to_pharaoh()
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=_digest_in_child, args=(bitext, queue))
    child.start()
    assert queue.get(timeout=20) == expected
    child.join(10)
    assert child.exitcode == 0
    queue.close()
    queue.join_thread()


def test_the_warning_says_how_many_pairs_and_why() -> None:
    text = Bitext.from_lists(
        ["a", "", "a b c", "a", "a b", ""], ["x", "x", "x", "", "x", ""], max_length=2, on_error="skip"
    )
    with pytest.warns(AlignmentWarning) as caught:
        align.fit(text, "EM-5")
    assert [str(warning.message) for warning in caught] == [
        "no links for 4 of 6 sentence pairs: 1 too long, 3 empty on one side or both; the first is pair 2"
    ]
    assert caught[0].filename == __file__


def test_no_warning_when_all_pairs_are_used(bitext: Bitext) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        align.fit(bitext, "EM-5")


def test_new_text_is_aligned_interruptibly_and_reported(bitext: Bitext) -> None:
    model = align.fit(bitext, "EM-5")
    assert model.align(bitext, threads=1) == model.align(bitext, threads=3)
    assert len(model.align(Bitext.from_lists(["", "never seen"], ["x", ""]))) == 2
