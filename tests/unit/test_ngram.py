"""Models of n-grams in Python: files, options, what is refused."""

import gzip
import math
import warnings

import numpy as np
import pytest

from plait.errors import ConfigError, DataError, ModelFileError, NgramWarning, TextError
from plait.ngram import NgramModel
from plait.ngram.files import arrays_of, core_of

TEXT = "the cat sat\nthe dog sat\na dog barks\nthe cat barks\n\n"


@pytest.fixture
def model():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NgramWarning)
        return NgramModel(3).fit([line.split() for line in TEXT.splitlines()])


def same(a, b, probe="the cat barks or not\n\nsat\n"):
    sentences = [line.split() for line in probe.splitlines()]
    return [x.tobytes() for x in a.score(sentences)] == [x.tobytes() for x in b.score(sentences)]


def test_files_and_lists_give_the_same_model(model, tmp_path):
    path = tmp_path / "text.gz"
    path.write_bytes(gzip.compress(TEXT.replace("\n", "\r\n").replace(" ", " \t").encode()))
    with pytest.warns(NgramWarning, match="order 3"):
        other = NgramModel(3).fit(path)
    assert other.vocabulary == model.vocabulary == ["the", "cat", "sat", "dog", "a", "barks"]
    assert same(model, other)


def test_a_sentence_counts_with_its_end(model):
    [logs] = model.score([["the", "cat", "purrs"]])
    assert logs.shape == (4,)
    assert model.log_probability(["the", "cat", "purrs"]) == pytest.approx(logs.sum())
    found = model.perplexity([["the", "cat", "purrs"], []])
    assert (found.sentences, found.words, found.unknown) == (2, 3, 1)
    end = model.score([[]])[0][0]
    assert found.log_probability == pytest.approx(logs.sum() + end)
    assert found.perplexity == pytest.approx(math.exp(-(logs.sum() + end) / 5))
    assert found.perplexity_of_known == pytest.approx(math.exp(-(logs.sum() + end - logs[2]) / 4))
    assert math.isnan(model.perplexity([]).perplexity)


def test_words_without_an_own_probability_are_unknown(model):
    assert "cat" in model
    assert "purrs" not in model
    for word in ("purrs", "<unk>", "", "two words"):
        assert model.score([[word]])[0][0] == model.score([["mews"]])[0][0]


def test_a_closed_vocabulary_has_no_unknown_words():
    with pytest.warns(NgramWarning):
        model = NgramModel(2, closed=True).fit([["a", "b"], ["b"]])
    assert model.score([["c"]])[0][0] == -math.inf
    found = model.perplexity([["c"], ["a"]])
    assert found.perplexity == math.inf
    assert found.perplexity_of_known < 10


def test_states_are_the_same_where_nothing_later_differs(model):
    (_, after_unknown), (_, after_the) = model.states(["purrs", "the"])
    assert after_unknown == 0
    assert model.states(["mews", "the"])[-1][1] == after_the
    assert model.states(["the"])[-1][1] != after_the
    with pytest.raises(ConfigError, match="state must be below"):
        model.core.step(1 << 20, "the")


@pytest.mark.parametrize("name", ["m.plait", "m.plait.gz", "m.arpa", "m.arpa.gz"])
def test_models_come_back_from_files(model, tmp_path, name):
    path = tmp_path / name
    model.save(path)
    with pytest.raises(ConfigError, match="exists"):
        model.save(path)
    again = NgramModel.load(path)
    assert (again.order, again.counts, again.vocabulary) == (3, model.counts, model.vocabulary)
    if ".arpa" in name:
        for a, b in zip(model.score([["the", "cat"]]), again.score([["the", "cat"]]), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-15)
        assert again.reports_ == []
    else:
        assert same(model, again)
        assert again.reports_ == model.reports_
        path.write_bytes(b"")
        again.save(path, force=True)
        assert NgramModel.load(path).prune == model.prune


def test_numbers_of_single_precision_are_near(model, tmp_path):
    model.write_arpa(tmp_path / "m.arpa", single=True)
    again = NgramModel.read_arpa(tmp_path / "m.arpa")
    for a, b in zip(model.score([["the", "cat"]]), again.score([["the", "cat"]]), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-6)
    assert "-99\t<s>\t" in (tmp_path / "m.arpa").read_text()


def test_an_arpa_file_that_is_cut_is_told_with_its_line(model, tmp_path):
    path = tmp_path / "m.arpa"
    model.save(path)
    text = path.read_text()
    path.write_text(text[: text.index("\\3-grams:")])
    with pytest.raises(TextError, match=r"m\.arpa:\d+:1: .*\\end\\"):
        NgramModel.load(path)
    path.write_text(text.replace("\\1-grams:\n", "\\1-grams:\nx\n"))
    with pytest.raises(TextError, match=r"m\.arpa:7:1: .*probability"):
        NgramModel.load(path)


def test_a_model_file_that_is_spoilt_is_refused(model):
    arrays = arrays_of(model.core)
    core_of(arrays)
    for name, value in (
        ("steps.next", arrays["steps.next"] + np.uint32(1000)),
        ("contexts.shorter", arrays["contexts.shorter"] * 0 + np.uint32(len(arrays["contexts.shorter"]) - 1)),
        ("start", np.zeros(2, dtype=np.uint32)),
        ("words.offsets", arrays["words.offsets"][:-1]),
        ("steps.logs", np.abs(arrays["steps.logs"]) + 1),
    ):
        with pytest.raises(ModelFileError):
            core_of({**arrays, name: value})


def test_what_cannot_be_estimated_is_refused(tmp_path):
    path = tmp_path / "text"
    path.write_bytes(b"a b\nc \xff\n")
    with pytest.raises(TextError, match=r"text:2:3: .*UTF-8"):
        NgramModel().fit(path)
    with pytest.raises(TextError, match=r"line 2, column 2.*reserved"):
        NgramModel().fit([["a"], ["a", "<s>"]])
    with pytest.raises(ConfigError, match="sequences of tokens"):
        NgramModel().fit(["a b"])
    with pytest.raises(ConfigError, match="at least one sequence"):
        NgramModel().fit([])
    path.write_bytes(b"")
    with pytest.raises(DataError, match="text: a model needs at least one sentence"):
        NgramModel().fit(path)
    for options in (
        {"order": 0},
        {"order": 65},
        {"order": 2.5},
        {"prune": (1,)},
        {"prune": (0, 2, 1)},
        {"prune": (0, -1)},
        {"prune": (0, 0, 0, 0)},
        {"discount_fallback": (0, 1, 1)},
        {"discount_fallback": (0.5, 1)},
    ):
        with pytest.raises(ConfigError):
            NgramModel(**options).fit([["a"]])
    with pytest.raises(ConfigError, match="call fit"):
        NgramModel().score([["a"]])


@pytest.mark.parametrize(
    "sentences", [[[]], [[], []], [["a"]], [["a", "b", "c", "d"]], [["a"]] * 50, [["a"] * 50], [["\u2028", "a b", ""]]]
)
@pytest.mark.parametrize("order", [1, 3, 9])
def test_small_corpora_have_models(sentences, order):
    with pytest.warns(NgramWarning):
        model = NgramModel(order).fit(sentences)
    assert all(np.isfinite(logs).all() for logs in model.score([*sentences, ["z"]]))


def test_a_word_with_a_space_cannot_stand_in_an_arpa_file(tmp_path):
    with pytest.warns(NgramWarning):
        model = NgramModel(2).fit([["two words"]])
    with pytest.raises(ConfigError, match="without spaces"):
        model.save(tmp_path / "m.arpa")
    assert not (tmp_path / "m.arpa").exists()
    model.save(tmp_path / "m.plait")
    assert same(model, NgramModel.load(tmp_path / "m.plait"))


def test_progress_is_told():
    seen = []
    with pytest.warns(NgramWarning):
        NgramModel(2).fit([["a", "b"]], progress=lambda *report: seen.append(report[:3]))
    assert seen[0] == ("estimate n-grams", 0, 4)
    assert seen[-1] == ("estimate n-grams", 4, 4)


def test_an_interrupt_while_a_model_is_estimated_goes_on_to_the_caller():
    def stop(stage, done, total, figures):
        raise KeyboardInterrupt

    model = NgramModel(3)
    with pytest.raises(KeyboardInterrupt):
        model.fit([["a", "b"]] * 100, progress=stop)
    with pytest.raises(ConfigError, match="call fit"):
        model.counts  # noqa: B018
