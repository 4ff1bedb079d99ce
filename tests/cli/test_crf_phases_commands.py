"""``plait crf train`` and ``tag`` with candidates and pruned labels."""

import json

import pytest

from command_line import run
from plait.crf import ChainCRF

LINES = [("the", "D"), ("cat", "N"), ("saw", "V"), ("a", "D"), ("saw", "N")]
TRAIN = "\n".join(f"{label}\t0={word}\tlength={len(word)}" for word, label in LINES) + "\n\nN\t0=dog\tlength=3\n"


@pytest.fixture
def crf(capfdbinary, tmp_path, monkeypatch):
    """Run `plait crf` in a folder with training data."""
    (tmp_path / "train").write_text(TRAIN)
    monkeypatch.chdir(tmp_path)

    def call(*words, **keywords):
        return run(capfdbinary, "crf", *words, **keywords)

    return call


def train(crf, name, *options):
    result = crf("train", "--format", "crfsuite", "--l2", 0.1, "--progress", "json", *options, "-o", name, "train")
    assert result.code == 0, result.err
    return json.loads(result.err.splitlines()[-1])


def test_a_model_of_candidates_tags_with_them(crf):
    facts = train(crf, "m.plait", "--candidates", "0=")
    assert [phase["over"] for phase in facts["phases"]] == ["candidates"]
    new = b"D\t0=saw\tlength=3\n"
    marginals = float(crf("tag", "-m", "m.plait", "--marginals", "-", stdin=new).out.split()[1])
    among_all = crf("tag", "-m", "m.plait", "--marginals", "--all-labels", "-", stdin=new)
    assert among_all.code == 0
    assert marginals > float(among_all.out.split()[1])
    lists = crf("tag", "-m", "m.plait", "-n", 9, "-", stdin=new).out
    assert lists.count("# ") == 2
    assert crf("tag", "-m", "m.plait", "-n", 9, "--all-labels", "-", stdin=new).out.count("# ") == 3


def test_any_model_tags_with_candidates(crf):
    train(crf, "m.plait")
    new = b"D\t0=cat\tlength=3\n"
    assert crf("tag", "-m", "m.plait", "-n", 9, "-", stdin=new).out.count("# ") == 3
    assert crf("tag", "-m", "m.plait", "-n", 9, "--candidates", "0=", "-", stdin=new).out == "# 0 1\nN\n\n"


def test_phases_end_at_the_same_minimum(crf):
    exact = train(crf, "a.plait", "--epsilon", 1e-8)["objective"]
    for number, options in enumerate(
        [
            ("--candidates", "0=", "--warm-start-candidates", 5),
            ("--posterior-beam", 0.05),
        ]
    ):
        facts = train(crf, f"{number}.plait", "--epsilon", 1e-8, *options)
        assert facts["objective"] == pytest.approx(exact, rel=1e-6)
        assert facts["phases"][-1]["over"] == "all"
        assert ChainCRF.load(f"{number}.plait").candidates_ is None


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--candidates", "word="), "with which none begins"),
        (("--posterior-beam", "0.1", "--candidates", "0="), "posterior_beam"),
        (("--posterior-beam", "0.1", "--algorithm", "sgd"), "posterior_beam"),
    ],
)
def test_what_makes_no_sense_is_told(crf, tmp_path, options, said):
    result = crf("train", "--format", "crfsuite", *options, "-o", "m.plait", "train")
    assert result.code != 0
    assert said in result.err
    assert not (tmp_path / "m.plait").exists()


@pytest.mark.parametrize(
    "words",
    [
        ("train", "--warm-start-candidates", 3, "-o", "m.plait", "train"),
        ("train", "--posterior-beam", -1, "-o", "m.plait", "train"),
        ("tag", "-m", "m.plait", "--candidates", "0=", "--all-labels", "train"),
    ],
)
def test_wrong_usage_has_status_2(crf, words):
    assert crf(*words).code == 2
