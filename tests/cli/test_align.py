"""``plait align``: every option does what ``--help`` says of it."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import os
import threading
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import processes
from command_line import Outcome, run
from made_corpora import zipf_corpus
from plait import __version__, align, progress
from plait.alignments import Alignments
from plait.bitext import Bitext
from plait.cli.align import command
from plait.errors import AlignmentWarning
from plait.progress import duration
from plait.symmetrize import METHODS

SOURCES, TARGETS = zipf_corpus(80, types=60, mean_length=6)
# A line of each kind of emptiness.
SOURCES[3], TARGETS[3] = ["s1"], []
SOURCES[7], TARGETS[7] = [], []
SOURCE = "".join(" ".join(words) + "\n" for words in SOURCES)
TARGET = "".join(" ".join(words) + "\n" for words in TARGETS)
JOINT = "".join(f"{' '.join(s)} ||| {' '.join(t)}\n" for s, t in zip(SOURCES, TARGETS, strict=True))
TSV = "".join(f"{n}\t{' '.join(t)}\t{' '.join(s)}\n" for n, (s, t) in enumerate(zip(SOURCES, TARGETS, strict=True)))
JSONL = "".join(
    json.dumps({"en": " ".join(s), "translation": {"de": t}}) + "\n" for s, t in zip(SOURCES, TARGETS, strict=True)
)
TMX = (
    '<?xml version="1.0"?><tmx version="1.4"><header srclang="en"/><body>'
    + "".join(
        f'<tu><tuv xml:lang="en"><seg>{" ".join(s)}</seg></tuv>'
        f'<tuv xml:lang="de-AT"><seg>{" ".join(t)}</seg></tuv></tu>'
        for s, t in zip(SOURCES, TARGETS, strict=True)
    )
    + '<tu><tuv xml:lang="en"><seg>alone</seg></tuv></tu></body></tmx>'
)
EM = ("--preset", "EM-5")
GIBBS = ("--burn-in", 2, "--samples", 3)

Plait = Callable[..., Outcome]


@pytest.fixture
def plait(capfdbinary: pytest.CaptureFixture[bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Plait:
    """How to run a command in a folder with the corpus as ``s`` and ``t``, and in one file of each format."""
    for name, text in {"s": SOURCE, "t": TARGET, "joint": JOINT, "tsv": TSV, "jsonl": JSONL, "tmx": TMX}.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return lambda *words, **keywords: run(capfdbinary, *words, **keywords)


def links(plait: Plait, *words: object, corpus: tuple[object, ...] = ("-s", "s", "-t", "t"), **keywords: Any) -> str:
    """Run ``plait align`` to standard output; return what it wrote."""
    found = plait("align", *corpus, "-o", "-", *words, **keywords)
    assert found.code == 0, found.err
    return found.out


def fitted(preset: str = "EM-5", **options: Any) -> align.AlignmentModel:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AlignmentWarning)
        return align.fit(Bitext.from_lists(SOURCES, TARGETS), preset, **options)


# Input


@pytest.mark.parametrize(
    "corpus",
    [
        ("--pairs", "joint"),
        ("--pairs", "joint", "--pairs-format", "joint"),
        ("--pairs", "tsv", "--pairs-format", "tsv", "--columns", "3,2"),
        ("--pairs", "jsonl", "--pairs-format", "jsonl", "--keys", "en,translation.de"),
        ("--pairs", "tmx", "--pairs-format", "tmx", "--languages", "en,de"),
    ],
    ids=lambda words: " ".join(words[2:] or words[:1]),
)
def test_every_format_of_pairs_gives_the_links_of_two_files(plait: Plait, corpus: tuple[object, ...]) -> None:
    assert links(plait, *EM, corpus=corpus) == links(plait, *EM)


@pytest.mark.parametrize(
    ("corpus", "stdin"),
    [
        (("--pairs", "-"), JOINT),
        (("-s", "-", "-t", "t"), SOURCE),
        (("-s", "s", "-t", "-"), TARGET),
        (("--pairs", "-", "--pairs-format", "tsv", "--columns", "3, 2"), TSV),
    ],
)
def test_standard_input(plait: Plait, corpus: tuple[object, ...], stdin: str) -> None:
    assert links(plait, *EM, corpus=corpus, stdin=stdin.encode()) == links(plait, *EM)


@pytest.mark.skipif(os.name == "nt", reason="pipes of POSIX")
def test_named_pipes_and_the_device_of_standard_input(plait: Plait, tmp_path: Path) -> None:
    """As a shell makes them of ``<(zcat corpus.gz)``; they can be read only once."""
    writers = []
    for name, text in (("ps", SOURCE), ("pt", TARGET)):
        os.mkfifo(name)
        writers.append(threading.Thread(target=Path(name).write_text, args=[text]))
        writers[-1].start()
    assert links(plait, *EM, corpus=("-s", "ps", "-t", "pt")) == links(plait, *EM)
    for writer in writers:
        writer.join()
    with open("joint", "rb") as stdin:
        code, out, err = processes.run("align", "--pairs", "/dev/stdin", "-o", "-", *EM, cwd=tmp_path, stdin=stdin)
    assert (code, out.decode()) == (0, links(plait, *EM)), err


def test_a_tab_in_joint_lines_is_white_space_and_no_separator(plait: Plait) -> None:
    tabbed = JOINT.replace("s1 s", "s1\ts")
    assert tabbed != JOINT
    assert links(plait, *EM, corpus=("--pairs", "-"), stdin=tabbed.encode()) == links(plait, *EM)


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress])
def test_compressed_input_is_known_by_content(plait: Plait, tmp_path: Path, compress: Callable[[bytes], bytes]) -> None:
    (tmp_path / "zs").write_bytes(compress(SOURCE.encode()))
    assert links(plait, *EM, corpus=("-s", "zs", "-t", "t")) == links(plait, *EM)
    piped = links(plait, *EM, corpus=("--pairs", "-"), stdin=compress(JOINT.encode()))
    assert piped == links(plait, *EM)


def test_lowercase_and_stems_fold_words(plait: Plait, tmp_path: Path) -> None:
    (tmp_path / "mixed").write_text("".join(c.upper() if n % 7 == 0 else c for n, c in enumerate(SOURCE)))
    plain = links(plait, *EM)
    assert links(plait, *EM, corpus=("-s", "mixed", "-t", "t")) != plain
    assert links(plait, *EM, "--lowercase", corpus=("-s", "mixed", "-t", "t")) == plain
    for option, value, sides in (
        ("--stem-source", 2, ([[w[:2] for w in s] for s in SOURCES], TARGETS)),
        ("--stem-source", -1, ([[w[-1:] for w in s] for s in SOURCES], TARGETS)),
        ("--stem-target", 2, (SOURCES, [[w[:2] for w in t] for t in TARGETS])),
    ):
        folded = Bitext.from_lists(*sides)
        with pytest.warns(AlignmentWarning):
            expected = align.fit(folded, "EM-5").alignments.to_pharaoh().decode()
        assert links(plait, *EM, option, value) == expected != plain


def test_max_length_leaves_longer_pairs_without_links(plait: Plait) -> None:
    found = plait("align", "-s", "s", "-t", "t", "-o", "-", *EM, "--max-length", 6)
    too_long = [max(len(s), len(t)) > 6 for s, t in zip(SOURCES, TARGETS, strict=True)]
    lines = found.out.splitlines()
    assert not any(line for line, is_long in zip(lines, too_long, strict=True) if is_long)
    assert f"{sum(too_long)} too long, 2 empty on one side or both; the first is pair" in found.err
    kept = [n for n, is_long in enumerate(too_long) if not is_long]
    with pytest.warns(AlignmentWarning):
        alone = align.fit(Bitext.from_lists([SOURCES[n] for n in kept], [TARGETS[n] for n in kept]), "EM-5").alignments
    assert [lines[n] for n in kept] == alone.to_pharaoh().decode().splitlines()


def test_on_error(plait: Plait, tmp_path: Path) -> None:
    text = SOURCE.encode().split(b"\n")
    text[10] = b"s1 \xff s2"
    (tmp_path / "bad").write_bytes(b"\n".join(text))
    corpus = ("align", "-s", "bad", "-t", "t", "-o", "-", *EM)
    strict = plait(*corpus)
    assert (strict.code, strict.out) == (1, "")
    assert "bad:11:4: the text is not UTF-8 here" in strict.err
    skipped = plait(*corpus, "--on-error", "skip")
    assert skipped.out.split("\n")[10] == ""
    assert "1 skipped because they could not be read" in skipped.err
    replaced = plait(*corpus, "--on-error", "replace")
    assert "1 sentence pair with bytes that are not UTF-8" in replaced.err
    text[10] = "s1 \ufffd s2".encode()
    (tmp_path / "mended").write_bytes(b"\n".join(text))
    assert replaced.out == links(plait, *EM, corpus=("-s", "mended", "-t", "t"))


def test_columns_and_keys_by_default(plait: Plait, tmp_path: Path) -> None:
    pairs = list(zip(SOURCES, TARGETS, strict=True))
    (tmp_path / "two").write_text("".join(f"{' '.join(s)}\t{' '.join(t)}\tmore\n" for s, t in pairs))
    (tmp_path / "keys").write_text("".join(json.dumps({"target": " ".join(t), "source": s}) + "\n" for s, t in pairs))
    for name, pairs_format in (("two", "tsv"), ("keys", "jsonl")):
        assert links(plait, *EM, corpus=("--pairs", name, "--pairs-format", pairs_format)) == links(plait, *EM)


# Output


def test_one_line_for_each_pair_and_every_link_in_range(plait: Plait, tmp_path: Path) -> None:
    for words in (EM, GIBBS, (*EM, "--symmetrize", "union")):
        links(plait, *words, "--forward-out", "f", "--reverse-out", "r", "--force")
        for text in (links(plait, *words), Path("f").read_text(), Path("r").read_text()):
            lines = text.split("\n")
            assert lines.pop() == ""
            assert len(lines) == len(SOURCES)
            for line, source, target in zip(lines, SOURCES, TARGETS, strict=True):
                pairs = [tuple(map(int, link.split("-"))) for link in line.split()]
                assert pairs == sorted(set(pairs))
                assert all(i < len(source) and j < len(target) for i, j in pairs)


def test_outputs_of_both_directions(plait: Plait, tmp_path: Path) -> None:
    out = links(plait, *EM, "--forward-out", "f.gz", "--reverse-out", "r")
    model = fitted()
    assert out.encode() == model.alignments.to_pharaoh()
    assert gzip.decompress(Path("f.gz").read_bytes()) == model.forward.to_pharaoh()
    assert Path("r").read_bytes() == model.reverse.to_pharaoh()
    for name, links_, column in (("forward", model.forward, 1), ("reverse", model.reverse, 0)):
        for n in range(len(links_)):
            emitted = links_[n][:, column].tolist()
            assert len(emitted) == len(set(emitted)), f"{name}: one link at most for an emitted word"


@pytest.mark.parametrize("method", [method for method in METHODS if method != "soft"])
def test_symmetrize_is_that_of_the_verb_symmetrize(plait: Plait, method: str) -> None:
    out = links(plait, *EM, "--symmetrize", method, "--forward-out", "f", "--reverse-out", "r")
    assert plait("symmetrize", "f", "r", "-o", "-", "--method", method).out == out
    probable = links(
        plait, *EM, "--symmetrize", method, "--probabilities", "--forward-out", "f", "--reverse-out", "r", "--force"
    )
    again = plait("symmetrize", "f", "r", "-o", "-", "--method", method, "--probabilities").out
    assert _close(again, probable)


def _close(a: str, b: str) -> bool:
    """Whether two texts have the same links, with probabilities that differ by their rounding in text only."""

    def parse(text: str) -> tuple[list[list[str]], list[float]]:
        rows = [[link.split(":") for link in line.split()] for line in text.split("\n")]
        return [[link[0] for link in row] for row in rows], [float(link[1]) for row in rows for link in row]

    return parse(a)[0] == parse(b)[0] and np.allclose(parse(a)[1], parse(b)[1], atol=1e-3)


def test_soft_symmetrisation_and_its_threshold(plait: Plait, tmp_path: Path) -> None:
    sizes = []
    for threshold in (0.2, 0.5, 0.9):
        out = links(plait, *EM, "--symmetrize", "soft", "--threshold", threshold)
        model = fitted(symmetrize="soft", threshold=threshold)
        assert out.encode() == model.alignments.to_pharaoh()
        assert np.all(model.alignments.probabilities > threshold)
        sizes.append(out.count("-"))
    assert sizes[0] > sizes[1] > sizes[2] > 0


def test_formats_hold_the_same_links(plait: Plait) -> None:
    expected = Alignments.from_lists(
        [[tuple(map(int, link.split("-"))) for link in line.split()] for line in links(plait, *EM).splitlines()]
    )
    records = [json.loads(line) for line in links(plait, *EM, "--format", "jsonl").splitlines()]
    assert [record["links"] for record in records] == [expected[n].tolist() for n in range(len(expected))]
    assert all(len(r["probabilities"]) == len(r["links"]) for r in records)
    assert all(0 <= p <= 1 for r in records for p in r["probabilities"])
    probable = links(plait, *EM, "--probabilities").splitlines()
    for line, record in zip(probable, records, strict=True):
        found = [link.split(":") for link in line.split()]
        assert [[int(x) for x in link.split("-")] for link, _ in found] == record["links"]
        assert [float(p) for _, p in found] == pytest.approx(record["probabilities"], abs=1e-3)
    giza = links(plait, *EM, "--format", "giza").splitlines()
    assert len(giza) == 3 * len(SOURCES)
    assert giza[1].split() == TARGETS[0]
    assert giza[2].split()[0] == "NULL"


def test_giza_shows_words_as_they_were_written(plait: Plait) -> None:
    found = links(plait, *EM, "--format", "giza", "--stem-target", 1, "--stem-source", 1).splitlines()
    assert found[1].split() == TARGETS[0]
    assert set(SOURCES[0]) <= set(found[2].split())


def test_test_pairs_are_trained_on_with_the_corpus(plait: Plait, tmp_path: Path) -> None:
    (tmp_path / "ds").write_text("s1 s2\n\n")
    (tmp_path / "dt").write_text("t2 t1\nt1\n")
    options = ("--test-source", "ds", "--test-target", "dt", "--test-out", "d")
    out = links(plait, *EM, *options, "--forward-out", "f")
    with pytest.warns(AlignmentWarning):
        whole = align.fit(Bitext.from_lists([*SOURCES, ["s1", "s2"], []], [*TARGETS, ["t2", "t1"], ["t1"]]), "EM-5")
    assert out.encode() == whole.alignments[: len(SOURCES)].to_pharaoh()
    assert Path("f").read_bytes() == whole.forward[: len(SOURCES)].to_pharaoh()
    assert Path("d").read_bytes() == whole.alignments[len(SOURCES) :].to_pharaoh() != b"\n\n"


def test_unseen_test_pairs_do_not_change_the_training(plait: Plait, tmp_path: Path) -> None:
    (tmp_path / "ds").write_text("s1 s2 never\n\n")
    (tmp_path / "dt").write_text("t2 t1 seen\nt1\n")
    out = links(plait, *EM, "--test-source", "ds", "--test-target", "dt", "--test-out", "d", "--test-unseen")
    assert out == links(plait, *EM)
    unseen = fitted().align(Bitext.read("ds", "dt"))
    assert Path("d").read_bytes() == unseen.to_pharaoh()
    assert len(unseen) == 2


def test_force_replaces_outputs_that_exist(plait: Plait) -> None:
    Path("out").write_text("old\n")
    refused = plait("align", "-s", "s", "-t", "t", "-o", "out", *EM)
    assert refused.code == 1
    assert "out exists; choose another name, or replace it with --force" in refused.err
    assert Path("out").read_text() == "old\n"
    assert plait("align", "-s", "s", "-t", "t", "-o", "out", *EM, "--force").code == 0
    assert Path("out").read_text() == links(plait, *EM)


def test_the_report(plait: Plait) -> None:
    links(plait, *GIBBS, "--seed", 5, "--threads", 2, "--report", "report", "--lowercase", "--tail", "shared")
    text = Path("report").read_text()
    report = json.loads(text, parse_constant=pytest.fail)
    assert report["plait"] == __version__
    assert {"python", "numpy", "platform"} <= report.keys()
    config = report["config"]
    assert (config["burn_in"], config["samples"], config["seed"], config["inference"]) == (2, 3, 5, "gibbs")
    assert (report["input"]["source"], report["input"]["lowercase"]) == ("s", True)
    counts = report["counts"]
    assert (counts["pairs"], counts["empty"]) == (len(SOURCES), 2)
    assert counts["source_tokens"] == sum(map(len, SOURCES))
    assert len(report["history"]["forward"]) == len(report["history"]["reverse"]) == 5
    assert report["seconds"].keys() == {"read", "train", "symmetrize", "write"}
    assert all(value >= 0 for value in report["seconds"].values())
    assert 10_000_000 < report["peak_memory_bytes"] < 10**12
    assert report["threads"] == 2
    assert report["links"]["symmetrized"] == links(plait, *GIBBS, "--seed", 5).count("-")
    assert "2 of 80 sentence pairs get no links" in report["warnings"][0]


def test_the_report_repeats_the_run(plait: Plait) -> None:
    """Its settings, given to the Python function, yield the same links."""
    out = links(plait, *GIBBS, "--model", "ibm1", "--theta", 0.01, "--report", "report")
    assert fitted(**json.loads(Path("report").read_text())["config"]).alignments.to_pharaoh() == out.encode()


# Model


@pytest.mark.parametrize("name", align.PRESETS)
def test_presets(plait: Plait, name: str) -> None:
    is_sampling = align.PRESETS[name].inference == "gibbs"
    short = {"burn_in": 2, "samples": 3} if is_sampling else {}
    words = GIBBS if is_sampling else ()
    assert links(plait, "--preset", name, *words).encode() == fitted(name, **short).alignments.to_pharaoh()
    assert links(plait, "--preset", name.lower(), *words) == links(plait, "--preset", name, *words)


@pytest.mark.parametrize(
    ("words", "changes"),
    [
        (("--model", "ibm1"), {"model": "ibm1"}),
        (("--inference", "vb", "--iterations", 3), {"inference": "vb", "iterations": 3}),
        (("--inference", "em", "--iterations", 3, "--warm-up", 1), {"inference": "em", "iterations": 3, "warm_up": 1}),
        (("--lag", 3), {"lag": 3}),
        (("--initial", "uniform"), {"initial": "uniform"}),
        (("--initial", "cooccurrence"), {"initial": "cooccurrence"}),
        (("--initial", "em-2"), {"initial": "em-2"}),
        (("--sampler", "parallel"), {"sampler": "parallel"}),
        (("--tail", "each"), {"tail": "each"}),
        (("--theta", 0.3), {"theta": 0.3}),
        (("--phi", 50), {"phi": 50.0}),
        (("--p0", 0.6), {"p0": 0.6}),
        (("--symmetrize", "union"), {"symmetrize": "union"}),
        (("--seed", 9), {"seed": 9}),
    ],
    ids=lambda value: " ".join(map(str, value)) if isinstance(value, tuple) else "",
)
def test_each_setting_changes_the_run_as_that_of_the_function(
    plait: Plait, words: tuple[object, ...], changes: dict[str, Any]
) -> None:
    """Probabilities tell runs apart even where their links are the same."""
    short = {"burn_in": 2, "samples": 3}
    sampling = GIBBS if "inference" not in changes else ()
    found = links(plait, *sampling, *words, "--probabilities")
    settings = {**(short if sampling else {}), **changes}
    assert found.encode() == fitted("default", **settings).alignments.to_pharaoh(probabilities=True)
    assert found != links(plait, *GIBBS, "--probabilities")


def test_the_number_of_threads_does_not_matter(plait: Plait) -> None:
    for words in (GIBBS, (*GIBBS, "--sampler", "parallel"), EM, ("--preset", "VB-5", "--model", "ibm2")):
        outputs = set()
        for threads in (1, 2, 3, 8):
            out = links(
                plait,
                *words,
                "--threads",
                threads,
                "--format",
                "jsonl",
                "--forward-out",
                "f",
                "--reverse-out",
                "r",
                "--force",
            )
            outputs.add((out, Path("f").read_bytes(), Path("r").read_bytes()))
        assert len(outputs) == 1


def test_the_same_command_gives_the_same_bytes_and_another_seed_others(plait: Plait) -> None:
    first, again, other = (links(plait, *GIBBS, "--seed", seed, "--probabilities") for seed in (3, 3, 4))
    assert first == again != other


# Progress, warnings and usage


def test_progress_in_json(plait: Plait) -> None:
    found = plait("align", "-s", "s", "-t", "t", "-o", "out", *GIBBS, "--iterations", 3, "--progress", "json")
    records = [json.loads(line, parse_constant=pytest.fail) for line in found.err.splitlines()]
    reports = [record for record in records if "total" in record]
    stages = list(dict.fromkeys(record["stage"] for record in reports))
    assert stages == ["reading", "indexing", "EM", "Gibbs", "reading out", "symmetrizing", "writing"]
    for stage, total in (("EM", 5), ("Gibbs", 5)):
        last = [record for record in reports if record["stage"] == stage][-1]
        assert (last["done"], last["total"]) == (total, total)
        assert last["tokens_per_second"] > 0
        assert last["seconds_left"] == 0
    assert "objective" in [record for record in reports if record["stage"] == "EM"][-1]
    times = [record["seconds"] for record in reports]
    assert times == sorted(times)
    warned = [record["warning"] for record in records if "warning" in record]
    assert any("--iterations has no effect" in warning for warning in warned)
    assert any("2 of 80 sentence pairs" in warning for warning in warned)
    assert records[-1]["stage"] == "done"
    assert records[-1]["pairs"] == 80
    assert records[-1]["links"] == Path("out").read_text().count("-")


def test_seconds_left_are_those_of_the_units_left(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:

    clock = iter([0.0, 1.0, 3.0, 5.0])
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(clock))
    with progress.reporter("json") as report:
        report.tokens = 100
        for done in (0, 1, 2):
            report("EM", done, 10, [("bound", float("-inf"))])
    first, second, third = map(json.loads, capsys.readouterr().err.splitlines())
    assert "tokens_per_second" not in first
    assert (second["tokens_per_second"], second["seconds_left"]) == (50, 18)
    assert (third["tokens_per_second"], third["seconds_left"], third["bound"]) == (50, 16, None)


def test_a_line_at_the_end_sums_up_unless_progress_is_off(plait: Plait) -> None:
    words = ("align", "-s", "s", "-t", "t", "-o", "out", "--force", *EM)
    found = plait(*words)
    count = Path("out").read_text().count("-")
    assert found.err.splitlines()[-1].startswith(f"plait: 80 sentence pairs (2 without links), {count} links, ")
    assert found.err.splitlines()[-1].endswith(" tokens/s")
    assert found.out == ""
    quiet = plait(*words, "--progress", "none").err
    assert "tokens/s" not in quiet
    assert "warning: 2 of 80 sentence pairs get no links" in quiet, "a warning is no progress"


def test_the_bar_leaves_the_line_at_the_end(plait: Plait) -> None:
    err = plait("align", "-s", "s", "-t", "t", "-o", "out", *EM, "--progress", "bar").err
    assert "80 sentence pairs (2 without links)" in err
    assert "2 of 80 sentence pairs get no links" in err


def test_pairs_whose_links_are_all_unlikely_are_told(plait: Plait) -> None:
    found = plait("align", "--pairs", "-", "-o", "-", *GIBBS, "--threshold", 1, stdin=b"a b ||| x y\n")
    assert found.out == "\n"
    assert (
        "1 sentence pair with words on both sides and no links, for none passes --symmetrize soft; the first is pair 1"
        in found.err
    )


def test_tmx_units_without_a_language_are_told(plait: Plait) -> None:
    found = plait("align", "--pairs", "tmx", "--pairs-format", "tmx", "--languages", "en,de", "-o", "-", *EM)
    assert "1 TMX unit" in found.err


@pytest.mark.parametrize(
    ("words", "option"),
    [
        (("--iterations", 3), "iterations"),
        (("--warm-up", 3), "warm-up"),
        (("--preset", "EM-5", "--burn-in", 3), "burn-in"),
        (("--preset", "VB-5", "--seed", 3), "seed"),
        (("--model", "ibm1", "--tail", "each"), "tail"),
        (("--model", "ibm1", "--phi", 2), "phi"),
        (("--preset", "EM-5", "--theta", 2), "theta"),
        (("--preset", "EM-5", "--threshold", 0.1), "threshold"),
        (("--format", "giza", "--probabilities"), "probabilities"),
        (("--columns", "1,3"), "columns"),
        (("--languages", "en,de"), "languages"),
        (("--pairs-format", "tsv"), "pairs-format"),
    ],
)
def test_an_option_without_effect_is_told_and_has_none(plait: Plait, words: tuple[object, ...], option: str) -> None:
    sampling = () if "--preset" in words else GIBBS
    found = plait("align", "-s", "s", "-t", "t", "-o", "-", *sampling, *words)
    assert found.code == 0
    assert f"warning: --{option} has no effect with" in found.err
    place = words.index(f"--{option}")
    others = words[:place] + words[place + (1 if option == "probabilities" else 2) :]
    assert found.out == links(plait, *sampling, *others)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "give a corpus and a name for its links, for example: plait align -s train.en -t train.fr -o out.align"),
        (("-o", "o"), "give the corpus either as -s FILE and -t FILE or as --pairs FILE"),
        (("-s", "s", "-o", "o"), "give the corpus either as"),
        (("-t", "t", "-o", "o"), "give the corpus either as"),
        (("-s", "s", "-t", "t", "--pairs", "joint", "-o", "o"), "give the corpus either as"),
        (("-s", "s", "--pairs", "joint", "-o", "o"), "give the corpus either as"),
        (("-s", "s", "-t", "t"), "-o (--out) is missing"),
        (("-s", "-", "-t", "-", "-o", "o"), "only one input can be standard input"),
        (("-s", "s", "-t", "t", "-o", "o", "--report", "o"), "two outputs have the same name, 'o'"),
        (("-s", "s", "-t", "t", "-o", "./s", "--force"), "'./s' is an input, and would be replaced"),
        (("-s", "s", "-t", "t", "-o", "o", "--test-source", "s"), "go together"),
        (("-s", "s", "-t", "t", "-o", "o", "--test-unseen"), "--test-unseen needs --test-source"),
        (("--pairs", "tmx", "--pairs-format", "tmx", "-o", "o"), "needs --languages, as in 'en,fr'"),
        (("--pairs", "tmx", "--pairs-format", "tmx", "--languages", "en", "-o", "o"), "--languages needs two values"),
        (("--pairs", "tsv", "--pairs-format", "tsv", "--columns", "0,1", "-o", "o"), "two column numbers from 1"),
        (("--pairs", "tsv", "--pairs-format", "tsv", "--columns", "a,b", "-o", "o"), "found 'a,b'"),
        (("--pairs", "jsonl", "--pairs-format", "jsonl", "--keys", "x", "-o", "o"), "--keys needs two values"),
        (("-s", "s", "-t", "t", "-o", "o", "--preset", "GS-6"), "GS-5"),
        (("-s", "s", "-t", "t", "-o", "o", "--threads", "0"), "--threads"),
        (("-s", "s", "-t", "t", "-o", "o", "--theta", "0"), "--theta"),
        (("-s", "s", "-t", "t", "-o", "o", "--p0", "1"), "--p0"),
        (("-s", "s", "-t", "t", "-o", "o", "--seed", "-1"), "--seed"),
        (("-s", "s", "-t", "t", "-o", "o", "--seed", 2**64), "seed must be a whole number from 0 to 2^64 - 1"),
        (("-s", "s", "-t", "t", "-o", "o", "--samples", "65536"), "--samples"),
        (("-s", "s", "-t", "t", "-o", "o", "--max-length", "70000"), "--max-length"),
        (("-s", "s", "-t", "t", "-o", "o", "--initial", "em"), "em-N"),
        (("-s", "s", "-t", "t", "-o", "o", "extra"), "unexpected extra argument"),
    ],
    ids=lambda value: " ".join(map(str, value)) if isinstance(value, tuple) else "",
)
def test_bad_usage_is_told_before_anything_is_opened(plait: Plait, words: tuple[object, ...], message: str) -> None:
    found = plait("align", *words)
    assert found.code == 2
    assert message in found.err
    assert "plait align --help" in found.err
    assert not Path("o").exists()


def test_the_help_fits_80_columns_in_groups(plait: Plait, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    text = plait("align", "--help").out
    headings = [line for line in text.splitlines() if line.endswith(":") and not line.startswith(" ")]
    assert headings == ["Input:", "Output:", "Model:", "Run:", "Other:", "Examples:"]
    options = text[: text.index("Examples:")]
    assert max(map(len, options.splitlines())) <= 80
    for parameter in command.params:
        assert parameter.opts[-1] in options


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.04, "0.0 s"), (59.9, "59.9 s"), (60, "1:00"), (3599.6, "1:00:00"), (3765, "1:02:45")]
)
def test_durations_are_for_people(seconds: float, text: str) -> None:
    assert duration(seconds) == text
