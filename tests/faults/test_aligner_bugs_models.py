"""What goes wrong in other aligners with saved models, scores and outputs, and what is right."""

import json
import math
import statistics
import time

import pytest

from align_commands import SOURCES, TARGETS
from made_corpora import zipf_corpus
from plait import align
from plait.alignments import Alignments
from plait.bitext import Bitext
from plait.errors import TextError
from plait.priors import Priors
from plait.symmetrize import symmetrize

TRAIN = zipf_corpus(120)
NEW = zipf_corpus(30, seed=2)


@pytest.fixture(scope="module", params=["EM-5", "default", "wdhmm-1000"])
def model(request):
    return align.fit(Bitext.from_lists(*TRAIN), request.param, posteriors=True)


def test_new_text_depends_neither_on_its_order_nor_on_its_company(model):
    """clab/fast_align#33, #46, mozilla/translations#1108: links of new text that depend on the chunk it came in."""
    whole = model.align(Bitext.from_lists(*NEW))
    for chunk in (1, 7):
        parts = [
            model.align(Bitext.from_lists(NEW[0][n : n + chunk], NEW[1][n : n + chunk])) for n in range(0, 30, chunk)
        ]
        assert [links.tolist() for part in parts for links in part] == [links.tolist() for links in whole]
    backwards = model.align(Bitext.from_lists(NEW[0][::-1], NEW[1][::-1]))
    assert [links.tolist() for links in backwards][::-1] == [links.tolist() for links in whole]


def test_one_pair_is_aligned_in_no_time(model):
    """robertostling/eflomal#24: 4 to 5 seconds for each sentence, as the priors are read again."""
    text = Bitext.from_lists([[f"s{n}" for n in range(20)]], [[f"t{n}" for n in range(20)]])
    times = []
    for _ in range(20):
        start = time.perf_counter()
        model.align(text, threads=1)
        times.append(time.perf_counter() - start)
    # Far above what it takes, for busy machines; far below reading a model.
    assert statistics.median(times) < 0.1


def test_training_returns_the_links_of_its_text(model):
    """sillsdev/machine.py#322: a second pass to align what was trained on."""
    assert len(model.alignments) == len(model.forward) == len(TRAIN[0])
    assert len(model.alignments.links)


def test_priors_of_shards_add_up(tmp_path):
    """robertostling/eflomal#23: a billion pairs in a thousand parts."""
    sides = [TRAIN[0][:60], TRAIN[0][60:]], [TRAIN[1][:60], TRAIN[1][60:]]
    whole_text = Bitext.from_lists(*TRAIN)
    links = align.fit(whole_text, "EM-5").forward
    parts = [
        Priors.from_links(Bitext.from_lists(sides[0][k], sides[1][k]), links[60 * k : 60 * (k + 1)]) for k in (0, 1)
    ]
    assert Priors.merge(parts) == Priors.from_links(whole_text, links)


@pytest.mark.parametrize("line", ["BROKEN", "LEX\ta\tb", "LEX\ta\tb\tmany", "HMMF\tx\t1", "FERF\ta\t1"])
def test_a_damaged_line_of_priors_is_named(tmp_path, line):
    """eflomal fails in its own message."""
    path = tmp_path / "priors.tsv"
    path.write_text(f"LEX\ta\tb\t1\n{line}\n")
    with pytest.raises(TextError, match=r"priors\.tsv:2:"):
        Priors.read(path)


def test_scores_are_finite_and_one_for_each_line_in_both_directions(plait):
    """clab/fast_align#43: scores asked for; NaN and the best of scores for lines that cannot be aligned."""
    for direction in ((), ("-r",)):
        scores = [
            float(line.split("||| ")[1])
            for line in plait("fast_align", "-i", "joint", "-d", "-s", *direction).out.splitlines()
        ]
        assert len(scores) == len(SOURCES)
        assert all(map(math.isfinite, scores))


def test_scores_do_not_grow_with_the_corpus(plait, tmp_path):
    """eflomal's have a factor of the number of all jumps: they cannot be compared across corpora."""
    text = (tmp_path / "joint").read_text()
    (tmp_path / "twice").write_text(text * 2)
    once, twice = (
        [
            float(line.split("||| ")[1])
            for line in plait("fast_align", "-i", name, "--preset", "EM-5", "-s").out.splitlines()
        ]
        for name in ("joint", "twice")
    )
    assert twice[: len(once)] == pytest.approx(once, rel=1e-3)


def test_a_threshold_trades_precision_for_recall(model):
    """robertostling/eflomal#14: the balance is to be chosen."""
    directions = model.forward_posteriors, model.reverse_posteriors
    counts = [len(symmetrize(*directions, "soft", threshold=t).links) for t in (0.1, 0.3, 0.5, 0.7, 0.9)]
    assert counts == sorted(counts, reverse=True)
    assert counts[0] > counts[-1]


def test_symmetrisation_needs_no_other_tool(plait, tmp_path):
    """clab/fast_align#7, #8."""
    for name, direction in (("f", ()), ("r", ("-r",))):
        (tmp_path / name).write_text(plait("fast_align", "-i", "joint", "--preset", "EM-5", *direction).out)
    gdfa = plait("atools", "-i", "f", "-j", "r", "-c", "grow-diag-final-and").out
    assert plait("symmetrize", "f", "r", "-o", "-", "--variant", "atools").out == gdfa
    assert gdfa.count("\n") == len(SOURCES)


@pytest.mark.parametrize("preset", ["default", "hmm", "gibbs", "EM-5", "VB-5"])
def test_no_link_points_outside_of_its_pair(plait, tmp_path, preset):
    """mozilla/translations#450, #469, #1200: consumers crash on such links."""
    words = ("align", "-s", "s", "-t", "t", "-o", "o", "--forward-out", "f", "--reverse-out", "r", "--preset", preset)
    assert plait(*words).code == 0
    text = Bitext.read(tmp_path / "s", tmp_path / "t")
    for name in ("o", "f", "r"):
        Alignments.read(tmp_path / name).check_within(text.source_lengths, text.target_lengths)


def test_skipped_pairs_are_told_from_pairs_without_links(plait, tmp_path):
    """mozilla/translations#570: which lines could not be aligned, and which have no links."""
    found = plait("align", "-s", "s", "-t", "t", "-o", "o", "--report", "run.json")
    counts = json.loads((tmp_path / "run.json").read_text())["counts"]
    empty = sum(not s or not t for s, t in zip(SOURCES, TARGETS, strict=True))
    assert counts["empty"] == empty
    assert f"no links for {empty} of {len(SOURCES)} sentence pairs: {empty} empty on one side or both" in found.err


def test_runs_repeat_bit_for_bit_on_any_number_of_threads(plait):
    """eflomal has no seed: 253 of 300 lines differ from run to run."""
    words = ("eflomal", "-i", "joint", "-f", "-")
    first = plait(*words).out
    assert plait(*words).out == first
    assert plait(*words, "--threads", 3).out == first


def test_long_work_tells_how_far_it_is():
    """sillsdev/machine.py#169: no progress until the end."""
    heard = []
    align.fit(
        Bitext.from_lists(*TRAIN),
        "EM-5",
        progress=lambda stage, done, total, figures: heard.append((stage, done, total)),
    )
    assert len({done for _, done, _ in heard}) > 3
    assert all(done <= total for _, done, total in heard)
