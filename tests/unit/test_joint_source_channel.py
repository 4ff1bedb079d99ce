"""The joint source-channel model: lists, probabilities, files, and what it does with odd input."""

import copy
import pickle
import signal
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plait import models
from plait.errors import AlignmentWarning, ConfigError, DataError, ModelFileError
from plait.translit import Candidate, JointSourceChannel, WordPairs, align_chunks
from plait.translit.alignment import choose_limits

PAIRS = [
    ("phil", "fil"),
    ("sophia", "sofia"),
    ("phi", "fi"),
    ("sip", "sip"),
    ("lisa", "liza"),
    ("asia", "azia"),
    ("sal", "sal"),
    ("ilias", "ilias"),
]


@pytest.fixture(scope="module")
def model():
    return JointSourceChannel(order=3).fit(PAIRS)


def test_it_knows_its_training_pairs_by_rule(model):
    assert model.transliterate(["phila", "sopia", "lil"]) == ["fila", "sopia", "lil"]
    assert model.score(["phil", "sal"], ["fil", ["x", "sal"]]) == 1.0
    assert model.score(["phil", "sal"], ["fil", "x"]) == 0.5


def test_lists_are_sorted_and_distinct_with_probabilities(model):
    for found in model.nbest(["asia", "phil"], 8):
        assert all(isinstance(candidate, Candidate) for candidate in found)
        values = [candidate.probability for candidate in found]
        assert values == sorted(values, reverse=True)
        assert len({candidate.target for candidate in found}) == len(found) <= 8
        assert 0 < sum(values) <= 1 + 1e-12


def test_probabilities_are_those_of_pairs(model):
    for target, probability in model.nbest(["asia"], 5)[0]:
        assert np.exp(model.log_probability("asia", target)) == pytest.approx(probability, rel=1e-12)
    logs = model.log_probability(["asia", "asia"], ["azia", "asia"])
    assert logs.shape == (2,)
    assert (logs <= 0).all()


def test_a_mass_ends_lists(model):
    full = model.nbest(["asia"], 20)[0]
    short = model.nbest(["asia"], 20, mass=0.5)[0]
    assert short == full[: len(short)]
    assert sum(value for _, value in short) >= 0.5 > sum(value for _, value in short[:-1])
    over = model.nbest(["asia"], 4, normalize="list")[0]
    assert sum(value for _, value in over) == pytest.approx(1)
    assert [target for target, _ in over] == [target for target, _ in full[:4]]


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ({"n": 0}, "n"),
        ({"n": 2.5}, "n"),
        ({"mass": 3.0}, "mass"),
        ({"mass": 0.0}, "mass"),
        ({"mass": float("nan")}, "mass"),
        ({"normalize": "no"}, "normalize"),
    ],
)
def test_illegal_values_are_errors(model, arguments, name):
    with pytest.raises(ConfigError, match=name):
        model.nbest(["a"], **arguments)


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({"order": 0}, "order"),
        ({"prune": (1, 0)}, "prune"),
        ({"discard": 1.0}, "discard"),
        ({"unknown": "drop"}, "unknown"),
        ({"direction": "left"}, "direction"),
        ({"candidates": 0}, "candidates"),
        ({"max_source": 40}, "max_source"),
    ],
)
def test_options_out_of_range_are_refused(options, name):
    with pytest.raises(ConfigError, match=name):
        JointSourceChannel(**options).fit(PAIRS)


def test_a_word_always_has_a_target(model):
    """Empty words, unknown symbols alone, among others and many, and a symbol known only inside a chunk."""
    words = ["", "ж", "жжж", "phжl", "ж" * 200, "h"]
    for found in model.nbest(words, 3):
        assert found
        assert found[0].probability > 0
    assert model.transliterate(["", "ж", "phжil"]) == ["", "", "fil"]
    copying = JointSourceChannel(order=3, unknown="copy").fit(PAIRS)
    assert copying.transliterate(["", "ж", "phжil"]) == ["", "ж", "fжil"]
    assert copying.nbest(["phжl"], 1)[0][0].probability == pytest.approx(
        np.exp(copying.log_probability("phжl", copying.transliterate(["phжl"])[0]))
    )


def test_targets_that_cannot_be_have_no_probability(model):
    assert model.log_probability("phil", "q") == -np.inf
    assert model.log_probability("phil", "f" * 40) == -np.inf
    assert model.log_probability("phil", "fil", joint=True) < model.log_probability("phil", "fil")


@pytest.mark.parametrize("order", [1, 3, 6])
def test_one_pair_is_enough(order):
    found = JointSourceChannel(order=order).fit([("ab", "xy")])
    assert found.transliterate(["ab", "ba", ""])[0] == "xy"


def test_pairs_without_alignment_are_left_out_or_all_is_refused():
    with pytest.warns(AlignmentWarning, match="1 of 9"):
        found = JointSourceChannel(deletions=False).fit([*PAIRS, ("a", "")])
    assert [pair for pair, _ in found.alignment_.unaligned] == [8]
    with pytest.warns(AlignmentWarning), pytest.raises(DataError, match="no pair of words can be aligned; pair 0"):
        JointSourceChannel().fit([("", "x"), ("a", "")])


def test_duplicates_count():
    data = [("a", "x")] * 9 + [("a", "y")]
    found = JointSourceChannel(order=2).fit(data).nbest(["a"], 2)[0]
    assert found[0].target == "x"
    assert found[0].probability > 0.7


def test_phones_are_separated_by_spaces():
    found = JointSourceChannel().fit([("thin", "th i n"), ("tin", "t i n"), ("hit", "h i t"), ("thit", "th i t")])
    assert found.parts.target_units == "words"
    assert found.transliterate(["thin"]) == ["th i n"]
    assert found.log_probability("thin", "th i n") > found.log_probability("thin", "t h i n")


def test_scripts_from_right_to_left_and_combining_marks():
    data = [("shalom", "שָׁלוֹם"), ("shal", "שָׁל"), ("lo", "לוֹ"), ("lom", "לוֹם")]
    for units in ("characters", "clusters"):
        found = JointSourceChannel(max_source=3, max_target=3, target_units=units).fit(data)
        assert found.transliterate(["shalom"]) == ["שָׁלוֹם"]


def test_insertions_join_the_unit_before_them():
    options = {"max_source": 1, "max_target": 1, "deletions": True, "insertions": True, "order": 2}
    found = JointSourceChannel(**options).fit([("ab", "xyz"), ("a", "x"), ("b", "y"), ("b", "y"), ("ba", "yx")])
    starts = found.parts.unit_sources[0].astype(int)
    assert (np.diff(starts) > 0).all()
    assert any(target == "xyz" for target, _ in found.nbest(["ab"], 50)[0])


def test_pairs_that_are_cut_already(model):
    again = JointSourceChannel(order=3).fit(align_chunks(PAIRS, length_penalty=0.5))
    assert again.nbest(["asia"]) == model.nbest(["asia"])


def test_discarded_pairs_are_the_least_likely():
    data = [*[("ab", "xy"), ("ba", "yx"), ("aab", "xxy"), ("b", "y")] * 6, ("ab", "zw")]
    found = JointSourceChannel(discard=0.05).fit(data)
    assert found.discarded_ == [24]
    assert len(found.parts.sequences[0]) - 1 == 24


def test_development_data_choose_options():
    found = JointSourceChannel(order=2, prune=(0,)).fit(PAIRS, dev=[("phisal", ["fizal", "fisal"]), ("las", "las")])
    tried = {tuple(sorted(trial.options.items())) for trial in found.trials_}
    assert len(tried) == len(found.trials_) >= 5
    assert all(trial.options["prune"] == (0,) for trial in found.trials_)
    best = max(trial.accuracy for trial in found.trials_)
    assert found.score(["phisal", "las"], [["fizal", "fisal"], "las"]) == best


def test_a_saved_model_gives_the_same_bits(model, tmp_path):
    words = ["asia", "phжl", ""]
    model.save(tmp_path / "m.plait")
    again = JointSourceChannel.load(tmp_path / "m.plait", threads=1)
    assert again.nbest(words) == model.nbest(words)
    assert again.options_ == model.options_
    again.save(tmp_path / "n.plait")
    assert (tmp_path / "n.plait").read_bytes() == (tmp_path / "m.plait").read_bytes()
    with pytest.raises(ConfigError, match="exists"):
        model.save(tmp_path / "m.plait")
    for other in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert other.nbest(words) == model.nbest(words)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("sequences.values", np.array([999], dtype=np.uint32)),
        ("sequences.starts", np.array([0, 5], dtype=np.uint64)),
        ("unit_sources.values", None),
        ("unit_targets.starts", np.array([0], dtype=np.uint64)),
        ("target_names.offsets", np.array([0, 3], dtype=np.uint64)),
        ("ngrams.start", np.array([], dtype=np.uint32)),
        ("ngrams.start", np.array([10**6], dtype=np.uint32)),
        ("ngrams.unigrams.logs", np.zeros(3)),
        ("ngrams.steps.words", None),
    ],
)
def test_a_file_whose_parts_do_not_fit_is_refused(model, tmp_path, name, value):
    arrays, metadata = model.stored()
    if value is None:
        del arrays[name]
    else:
        arrays[name] = value
    models.save(tmp_path / "m.plait", "transliteration-joint-source-channel", arrays, metadata)
    with pytest.raises(ModelFileError):
        JointSourceChannel.load(tmp_path / "m.plait")


def test_files_of_versions_that_did_not_store_the_ngrams_are_read_to_the_same_bits(model, tmp_path):
    arrays, metadata = model.stored()
    older = {name: array for name, array in arrays.items() if not name.startswith("ngrams.")}
    assert len(older) < len(arrays)
    words = ["phila", "sop", "ii"]
    lists = []
    for name, own in (("older", older), ("newer", arrays)):
        models.save(tmp_path / name, "transliteration-joint-source-channel", own, metadata)
        loaded = JointSourceChannel.load(tmp_path / name)
        again, _ = loaded.stored()
        assert all(np.array_equal(again[key], arrays[key]) for key in arrays)
        lists.append([list(candidates) for candidates in loaded.nbest(words)])
    assert lists[0] == lists[1] == [list(candidates) for candidates in model.nbest(words)]


@pytest.mark.parametrize("name", ["settings", "options", "trials", "target_units"])
def test_a_file_without_its_settings_is_refused(model, tmp_path, name):
    arrays, metadata = model.stored()
    models.save(
        tmp_path / "m.plait",
        "transliteration-joint-source-channel",
        arrays,
        {key: value for key, value in metadata.items() if key != name},
    )
    with pytest.raises(ModelFileError):
        JointSourceChannel.load(tmp_path / "m.plait")


def test_without_training_there_is_nothing_to_ask():
    with pytest.raises(ConfigError, match="call fit"):
        JointSourceChannel().transliterate(["a"])
    with pytest.raises(ConfigError, match="call fit"):
        JointSourceChannel().save("m.plait")


def test_what_is_no_list_of_words_is_refused(model):
    with pytest.raises(DataError, match="list of words"):
        model.transliterate("phil")
    with pytest.raises(DataError, match="word 1 must be a text"):
        model.transliterate(["a", None])
    with pytest.raises(DataError, match="2 words and 1 references"):
        model.score(["a", "b"], ["x"])
    with pytest.raises(DataError, match="a target for each word"):
        model.log_probability(["a", "b"], ["x"])
    with pytest.raises(DataError, match="a word and a target"):
        model.log_probability("a", ["x"])


def test_a_long_word_is_decoded(model):
    word = "sophia" * 200
    found = model.nbest([word], 2)[0]
    assert found[0].target == "sofia" * 200
    assert found[0].probability > 0


def test_an_interrupt_ends_decoding(model):
    timer = threading.Timer(0.3, signal.raise_signal, [signal.SIGINT])
    # Longer than any machine decodes in the time.
    words = ["sophiaphilasia" * 60] * 20_000
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        model.nbest(words, 10)
    timer.join()


LETTERS = st.sampled_from("abc")
# Each letter becomes one: there is one way to cut a pair, whatever the direction.
STRAIGHT = st.lists(st.lists(LETTERS, min_size=1, max_size=5).map("".join), min_size=1, max_size=8).map(
    lambda words: [(word, word.upper()) for word in words] + [("abc", "XBZ")]
)
NARROW = {"max_source": 1, "max_target": 1, "deletions": False, "insertions": False}


@given(STRAIGHT, st.lists(LETTERS, min_size=1, max_size=5).map("".join), st.integers(1, 4))
def test_backward_is_forward_on_words_turned_around(pairs, word, order):
    backward = JointSourceChannel(order=order, direction="backward", **NARROW).fit(pairs)
    turned = JointSourceChannel(order=order, **NARROW).fit([(s[::-1], t[::-1]) for s, t in pairs])
    (found,) = backward.nbest([word], 20)
    (expected,) = turned.nbest([word[::-1]], 20)
    assert {c.target: c.probability for c in found} == pytest.approx(
        {c.target[::-1]: c.probability for c in expected}, rel=1e-9
    )
    assert backward.log_probability(word, word.upper()) == pytest.approx(
        turned.log_probability(word[::-1], word.upper()[::-1]), rel=1e-9
    )


def test_a_backward_model_knows_what_follows(tmp_path):
    # What x becomes depends on the letter behind it, and on none before.
    pairs = [(a + "x" + b, a + ("s" if b in "ab" else "z") + b) for a in "abcd" for b in "abcd"]
    model = JointSourceChannel(order=2, direction="backward", unknown="copy").fit(pairs)
    assert model.transliterate(["axa", "axd", "dxb", "?axc"]) == ["asa", "azd", "dsb", "?azc"]
    assert model.log_probability("?axc", "?azc") > model.log_probability("?axc", "?asc")
    model.save(tmp_path / "model.plait")
    again = JointSourceChannel.load(tmp_path / "model.plait")
    assert again.direction == "backward"
    assert again.nbest(["axa", "dxd"]) == model.nbest(["axa", "dxd"])
    assert copy.deepcopy(model).nbest(["axa"]) == model.nbest(["axa"])
    phones = JointSourceChannel(direction="backward").fit([("ab", "x yy"), ("ba", "yy x"), ("aab", "x x yy")])
    assert phones.transliterate(["abb"]) == ["x yy yy"]


@pytest.mark.parametrize(("pairs", "longest"), [(2999, 1), (3000, 2)])
def test_few_pronunciations_have_chunks_of_one_letter(pairs, longest):
    phones = WordPairs.from_items([("sha", "S a")] * pairs)
    assert choose_limits(phones).max_source == longest
    assert choose_limits(phones, max_source=2).max_source == 2
    # Letters that become letters are another matter.
    assert choose_limits(WordPairs.from_items([("sha", "ша")])).max_source == 2
