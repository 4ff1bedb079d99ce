"""``plait align``: every option of text, outputs and models does what ``--help`` says of it."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import os
import re
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import processes
from align_commands import EM, GIBBS, GIBBS_LENGTH, JOINT, SOURCE, SOURCES, TARGET, TARGETS, TSV, Plait, fitted, links
from plait import __version__, align
from plait.alignments import Alignments
from plait.bitext import Bitext
from plait.errors import AlignmentWarning
from plait.symmetrize import METHODS

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
    probable = links(plait, *EM, "--symmetrize", method, "--probabilities")
    assert re.sub(r":[0-9.e-]+", "", probable) == out


@pytest.mark.parametrize("method", ["union", "grow-diag-final-and"])
def test_a_link_has_the_mean_of_both_posteriors(method: str) -> None:
    model = fitted(symmetrize=method, posteriors=True)
    pair = (model.forward_posteriors, model.reverse_posteriors)
    known = [
        {
            (n, i, j): p
            for n in range(len(side))
            for (i, j), p in zip(side[n].tolist(), side.sentence_probabilities(n), strict=True)
        }
        for side in pair
    ]
    one_way = 0
    for n in range(len(model.alignments)):
        links_ = model.alignments[n].tolist()
        for (i, j), p in zip(links_, model.alignments.sentence_probabilities(n), strict=True):
            forward, reverse = (side.get((n, i, j), 0.0) for side in known)
            assert p == pytest.approx((forward + reverse) / 2, abs=1e-6)
            best = [[i, j] in side[n].tolist() for side in (model.forward, model.reverse)]
            one_way += sum(best) == 1 and min(forward, reverse) > 0
    assert one_way > 0, "a link of one direction has the other's posterior too"


def test_without_posteriors_the_links_of_a_heuristic_are_plain() -> None:
    assert fitted(symmetrize="union").alignments.probabilities is None


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
    assert "no links for 2 of 80 sentence pairs" in report["warnings"][0]


def test_the_report_repeats_the_run(plait: Plait) -> None:
    """Its settings, given to the Python function, yield the same links."""
    out = links(plait, *GIBBS, "--model", "ibm1", "--theta", 0.01, "--report", "report")
    assert fitted(**json.loads(Path("report").read_text())["config"]).alignments.to_pharaoh() == out.encode()


# Model


@pytest.mark.parametrize("name", align.PRESETS)
def test_presets(plait: Plait, name: str) -> None:
    is_sampling = align.PRESETS[name].inference == "gibbs"
    short = {"burn_in": 2, "samples": 3} if is_sampling else {}
    words = GIBBS_LENGTH if is_sampling else ()
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
    found = links(plait, *GIBBS, *words, "--probabilities")
    settings = {"burn_in": 2, "samples": 3, **changes}
    assert found.encode() == fitted("gibbs", posteriors=True, **settings).alignments.to_pharaoh(probabilities=True)
    assert found != links(plait, *GIBBS, "--probabilities")


@pytest.mark.parametrize(
    ("words", "changes"),
    [
        (("--model", "ibm1"), {"model": "ibm1"}),
        (("--model", "ibm2"), {"model": "ibm2"}),
        (("--iterations", 3), {"iterations": 3}),
        (("--warm-up", 0), {"warm_up": 0}),
        (("--p0", 0.4), {"p0": 0.4}),
        (("--independent",), {"agreement": False}),
        (("--tau", 0), {"tau": 0.0}),
        (("--tau", 7.5), {"tau": 7.5}),
        (("--tau", "inf"), {"tau": float("inf")}),
        (("--smoothing", 0.5), {"smoothing": 0.5}),
        (("--initial-decay", 1.5), {"initial_decay": 1.5}),
        (("--prefixes", "1"), {"prefixes": (1,)}),
        (("--prefixes", "none"), {"prefixes": ()}),
        (("--prefixes", "2,1", "--strength", "8,4,2"), {"prefixes": (2, 1), "strength": (8.0, 4.0, 2.0)}),
        (("--strength", 2), {"strength": (2.0,)}),
        (("--leave-out", 0.3), {"leave_out": 0.3}),
        (("--null-mixture", 0.9), {"null_mixture": 0.9}),
        (("--beams", "0.3,0.2"), {"beams": (0.3, 0.2)}),
        (("--threshold", 0.9), {"threshold": 0.9}),
    ],
    ids=lambda value: " ".join(map(str, value)) if isinstance(value, tuple) else "",
)
def test_each_setting_of_the_hmm_changes_the_run_as_that_of_the_function(
    plait: Plait, words: tuple[object, ...], changes: dict[str, Any]
) -> None:
    found = links(plait, *words, "--probabilities")
    assert found.encode() == fitted("default", posteriors=True, **changes).alignments.to_pharaoh(probabilities=True)
    assert found != links(plait, "--probabilities")


def test_agreement_and_decoding(plait: Plait) -> None:
    """What the default has already, and what shows in the links of one direction."""
    together, alone = (links(plait, "--preset", "hmm", flag) for flag in ("--agreement", "--independent"))
    assert together.encode() == fitted("hmm", agreement=True).alignments.to_pharaoh()
    assert alone.encode() == fitted("hmm", agreement=False).alignments.to_pharaoh() != together.encode()
    texts = []
    for decoding in ("posterior", "viterbi"):
        links(plait, "--preset", "hmm", "--decoding", decoding, "--forward-out", "f", "--force")
        assert Path("f").read_bytes() == fitted("hmm", decoding=decoding).forward.to_pharaoh()
        texts.append(Path("f").read_bytes())
    assert texts[0] != texts[1]


def test_the_report_of_an_infinite_tau_is_json_and_repeats_the_run(plait: Plait) -> None:
    out = links(plait, "--preset", "hmm", "--report", "report")
    report = json.loads(Path("report").read_text(), parse_constant=pytest.fail)
    assert report["config"]["tau"] == "inf"
    assert len(report["history"]["forward"]) == 10
    assert fitted(**report["config"]).alignments.to_pharaoh() == out.encode()


def test_the_number_of_threads_does_not_matter(plait: Plait) -> None:
    for words in (
        (),
        ("--preset", "wdhmm-100"),
        GIBBS,
        (*GIBBS, "--sampler", "parallel"),
        EM,
        ("--preset", "VB-5", "--model", "ibm2"),
    ):
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
