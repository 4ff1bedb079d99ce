"""Laws of reading text, for any text: against a slow twin, and across the ways in."""

import json
import tempfile
from pathlib import Path
from xml.sax.saxutils import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compressed import FORMATS, compress
from plait.bitext import Bitext

# Few words, so that they repeat, and all that other programs take for the end of a line or a word.
PIECES = [
    *("a", "b", "A", "é", "İ", "ΑΣ", "𝄞", " ", " ", " ", "\t", "\n", "\n", "\r\n", "\r", "|||", " ||| "),
    *("\0", "\x0b", "\x0c", "\x1c", "\x1d", "\x1e", "\x85", "\xa0", "\u2028", "\u2029", "\u3000", "\ufeff"),
]
texts = st.lists(st.sampled_from(PIECES) | st.characters(codec="utf-8"), max_size=40).map("".join)
tokens = st.text(st.characters(codec="utf-8", exclude_characters=" \t\n\r"), min_size=1, max_size=3)
sentences = st.lists(tokens, max_size=6)
pairs = st.lists(st.tuples(sentences, sentences), max_size=8)


def lines_of(data: bytes) -> list[bytes]:
    """The lines, as the rule says."""
    data = data.removeprefix(b"\xef\xbb\xbf")
    lines = data.split(b"\n")
    if not lines[-1]:
        lines.pop()
    return [line.removesuffix(b"\r") for line in lines]


def words_of(line: bytes) -> list[str]:
    """The tokens, as the rule says."""
    return [word.decode() for word in line.replace(b"\t", b" ").split(b" ") if word]


def read(source: bytes, target: bytes, **options) -> Bitext:
    with tempfile.TemporaryDirectory() as folder:
        paths = Path(folder, "s"), Path(folder, "t")
        for path, data in zip(paths, (source, target), strict=True):
            path.write_bytes(data)
        return Bitext.read(*paths, **options)


def read_one(reader, data: bytes, *arguments, **options) -> Bitext:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "file")
        path.write_bytes(data)
        return reader(path, *arguments, **options)


def both(bitext: Bitext) -> list[tuple[list[str], list[str]]]:
    return [(bitext.source(n), bitext.target(n)) for n in range(len(bitext))]


def state(bitext: Bitext) -> tuple:
    return (
        both(bitext),
        bitext.source_ids.tolist(),
        bitext.target_ids.tolist(),
        bitext.source_vocabulary,
        bitext.target_vocabulary,
        bitext.usable.tolist(),
        bitext.counts,
    )


@given(texts)
def test_one_pair_for_each_newline_and_one_for_an_open_line(text):
    data = text.encode()
    bitext = read(data, data)
    assert both(bitext) == [(words_of(line), words_of(line)) for line in lines_of(data)]
    rest = data.removeprefix(b"\xef\xbb\xbf")
    assert len(bitext) == rest.count(b"\n") + bool(rest and not rest.endswith(b"\n"))


@given(st.binary(max_size=60))
def test_any_bytes_are_read_when_errors_are_skipped_or_replaced(data):
    # A space in front: the signatures of compressed data are found by the search, and are no text.
    data = b" " + data
    replaced = read(data, data, on_error="replace")
    expected = [words_of(line.decode(errors="replace").encode()) for line in lines_of(data)]
    assert both(replaced) == [(words, words) for words in expected]
    skipped = read(data, data, on_error="skip")
    assert len(skipped) == len(expected)
    assert skipped.counts.skipped == replaced.counts.replaced


@given(texts, st.booleans(), st.integers(-3, 3))
def test_folding_is_that_of_python(text, lowercase, stem):
    data = text.encode()
    bitext = read(data, data, lowercase=lowercase, stem_source=stem)

    def fold(word: str) -> str:
        word = word.lower() if lowercase else word
        return word[:stem] if stem > 0 else word[stem:] if stem < 0 else word

    for n, line in enumerate(lines_of(data)):
        assert bitext.source(n) == [fold(word) for word in words_of(line)]


@given(pairs)
def test_all_ways_in_give_the_same_corpus(rows):
    expected = state(Bitext.from_lists([s for s, _ in rows], [t for _, t in rows]))
    # Spaces at both ends keep a byte order mark of the first word a part of it.
    sides = [[f" {' '.join(words)} " for words in side] for side in zip(*rows, strict=True)] or [[], []]
    source, target = ("".join(f"{line}\n" for line in side).encode() for side in sides)
    assert state(read(source, target)) == expected
    assert state(read(source.replace(b"\n", b"\r\n"), target)) == expected
    assert state(Bitext.from_lists(*sides)) == expected
    lines = zip(source.split(b"\n"), target.split(b"\n"), strict=True)
    columns = b"".join(b"%s\t%s\n" % line for line in lines)
    assert state(read_one(Bitext.read_tsv, columns[: -len(b"\t\n")])) == expected
    records = "".join(json.dumps({"s": s, "t": " ".join(t)}) + "\n" for s, t in rows)
    assert state(read_one(Bitext.read_jsonl, records.encode(), "s", "t")) == expected
    if not any("|||" in words for row in rows for words in row):
        joint = "".join(f"{' '.join(s)} ||| {' '.join(t)}\n" for s, t in rows)
        assert state(read_one(Bitext.read_joint, b"\xef\xbb\xbf" + joint.encode())) == expected


# XML 1.0 has no control characters, surrogates or U+FFFE; every other character may stand in a segment.
xml_characters = st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"], exclude_characters="\ufffe\uffff")
segments = st.text(xml_characters, max_size=12)


@given(st.lists(st.tuples(segments, segments), max_size=6))
def test_segments_of_a_memory_are_read_like_lines(rows):
    def variant(code: str, text: str) -> str:
        return f'<tuv xml:lang="{code}"><seg>{escape(text)}</seg></tuv>'

    units = "".join(f"<tu>{variant('de', t)}{variant('en-GB', s)}</tu>" for s, t in rows)
    memory = read_one(Bitext.read_tmx, f"<tmx>{units}</tmx>".encode(), "en", "de")
    assert state(memory) == state(Bitext.from_lists([s for s, _ in rows], [t for _, t in rows]))


@pytest.mark.parametrize("kind", FORMATS)
@given(text=texts)
def test_compression_changes_nothing(kind, text):
    data = text.encode()
    assert state(read(compress(data, kind), data)) == state(read(data, data))


@given(pairs, pairs)
def test_concatenation_is_that_of_lists(first, second):
    parts = [Bitext.from_lists([s for s, _ in rows], [t for _, t in rows]) for rows in (first, second)]
    whole = Bitext.from_lists([s for s, _ in first + second], [t for _, t in first + second])
    assert state(Bitext.concatenate(*parts)) == state(whole)


@given(pairs)
def test_ids_are_ranks_by_frequency_in_usable_pairs(rows):
    bitext = Bitext.from_lists([s for s, _ in rows], [t for _, t in rows])
    usable = [bool(s and t) for s, t in rows]
    assert bitext.usable.tolist() == usable
    counted = [word for (s, t), use in zip(rows, usable, strict=True) if use for word in s]
    others = [word for (s, t), use in zip(rows, usable, strict=True) if not use for word in s]
    types = list(dict.fromkeys(counted + others))
    expected = sorted(types, key=lambda word: -counted.count(word))
    assert list(bitext.source_vocabulary) == expected
    assert bitext.source_frequencies.tolist() == [counted.count(word) for word in expected]
