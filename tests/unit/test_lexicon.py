"""Lexicons from links, and their tables."""

import gzip
import json
from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given

import plait
from linked_texts import linked_texts
from plait import lexicon as lexicons
from plait import models
from plait.errors import ConfigError, DataError, ModelFileError, TextError, UnequalLengthError
from plait.io.lexical_tables import READ_FORMATS
from plait.lexicon import Lexicon, Translation
from reference.tables import lexical_counts

SOURCES = [["the", "house"], ["the", "book"], ["a", "book", "!"]]
TARGETS = [["das", "Haus"], ["das", "Buch"], ["ein", "Buch"]]
LINKS = [[(0, 0), (1, 1)], [(0, 0), (1, 1)], [(0, 0), (0, 1), (1, 1)]]


@pytest.fixture
def lexicon():
    return from_links(SOURCES, TARGETS, LINKS)


def from_links(sources, targets, links, **options):
    return Lexicon.from_links(plait.Bitext.from_lists(sources, targets), plait.Alignments.from_lists(links), **options)


def entries(lexicon):
    """The counts as a dictionary; None is NULL."""
    source, target = [*lexicon.source_vocabulary, None], [*lexicon.target_vocabulary, None]
    return {
        (source[e], target[f]): count
        for e, f, count in zip(lexicon.sources, lexicon.targets, lexicon.counts.tolist(), strict=True)
    }


def lines(path):
    return path.read_text(encoding="utf-8").splitlines()


@given(linked_texts())
def test_links_are_counted_as_the_twin_counts_them(text):
    sources, targets, links, _ = text
    found = from_links(sources, targets, links)
    expected = lexical_counts(sources, targets, links)
    assert entries(found) == expected
    totals = defaultdict(float), defaultdict(float)
    for (e, f), count in expected.items():
        totals[0][e] += count
        totals[1][f] += count
    words = [*found.source_vocabulary, None], [*found.target_vocabulary, None]
    for e, f, there, back in zip(found.sources, found.targets, found.forward(), found.reverse(), strict=True):
        key = words[0][e], words[1][f]
        assert there == expected[key] / totals[0][key[0]]
        assert back == expected[key] / totals[1][key[1]]


def test_weighted_links_count_as_much_as_they_are_probable():
    text = plait.Bitext.from_lists([["a", "b"]], [["x", "y"]])
    links = plait.Alignments.from_lists([[(0, 0), (0, 1), (1, 1)]], [[0.75, 0.5, 0.75]])
    assert entries(Lexicon.from_links(text, links, weighted=True)) == {
        ("a", "x"): 0.75,
        ("a", "y"): 0.5,
        ("b", "y"): 0.75,
        ("b", None): 0.25,
        (None, "x"): 0.25,
    }
    assert entries(Lexicon.from_links(text, links))["a", "x"] == 1
    with pytest.raises(ConfigError, match="weighted counts need links with probabilities"):
        Lexicon.from_links(text, plait.Alignments.from_lists([[(0, 0)]]), weighted=True)


def test_links_that_do_not_fit_the_text_are_refused():
    with pytest.raises(DataError, match="sentence pair 1"):
        from_links([["a"]], [["x"]], [[(0, 1)]])
    with pytest.raises(UnequalLengthError):
        from_links([["a"]], [["x"]], [[(0, 0)], []])


def test_translations_are_sorted_and_cut(lexicon):
    assert lexicon.translations("a") == [Translation("Buch", 0.5, 1.0), Translation("ein", 0.5, 1.0)]
    assert lexicon.translations("a", top=1) == [Translation("Buch", 0.5, 1.0)]
    assert lexicon.translations("a", threshold=0.6) == []
    assert lexicon.translations("Buch", reverse=True) == [Translation("book", 2 / 3, 2.0), Translation("a", 1 / 3, 1.0)]
    assert lexicon.translations("!") == [Translation(None, 1.0, 1.0)]
    assert lexicon.translations(None, reverse=True) == [Translation("!", 1.0, 1.0)]
    assert lexicon.translations(None) == []
    assert lexicon.translations("unknown") == []


def test_pruning_keeps_probabilities_and_drops_rare_entries(lexicon):
    before = dict(zip(entries(lexicon), lexicon.forward().tolist(), strict=True))
    pruned = lexicon.pruned(0.6, direction="forward")
    assert set(entries(pruned)) == {key for key, p in before.items() if p >= 0.6}
    assert all(p == before[key] for key, p in zip(entries(pruned), pruned.forward().tolist(), strict=True))
    assert ("a", "ein") in entries(lexicon.pruned(0.6))
    assert ("a", "Buch") not in entries(lexicon.pruned(0.6))
    assert entries(lexicon.pruned(0.0)) == entries(lexicon)
    best = lexicon.pruned(top=1, direction="forward")
    assert np.diff(best.offsets.astype(int)).max() == 1
    assert ("a", "Buch") in entries(best)
    assert ("a", "Buch") not in entries(lexicon.pruned(top=1, direction="reverse"))


@pytest.mark.parametrize("options", [{"threshold": -0.1}, {"threshold": float("nan")}, {"top": 0}, {"direction": "x"}])
def test_pruning_out_of_range_is_refused(lexicon, options):
    with pytest.raises(ConfigError, match=next(iter(options))):
        lexicon.pruned(**options)


def test_moses_tables_have_its_order_of_words_and_its_digits(lexicon, tmp_path):
    """Written down from the definition: lex.f2e is e f p(e|f), lex.e2f is f e p(f|e), f the source."""
    lexicon.write(tmp_path / "lex", "moses")
    assert sorted(lines(tmp_path / "lex.f2e")) == [
        "Buch a 0.5000000",
        "Buch book 1.0000000",
        "Haus house 1.0000000",
        "NULL ! 1.0000000",
        "das the 1.0000000",
        "ein a 0.5000000",
    ]
    assert sorted(lines(tmp_path / "lex.e2f")) == [
        "! NULL 1.0000000",
        "a Buch 0.3333333",
        "a ein 1.0000000",
        "book Buch 0.6666667",
        "house Haus 1.0000000",
        "the das 1.0000000",
    ]


def test_a_word_that_is_spelled_null_is_null_for_moses(tmp_path):
    one = from_links([["NULL", "a"]], [["x", "y"]], [[(0, 0)]])
    one.write(tmp_path / "lex", "moses")
    assert sorted(lines(tmp_path / "lex.f2e")) == ["NULL a 1.0000000", "x NULL 0.5000000", "y NULL 0.5000000"]
    one.write(tmp_path / "lex.tsv")
    assert "NULL\tx\t1\t1\t1" in lines(tmp_path / "lex.tsv")
    assert "\ty\t1\t1\t1" in lines(tmp_path / "lex.tsv")


def test_a_shortlist_is_that_of_extract_lex_without_null(lexicon, tmp_path):
    lexicon.write(tmp_path / "s2t", "marian")
    lexicon.write(tmp_path / "t2s.gz", "marian", reverse=True)
    assert sorted(lines(tmp_path / "s2t")) == [
        "Buch a 0.5000000",
        "Buch book 1.0000000",
        "Haus house 1.0000000",
        "das the 1.0000000",
        "ein a 0.5000000",
    ]
    assert "book Buch 0.6666667" in gzip.decompress((tmp_path / "t2s.gz").read_bytes()).decode().splitlines()
    with pytest.raises(ConfigError, match="only a shortlist"):
        lexicon.write(tmp_path / "x", "tsv", reverse=True)


def test_tsv_and_jsonl_say_all(lexicon, tmp_path):
    lexicon.write(tmp_path / "lex.tsv")
    lexicon.write(tmp_path / "lex.jsonl", "jsonl")
    assert lines(tmp_path / "lex.tsv")[0] == "source\ttarget\tcount\tforward\treverse"
    assert "book\tBuch\t2\t1\t0.6666667" in lines(tmp_path / "lex.tsv")
    assert "!\t\t1\t1\t1" in lines(tmp_path / "lex.tsv")
    records = [json.loads(line) for line in lines(tmp_path / "lex.jsonl")]
    assert {"source": "!", "target": None, "count": 1, "forward": 1, "reverse": 1} in records
    assert len(records) == len(lexicon)


def assert_same(found, lexicon, exactly=True):
    expected = entries(lexicon)
    assert entries(found) == expected
    for name in ("forward", "reverse"):
        mine = dict(zip(entries(found), getattr(found, name)().tolist(), strict=True))
        theirs = dict(zip(expected, getattr(lexicon, name)().tolist(), strict=True))
        assert mine == (theirs if exactly else pytest.approx(theirs, rel=1e-6))


@pytest.mark.parametrize("format", ["tsv", "jsonl"])
@given(text=linked_texts())
def test_tables_are_read_as_they_were_written(tmp_path_factory, format, text):
    lexicon = from_links(*text[:3])
    path = tmp_path_factory.mktemp("table") / "lex"
    lexicon.write(path, format)
    assert_same(Lexicon.read(path, format), lexicon)
    pruned = lexicon.pruned(0.5)
    pruned.write(path, format, force=True)
    assert_same(Lexicon.read(path, format), pruned, exactly=False)


@given(text=linked_texts())
def test_a_saved_lexicon_is_the_same(tmp_path_factory, text):
    lexicon = from_links(*text[:3]).pruned(0.3)
    path = tmp_path_factory.mktemp("model") / "lex.plait"
    lexicon.save(path)
    found = lexicons.of_model(path)
    assert_same(found, lexicon)
    assert found.source_vocabulary == list(lexicon.source_vocabulary)


def test_tables_of_one_direction_are_read(lexicon, tmp_path):
    lexicon.write(tmp_path / "lex", "moses")
    lexicon.write(tmp_path / "s2t", "marian")
    forward = dict(zip(entries(lexicon), lexicon.forward().tolist(), strict=True))
    reverse = dict(zip(entries(lexicon), lexicon.reverse().tolist(), strict=True))
    found = Lexicon.read(tmp_path / "lex.f2e", "moses-f2e")
    assert dict(zip(entries(found), found.forward(), strict=True)) == pytest.approx(forward, abs=1e-7)
    found = Lexicon.read(tmp_path / "lex.e2f", "moses-e2f")
    assert dict(zip(entries(found), found.reverse(), strict=True)) == pytest.approx(reverse, abs=1e-7)
    found = Lexicon.read(tmp_path / "s2t", "marian")
    words_only = {key: p for key, p in forward.items() if None not in key}
    assert dict(zip(entries(found), found.forward(), strict=True)) == pytest.approx(words_only, abs=1e-7)


@pytest.mark.parametrize("format", ["tsv", "jsonl", "moses-f2e"])
@pytest.mark.parametrize("line", ["", "a b", "a\tb\t1\t1\tx", '{"source": "a"}', "[1]", "a b nan", '{"source": NaN'])
def test_a_bad_line_is_named(tmp_path, format, line):
    path = tmp_path / "lex"
    first = "source\ttarget\tcount\tforward\treverse\n" if format == "tsv" else ""
    path.write_text(f"{first}{line}\n")
    with pytest.raises(TextError) as caught:
        Lexicon.read(path, format)
    assert str(caught.value).startswith(f"{path}:{2 if first else 1}:")
    assert "; found " in str(caught.value)


@pytest.mark.parametrize("value", ["-1", "NaN", "Infinity", "true", '"1"', "1e999"])
def test_a_number_of_a_json_line_is_checked(tmp_path, value):
    path = tmp_path / "lex"
    path.write_text(f'{{"source": "a", "target": "x", "count": {value}, "forward": 1, "reverse": 1}}\n')
    with pytest.raises(TextError, match="count must be a number of at least 0"):
        Lexicon.read(path, "jsonl")


def test_an_unknown_format_is_refused_with_the_known_ones(lexicon, tmp_path):
    with pytest.raises(ConfigError, match="tsv, jsonl, moses, marian"):
        lexicon.write(tmp_path / "lex", "csv")
    with pytest.raises(ConfigError, match=", ".join(READ_FORMATS)):
        Lexicon.read(tmp_path / "lex", "csv")


def test_a_table_that_exists_stays_and_none_appears_alone(lexicon, tmp_path):
    (tmp_path / "lex.e2f").write_text("old")
    with pytest.raises(ConfigError, match=r"lex\.e2f exists"):
        lexicon.write(tmp_path / "lex", "moses")
    assert [path.name for path in tmp_path.iterdir()] == ["lex.e2f"]
    with pytest.raises(ConfigError, match="two files"):
        lexicon.write("-", "moses")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"offsets": np.array([0, 1, 2], dtype=np.uint64)}, "offsets of a lexicon must rise from 0 to its 2 entries"),
        ({"offsets": np.array([0, 2, 1, 2], dtype=np.uint64)}, "offsets of a lexicon must rise"),
        ({"offsets": np.array([0, 1, 1, 2])}, "offsets of a lexicon must be uint64"),
        ({"targets": np.array([0, 3], dtype=np.uint32)}, "at most 2, which is NULL; found 3"),
        ({"offsets": np.array([0, 2, 2, 2], dtype=np.uint64), "targets": np.array([1, 1], dtype=np.uint32)}, "rise"),
        ({"counts": np.array([1], dtype=np.float32)}, "2 entries needs as many counts; found 1"),
        ({"counts": np.array([1, np.nan], dtype=np.float32)}, "counts of a lexicon must be finite"),
        ({"counts": np.array([1, -1], dtype=np.float32)}, "counts of a lexicon must be finite"),
        ({"source_totals": np.ones(2)}, "source_totals of a lexicon must be 3 finite float64"),
        ({"target_totals": np.array([1, np.inf, 1])}, "target_totals of a lexicon must be 3 finite float64"),
    ],
)
def test_arrays_that_are_no_lexicon_are_refused(changes, message):
    arrays = {
        "offsets": np.array([0, 1, 1, 2], dtype=np.uint64),
        "targets": np.array([1, 0], dtype=np.uint32),
        "counts": np.array([1, 2], dtype=np.float32),
    }
    assert len(Lexicon(["a", "b"], ["x", "y"], **arrays)) == 2
    with pytest.raises(DataError, match=message):
        Lexicon(["a", "b"], ["x", "y"], **(arrays | changes))


def test_a_model_without_a_lexicon_is_refused_with_its_name(lexicon, tmp_path):
    path = tmp_path / "m"
    models.save(path, "lexicon", {}, {})
    with pytest.raises(ModelFileError, match=r"m: .* needs the array 'source_words'"):
        lexicons.of_model(path)
    models.save(path, "crf", {}, {}, force=True)
    with pytest.raises(ModelFileError, match="found one of kind 'crf'"):
        lexicons.of_model(path)


def test_a_lexicon_cannot_be_changed(lexicon):
    with pytest.raises(ValueError, match="read-only"):
        lexicon.counts[0] = 2
    with pytest.raises(AttributeError):
        lexicon.counts = None
    counts = np.ones(1, dtype=np.float32)
    ends = np.array([0, 1, 1], dtype=np.uint64)
    Lexicon(["a"], ["x"], ends, np.zeros(1, dtype=np.uint32), counts)
    assert counts.flags.writeable


def test_an_empty_lexicon_goes_everywhere(tmp_path):
    empty = from_links([], [], [])
    for format in ("tsv", "jsonl", "moses", "marian"):
        empty.write(tmp_path / format, format)
    assert len(Lexicon.read(tmp_path / "tsv")) == len(Lexicon.read(tmp_path / "jsonl", "jsonl")) == 0
    assert (tmp_path / "moses.e2f").read_bytes() == b""


def test_a_weight_of_a_sentence_pair_counts_like_its_repeats():
    sources, targets = ["a b", "b", "c"], ["x y", "y z", "z"]
    links = [[(0, 0), (1, 1)], [(0, 0)], []]
    text, alignments = plait.Bitext.from_lists(sources, targets), plait.Alignments.from_lists(links)
    weighted = Lexicon.from_links(text, alignments, sentence_weights=[2, 3, 0])
    places = [0, 0, 1, 1, 1]
    repeated = Lexicon.from_links(
        plait.Bitext.from_lists([sources[n] for n in places], [targets[n] for n in places]),
        plait.Alignments.from_lists([links[n] for n in places]),
    )
    for word in ("a", "b", "c", None):
        assert set(weighted.translations(word)) == set(repeated.translations(word))
        assert weighted.translations("c") == []


@pytest.mark.parametrize("weights", [[1.0], [1.0, -1.0], [1.0, float("nan")], [[1.0, 1.0]]])
def test_bad_weights_of_sentence_pairs_are_refused(weights):
    text = plait.Bitext.from_lists(["a", "b"], ["x", "y"])
    links = plait.Alignments.from_lists([[(0, 0)], [(0, 0)]])
    with pytest.raises(ConfigError, match="sentence_weights"):
        Lexicon.from_links(text, links, sentence_weights=weights)
