"""The experiment of minimum risk: its lists, its rows, what it says of the paper's claims."""

import json

import numpy as np
import pytest

from plait.demo.minrisk import CLAIMS, SCHEMES, Claim, Finding, Settings, run
from plait.demo.minrisk.files import prepare_folder
from plait.demo.minrisk.growing_lists import GrowingLists
from plait.demo.translation import FEATURES, WRONG_WEIGHTS, Parts, Translator
from plait.errors import ConfigError
from plait.hypergraph import kbest, read_forests
from plait.metrics.resampling import Interval
from plait.minrisk import BleuComparison, bleu, bleu_statistics, read_weights, rerank

TINY = Settings(
    seeds=(5, 6),
    training=300,
    sentences=10,
    test=12,
    large=20,
    nbest=8,
    rounds=2,
    iterations=20,
    edges=80,
    resamples=50,
)
OTHER = dict(zip(FEATURES, (1.0, 0.5, 0.5, -0.5, 1.0), strict=True))


@pytest.fixture(scope="module")
def forests():
    parts = Parts.make("en-de", 300, 8, 1, seed=9)
    return Translator.learn(parts.training).translate(parts.dev.source)


@pytest.fixture(scope="module")
def saved():
    return []


@pytest.fixture(scope="module")
def results(saved):
    return run(TINY, threads=1, save=saved.append)


def strings(flat):
    return [" ".join(map(str, flat.yield_of(edge))) for edge in range(flat.edges)]


def test_lists_hold_the_best_strings_with_the_features_of_their_derivations(forests):
    lists = GrowingLists(forests, 6)
    assert lists.extend(OTHER) == sum(flat.edges for flat in lists.lists)
    for forest, flat in zip(forests, lists.lists, strict=True):
        found = kbest(forest.graph, forest.scores(OTHER), 6, unique_by=forest.yields)
        np.testing.assert_allclose(flat.scores(OTHER), found.weights)
        expected = [" ".join(forest.words[word] for word in line) for line in forest.yields.of_all(forest.graph, found)]
        assert strings(flat) == expected


def test_lists_grow_by_what_is_new_and_keep_what_was_there(forests):
    lists = GrowingLists(forests, 6)
    lists.extend(OTHER)
    before = [strings(flat) for flat in lists.lists]
    assert lists.extend(OTHER) == 0
    assert [strings(flat) for flat in lists.lists] == before
    new = lists.extend(WRONG_WEIGHTS)
    assert 0 < new <= 6 * len(forests)
    assert sum(flat.edges for flat in lists.lists) == sum(map(len, before)) + new
    for forest, flat, old in zip(forests, lists.lists, before, strict=True):
        assert strings(flat)[: len(old)] == old
        best = kbest(forest.graph, forest.scores(WRONG_WEIGHTS), 1).weights[0]
        assert flat.scores(WRONG_WEIGHTS).max() == pytest.approx(best)


def test_every_scheme_has_a_row_for_each_seed(results):
    assert [run.seed for run in results.runs] == [5, 6]
    for each in results.runs:
        assert list(each.rows) == [scheme.name for scheme in SCHEMES]
        assert each.training_forests == 20
        assert 0 < each.edges <= 80
        for row in each.rows.values():
            assert {name: found.shape for name, found in row.statistics.items()} == {"dev": (10, 9), "test": (12, 9)}
            assert 0 <= row.bleu("test") <= 100
        assert each.rows["baseline"].weights == WRONG_WEIGHTS
        assert set(each.rows["mr-large"].weights) > {"baseline"}
        assert not set(each.rows["mr-large"].weights) & set(FEATURES)
    assert results.features("mr-hypergraph") == 5
    assert results.features("mr-large") > 5


def test_training_raises_bleu_on_what_it_was_trained_on(results):
    before = results.mean("baseline", "dev")
    for scheme in ("mert-nbest", "mr-nbest", "da-nbest", "mr-hypergraph", "da-hypergraph"):
        assert results.mean(scheme, "dev") > before - 1.0, scheme
    assert results.mean("mr-hypergraph", "dev") > before + 1.0


def test_the_same_seeds_give_the_same_bits_for_any_threads(results):
    one = run(Settings(**{**vars(TINY), "seeds": (6,)}), threads=2)
    for name, row in one.runs[0].rows.items():
        other = results.runs[1].rows[name]
        assert dict(row.weights) == dict(other.weights)
        for part in ("dev", "test"):
            np.testing.assert_array_equal(row.statistics[part], other.statistics[part])


def test_results_are_values_of_json(results):
    found = json.loads(json.dumps(results.as_json()))
    assert [row["scheme"] for row in found["rows"]] == [scheme.name for scheme in SCHEMES]
    row = found["rows"][4]
    assert row["test"]["mean"] == pytest.approx(np.mean(row["test"]["bleu"]))
    pooled = [
        np.concatenate([r.rows[name].statistics["test"] for r in results.runs])
        for name in ("mr-hypergraph", "mert-nbest")
    ]
    difference = bleu(pooled[0], smoothing="exp") - bleu(pooled[1], smoothing="exp")
    assert row["test"]["against"]["mert-nbest"]["difference"] == pytest.approx(difference)
    assert len(found["claims"]) == len(CLAIMS)
    assert found["settings"]["sentences"] == 10


def comparison(difference, p_value):
    return BleuComparison(0.4 + difference, 0.4, difference, Interval(-1, 1), p_value, 0.95, 1000, 1)


@pytest.mark.parametrize(
    ("says", "difference", "p_value", "verdict"),
    [
        ("better", 0.01, 0.01, "holds"),
        ("better", 0.01, 0.2, "holds, within chance"),
        ("better", -0.01, 0.2, "does not hold"),
        ("better", 0.0, 1.0, "does not hold"),
        ("better", -0.01, 0.01, "the reverse holds"),
        ("equal", 0.01, 0.2, "holds"),
        ("equal", -0.01, 0.01, "does not hold"),
        ("equal", 0.01, 0.01, "does not hold"),
    ],
)
def test_verdicts(says, difference, p_value, verdict):
    claim = Claim("", "mr-nbest", "mert-nbest", "test", says)
    assert Finding(claim, comparison(difference, p_value), 1, 2).verdict == verdict


def test_claims_are_those_that_the_published_table_bears_out():
    published = {scheme.name: dict(zip(("dev", "test"), scheme.published, strict=True)) for scheme in SCHEMES[1:]}
    for claim in CLAIMS:
        difference = published[claim.scheme][claim.part] - published[claim.other][claim.part]
        assert difference > 0.3 if claim.says == "better" else abs(difference) < 0.3, claim.text


def test_saved_files_choose_the_translations_of_the_rows(results, saved, tmp_path):
    folder = saved[0].write(tmp_path)
    assert folder == str(tmp_path / "seed-5")
    for part in ("dev", "test"):
        forests = read_forests(tmp_path / "seed-5" / f"{part}.plait")
        references = (tmp_path / "seed-5" / f"{part}.ref").read_text().splitlines()
        for name in ("baseline", "mert-nbest", "da-hypergraph"):
            weights = read_weights(tmp_path / "seed-5" / f"{name}.weights")
            said = [" ".join(best[0].words) for best in rerank(forests, weights)]
            np.testing.assert_array_equal(
                bleu_statistics(said, [references]), results.runs[0].rows[name].statistics[part]
            )
    assert len(read_forests(tmp_path / "seed-5" / "train.plait")) == 20
    assert len(read_weights(tmp_path / "seed-5" / "mr-large.weights")) == len(results.runs[0].rows["mr-large"].weights)
    with pytest.raises(ConfigError, match="exists"):
        saved[0].write(tmp_path)
    saved[0].write(tmp_path, force=True)


def test_a_folder_with_something_in_it_is_refused_before_the_work(tmp_path):
    prepare_folder(tmp_path / "new", force=False)
    (tmp_path / "new" / "mine").write_text("")
    with pytest.raises(ConfigError, match="not empty"):
        prepare_folder(tmp_path / "new", force=False)
    prepare_folder(tmp_path / "new", force=True)


@pytest.mark.parametrize("wrong", [{"seeds": ()}, {"seeds": (1, 1)}, {"large": 0}, {"rounds": 0}, {"edges": -1}])
def test_sizes_that_are_none_are_refused(wrong):
    with pytest.raises(ConfigError, match=next(iter(wrong))):
        Settings(**wrong)
