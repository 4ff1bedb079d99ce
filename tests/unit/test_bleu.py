"""BLEU: its statistics and its value, against sacrebleu, Moses and arithmetic."""

from __future__ import annotations

import gzip
import math
import os
import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plait.errors import ConfigError, DataError, UnequalLengthError
from plait.minrisk import bleu, bleu_statistics, sentence_bleu

WORDS = st.sampled_from(["a", "b", "c", "the", "É", "。"])
LINES = st.lists(WORDS, max_size=9).map(" ".join)
SMOOTHINGS = [("none", None), ("floor", None), ("floor", 0.3), ("add-k", None), ("add-k", 2.0), ("exp", None)]


@st.composite
def corpora(draw: st.DrawFn) -> tuple[list[str], list[list[str | None]]]:
    size = draw(st.integers(1, 5))
    hypotheses = draw(st.lists(LINES, min_size=size, max_size=size))
    first = draw(st.lists(LINES, min_size=size, max_size=size))
    others = st.lists(st.none() | LINES, min_size=size, max_size=size)
    return hypotheses, [first, *draw(st.lists(others, max_size=3))]


def twin(hypothesis: str, references: list[str], order: int, which: str) -> list[int]:
    """The definition, n-gram by n-gram."""

    def ngrams(line: str, n: int) -> Counter[tuple[str, ...]]:
        words = line.split(" ") if line else []
        return Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1))

    row = []
    for n in range(1, order + 1):
        most: Counter[tuple[str, ...]] = Counter()
        for line in references:
            most |= ngrams(line, n)
        row += [(ngrams(hypothesis, n) & most).total(), ngrams(hypothesis, n).total()]
    lengths = sorted(ngrams(line, 1).total() for line in references)
    length = row[1]
    closest = min(lengths, key=lambda n: (abs(n - length), n))
    return [*row, {"closest": closest, "shortest": lengths[0], "average": sum(lengths) // len(lengths)}[which]]


@given(corpora(), st.integers(1, 5), st.sampled_from(["closest", "shortest", "average"]), st.integers(1, 3))
def test_statistics_are_those_of_the_definition(corpus, order, which, threads):
    hypotheses, references = corpus
    rows = bleu_statistics(hypotheses, references, order=order, reference_length=which, threads=threads)
    present = [[line for line in row if line is not None] for row in zip(*references, strict=True)]
    assert rows.dtype == np.int64
    assert rows.tolist() == [twin(h, r, order, which) for h, r in zip(hypotheses, present, strict=True)]


@given(corpora(), st.sampled_from(SMOOTHINGS), st.booleans())
def test_bleu_is_that_of_sacrebleu(corpus, smoothing, effective_order):
    metrics = pytest.importorskip("sacrebleu.metrics")
    hypotheses, references = corpus
    method, value = smoothing
    judge = metrics.BLEU(
        tokenize="none", smooth_method=method, smooth_value=value, effective_order=effective_order, force=True
    )
    theirs = judge.corpus_score(hypotheses, references)
    rows = bleu_statistics(hypotheses, references)
    total = rows.sum(axis=0)
    assert (total[1], total[-1]) == (theirs.sys_len, theirs.ref_len)
    ours = bleu(rows, smoothing=method, value=value, effective_order=effective_order)
    assert ours == pytest.approx(theirs.score / 100, rel=1e-12, abs=1e-300)
    each = sentence_bleu(rows, smoothing=method, value=value, effective_order=effective_order)
    for n, hypothesis in enumerate(hypotheses):
        lines = [stream[n] for stream in references if stream[n] is not None]
        score = judge.sentence_score(hypothesis, lines).score
        assert each[n] == pytest.approx(score / 100, rel=1e-12, abs=1e-300)


def test_the_default_of_sentences_is_lin_and_ochs():
    found = sentence_bleu([[3, 4, 1, 3, 0, 2, 0, 1, 5]])
    product = 3 / 4 * (2 / 4) * (1 / 3) * (1 / 2)
    assert found.tolist() == [pytest.approx(math.exp(1 - 5 / 4) * product**0.25, rel=1e-14)]


def test_segments_of_lists_share_their_references():
    references = [["a b c d", "b c"], [None, "b c c"]]
    lists = ["b c", "a b", "", "c c c", "a b c"]
    rows = bleu_statistics(lists, references, segments=[1, 0, 1, 1, 0], order=2)
    alone = [
        bleu_statistics([line], [[stream[n]] for stream in references], order=2)[0].tolist()
        for line, n in zip(lists, [1, 0, 1, 1, 0], strict=True)
    ]
    assert rows.tolist() == alone
    assert bleu_statistics([], [["a"]], segments=[]).shape == (0, 9)


def test_lines_may_be_words_and_end_as_lines_of_files_do():
    want = [[2, 2, 1, 1, 2]]
    for line in ("a b", "a b\n", "a b\r\n", " a\t b ", ["a", "b"], ("a", "b")):
        assert bleu_statistics([line], [[line]], order=2).tolist() == want
    # No-break spaces are part of a word, as in all text.
    assert bleu_statistics(["a\xa0b"], [["a b"]], order=1).tolist() == [[0, 1, 2]]


def test_nothing_to_count_has_documented_values():
    assert bleu_statistics([""], [["a b"], ["a"]]).tolist() == [[0] * 8 + [1]]
    assert bleu_statistics(["a"], [[""]]).tolist() == [[0, 1, 0, 0, 0, 0, 0, 0, 0]]
    assert bleu_statistics([], [[]]).shape == (0, 9)
    assert bleu(np.zeros((0, 9), np.int64)) == 0.0
    assert bleu([0] * 8 + [3]) == 0.0
    assert sentence_bleu(np.zeros((0, 9))).shape == (0,)


@pytest.mark.parametrize(
    ("call", "problem"),
    [
        (lambda: bleu_statistics(["a"], []), "no references"),
        (lambda: bleu_statistics(["a"], ["a"]), "found a string"),
        (lambda: bleu_statistics(["a", "b"], [["a", None], ["b", None]]), "no stream has a reference of segment 1"),
        (lambda: bleu_statistics(["a\nb"], [["a"]]), "one line"),
        (lambda: bleu_statistics([["a b"]], [["a"]]), "without spaces"),
        (lambda: bleu_statistics(["a"], [["a"]], segments=[1]), "from 0 to below 1"),
        (lambda: bleu_statistics(["a"], [["a"]], segments=[0, 0]), "one whole number for each"),
        (lambda: bleu([1, 2]), "2 order"),
        (lambda: bleu([1, 2, math.nan]), "finite"),
        (lambda: bleu([-1, 2, 2]), "not negative"),
        (lambda: bleu([3, 2, 2]), "more matches"),
    ],
)
def test_bad_data_is_refused(call, problem):
    with pytest.raises(DataError, match=problem):
        call()


@pytest.mark.parametrize(
    ("call", "problem"),
    [
        (lambda: bleu_statistics(["a"], [["a"]], order=0), "order must be from 1 to 64"),
        (lambda: bleu_statistics(["a"], [["a"]], reference_length="longest"), "reference_length"),
        (lambda: bleu([1, 2, 2], smoothing="laplace"), "smoothing"),
        (lambda: bleu([1, 2, 2], smoothing="floor", value=-1.0), "value"),
    ],
)
def test_bad_options_are_refused(call, problem):
    with pytest.raises(ConfigError, match=problem):
        call()


def test_streams_of_another_length_are_refused_by_name():
    with pytest.raises(UnequalLengthError, match="reference 2 ends after line 1, but the hypotheses has 2"):
        bleu_statistics(["a", "b"], [["a", "b"], ["a"]])
    with pytest.raises(UnequalLengthError, match="the hypotheses ends after line 1, but reference 1 has 2"):
        bleu_statistics(["a"], [["a", "b"]])


@pytest.fixture
def moses() -> Path:
    folder = Path(os.environ.get("PLAIT_DATA", "")) / "nbest" / "moses-mert.extractor-txt"
    if not folder.is_dir():
        pytest.skip("PLAIT_DATA is not set")
    return folder


@pytest.mark.data
def test_statistics_are_those_of_moses_extractor(moses):
    references = (moses / "data" / "reference").read_text(encoding="utf-8").splitlines()
    lists: list[tuple[int, str]] = []
    for run in range(1, 6):
        with gzip.open(moses / "data" / f"nbest.{run}.gz", "rt", encoding="utf-8") as file:
            fields = [line.split("|||") for line in file]
        lists += [(int(number), line) for number, line, *_ in fields]
    rows = bleu_statistics([line for _, line in lists], [references], segments=[n for n, _ in lists])
    # The last run merges those before it, each segment's distinct lines of features and statistics in any order.
    ours: dict[int, set[tuple[int, ...]]] = {}
    for (segment, _), row in zip(lists, rows.tolist(), strict=True):
        ours.setdefault(segment, set()).add(tuple(row))
    theirs: dict[int, set[tuple[int, ...]]] = {}
    segment = None
    count = 0
    for line in (moses / "truth" / "results.txt").read_text(encoding="utf-8").splitlines():
        text = line.partition("=")[2]
        if begin := re.match(r"SCORES_TXT_BEGIN_0 (\d+) ", text):
            segment = int(begin[1])
        elif text.startswith("SCORES_TXT_END"):
            segment = None
        elif segment is not None:
            theirs.setdefault(segment, set()).add(tuple(map(int, text.split())))
            count += 1
    assert count > 5000
    assert len(ours) == 10
    assert ours == theirs
