"""``plait fast_align``: the formats of fast_align, and the links of plait."""

import math
import re
import subprocess
import sys

import pytest

from align_commands import SOURCES, TARGETS, fitted
from plait.bitext import Bitext
from plait.translation_table import TranslationTable

LINKS = r"(\d+-\d+( \d+-\d+)*)?"
EM = ("-i", "joint", "--preset", "EM-5")


def by_target(links):
    return sorted(links.tolist(), key=lambda link: link[::-1])


def pharaoh(links):
    return " ".join(f"{i}-{j}" for i, j in links)


def test_links_are_those_of_the_aligner_in_the_order_of_the_predicted_words(plait):
    model = fitted()
    forward = plait("fast_align", *EM)
    assert forward.code == 0
    assert forward.out.splitlines() == [pharaoh(by_target(links)) for links in model.forward]
    reverse = plait("fast_align", *EM, "-r").out
    assert reverse.splitlines() == [pharaoh(links.tolist()) for links in model.reverse]
    assert reverse != forward.out


def test_the_default_preset_is_that_of_align(plait):
    model = fitted("default")
    assert plait("fast_align", "-i", "joint").out.splitlines() == [pharaoh(by_target(x)) for x in model.forward]
    seeded = plait("fast_align", "-i", "joint", "--seed", 5).out
    assert seeded.splitlines() == [pharaoh(by_target(x)) for x in fitted("default", seed=5).forward]


def test_scores_follow_the_links_and_are_finite(plait):
    plain = plait("fast_align", *EM, "-d").out.splitlines()
    scored = plait("fast_align", *EM, "-d", "-s").out.splitlines()
    for line, links in zip(scored, plain, strict=True):
        found = re.fullmatch(rf"({LINKS}) \|\|\| (-?[0-9.e+-]+)", line)
        assert found, line
        assert found[1] == links
        assert math.isfinite(float(found[4]))
        assert float(found[4]) < 0


def test_a_table_has_words_and_logarithms(plait, tmp_path):
    found = plait("fast_align", *EM, "-d", "-p", "table")
    assert re.search(r"^expected target length = source length \* [0-9.]+$", found.err, re.MULTILINE)
    assert re.search(r"^     final tension: 4$", found.err, re.MULTILINE)
    rows = {}
    for line in (tmp_path / "table").read_text().splitlines():
        given, predicted, log = line.split("\t")
        assert predicted.startswith("t")
        rows.setdefault(given, []).append(float(log))
    assert "<eps>" in rows
    assert set(rows) <= {word for words in SOURCES for word in words} | {"<eps>"}
    for logs in rows.values():
        assert sum(map(math.exp, logs)) <= 1 + 1e-5
        assert min(logs) >= max(logs) - 4 - 1e-5
    plait("fast_align", *EM, "-r", "-p", "table", "-t", -1)
    narrow = TranslationTable.read(tmp_path / "table")
    assert all(word == "<eps>" or word.startswith("t") for word in narrow.given_words)
    assert not any(
        log < -1 - 1e-5 + max(narrow.logs[narrow.given == e]) for e, log in zip(narrow.given, narrow.logs, strict=True)
    )


@pytest.mark.parametrize("direction", [(), ("-r",)])
def test_new_text_is_aligned_with_a_table(plait, tmp_path, direction):
    trained = plait("fast_align", *EM, "-d", "-s", "-p", "table", "-t", -1000, *direction)
    ratio = re.search(r"length \* ([0-9.]+)", trained.err)[1]
    out = plait("fast_align", "-i", "joint", "-d", "-f", "table", "-m", ratio, *direction).out.splitlines()
    assert len(out) == len(SOURCES)
    for n, (line, old) in enumerate(zip(out, trained.out.splitlines(), strict=True)):
        source, target, links, score = (part.strip() for part in line.split("|||"))
        assert (source.split(), target.split()) == (SOURCES[n], TARGETS[n])
        assert re.fullmatch(LINKS, links)
        # The same model over the same probabilities, with the six digits of the file.
        assert float(score) == pytest.approx(float(old.split("|||")[1]), rel=1e-3, abs=1e-3)


def test_the_form_of_new_text(plait, tmp_path):
    (tmp_path / "table").write_text("a\tx\t-0.1\nb\ty\t-0.1\n<eps>\tx\t-9\n<eps>\tz\t0\n")
    found = plait("fast_align", "-i", "-", "-f", "table", "-d", stdin=b"A a  b ||| x y z\n ||| x\na |||\n |||\n")
    assert found.code == 0
    lines = found.out.splitlines()
    assert lines[0].startswith("A a b ||| x y z ||| 1-0 2-1 ||| -")
    assert [line.rpartition(" ||| ")[0] for line in lines[1:]] == ["||| x |||", "a ||| |||", "||| |||"]
    assert "Loaded 4 translation parameters." in found.err


def test_a_line_is_answered_before_the_next_is_sent(tmp_path):
    (tmp_path / "table").write_text("a\tx\t-0.1\n")
    words = [sys.executable, "-m", "plait.cli.main", "fast_align", "-i", "-", "-f", "table"]
    with subprocess.Popen(
        words, cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        for line in (b"a ||| x", b"b ||| y", b"a a ||| x"):
            process.stdin.write(line + b"\n")
            process.stdin.flush()
            answer = process.stdout.readline()
            assert answer.startswith(line + b" |||"), answer
        process.stdin.close()
        assert process.wait(10) == 0


def test_a_bad_line_of_new_text_has_its_number(plait, tmp_path):
    (tmp_path / "table").write_text("a\tx\t-0.1\n")
    found = plait("fast_align", "-i", "-", "-f", "table", stdin=b"a ||| x\nno bars\n")
    assert found.code == 1
    assert "standard input:2:" in found.err


@pytest.mark.parametrize("line", ["a\tx\n", "a\tx\t0.5\n", "a\tx\tmany\n", "a\tx\tnan\n", "a b c d\n"])
def test_a_bad_line_of_a_table_has_its_number(plait, tmp_path, line):
    (tmp_path / "table").write_text("a\tx\t-0.1\n" + line)
    found = plait("fast_align", "-i", "joint", "-f", "table")
    assert found.code == 1
    assert "table:2:1: expected two words and the logarithm" in found.err


def test_options_without_effect_are_told_and_have_none(plait):
    plain = plait("fast_align", *EM)
    found = plait("fast_align", *EM, "-d", "-o", "-v", "-I", 9, "-a", "0.1", "-T", 5, "-b", 10, "-N", "-m", 2)
    assert found.out == plain.out
    for name in ("-d", "-o", "-v", "-I", "-a", "-T", "-b", "-N", "-m"):
        assert re.search(rf"warning: .*{name}\b", found.err), name
    assert "warning: -" not in plain.err


def test_the_probability_of_null_is_that_of_the_option(plait):
    found = plait("fast_align", *EM, "-q", "0.5").out
    assert found.splitlines() == [pharaoh(by_target(links)) for links in fitted(p0=0.5).forward]


def test_bad_usage(plait):
    assert plait("fast_align").code == 2
    assert plait("fast_align", "-i", "missing").code == 1
    assert plait("fast_align", *EM, "-q", 1).code == 2


def test_the_number_of_threads_does_not_matter(plait):
    words = ("fast_align", "-i", "joint", "-s", "-d")
    assert plait(*words, "--threads", 1).out == plait(*words, "--threads", 3).out


def test_probabilities_of_given_words_sum_to_one():
    text = Bitext.from_lists(SOURCES, TARGETS)
    model = fitted(posteriors=True)
    for reverse, links in ((False, model.forward_posteriors), (True, model.reverse_posteriors)):
        table = TranslationTable.from_posteriors(text, links, reverse=reverse)
        for e in range(len(table.given_words)):
            logs = table.logs[table.given == e]
            assert not len(logs) or sum(map(math.exp, logs)) == pytest.approx(1)
