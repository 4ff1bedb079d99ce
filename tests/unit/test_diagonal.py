"""fast_align's model against its formula, cell by cell."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plait import diagonal
from plait.bitext import Bitext
from plait.diagonal import UNSEEN, DiagonalModel
from plait.errors import ConfigError
from plait.translation_table import NULL, TranslationTable

GIVEN, PREDICTED = ("a", "b", "c", NULL), ("x", "y", "z")


def table(probabilities):
    entries = sorted((GIVEN.index(e), PREDICTED.index(f), math.log(p)) for (e, f), p in probabilities.items())
    columns = np.array(entries, dtype=np.float64).reshape(-1, 3).T
    return TranslationTable(GIVEN, PREDICTED, columns[0].astype(np.int64), columns[1].astype(np.int64), columns[2])


def twin(probabilities, given_words, predicted_words, *, tension, p0, has_null):
    """The best position (-1: NULL) of each predicted word, and the log-probability."""
    best, total, n, m = [], 0.0, len(given_words), len(predicted_words)
    for j, f in enumerate(predicted_words, start=1):
        shape = [1.0 if tension is None else math.exp(-tension * abs(i / n - j / m)) for i in range(1, n + 1)]
        if tension is None:
            prior = [1 / max(n + has_null, 1)] * n
            null = 1 / (n + 1)
        else:
            prior, null = [(1 - p0) * s / sum(shape) for s in shape], p0
        cells = [(null if has_null else 0.0) * probabilities.get((NULL, f), UNSEEN)]
        cells += [p * probabilities.get((e, f), UNSEEN) for e, p in zip(given_words, prior, strict=True)]
        best.append(cells.index(max(cells)) - 1)
        total += math.log(sum(cells) or UNSEEN)
    return best, total


words = st.lists(st.sampled_from("abcd"), max_size=5)
predicted_words = st.lists(st.sampled_from("xyzw"), max_size=5)
tables = st.dictionaries(st.tuples(st.sampled_from(GIVEN), st.sampled_from(PREDICTED)), st.floats(0.01, 1), max_size=10)


@settings(deadline=None)
@given(
    probabilities=tables,
    pairs=st.lists(st.tuples(words, predicted_words), max_size=4),
    tension=st.sampled_from([None, 0.0, 4.0]),
    p0=st.sampled_from([0.0, 0.08, 0.5]),
    has_null=st.booleans(),
    reverse=st.booleans(),
)
def test_links_and_scores_equal_the_formula(probabilities, pairs, tension, p0, has_null, reverse):
    sides = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    text = Bitext.from_lists(*(sides[::-1] if reverse else sides))
    model = DiagonalModel(table(probabilities), tension=tension, p0=p0, has_null=has_null, reverse=reverse)
    result = model.apply(text)
    for n, (given_side, predicted_side) in enumerate(pairs):
        best, score = twin(probabilities, given_side, predicted_side, tension=tension, p0=p0, has_null=has_null)
        links = [(j, i) if reverse else (i, j) for j, i in enumerate(best) if i >= 0]
        assert result.links[n].tolist() == [list(link) for link in sorted(links)]
        assert result.scores[n] == pytest.approx(score)
        assert math.isfinite(result.scores[n])


def test_small_stretches_change_nothing(monkeypatch):
    probabilities = {("a", "x"): 0.5, ("b", "y"): 0.25, (NULL, "z"): 0.1}
    text = Bitext.from_lists([["a", "b", "c"]] * 3, [["x", "y", "z", "x"]] * 3)
    whole = DiagonalModel(table(probabilities)).apply(text)
    monkeypatch.setattr(diagonal, "_CELLS_AT_A_TIME", 1)
    parts = DiagonalModel(table(probabilities)).apply(text)
    assert parts.links == whole.links
    assert parts.scores.tolist() == whole.scores.tolist()


def test_settings_outside_their_range_are_refused():
    for settings_ in ({"p0": 1.0}, {"p0": -0.1}, {"tension": -1.0}, {"tension": math.inf}):
        with pytest.raises(ConfigError, match=next(iter(settings_))):
            DiagonalModel(table({}), **settings_)
