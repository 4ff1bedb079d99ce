"""Bad text, bad files and full disks under ``plait align``: clear messages, exit codes, nothing half-written."""

from __future__ import annotations

import errno
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import processes
from command_line import Outcome, run
from made_corpora import zipf_corpus
from plait.cli import main
from plait.io.atomic import OutputGroup

SOURCES, TARGETS = zipf_corpus(60, types=40, mean_length=6)
SOURCES, TARGETS = [[words or ["."] for words in side] for side in (SOURCES, TARGETS)]
SOURCE, TARGET = ("".join(" ".join(words) + "\n" for words in side).encode() for side in (SOURCES, TARGETS))
EM = ("--preset", "EM-5", "--progress", "none")

Plait = Callable[..., Outcome]


@pytest.fixture
def plait(capfdbinary: pytest.CaptureFixture[bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Plait:
    """How to run ``plait align`` in a folder with the corpus ``s`` and ``t``."""
    monkeypatch.chdir(tmp_path)
    Path("s").write_bytes(SOURCE)
    Path("t").write_bytes(TARGET)
    return lambda *words, **keywords: run(capfdbinary, "align", *EM, *words, **keywords)


def links(plait: Plait, source: bytes, target: bytes, *words: object) -> Outcome:
    Path("s").write_bytes(source)
    Path("t").write_bytes(target)
    found = plait("-s", "s", "-t", "t", "-o", "-", *words)
    assert found.code == 0, found.err
    whole_lines = source if source.endswith(b"\n") or not source else source + b"\n"
    assert found.out.count("\n") == whole_lines.count(b"\n")
    return found


# Text


def test_empty_files_have_no_links(plait: Plait) -> None:
    found = links(plait, b"", b"")
    assert found.out == ""
    assert found.err == "plait: warning: the corpus has no sentence pair, so there are no links\n"


def test_one_empty_line_is_a_pair_without_links(plait: Plait) -> None:
    found = links(plait, b"\n", b"\n")
    assert found.out == "\n"
    assert "1 empty on one side or both; the first is pair 1" in found.err


@pytest.mark.parametrize("text", [b"", b"\n", b"a\n", b"a", b" \t \n"])
@pytest.mark.parametrize(
    "way",
    [
        ("--preset", "VB-5"),
        ("--preset", "default"),
        ("--preset", "wdhmm-100"),
        ("--preset", "gibbs"),
        ("--preset", "GS-N", "--burn-in", 2),
    ],
)
def test_the_smallest_corpora_in_every_inference(plait: Plait, text: bytes, way: tuple[object, ...]) -> None:
    found = links(plait, text, text, *way, "--report", "report", "--force")
    assert "nan" not in Path("report").read_text().lower()
    assert set(found.out) <= set("0-\n")


@pytest.mark.parametrize("empty", [(b"\n", b"x\n"), (b"a\n", b"\n"), (b"\n", b"\n"), (b" \t \n", b"x\n")])
def test_a_pair_with_an_empty_side_changes_no_other(plait: Plait, empty: tuple[bytes, bytes]) -> None:
    """Here the words of the pair are words of the corpus, so that the vocabulary is the same."""
    whole = links(plait, SOURCE, TARGET).out.splitlines()
    source, target = (side.splitlines(keepends=True) for side in (SOURCE, TARGET))
    replace = {b"a\n": source[0], b"x\n": target[0]}
    source.insert(10, replace.get(empty[0], empty[0]))
    target.insert(10, replace.get(empty[1], empty[1]))
    found = links(plait, b"".join(source), b"".join(target))
    lines = found.out.splitlines()
    assert lines.pop(10) == ""
    assert lines == whole
    assert "the first is pair 11" in found.err


def test_crlf_gives_the_links_of_lf(plait: Plait) -> None:
    expected = links(plait, SOURCE, TARGET).out
    crlf = [side.replace(b"\n", b"\r\n") for side in (SOURCE, TARGET)]
    assert links(plait, *crlf).out == expected
    assert links(plait, crlf[0], TARGET).out == expected


def test_a_byte_order_mark_and_a_missing_last_line_end_change_nothing(plait: Plait) -> None:
    expected = links(plait, SOURCE, TARGET).out
    assert links(plait, b"\xef\xbb\xbf" + SOURCE, b"\xef\xbb\xbf" + TARGET[:-1]).out == expected


@pytest.mark.parametrize(
    "inside",
    ["\u00a0", "\u2028", "\u2029", "\u0085", "\x0b", "\x0c", "\x1c", "\x1f", "\r", "\0", "|||", "\ufeff", "\u200b"],
    ids=ascii,
)
def test_only_spaces_and_tabs_part_words_and_only_line_feeds_part_lines(plait: Plait, inside: str) -> None:
    """Other programs see two words, or two lines, and shift all links behind."""
    expected = links(plait, SOURCE, TARGET).out
    marked = SOURCE.replace(b"s1", f"s{inside}1".encode())
    assert marked != SOURCE
    assert links(plait, marked, TARGET).out == expected


def test_runs_of_spaces_and_tabs_are_one(plait: Plait) -> None:
    expected = links(plait, SOURCE, TARGET).out
    assert links(plait, SOURCE.replace(b" ", b" \t  ").replace(b"\n", b" \n"), b"  " + TARGET).out == expected


def test_composed_and_decomposed_letters_are_different_words(plait: Plait) -> None:
    """No normalisation behind the user's back: the bytes of a word are the word."""
    found = links(plait, "é\ne\u0301\n".encode(), b"x\nx\n", "--report", "report")
    assert found.code == 0
    assert '"source_types": 2' in Path("report").read_text()


@pytest.mark.parametrize("words", [EM, ("--preset", "default"), ("--preset", "gibbs", "--burn-in", 1, "--samples", 1)])
def test_a_line_of_10000_tokens(plait: Plait, words: tuple[object, ...]) -> None:
    chooser = random.Random(3)
    long = " ".join(f"s{chooser.randrange(200)}" for _ in range(10_000)).encode()
    short = b" ".join(TARGET.split()[:300])
    words = (*words, "--reverse-out", "reverse", "--p0", 0.001)
    links(plait, SOURCE + long + b"\n", TARGET + short + b"\n", *words)
    pairs = [tuple(map(int, link.split("-"))) for link in Path("reverse").read_text().splitlines()[-1].split()]
    assert len(pairs) > 500
    assert max(i for i, _ in pairs) > 9_000
    assert all(i < 10_000 and j < 300 for i, j in pairs)


@pytest.mark.parametrize(
    "way", [("--preset", "EM-5"), ("--preset", "hmm"), ("--preset", "gibbs", "--burn-in", 1, "--samples", 1)]
)
def test_lengths_beyond_16_bits_with_a_sign(plait: Plait, way: tuple[object, ...]) -> None:
    found = links(plait, b"a b\n" + b"a " * 39_999 + b"b\n", b"x y\ny\n", *way, "--reverse-out", "r", "--p0", 0.01)
    pairs = [tuple(map(int, link.split("-"))) for link in Path("r").read_text().splitlines()[1].split()]
    assert (39_999, 0) in pairs
    assert all(i < 40_000 and j == 0 for i, j in pairs)
    assert found.code == 0


def test_more_threads_than_sentences(plait: Plait) -> None:
    for way in (("--preset", "EM-5"), ("--preset", "default"), ("--preset", "gibbs", "--sampler", "parallel")):
        one = links(plait, b"a b\nb\n", b"x y\ny\n", *way, "--threads", 1)
        assert links(plait, b"a b\nb\n", b"x y\ny\n", *way, "--threads", 100).out == one.out


def test_a_line_over_the_limit_is_told_and_the_others_are_aligned(plait: Plait) -> None:
    expected = links(plait, SOURCE, TARGET).out
    found = links(plait, SOURCE + b"s1 " * 70_000 + b"\n", TARGET + b"t1\n")
    assert found.out == expected + "\n"
    assert "no links for 1 of 61 sentence pairs: 1 too long; the first is pair 61" in found.err


def test_a_token_of_a_megabyte(plait: Plait) -> None:
    expected = links(plait, SOURCE.replace(b"s1\n", b"new\n", 1), TARGET).out
    assert links(plait, SOURCE.replace(b"s1\n", b"n" * 1_000_000 + b"\n", 1), TARGET).out == expected


INVALID = b"\n".join([SOURCE.split(b"\n")[0], b"s2 \xc3\x28 s3", b"s1 s\xff", *SOURCE.split(b"\n")[3:]])


@pytest.mark.parametrize("side", ["s", "t"])
def test_bytes_that_are_not_utf8(plait: Plait, side: str) -> None:
    Path(side).write_bytes(INVALID)
    Path("st".replace(side, "")).write_bytes(TARGET)
    strict = plait("-s", "s", "-t", "t", "-o", "-")
    assert (strict.code, strict.out) == (1, "")
    assert strict.err == (
        f"plait: {side}:2:4: the text is not UTF-8 here; convert the file (for instance with iconv -f latin1 "
        "-t utf-8), or choose on-error skip or replace; found byte \\xc3\n"
    )
    skip = plait("-s", "s", "-t", "t", "-o", "-", "--on-error", "skip")
    assert [bool(line) for line in skip.out.split("\n")[:4]] == [True, False, False, True]
    assert (
        "no links for 2 of 60 sentence pairs: 2 skipped because they could not be read; the first is pair 2" in skip.err
    )
    replace = plait("-s", "s", "-t", "t", "-o", "-", "--on-error", "replace")
    assert replace.out.count("\n") == 60
    assert "2 sentence pairs with bytes that are not UTF-8, replaced by U+FFFD" in replace.err


def test_the_locale_does_not_matter(tmp_path: Path) -> None:
    (tmp_path / "s").write_text("größe ist\nist\n" * 3, encoding="utf-8")
    (tmp_path / "t").write_text("taille «est»\nest\n" * 3, encoding="utf-8")
    outputs = set()
    for locale in ("C", "C.UTF-8", "tr_TR.ISO-8859-9"):
        environment = {**os.environ, "LC_ALL": locale, "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
        words = ("align", "-s", "s", "-t", "t", "-o", "-", "--format", "giza", *EM)
        code, out, err = processes.run(*words, cwd=tmp_path, env=environment)
        assert code == 0, err
        outputs.add(out)
    assert len(outputs) == 1
    assert "größe".encode() in outputs.pop()


SNAPSHOTS: list[tuple[dict[str, bytes], tuple[object, ...], str]] = [
    (
        {"p": b"a ||| x\nthe ||| house ||| das ||| haus\n"},
        ("--pairs", "p"),
        "p:2:15: a line holds the separator ||| once; escape the one that belongs to the text, give the sides as two "
        "files (where ||| is a word like any other), or choose on-error skip; found a second |||",
    ),
    (
        {"p": b"foo||| bar\n"},
        ("--pairs", "p"),
        "p:1:1: the separator ||| stands between spaces or tabs; put a space on both sides, or choose on-error skip; "
        'found "foo|||"',
    ),
    (
        {"p": b"a ||| x\nfoo bar\n"},
        ("--pairs", "p"),
        "p:2:1: a line holds source, the separator ||| and target; write it between spaces even when a side is empty, "
        'give the sides as two files, or choose on-error skip; found "foo bar"',
    ),
    (
        {"p": b"a\tb\nc\n"},
        ("--pairs", "p", "--pairs-format", "tsv"),
        "p:2:2: column 2 is missing; separate columns by tabs, choose other columns, or choose on-error skip; "
        "found 1 column",
    ),
    (
        {"p": b'{"source": "a", "target": "b"}\n{"source": "a"}\n'},
        ("--pairs", "p", "--pairs-format", "jsonl"),
        "p:2:1: the object has no key 'target'; name another key; found the keys 'source'",
    ),
    (
        {"p": b"\x1f\x8b\x08abc"},
        ("--pairs", "p"),
        "p: the gzip data is damaged (Error -3 while decompressing data: unknown header flags set), after 0 bytes of "
        "text; copy or make the file again",
    ),
    (
        {"s": b"a\nb\n", "t": b"x\n"},
        ("-s", "s", "-t", "t"),
        "t ends after line 1, but s has 2 lines; the inputs must be parallel, line by line: check that both come from "
        "the same step of your pipeline",
    ),
    (
        {"s": b"a\n", "t": b"x\n\n\n"},
        ("-s", "s", "-t", "t"),
        "s ends after line 1, but t has 3 lines; the inputs must be parallel, line by line: check that both come from "
        "the same step of your pipeline",
    ),
    ({}, ("-s", "s", "-t", "missing"), "missing: No such file or directory"),
    ({}, ("-s", "no/s", "-t", "t"), "no/s: No such file or directory"),
    ({}, ("-s", ".", "-t", "t"), ".: Is a directory"),
    ({}, ("-s", "s", "-t", "t", "-o", "."), ".: Is a directory"),
    ({}, ("-s", "s", "-t", "t", "-o", ""), "the name of an output is empty; give a name, or - for standard output"),
    (
        {"out": b"old\n"},
        ("-s", "s", "-t", "t", "-o", "out"),
        "out exists; choose another name, or replace it with --force (force=True)",
    ),
]


@pytest.mark.parametrize(
    ("files", "words", "message"), SNAPSHOTS, ids=lambda value: value[:40] if isinstance(value, str) else ""
)
def test_messages(plait: Plait, files: dict[str, bytes], words: tuple[object, ...], message: str) -> None:
    """File, line and column, what is wrong there, what to do, and what was found."""
    for name, data in files.items():
        Path(name).write_bytes(data)
    output = () if "-o" in words else ("-o", "new", "--forward-out", "forward")
    found = plait(*words, *output)
    assert (found.code, found.out, found.err) == (1, "", f"plait: {message}\n")
    assert not Path("new").exists()
    assert not Path("forward").exists()
    assert not processes.temporary_files(Path())


def test_a_missing_folder_is_told_before_the_text_is_read(plait: Plait, tmp_path: Path) -> None:
    found = plait("-s", "missing", "-t", "t", "-o", "no/out")
    assert (found.code, found.err) == (1, f"plait: no/out: there is no folder {tmp_path}/no; make it first\n")


@pytest.mark.skipif(os.name == "nt", reason="permissions of POSIX")
def test_an_unwritable_folder(plait: Plait, tmp_path: Path) -> None:
    (tmp_path / "locked").mkdir(mode=0o555)
    if os.access(tmp_path / "locked", os.W_OK):
        pytest.skip("root may write everywhere")
    found = plait("-s", "missing", "-t", "t", "-o", "locked/out")
    assert found.code == 1
    assert "locked/out: Permission denied" in found.err


def test_a_folder_where_nobody_may_write(plait: Plait) -> None:
    """Root neither: the kernel refuses new files there."""
    if not Path("/proc").is_dir():
        pytest.skip("needs /proc")
    found = plait("-s", "s", "-t", "t", "-o", "/proc/out")
    assert found.code == 1
    assert found.err.startswith("plait: /proc/out: ")


def test_a_failure_leaves_the_old_files(plait: Plait) -> None:
    """Even with --force: nothing is replaced unless all outputs are complete."""
    for name in ("out", "forward", "report"):
        Path(name).write_text(f"old {name}\n")
    Path("t").write_bytes(TARGET + b"\xff\n")
    Path("s").write_bytes(SOURCE + b"s1\n")
    found = plait("-s", "s", "-t", "t", "-o", "out", "--forward-out", "forward", "--report", "report", "--force")
    assert found.code == 1
    assert "t:61:1" in found.err
    assert all(Path(name).read_text() == f"old {name}\n" for name in ("out", "forward", "report"))
    assert not processes.temporary_files(Path())


@pytest.mark.parametrize("mistake", [ZeroDivisionError, type("PanicException", (BaseException,), {})])
def test_a_mistake_of_ours_shows_no_traceback_unless_asked(
    plait: Plait, monkeypatch: pytest.MonkeyPatch, mistake: type[BaseException]
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise mistake("unforeseen")

    monkeypatch.setattr("plait.cli.align.fit", fail)
    words = ("-s", "s", "-t", "t", "-o", "out")
    found = plait(*words)
    assert found.code == 1
    assert f"{mistake.__name__}: unforeseen; this is a mistake in plait: please report it" in found.err
    assert "Traceback" not in found.err
    assert sorted(os.listdir()) == ["s", "t"]
    monkeypatch.setenv("PLAIT_TRACEBACK", "1")
    monkeypatch.setattr(sys, "argv", ["plait", "align", *EM, *words])
    with pytest.raises(mistake, match="unforeseen"):
        main.main()


def test_no_memory(plait: Plait, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr("plait.cli.align.fit", fail)
    found = plait("-s", "s", "-t", "t", "-o", "out")
    assert (found.code, found.err) == (
        1,
        "plait: there is not enough memory; use fewer sentence pairs, or a machine with more\n",
    )


# Disks and pipes


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_device(plait: Plait) -> None:
    found = plait("-s", "s", "-t", "t", "-o", "/dev/full", "--forward-out", "forward")
    assert found.code == 1
    assert found.err.startswith("plait: /dev/full: No space left on device after ")
    assert "make room or choose another folder" in found.err
    assert not Path("forward").exists()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_full_standard_output(plait: Plait, tmp_path: Path) -> None:
    with open("/dev/full", "wb") as full:
        code, _, err = processes.run("align", *EM, "-s", "s", "-t", "t", "-o", "-", cwd=tmp_path, stdout=full)
    assert code == 1
    assert err.startswith("plait: standard output: No space left on device after ")
    assert err.count("\n") == 1


def test_a_limit_on_the_size_of_files(plait: Plait, tmp_path: Path) -> None:
    """What a full disk does, for any user: writing fails in the middle."""
    resource = pytest.importorskip("resource")
    (tmp_path / "out").write_text("old\n")
    found = processes.run(
        *("align", *EM, "-s", "s", "-t", "t", "-o", "out", "--force", "--forward-out", "forward"),
        cwd=tmp_path,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (200, 200)),
        stderr=subprocess.PIPE,
    )
    assert found[0] == 1
    assert f"{os.strerror(errno.EFBIG)} after" in found[2]
    assert "nothing was changed; make room" in found[2]
    assert (tmp_path / "out").read_text() == "old\n"
    assert not (tmp_path / "forward").exists()
    assert not processes.temporary_files(tmp_path)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system with room for 16 KiB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", str(folder)]
    if os.name == "nt" or os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("needs the right to mount")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_a_full_disk(plait: Plait, small_disk: Path) -> None:
    old = small_disk / "out"
    old.write_text("old\n")
    Path("s").write_bytes(SOURCE * 100)
    Path("t").write_bytes(TARGET * 100)
    found = plait("-s", "s", "-t", "t", "-o", old, "--force", "--forward-out", "forward")
    assert found.code == 1
    assert f"{old}: {os.strerror(errno.ENOSPC)} after" in found.err
    assert "nothing was changed; make room or choose another folder" in found.err
    assert os.listdir(small_disk) == ["out"]
    assert old.read_text() == "old\n"
    assert not Path("forward").exists()


@pytest.mark.skipif(os.name == "nt", reason="pipes of POSIX")
def test_a_pipe_that_nobody_reads_any_more(tmp_path: Path) -> None:
    (tmp_path / "s").write_bytes(SOURCE * 300)
    (tmp_path / "t").write_bytes(TARGET * 300)
    with processes.start(
        "align", "-s", "s", "-t", "t", "-o", "-", "--preset", "EM-5", "--forward-out", "forward", cwd=tmp_path
    ) as process:
        assert process.stdout is not None
        first = process.stdout.readline()
        process.stdout.close()
        assert process.stderr is not None
        err = process.stderr.read()
    assert first.count(b"-") > 0
    assert (process.returncode, err) == (1, b"")
    assert sorted(os.listdir(tmp_path)) == ["s", "t"]


@pytest.mark.skipif(os.name == "nt", reason="pipes of POSIX")
def test_a_reader_that_is_slow_gets_everything(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "out")
    (tmp_path / "s").write_bytes(SOURCE * 100)
    (tmp_path / "t").write_bytes(TARGET * 100)
    with processes.start("align", *EM, "-s", "s", "-t", "t", "-o", "out", cwd=tmp_path) as process:
        with open(tmp_path / "out", "rb", buffering=0) as pipe:
            time.sleep(0.2)
            data = b"".join(iter(lambda: pipe.read(4096), b""))
        assert processes.finish(process) == (0, "")
    assert data.count(b"\n") == 6000


# Signals between the renames of a group


def test_an_interrupt_among_the_renames_waits_for_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rename = os.replace

    def interrupted(old: str, new: str) -> None:
        signal.raise_signal(signal.SIGINT)
        rename(old, new)

    monkeypatch.setattr(os, "replace", interrupted)

    def write() -> None:
        with OutputGroup() as group:
            for name in ("a", "b", "c"):
                group.open(tmp_path / name).write(b"whole\n")

    with pytest.raises(KeyboardInterrupt):
        write()
    assert sorted(os.listdir(tmp_path)) == ["a", "b", "c"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
