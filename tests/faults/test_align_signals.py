"""Ctrl-C and other signals in every phase of ``plait align``: the run ends soon, and leaves what was there before."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import processes
from made_corpora import zipf_corpus

if os.name == "nt":
    pytest.skip("signals of POSIX", allow_module_level=True)

STAGES = {
    "hmm": ("reading", "counting word pairs", "aligning", "symmetrizing", "writing"),
    "gibbs": ("reading", "indexing", "EM", "Gibbs", "reading out", "symmetrizing", "writing"),
}
SHORT = {"hmm": (), "gibbs": ("--preset", "gibbs", "--burn-in", 2, "--samples", 2)}
INTERRUPTED = "plait: interrupted; output files are whole or as they were before"
SOON = 5.0
"""Seconds. A run answers within one on an idle machine; tests share theirs."""
ENDLESS = ("--iterations", 100_000_000)
ENDLESS_GIBBS = ("--preset", "gibbs", "--burn-in", 100_000_000)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A corpus with a second's work in it."""
    folder = tmp_path_factory.mktemp("corpus")
    files = folder / "s", folder / "t"
    for path, sentences in zip(files, zipf_corpus(3000, types=800), strict=True):
        path.write_text("".join(" ".join(words) + "\n" for words in sentences))
    return files


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder where one of three outputs exists already."""
    (tmp_path / "out").write_text("old\n")
    return tmp_path


def words(corpus: tuple[Path, Path], *more: object) -> list[object]:
    outputs = ("-o", "out", "--force", "--forward-out", "forward", "--report", "report.gz")
    return ["align", "-s", corpus[0], "-t", corpus[1], *outputs, *more]


def assert_nothing_changed(folder: Path, *others: str) -> None:
    assert sorted(os.listdir(folder)) == sorted(["out", *others])
    assert (folder / "out").read_text() == "old\n"


def assert_ends(process: processes.Process, code: int) -> None:
    found, err = processes.finish(process, seconds=SOON)
    assert found == code, err
    assert err.rstrip().endswith(INTERRUPTED)
    assert "Traceback" not in err
    assert "Error" not in err


# Raises the signal inside the process, at the start of a stage: sent from outside, it would often come too late.
AT_STAGE = """
import os, signal, sys, threading
from plait.cli import align, main
from plait.progress import Reporter

stage, number, delay, after = sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), sys.argv[4]
del sys.argv[1:5]

class Ending(Reporter):
    sent = False
    awaited = after

    def __call__(self, name, done, total, figures=()):
        if name == self.awaited:
            self.awaited = ""
        if name == stage and not self.sent and not self.awaited:
            self.sent = True
            print("sent", flush=True)
            if delay:
                threading.Timer(delay, os.kill, (os.getpid(), number)).start()
            else:
                signal.raise_signal(number)

align.reporter = lambda kind: Ending()
main.main()
"""


def start_with_signal(
    folder: Path, stage: str, number: int, arguments: list[object], *, delay: float = 0, after: str = ""
) -> processes.Process:
    environment = {**os.environ, "PYTHONPATH": str(Path(processes.plait.__file__).parents[1])}
    return subprocess.Popen(
        [sys.executable, "-c", AT_STAGE, stage, str(int(number)), str(delay), after, *map(str, arguments)],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


@pytest.mark.parametrize(("model", "stage"), [(model, stage) for model in STAGES for stage in STAGES[model]])
@pytest.mark.parametrize(("name", "code"), [("SIGINT", 130), ("SIGTERM", 143), ("SIGHUP", 129)])
def test_a_signal_at_the_start_of_every_stage(
    corpus: tuple[Path, Path], folder: Path, model: str, stage: str, name: str, code: int
) -> None:
    number = getattr(signal, name)
    with start_with_signal(folder, stage, number, words(corpus, *SHORT[model])) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"sent\n", "the stage was never reached"
        assert_ends(process, code)
    assert_nothing_changed(folder)


@pytest.mark.parametrize(
    ("stage", "endless"),
    [
        ("counting word pairs", ENDLESS),
        ("aligning", ENDLESS),
        ("indexing", ENDLESS_GIBBS),
        ("EM", ENDLESS_GIBBS),
        ("Gibbs", ENDLESS_GIBBS),
    ],
)
def test_ctrl_c_while_the_core_works(
    corpus: tuple[Path, Path], folder: Path, stage: str, endless: tuple[object, ...]
) -> None:
    """A few milliseconds after the start of the stage, when its threads are busy."""
    more = words(corpus, *endless, "--threads", 3)
    with start_with_signal(folder, stage, signal.SIGINT, more, delay=0.004) as process:
        assert_ends(process, 130)
    assert_nothing_changed(folder)


@pytest.mark.parametrize(
    ("stage", "more"),
    [
        ("EM", ("--preset", "EM-5", "--iterations", 100_000_000)),
        ("VB", ("--preset", "VB-5", "--iterations", 100_000_000, "--model", "ibm2")),
        ("aligning", ENDLESS),
        ("aligning", ("--warm-up", 100_000_000)),
        ("aligning", ("--preset", "wdhmm-100", *ENDLESS)),
        ("Gibbs", ENDLESS_GIBBS),
        ("Gibbs", (*ENDLESS_GIBBS, "--sampler", "parallel", "--threads", 4)),
    ],
    ids=["EM", "VB", "hmm", "Model 1 of the hmm", "independent", "exact", "parallel"],
)
def test_ctrl_c_in_the_middle_of_training(
    corpus: tuple[Path, Path], folder: Path, stage: str, more: tuple[object, ...]
) -> None:
    with processes.start(*words(corpus, "--progress", "json", *more), cwd=folder) as process:
        processes.wait_for_stage(process, stage, done=3)
        assert len(processes.temporary_files(folder)) == 3, "outputs are opened before the work"
        process.send_signal(signal.SIGINT)
        assert_ends(process, 130)
    assert_nothing_changed(folder)


@pytest.mark.parametrize(("preset", "after"), [("EM-5", ""), ("default", "symmetrizing")])
def test_ctrl_c_while_new_text_is_aligned(corpus: tuple[Path, Path], folder: Path, preset: str, after: str) -> None:
    """The HMM calls its training by the same name: new text comes after the links were symmetrised."""
    more = ("--test-source", corpus[0], "--test-target", corpus[1], "--test-out", "test", "--test-unseen")
    arguments = words(corpus, "--preset", preset, *more)
    with start_with_signal(folder, "aligning", signal.SIGINT, arguments, delay=0.002, after=after) as process:
        assert_ends(process, 130)
    assert_nothing_changed(folder)


@pytest.mark.parametrize("slow", ["s", "t", "pairs"])
def test_ctrl_c_while_reading_from_a_pipe(folder: Path, slow: str) -> None:
    os.mkfifo(folder / slow)
    other = {"s": "t", "t": "s"}.get(slow)
    if other:
        (folder / other).write_text("a b\n" * 100_000)
    corpus = ("--pairs", "pairs") if slow == "pairs" else ("-s", "s", "-t", "t")
    start = ("align", *corpus, "-o", "out", "--force", "--progress", "json")
    with processes.start(*start, cwd=folder) as process, open(folder / slow, "wb", buffering=0) as pipe:
        pipe.write(b"a b ||| x y\n" * 20_000)
        processes.wait_for_stage(process, "reading")
        time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        assert_ends(process, 130)
    assert_nothing_changed(folder, slow, *([other] if other else []))


@pytest.mark.parametrize("side", ["-s", "-t", "--pairs"])
def test_ctrl_c_while_waiting_for_standard_input(folder: Path, side: str) -> None:
    (folder / "other").write_text("a b\n" * 1000)
    other = {"-s": ("-t", "other"), "-t": ("-s", "other"), "--pairs": ()}[side]
    start = ("align", side, "-", *other, "-o", "out", "--force", "--progress", "json")
    with processes.start(*start, cwd=folder, stdin=subprocess.PIPE) as process:
        processes.wait_for_stage(process, "reading")
        time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        # Standard input stays open: the run may not wait for it.
        assert process.wait(SOON) == 130
        assert process.stderr is not None
        assert process.stderr.read().decode().strip() == INTERRUPTED
    assert_nothing_changed(folder, "other")


def test_ctrl_c_while_a_pipe_has_no_writer(folder: Path) -> None:
    os.mkfifo(folder / "p")
    start = ("align", "--pairs", "p", "-o", "out", "--force", "--progress", "json")
    with processes.start(*start, cwd=folder) as process:
        processes.wait_for_stage(process, "reading")
        process.send_signal(signal.SIGINT)
        assert_ends(process, 130)
    assert_nothing_changed(folder, "p")


def test_ctrl_c_while_writing_to_a_reader_that_stalls(corpus: tuple[Path, Path], folder: Path) -> None:
    os.mkfifo(folder / "slow")
    start = ("align", "-s", corpus[0], "-t", corpus[1], "-o", "slow", "--forward-out", "out", "--force")
    with processes.start(*start, "--preset", "EM-5", "--progress", "json", cwd=folder) as process:
        with open(folder / "slow", "rb", buffering=0):
            processes.wait_for_stage(process, "writing")
            # The pipe holds 64 KiB, and the links are more.
            time.sleep(0.3)
            process.send_signal(signal.SIGINT)
            assert_ends(process, 130)
    assert_nothing_changed(folder, "slow")


@pytest.mark.parametrize("pause", [0, 0.002, 0.02, 0.05])
def test_pressing_ctrl_c_again_and_again(corpus: tuple[Path, Path], folder: Path, pause: float) -> None:
    with processes.start(*words(corpus, "--progress", "json", *ENDLESS), cwd=folder) as process:
        processes.wait_for_stage(process, "aligning", done=1)
        for _ in range(5):
            process.send_signal(signal.SIGINT)
            time.sleep(pause)
        assert_ends(process, 130)
    assert_nothing_changed(folder)


def test_a_second_signal_of_another_kind(corpus: tuple[Path, Path], folder: Path) -> None:
    with processes.start(*words(corpus, "--progress", "json", *ENDLESS), cwd=folder) as process:
        processes.wait_for_stage(process, "aligning", done=1)
        process.send_signal(signal.SIGTERM)
        time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        assert processes.finish(process)[0] in (130, 143)
    assert_nothing_changed(folder)


def test_kill_leaves_the_old_output_and_the_next_run_works(corpus: tuple[Path, Path], folder: Path) -> None:
    """Nobody can clean up after SIGKILL, but what is there is whole."""
    with processes.start(*words(corpus, "--progress", "json", *ENDLESS), cwd=folder) as process:
        processes.wait_for_stage(process, "aligning", done=1)
        process.kill()
    assert (folder / "out").read_text() == "old\n"
    assert not (folder / "forward").exists()
    again = processes.run(*words(corpus, "--progress", "none"), cwd=folder)
    assert again == (0, b"", "")
    assert (folder / "out").read_text().count("\n") == 3000


def ignore_interrupts() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP])
def test_what_the_parent_ignores_stays_ignored(corpus: tuple[Path, Path], folder: Path, number: int) -> None:
    """As under nohup, or in the background of a script."""
    more = ("--iterations", 60, "--progress", "json")
    with processes.start(*words(corpus, *more), cwd=folder, preexec_fn=ignore_interrupts) as process:
        processes.wait_for_stage(process, "aligning", done=1)
        process.send_signal(number)
        process.communicate(timeout=25)
    assert process.returncode == 0
    assert sorted(os.listdir(folder)) == ["forward", "out", "report.gz"]


def test_ctrl_c_at_a_terminal_takes_the_bar_away(corpus: tuple[Path, Path], folder: Path) -> None:
    pty = pytest.importorskip("pty")
    master, slave = pty.openpty()
    with processes.start(*words(corpus, *ENDLESS), cwd=folder, stderr=slave) as process:
        os.close(slave)
        shown = read_until(master, lambda text: b"tokens/s" in text.partition(b"aligning")[2])
        process.send_signal(signal.SIGINT)
        assert process.wait(SOON) == 130
    shown += read_until(master, lambda text: b"were before" in text)
    os.close(master)
    assert b"\x1b[?25h" in shown, "the cursor is visible again"
    assert b"Traceback" not in shown
    assert_nothing_changed(folder)


def read_until(descriptor: int, is_enough: Callable[[bytes], bool]) -> bytes:
    text = b""
    while not is_enough(text):
        text += os.read(descriptor, 4096)
    return text


# Ctrl-C while one of the modules is loaded.
WHILE_LOADING = """
import os, signal, sys

module, handler = sys.argv[1:]

class Finder:
    def find_spec(self, name, *_):
        if name == module:
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Finder())
signal.signal(signal.SIGINT, getattr(signal, handler))
from plait.cli.start import main

sys.argv[1:] = ["--version"]
main()
"""


@pytest.mark.parametrize("module", ["plait.cli.main", "click", "plait._core"])
def test_an_interrupt_while_python_loads_is_one_line(module: str) -> None:
    command = [sys.executable, "-c", WHILE_LOADING, module]
    done = subprocess.run([*command, "default_int_handler"], capture_output=True, text=True, timeout=25)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", INTERRUPTED + "\n")
    ignored = subprocess.run([*command, "SIG_IGN"], capture_output=True, text=True, timeout=25)
    assert (ignored.returncode, ignored.stderr) == (0, "")


def test_python_runs_the_package() -> None:
    done = subprocess.run([sys.executable, "-m", "plait", "--version"], capture_output=True, text=True, timeout=25)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("plait")
