"""MERT: the search, its files and its faults; and what Moses finds on the same statistics."""

from __future__ import annotations

import gzip
import itertools
import os
import re
from pathlib import Path

import numpy as np
import pytest

from plait.errors import ConfigError, CycleError, DataError, TextError, UnequalLengthError
from plait.hypergraph import Forest, Hypergraph, SparseFeatures, Yields, read_forests
from plait.minrisk import (
    MertProblem,
    NbestLists,
    Statistics,
    bleu,
    mert,
    moses_feature_names,
    read_statistics,
    write_statistics,
)

ROOT = Path(os.environ.get("PLAIT_DATA", "."))
needs_data = pytest.mark.skipif("PLAIT_DATA" not in os.environ, reason="PLAIT_DATA names no folder")
BASIC = ROOT / "nbest" / "moses-mert.basic"


def made(seed: int = 0, segments: int = 30, hypotheses: int = 12, features: int = 4) -> MertProblem:
    """Lists whose best translations are those of hidden weights, as far as noise lets them be."""
    random = np.random.default_rng(seed)
    rows = random.normal(size=(segments * hypotheses, features))
    quality = rows @ random.normal(size=features) + 0.5 * random.normal(size=len(rows))
    matches = np.clip(np.rint(5 + 2 * quality), 0, 10).astype(np.int64)
    statistics = np.stack([matches, np.full_like(matches, 10), matches // 2, np.full_like(matches, 9)], axis=1)
    return MertProblem.from_arrays(
        Statistics(
            tuple(f"f{n}" for n in range(features)),
            np.arange(segments, dtype=np.uint64),
            np.arange(segments + 1, dtype=np.uint64) * hypotheses,
            rows,
            np.concatenate([statistics, np.full((len(rows), 1), 10)], axis=1),
        )
    )


# The search


def test_a_search_gains_until_no_direction_does():
    problem = made()
    result = mert(problem, np.ones(4), restarts=3, random_directions=5)
    assert result.bleu == problem.bleu(result.weights) == bleu(result.statistics) == max(s.bleu for s in result.trace)
    assert len(result.trace) == 4
    for start in result.trace:
        assert start.has_converged
        way = [start.initial_bleu, *(step.bleu for step in start.steps)]
        assert way == sorted(set(way))
        assert problem.bleu(start.initial) == start.initial_bleu
        assert problem.evaluate(start.weights).tolist() == start.statistics.tolist()
        # No coordinate gains any more.
        assert all(problem.line(start.weights, row).best_bleu <= start.bleu for row in np.eye(4))
    assert result.trace[result.best].bleu == result.bleu
    assert result.weights_by_name == dict(zip(problem.feature_names, result.weights.tolist(), strict=True))


def test_one_step_goes_along_the_best_direction():
    problem = made(1)
    result = mert(problem, np.ones(4), restarts=0, random_directions=0, steps=1)
    (start,) = result.trace
    (step,) = start.steps
    lines = [problem.line(np.ones(4), row) for row in np.eye(4)]
    best = int(np.argmax([line.best_bleu for line in lines]))
    assert (step.direction, step.x, step.bleu) == (f"f{best}", lines[best].x, lines[best].best_bleu)
    assert start.weights.tolist() == (np.ones(4) + step.x * np.eye(4)[best]).tolist()
    assert not start.has_converged


def test_results_depend_on_the_seed_alone():
    problem = made(2)
    runs = [mert(problem, np.ones(4), restarts=4, seed=seed, threads=n) for seed, n in [(0, 1), (0, 2), (0, 7), (1, 2)]]
    ways = [[(s.initial.tobytes(), s.weights.tobytes(), s.steps) for s in run.trace] for run in runs]
    assert ways[0] == ways[1] == ways[2] != ways[3]
    assert runs[0].weights.tobytes() == runs[1].weights.tobytes()
    # More restarts go on from where fewer end.
    more = mert(problem, np.ones(4), restarts=6, seed=0)
    assert [s.weights.tobytes() for s in more.trace[:5]] == [s.weights.tobytes() for s in runs[0].trace]


def test_frozen_weights_stay_and_bounds_bind_starts():
    problem = made(3)
    bounds = {"f0": (2.0, 3.0), "f3": (-0.5, -0.5)}
    result = mert(problem, [1.0, 2.0, 3.0, 4.0], restarts=5, frozen=["f1"], bounds=bounds)
    assert result.weights[1] == 2.0
    for start in result.trace:
        assert start.initial[1] == start.weights[1] == 2.0
    for start in result.trace[1:]:
        assert 2.0 <= start.initial[0] <= 3.0
        assert -1.0 <= start.initial[2] <= 1.0
        assert start.initial[3] == -0.5
    fixed = mert(problem, np.ones(4), restarts=0, frozen=problem.feature_names)
    assert fixed.weights.tolist() == [1.0] * 4
    assert fixed.trace[0].steps == ()


@pytest.mark.parametrize(("normalize", "size"), [("l1", lambda w: np.abs(w).sum()), ("l2", lambda w: (w @ w) ** 0.5)])
def test_normalised_weights_choose_the_same(normalize, size):
    problem = made(4)
    plain = mert(problem, np.ones(4), restarts=1)
    result = mert(problem, np.ones(4), restarts=1, normalize=normalize)
    assert size(result.weights) == pytest.approx(1.0, abs=1e-12)
    np.testing.assert_allclose(result.weights * size(plain.weights), plain.weights, rtol=1e-12)
    assert problem.evaluate(result.weights).tolist() == result.statistics.tolist() == plain.statistics.tolist()


def test_progress_is_reported():
    heard = []
    mert(made(), np.ones(4), restarts=2, threads=1, progress=lambda *report: heard.append(report))
    assert [report[:3] for report in heard] == [("mert", n, 3) for n in range(4)]
    assert heard[-1][3][0][0] == "bleu"


def test_nothing_is_gained_where_no_translation_matches_unless_smoothed():
    problem = made()
    found = problem.statistics
    assert found is not None
    rows = found.statistics.copy()
    rows[:, 2] = 0
    lacking = MertProblem.from_arrays(
        Statistics(found.feature_names, found.segments, found.starts, found.features, rows)
    )
    assert mert(lacking, np.ones(4), restarts=2).bleu == 0.0
    smoothed = mert(lacking, np.ones(4), restarts=0, smoothing="add-k")
    assert smoothed.bleu > bleu(lacking.evaluate(np.ones(4)), smoothing="add-k")


# Lists


def lists(texts, features, segments=None, names=("lm",)) -> NbestLists:
    starts = np.cumsum([0, *map(len, texts)]).astype(np.uint64)
    flat = tuple(text for row in texts for text in row)
    rows = np.array([row for part in features for row in part], float).reshape(len(flat), len(names))
    return NbestLists(names, np.array(range(len(texts)) if segments is None else segments), starts, rows, flat)


def test_rounds_of_lists_are_merged_without_duplicates():
    references = [["a b", "c d"]]
    first = MertProblem.from_lists(lists([["a", "b"], ["c"]], [[[1], [2]], [[3]]]), references, order=1)
    second = MertProblem.from_lists(lists([["a b"], ["c", "c d"]], [[[4]], [[3], [5]]]), references, order=1)
    merged = first.accumulate(second)
    found = merged.statistics
    assert found is not None
    assert found.starts.tolist() == [0, 3, 5]
    assert found.features.tolist() == [[1], [2], [4], [3], [5]]
    assert found.statistics.tolist() == [[1, 1, 2], [1, 1, 2], [2, 2, 2], [1, 1, 2], [2, 2, 2]]
    assert merged.accumulate(second).statistics.features.tolist() == found.features.tolist()
    assert first.accumulate(second, keeps_duplicates=True).statistics.starts.tolist() == [0, 3, 6]
    assert merged.bleu([1.0]) == 1.0


def test_rounds_may_have_other_features_and_segments():
    references = [["a b", "c d"]]
    first = MertProblem.from_lists(lists([["a"]], [[[1]]]), [["a b"]], order=1)
    second = MertProblem.from_lists(lists([["c"]], [[[2, 7]]], segments=[1], names=("w", "lm")), references, order=1)
    found = first.accumulate(second).statistics
    assert found is not None
    assert found.feature_names == ("lm", "w")
    assert found.segments.tolist() == [0, 1]
    # Segment 0 of the second has the empty translation.
    assert found.features.tolist() == [[1, 0], [0, 0], [7, 2]]
    assert found.statistics.tolist() == [[1, 1, 2], [0, 0, 2], [1, 1, 2]]


def test_segments_without_translations_have_the_empty_one():
    problem = MertProblem.from_lists(lists([["c d"]], [[[1]]], segments=[1]), [["a b", "c d", "e f g"]], order=1)
    assert problem.statistics is not None
    assert problem.statistics.starts.tolist() == [0, 1, 2, 3]
    assert problem.evaluate([1.0]).tolist() == [2, 2, 7]


def test_the_k_best_derivations_make_lists():
    rows = SparseFeatures(
        np.array([0, 1, 2, 4], np.uint64),
        np.array([0, 0, 0, 1], np.uint32),
        np.array([-1.0, -2.0, -0.5, 1.0]),
        ("lm", "w"),
    )
    graph = Hypergraph.from_edges([(0, []), (0, []), (1, [0, 0])])
    forest = Forest(graph, rows, ("yes", "no"), *Yields.from_rows([[0], [1], [-1, -2]]).arrays)
    found = NbestLists.kbest([forest], {"lm": 1.0}, 3)
    assert found.texts == ("yes yes", "no yes", "yes no")
    assert found.features.tolist() == [[-2.5, 1.0], [-3.5, 1.0], [-3.5, 1.0]]
    assert NbestLists.kbest([forest, forest], [1.0, 0.0], 99).starts.tolist() == [0, 4, 8]
    problem = MertProblem.from_lists(found, [["yes no"]], order=1)
    assert problem.statistics is not None
    assert len(problem.statistics.features) == 2
    with pytest.raises(DataError, match=re.escape("forest 0 (from 0) is not flat")):
        NbestLists.from_forests([forest])


def test_moses_numbers_the_values_of_a_label_from_0():
    assert moses_feature_names(["d_1", "d_2", "d_3", "lm", "tm_1", "w"]) == (
        "d_0",
        "d_1",
        "d_2",
        "lm_0",
        "tm_1_0",
        "w_0",
    )
    assert moses_feature_names([]) == ()


# Files

FEATURES = """FEATURES_TXT_BEGIN_0 0 2 2 lm_0 w_0
-1.5 2
-1e-07 3
FEATURES_TXT_END_0
FEATURES_TXT_BEGIN_0 3 1 2 lm_0 w_0
0 -4
FEATURES_TXT_END_0
"""
SCORES = """SCORES_TXT_BEGIN_0 0 2 5 BLEU
1 2 0 1 3
2 2 1 1 3
SCORES_TXT_END_0
SCORES_TXT_BEGIN_0 3 1 5 BLEU
0 1 0 0 2
SCORES_TXT_END_0
"""


def files(folder: Path, features: str = FEATURES, scores: str = SCORES) -> tuple[Path, Path]:
    (folder / "F").write_text(features)
    (folder / "S").write_text(scores)
    return folder / "F", folder / "S"


def test_statistics_files_go_around(tmp_path):
    found = read_statistics(*files(tmp_path))
    assert found.feature_names == ("lm_0", "w_0")
    assert found.segments.tolist() == [0, 3]
    assert found.starts.tolist() == [0, 2, 3]
    assert found.features.tolist() == [[-1.5, 2.0], [-1e-07, 3.0], [0.0, -4.0]]
    assert found.statistics.tolist() == [[1, 2, 0, 1, 3], [2, 2, 1, 1, 3], [0, 1, 0, 0, 2]]
    write_statistics(found, tmp_path / "f.gz", tmp_path / "s.gz")
    again = read_statistics(tmp_path / "f.gz", tmp_path / "s.gz")
    assert again.features.tobytes() == found.features.tobytes()
    text = gzip.decompress((tmp_path / "f.gz").read_bytes()).decode()
    # Moses leaves a blank at the ends of lines.
    assert re.sub(r" $", "", text, flags=re.MULTILINE) == FEATURES
    assert re.sub(r" $", "", gzip.decompress((tmp_path / "s.gz").read_bytes()).decode(), flags=re.MULTILINE) == SCORES
    with pytest.raises(ConfigError, match=r"f\.gz"):
        write_statistics(found, tmp_path / "f.gz", tmp_path / "s.gz")


FAULTS = [
    (
        "F",
        "lm_0 w_0\n-1.5",
        "lm_0\n-1.5",
        "F:1:32: must have a name for each of 2 features; check that this is a FEATSTAT",
    ),
    (
        "F",
        "-1.5 2",
        "-1.5",
        "F:2:5: a row has 2 values; check that this is a FEATSTAT file in text form; found the end of",
    ),
    ("F", "-1.5 2", "-1.5 2 3", "F:2:8: a row has 2 values; check that this is a FEATSTAT file in text form; found 3"),
    ("F", "-1.5 2", "nan 2", "F:2:1: must be a finite number; leave the hypothesis out; check that this is a FEATSTAT"),
    ("F", "-1.5 2", "-inf 2", "F:2:1: must be a finite number; leave the hypothesis out"),
    (
        "F",
        "-1.5 2",
        "-1.5 x",
        "F:2:6: must be a finite number; leave the hypothesis out; check that this is a FEATSTAT file",
    ),
    ("F", "_END_0\nF", "_END_1\nF", "F:4:1: the block has all its rows and ends with FEATURES_TXT_END_0"),
    ("F", "BEGIN_0 3", "BEGIN_0 three", "F:5:22: must be the number of a segment; check"),
    ("F", "3 1 2 lm_0", "3 1 2 lm_1", "all blocks have the same names and as many values in a row"),
    (
        "F",
        "FEATURES_TXT_BEGIN_0 0",
        "FEATURES_BIN_BEGIN_0 0",
        "F:1:1: binary statistics cannot be read; let the extractor",
    ),
    (
        "F",
        "0 -4\n" + FEATURES[-19:],
        "0 -4\n",
        "F:7:1: the last block has no FEATURES_TXT_END_0; the file is cut short: make it again; found the end",
    ),
    (
        "S",
        "1 2 0",
        "-1 2 0",
        "S:2:1: must be a whole number that is not negative; check that this is a SCORESTAT file in text form",
    ),
    ("S", "1 2 0", "1.5 2 0", "S:2:1: must be a whole number that is not negative"),
    ("S", "0 2 5 BLEU", "0 2 2 TER", "S:1:29: only the statistics of BLEU can be used, an odd number in a row"),
    ("S", "SCORES_TXT_BEGIN_0 3", "SCORES_TXT_BEGIN_0 4", "has 1 hypotheses of segment 3, that of"),
]


@pytest.mark.parametrize(("file", "old", "new", "message"), FAULTS)
def test_a_damaged_file_is_refused_with_its_place(tmp_path, monkeypatch, file, old, new, message):
    monkeypatch.chdir(tmp_path)
    for name, text in (("F", FEATURES), ("S", SCORES)):
        assert file != name or old in text
        Path(name).write_text(text.replace(old, new, 1) if file == name else text)
    error = DataError if "hypotheses" in message and "leave" not in message else TextError
    with pytest.raises(error, match=re.escape(message)):
        MertProblem.from_statistics("F", "S")


# What cannot be used


def flat_forest(value: float = 1.0, edges=((0, ()), (0, ()))) -> Forest:
    rows = SparseFeatures(np.array([0, 1, 1], np.uint64), np.array([0], np.uint32), np.array([value]), ("lm",))
    return Forest(Hypergraph.from_edges(edges, root=0), rows, ("a",), *Yields.from_rows([[0], [0]]).arrays)


@pytest.mark.parametrize(
    ("work", "error", "message"),
    [
        (lambda p: mert(p, [1.0]), ConfigError, "weights must be one number for each of 4 features; found 1"),
        (lambda p: mert(p, {"f9": 1.0}), ConfigError, "weights must be of features that there are; found 'f9'"),
        (lambda p: mert(p, [np.nan] * 4), ConfigError, "weights must be finite, and at most 1e30 in size; found NaN"),
        (lambda p: p.bleu([np.inf] * 4), ConfigError, "weights must be finite, and at most 1e30 in size; found inf"),
        (lambda p: p.line([0] * 4, [1e31] * 4), ConfigError, "direction must be finite, and at most 1e30 in size"),
        (lambda p: mert(p, [1.0] * 4, restarts=-1), ConfigError, "restarts must be not negative; found -1"),
        (lambda p: mert(p, [1.0] * 4, frozen=["x"]), ConfigError, "frozen must be names of features; found 'x'"),
        (lambda p: mert(p, [1.0] * 4, bounds=(1.0, 0.0)), ConfigError, "a least and a largest weight; found 1 to 0"),
        (lambda p: mert(p, [1.0] * 4, bounds={"x": (0.0, 1.0)}), ConfigError, "bounds must be of features"),
        (lambda p: mert(p, [1.0] * 4, normalize="l3"), ConfigError, "normalize must be 'l1', 'l2' or None; found 'l3'"),
        (lambda p: mert(p, [1.0] * 4, smoothing="x"), ConfigError, "smoothing must be one of"),
        (lambda p: mert(p, [1.0] * 4, least_gain=-1.0), ConfigError, "least_gain must be not negative; found -1"),
        (lambda p: mert(p, [1.0] * 4, threads=0), ConfigError, "threads must be at least 1"),
        (lambda p: mert(p, [1.0] * 4, seed=-1), ConfigError, "seed must be from 0"),
        (lambda p: p.renamed(["a"]), ConfigError, "names must be a name for each of 4 features"),
        (lambda p: p.accumulate(MertProblem.from_forests([], [[]])), ConfigError, "only lists can be accumulated"),
        (lambda p: MertProblem.from_forests([flat_forest(1e31)], [["a"]]), DataError, "must be at most 1e30 in size"),
        (lambda p: MertProblem.from_forests([flat_forest()], [["a", "b"]]), UnequalLengthError, "reference 1 has 2"),
        (lambda p: MertProblem.from_forests([flat_forest()], [[None]]), DataError, "no stream has a reference"),
        (lambda p: MertProblem.from_forests([flat_forest()], [["a"]], base=[[0.0]]), DataError, "2 edges"),
        (lambda p: MertProblem.from_forests([flat_forest()], [["a"]], base=[[0.0, np.nan]]), DataError, "edge 1"),
        (
            lambda p: MertProblem.from_forests([flat_forest(edges=((0, ()), (0, (0,))))], [["a"]]),
            CycleError,
            "break the cycle",
        ),
        (
            lambda p: MertProblem.from_lists(lists([["a"]], [[[np.nan]]]), [["a"]]),
            DataError,
            "feature 0 of hypothesis 0",
        ),
        (
            lambda p: MertProblem.from_lists(lists([["a"], ["b"]], [[[1]], [[1]]]), [["a"]]),
            DataError,
            "found a list of 1",
        ),
        (
            lambda p: MertProblem.from_lists(lists([["a"], ["b"]], [[[1]], [[1]]], segments=[0, 0]), [["a"]]),
            DataError,
            "make a problem of each file and accumulate them",
        ),
    ],
)
def test_what_cannot_be_used_is_refused(work, error, message):
    with pytest.raises(error, match=re.escape(message)):
        work(made())


def test_scores_that_no_weight_changes_cannot_be_scaled():
    problem = MertProblem.from_forests([flat_forest()], [["a"]], base=[[0.0, 1.0]])
    with pytest.raises(ConfigError, match="cannot be normalised where forests have base scores"):
        mert(problem, [1.0], normalize="l1")
    assert mert(problem, [1.0], restarts=1).trace[0].has_converged


# Moses


@pytest.mark.data
@needs_data
def test_the_optimum_of_moses_is_reached():
    problem = MertProblem.from_statistics(BASIC / "data" / "FEATSTAT.txt", BASIC / "data" / "SCORESTAT.txt")
    moses = [float(word) for word in (BASIC / "weights.txt").read_text().split()]
    assert round(problem.bleu(moses), 6) == 0.304339
    start = [float(word) for word in (BASIC / "data" / "INIT").read_text().split("\n")[0].split()]
    result = mert(problem, start, restarts=20, normalize="l1")
    assert round(result.bleu, 6) >= 0.304339
    assert round(problem.bleu(result.weights), 6) == round(result.bleu, 6)
    # More restarts find better ones than the expected optimum.
    assert mert(problem, start, restarts=400, random_directions=30, seed=7).bleu > 0.3045


@pytest.mark.data
@needs_data
@pytest.mark.parametrize(
    ("name", "runs", "duplicates"),
    [
        ("moses-mert.extractor-txt", [f"nbest.{run}.gz" for run in range(1, 6)], [False]),
        ("moses-mert.extractor-dups", ["nbest.gz"], [False, True]),
    ],
)
def test_the_extractor_of_moses_is_reproduced_byte_for_byte(tmp_path, name, runs, duplicates):
    folder = ROOT / "nbest" / name
    references = [(folder / "data" / "reference").read_text().removesuffix("\n").split("\n")]
    written = ""
    for keeps in duplicates:
        total = None
        for run in runs:
            found = NbestLists.read(folder / "data" / run)
            problem = MertProblem.from_lists(found, references, keeps_duplicates=keeps)
            problem = problem.renamed(moses_feature_names(problem.feature_names))
            total = problem if total is None else total.accumulate(problem)
            total.write_statistics(tmp_path / "F", tmp_path / "S", force=True)
            written += (tmp_path / "F").read_text() + (tmp_path / "S").read_text()
    lines = (folder / "truth" / "results.txt").read_text().split("\n")
    expected = [line.split("=", 1)[1] for line in lines if line.startswith("STDOUT_")]
    assert written.split("\n")[:-1] == expected


@pytest.mark.data
@needs_data
@pytest.mark.parametrize("name", ["zh1", "urdu"])
def test_real_forests_are_searched_like_lists_of_their_best_derivations(name):
    (forest,) = read_forests(ROOT / "hyper" / "cdec-json" / f"{name}.json.gz")
    random = np.random.default_rng(1)
    features = len(forest.features.names)
    weights, direction, other = 0.1 * random.normal(size=(3, features))
    reference = NbestLists.kbest([forest], other, 1).texts
    problem = MertProblem.from_forests([forest], [reference])
    surface = problem.line(weights, direction)
    assert len(surface.breakpoints) > 5
    # At each point, the best derivation is that of a search at the point.
    edges = [surface.breakpoints[0] - 1, *surface.breakpoints, surface.breakpoints[-1] + 1]
    for n, (left, right) in enumerate(itertools.pairwise(edges)):
        if right - left > 1e-9:
            point = weights + 0.5 * (left + right) * direction
            assert problem.evaluate(point).tolist() == surface.statistics[n].tolist()
    result = mert(problem, weights, restarts=0, random_directions=3)
    assert result.bleu >= max(problem.bleu(weights), surface.best_bleu * 0.5)


# The point on a line


def parabola(corners, matches) -> MertProblem:
    """One segment whose best translation changes at some corners, with so many matches on each piece."""
    slopes = np.arange(len(matches), dtype=float)
    intercepts = np.concatenate([[0.0], -np.cumsum(corners)])
    rows = np.array([[m, 10, 10] for m in matches], np.int64)
    return MertProblem.from_arrays(
        Statistics(
            ("slope", "intercept"),
            np.zeros(1, np.uint64),
            np.array([0, len(matches)], np.uint64),
            np.stack([slopes, intercepts], axis=1),
            rows,
        )
    )


@pytest.mark.parametrize(
    ("corners", "matches", "x", "width"),
    [
        # Weights and direction are of length 1: a piece without an end is cut at a width of 1, or its distance from 0.
        ([], [3], 0.0, 2.0),
        ([0.25], [1, 3], 0.75, 1.0),
        ([0.25], [3, 1], -0.25, 1.0),
        ([-8.0], [3, 1], -12.0, 8.0),
        ([2.0, 4.0], [1, 3, 2], 3.0, 2.0),
        # Neighbours that are equally good are one piece.
        ([2.0, 4.0, 5.0], [1, 3, 3, 2], 3.5, 3.0),
        # Of two, the wider one; of two as wide, the first; that with 0 inside before all.
        ([2.0, 4.0, 5.0, 8.0], [1, 3, 2, 3, 1], 6.5, 3.0),
        ([2.0, 4.0, 5.0, 7.0], [1, 3, 2, 3, 1], 3.0, 2.0),
        ([-1.0, 0.5, 5.0, 9.0], [1, 3, 2, 3, 1], -0.25, 1.5),
        # Too narrow to be hit.
        ([2.0, 2.0 + 1e-12], [1, 3, 2], 3.0, 2.0),
    ],
)
def test_the_point_is_the_middle_of_the_best_piece(corners, matches, x, width):
    surface = parabola(corners, matches).line([0.0, 1.0], [1.0, 0.0])
    assert surface.x == pytest.approx(x, rel=1e-9, abs=1e-9)
    assert surface.width == pytest.approx(width, rel=1e-9)


def test_a_piece_that_is_too_narrow_is_still_part_of_the_surface():
    surface = parabola([2.0, 2.0 + 1e-12], [1, 3, 2]).line([0.0, 1.0], [1.0, 0.0])
    assert surface.bleu.max() == pytest.approx(0.3)
    assert surface.best_bleu == pytest.approx(0.2)


def test_an_exception_of_the_callback_ends_the_search():
    def stop(*_: object) -> None:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        mert(made(5, segments=200, hypotheses=50, features=10), np.ones(10), restarts=100_000, progress=stop)
