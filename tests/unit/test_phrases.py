"""Phrase pairs in memory."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import plait
from phrase_vectors import NAMES, put, vectors
from plait.errors import ConfigError, DataError, TextError, UnequalLengthError
from plait.phrases import ORIENTATIONS, extract, extract_blocks
from reference.phrases import orientations


@st.composite
def texts(draw):
    """Sentence pairs with links inside of them."""
    sources, targets, links = [], [], []
    for _ in range(draw(st.integers(0, 4))):
        source, target = draw(st.integers(0, 5)), draw(st.integers(0, 5))
        cells = [(i, j) for i in range(source) for j in range(target)]
        links.append(sorted(draw(st.sets(st.sampled_from(cells), max_size=6)) if cells else []))
        sources.append([f"s{n}" for n in range(source)])
        targets.append([f"t{n}" for n in range(target)])
    return sources, targets, links


@pytest.mark.parametrize("compat", [None, "moses"])
@given(text=texts(), max_length=st.integers(1, 5))
def test_columns_are_those_of_the_twin(compat, text, max_length):
    sources, targets, links = text
    bitext = plait.Bitext.from_lists(sources, targets)
    pairs = extract(bitext, plait.Alignments.from_lists(links), max_length=max_length, compat=compat)
    expected = [
        (n, block, columns)
        for n, (source, target, cells) in enumerate(zip(sources, targets, links, strict=True))
        for block, columns in orientations(len(source), len(target), cells, max_length, moses=compat == "moses")
    ]
    assert len(pairs) == len(expected) == int(pairs.offsets[-1])
    assert pairs.sentences.tolist() == [n for n, _, _ in expected]
    assert pairs.spans.tolist() == [[i1, i2 + 1, j1, j2 + 1] for _, (i1, i2, j1, j2), _ in expected]
    for side, found in enumerate((pairs.previous, pairs.next)):
        assert found.tolist() == [
            [columns[model][side] for model in ("wbe", "phrase", "hier")] for *_, columns in expected
        ]


@pytest.mark.parametrize("name", NAMES)
def test_blocks_of_files_are_the_text_in_memory(name, tmp_path, monkeypatch):
    target, source, links = put(name, tmp_path)
    monkeypatch.setattr("plait.phrases.pairs.LINES_PER_BLOCK", 2)
    text, alignments = plait.Bitext.read(source, target), plait.Alignments.read(links)
    whole = extract(text, alignments)
    words = list(whole.texts(text))
    assert [f"{s} ||| {t}".encode() for s, t in words] == [
        line.rsplit(b" ||| ", 1)[0] for line in vectors(name)["extract.len7"].splitlines()
    ]
    found, spans = [], []
    for block, pairs in extract_blocks(target, source, links):
        found += pairs.texts(block)
        spans.append(pairs.spans)
    assert found == words
    assert np.array_equal(np.concatenate(spans), whole.spans)


def pairs_of_two():
    text = plait.Bitext.from_lists([["a", "b"]], [["x", "y"]])
    return extract(text, plait.Alignments.from_lists([[(0, 1), (1, 0)]]))


def test_classes_join_the_finest_ones():
    pairs = pairs_of_two()
    assert [ORIENTATIONS[code] for code in pairs.orientations("hier-mslr")] == ["dright", "mono", "swap"]
    assert pairs.orientations("hier-msd").tolist() == [2, 0, 1]
    assert pairs.orientations("wbe-monotonicity").tolist() == [1, 0, 1]
    assert pairs.orientations("phrase-leftright", "next").tolist() == [1, 0, 0]
    assert repr(pairs) == "<3 phrase pairs of 1 sentence pairs>"


def test_arrays_are_read_only_and_typed():
    pairs = pairs_of_two()
    types = {"offsets": np.uint64, "spans": np.uint16, "previous": np.uint8, "next": np.uint8}
    for name, dtype in types.items():
        array = getattr(pairs, name)
        assert array.dtype == dtype
        with pytest.raises(ValueError, match="read-only"):
            array[:] = 0


@pytest.mark.parametrize("model", ["hier", "hier-xyz", "all-msd", ""])
def test_unknown_models_are_refused(model):
    with pytest.raises(ConfigError, match="hier"):
        pairs_of_two().orientations(model)
    with pytest.raises(ConfigError, match="side"):
        pairs_of_two().orientations("hier-msd", "before")


def test_bad_links_and_options_are_refused():
    text = plait.Bitext.from_lists([["a"], ["b"]], [["x"], ["y"]])
    with pytest.raises(DataError, match="sentence pair 2"):
        extract(text, plait.Alignments.from_lists([[], [(0, 1)]]))
    with pytest.raises(UnequalLengthError):
        extract(text, plait.Alignments.from_lists([[]]))
    links = plait.Alignments.from_lists([[], []])
    with pytest.raises(ConfigError, match="max_length"):
        extract(text, links, max_length=0)
    with pytest.raises(ConfigError, match="compat"):
        extract(text, links, compat="cdec")


def test_a_sentence_that_is_too_long_is_named():
    text = plait.Bitext.from_lists([["a"], ["b"] * 10_001], [["x"], ["y"]])
    with pytest.raises(DataError, match=r"sentence pair 2: .*10000 words.*10001"):
        extract(text, plait.Alignments.from_lists([[], []]))


def test_progress_is_reported_and_threads_change_nothing():
    count = 700
    text = plait.Bitext.from_lists([["a", "b", "c"]] * count, [["x", "y", "z"]] * count)
    links = plait.Alignments.from_lists([[(0, 2), (1, 0), (2, 1)]] * count)
    reports = []
    one = extract(text, links, threads=1, progress=lambda *report: reports.append(report[:3]))
    three = extract(text, links, threads=3)
    assert reports[-1] == ("extract", count, count)
    assert np.array_equal(one.spans, three.spans)
    assert np.array_equal(one.next, three.next)


def test_blocks_name_file_and_line(tmp_path):
    for name, text in {"t": "x\ny\nz\n", "s": "a\nb\nc\n", "a": "0-0\n0-0\n0\n"}.items():
        (tmp_path / name).write_text(text)
    files = [tmp_path / name for name in "tsa"]
    with pytest.raises(TextError, match="a:3:1"):
        list(extract_blocks(*files))
    (tmp_path / "a").write_text("0-0\n0-0\n0-0\n")
    (tmp_path / "s").write_bytes(b"a\nb\n\xff\n")
    with pytest.raises(TextError, match="s:3:1"):
        list(extract_blocks(*files))


@pytest.mark.parametrize("name", NAMES)
def test_spans_are_those_that_moses_prints(name, tmp_path):
    target, source, links = put(name, tmp_path)
    pairs = extract(plait.Bitext.read(source, target), plait.Alignments.read(links))
    printed = [line.split() for line in vectors(name)["spans.len7"].decode().splitlines() if not line.startswith("LOG")]
    # Moses counts the last word in.
    ends = [[int(i1), int(i2) + 1, int(j1), int(j2) + 1] for i1, i2, j1, j2 in printed]
    assert np.array_equal(pairs.spans, ends)
