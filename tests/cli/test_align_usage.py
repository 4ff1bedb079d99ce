"""What ``plait align`` tells its user: progress, warnings, the line at the end, bad usage, help."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from align_commands import EM, GIBBS, Plait, links
from plait import progress
from plait.cli.align import command
from plait.progress import duration


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
    assert "warning: no links for 2 of 80 sentence pairs" in quiet, "a warning is no progress"


def test_the_bar_leaves_the_line_at_the_end(plait: Plait) -> None:
    err = plait("align", "-s", "s", "-t", "t", "-o", "out", *EM, "--progress", "bar").err
    assert "80 sentence pairs (2 without links)" in err
    assert "no links for 2 of 80 sentence pairs" in err


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
        *(
            (("--preset", preset, f"--{option}", value), option)
            for preset, option, value in [
                ("default", "burn-in", 3),
                ("default", "samples", 3),
                ("default", "lag", 3),
                ("default", "initial", "uniform"),
                ("default", "sampler", "exact"),
                ("default", "seed", 3),
                ("default", "theta", 2),
                ("default", "phi", 2),
                ("default", "tail", "each"),
                ("default", "decoding", "viterbi"),
                ("default", "fertility", 3),
                ("default", "em-share", 0.3),
                ("gibbs", "fertility", 3),
                ("bayes-hmm", "initial", "uniform"),
                ("bayes-hmm", "theta", 2),
                ("bayes-hmm", "phi", 2),
                ("bayes-hmm", "tail", "each"),
                ("EM-5", "tau", 3),
                ("EM-5", "smoothing", 0.3),
                ("EM-5", "initial-decay", 2),
                ("EM-5", "prefixes", "3,2"),
                ("EM-5", "strength", 3),
                ("EM-5", "leave-out", 0.3),
                ("EM-5", "null-mixture", 0.3),
                ("EM-5", "beams", "0.1,0.1"),
                ("EM-5", "decoding", "viterbi"),
            ]
        ),
        (("--preset", "EM-5", "--independent"), "independent"),
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
    others = words[:place] + words[place + (1 if option in ("probabilities", "independent") else 2) :]
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
        (("-s", "s", "-t", "t", "-o", "o", "--tau", "-1"), "--tau"),
        (("-s", "s", "-t", "t", "-o", "o", "--tau", "nan"), "tau must be 0 or more"),
        (("-s", "s", "-t", "t", "-o", "o", "--theta", "nan"), "theta must be finite and above 0"),
        (("-s", "s", "-t", "t", "-o", "o", "--smoothing", "1.5"), "--smoothing"),
        (("-s", "s", "-t", "t", "-o", "o", "--prefixes", "4,5"), "prefixes must be at most 15 lengths that fall"),
        (("-s", "s", "-t", "t", "-o", "o", "--prefixes", "4,x"), "'4,x' is no list of whole numbers"),
        (("-s", "s", "-t", "t", "-o", "o", "--strength", "1,2"), "strength must be 1 number or"),
        (("-s", "s", "-t", "t", "-o", "o", "--strength", "none"), "strength must be 1 number or"),
        (("-s", "s", "-t", "t", "-o", "o", "--strength", "x"), "'x' is no list of numbers"),
        (("-s", "s", "-t", "t", "-o", "o", "--beams", "0.1"), "beams must be two numbers"),
        (("-s", "s", "-t", "t", "-o", "o", "--leave-out", "2"), "--leave-out"),
        (("-s", "s", "-t", "t", "-o", "o", "--null-mixture", "-1"), "--null-mixture"),
        (("-s", "s", "-t", "t", "-o", "o", "--decoding", "best"), "--decoding"),
        (("-s", "s", "-t", "t", "-o", "o", "--inference", "vb"), "inference must be em or gibbs for the HMM"),
        (("-s", "s", "-t", "t", "-o", "o", "--preset", "hmm", "--inference", "gibbs"), "strength must be above 0"),
        (("-s", "s", "-t", "t", "-o", "o", "--em-share", "2"), "--em-share"),
        (("-s", "s", "-t", "t", "-o", "o", "--fertility", "-1"), "--fertility"),
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
