"""TMX and JSON Lines."""

import pytest

from compressed import FORMATS, compress
from plait.bitext import Bitext
from plait.errors import ConfigError, DataError, TextError


def words(bitext):
    return [(" ".join(bitext.source(n)), " ".join(bitext.target(n))) for n in range(len(bitext))]


def tmx(tmp_path, body, languages=("en", "de"), head="", **options):
    text = f'<?xml version="1.0" encoding="utf-8"?>{head}\n<tmx version="1.4"><header/><body>{body}</body></tmx>'
    (tmp_path / "m.tmx").write_bytes(text.encode())
    return Bitext.read_tmx(tmp_path / "m.tmx", *languages, **options)


def unit(**segments):
    variants = "".join(f'<tuv xml:lang="{code}"><seg>{text}</seg></tuv>' for code, text in segments.items())
    return f"<tu>{variants}</tu>\n"


HOUSE = unit(en="the house", de="das Haus")


def test_units_become_pairs_in_order(tmp_path):
    bitext = tmx(tmp_path, HOUSE + unit(de="das Buch", fr="le livre", en="the book"))
    assert words(bitext) == [("the house", "das Haus"), ("the book", "das Buch")]
    assert bitext.counts.unpaired == 0


@pytest.mark.parametrize("kind", FORMATS)
def test_compressed_memories_are_read(tmp_path, kind):
    tmx(tmp_path, HOUSE)
    path = tmp_path / "m.tmx"
    path.write_bytes(compress(path.read_bytes(), kind))
    assert words(Bitext.read_tmx(path, "en", "de")) == [("the house", "das Haus")]


@pytest.mark.parametrize("encoding", ["utf-16", "iso-8859-1"])
def test_the_declared_encoding_counts(tmp_path, encoding):
    body = unit(en="café", de="Kaffeehäuser")
    text = f'<?xml version="1.0" encoding="{encoding}"?><tmx><body>{body}</body></tmx>'
    (tmp_path / "m.tmx").write_bytes(text.encode(encoding))
    assert words(Bitext.read_tmx(tmp_path / "m.tmx", "en", "de")) == [("café", "Kaffeehäuser")]


def test_units_without_a_language_are_counted(tmp_path):
    bitext = tmx(tmp_path, unit(en="alone") + HOUSE + unit(fr="seul") + "<tu></tu>")
    assert words(bitext) == [("the house", "das Haus")]
    assert (bitext.counts.pairs, bitext.counts.unpaired) == (1, 3)
    twice = Bitext.concatenate(bitext, bitext)
    assert (len(twice), twice.counts.unpaired) == (2, 6)


def test_an_empty_segment_is_an_empty_side(tmp_path):
    bitext = tmx(
        tmp_path,
        unit(en="", de="das Haus")
        + HOUSE
        + '<tu><tuv xml:lang="en"><seg/></tuv><tuv xml:lang="de"><seg> </seg></tuv></tu>',
    )
    assert (len(bitext), bitext.counts.empty, bitext.counts.unpaired) == (3, 2, 0)


@pytest.mark.parametrize("code", ["en", "EN", "en-US", "en_us", "en-Latn-GB"])
def test_a_code_takes_the_longer_codes(tmp_path, code):
    source = f'<tuv xml:lang="{code}"><seg>the house</seg></tuv>'
    body = f'<tu>{source}<tuv lang="DE-AT"><seg>das Haus</seg></tuv></tu>'
    assert words(tmx(tmp_path, body)) == [("the house", "das Haus")]


def test_a_longer_code_does_not_take_a_shorter_nor_another_that_starts_alike(tmp_path):
    body = HOUSE + '<tu><tuv xml:lang="eng"><seg>x</seg></tuv><tuv xml:lang="de"><seg>y</seg></tuv></tu>'
    assert words(tmx(tmp_path, body)) == [("the house", "das Haus")]
    with pytest.raises(DataError, match=r"none of the 2 units has both en-us and de; choose from .*: de"):
        tmx(tmp_path, body, ("en-US", "de"))


def test_an_exact_code_wins_then_the_first(tmp_path):
    body = (
        '<tu><tuv xml:lang="en-GB"><seg>lorry</seg></tuv><tuv xml:lang="en"><seg>truck</seg></tuv>'
        '<tuv xml:lang="de-AT"><seg>Laster</seg></tuv><tuv xml:lang="de-DE"><seg>LKW</seg></tuv></tu>'
    )
    assert words(tmx(tmp_path, body)) == [("truck", "Laster")]
    assert words(tmx(tmp_path, body, ("en", "en-GB"))) == [("truck", "lorry")]
    assert words(tmx(tmp_path, body, ("en-GB", "en"))) == [("lorry", "truck")]


def test_tags_go_and_words_stay(tmp_path):
    source = (
        'a <bpt i="1">&lt;b&gt;<sub>x</sub></bpt>bold<ept i="1">&lt;/b&gt;</ept> <hi>high</hi>'
        '<ph>{0}</ph> <it pos="begin">[</it>end<ut>u</ut> R&amp;D &#233;'
    )
    bitext = tmx(tmp_path, f"<tu><note>n</note><prop>p</prop>{unit(en=source, de='x')[4:]}")
    assert words(bitext) == [("a bold high end R&D é", "x")]


def test_white_space_folds_but_no_break_spaces_stay(tmp_path):
    bitext = tmx(tmp_path, unit(en="\n  the\t\r\n house&#10;here  ", de="das\u00a0Haus\u2028da"))
    assert words(bitext) == [("the house here", "das\u00a0Haus\u2028da")]


@pytest.mark.parametrize(
    ("head", "problem"),
    [
        ('<!DOCTYPE tmx [<!ENTITY a "ha">]>', "declarations inside DOCTYPE are not read"),
        ('<!DOCTYPE tmx [<!ENTITY a SYSTEM "file:///etc/passwd">]>', "declarations inside DOCTYPE"),
        ("<!DOCTYPE tmx [<!ELEMENT tmx ANY>]>", "declarations inside DOCTYPE"),
    ],
)
def test_declarations_are_refused_with_their_place(tmp_path, head, problem):
    with pytest.raises(TextError, match=problem) as caught:
        tmx(tmp_path, unit(en="&a;", de="x"), head="\n" + head)
    assert (caught.value.path, caught.value.line) == (str(tmp_path / "m.tmx"), 2)


def test_an_external_dtd_is_not_fetched(tmp_path):
    dtd = tmp_path / "tmx14.dtd"
    dtd.write_text('<!ENTITY a "fetched">')
    head = f'<!DOCTYPE tmx SYSTEM "{dtd.as_uri()}">'
    assert words(tmx(tmp_path, HOUSE, head=head)) == [("the house", "das Haus")]
    with pytest.raises(TextError, match=r"the entity is not defined.*found &a;"):
        tmx(tmp_path, unit(en="&a;", de="x"), head=head)


def test_what_is_no_memory_is_refused_with_its_place(tmp_path):
    path = tmp_path / "m.tmx"
    for text, line, column, found in [
        (b"", 1, 1, "no element found"),
        (b"plain text\n", 1, 1, "syntax error"),
        (b"<tmx>\n<body></tmx>", 2, 9, "mismatched tag"),
        (b"<tmx><body>\n<tu>", 2, 5, "no element found"),
        (b"<html></html>", 1, 1, "<html>"),
        (b"<tmx>\xff</tmx>", 1, 6, "not well-formed"),
    ]:
        path.write_bytes(text)
        with pytest.raises(TextError) as caught:
            Bitext.read_tmx(path, "en", "de")
        error = caught.value
        assert (error.path, error.line, error.column) == (str(path), line, column), text
        assert found in error.found


def test_languages_are_checked(tmp_path):
    with pytest.raises(ConfigError, match="source_language"):
        tmx(tmp_path, HOUSE, ("", "de"))
    with pytest.raises(ConfigError, match="target_language must be another"):
        tmx(tmp_path, HOUSE, ("en", "EN"))
    assert len(tmx(tmp_path, "")) == 0


def jsonl(tmp_path, *lines, keys=("src", "tgt"), **options):
    (tmp_path / "p.jsonl").write_bytes(b"".join(line.encode() if isinstance(line, str) else line for line in lines))
    return Bitext.read_jsonl(tmp_path / "p.jsonl", *keys, **options)


def test_strings_and_token_lists_are_read(tmp_path):
    bitext = jsonl(
        tmp_path,
        '\ufeff{"src": "the  house", "tgt": ["das", "Haus"], "more": [1, {}]}\r\n',
        '{"tgt": "a\\nb\\r\\nc\\u00a0d", "src": []}\n',
        '{"src": ["|||", "\\u2028", "é"], "tgt": "x"}',
    )
    assert [bitext.source(n) for n in range(3)] == [["the", "house"], [], ["|||", "\u2028", "é"]]
    assert [bitext.target(n) for n in range(3)] == [["das", "Haus"], ["a", "b", "c\u00a0d"], ["x"]]
    assert bitext.usable.tolist() == [True, False, True]


def test_dotted_keys_go_down(tmp_path):
    line = '{"translation": {"en": "a", "de": "x"}, "a.b": "c"}\n'
    assert words(jsonl(tmp_path, line, keys=("translation.en", "translation.de"))) == [("a", "x")]
    assert words(jsonl(tmp_path, line, keys=("a.b", "translation.de"))) == [("c", "x")]


GOOD = '{"src": "a", "tgt": "x"}\n'
BAD = [
    ("\n", 1, "not JSON: Expecting value", "the end of the line"),
    ('{"src": "a", "tgt": x}\n', 21, "not JSON: Expecting value", "'x}'"),
    ('{"src": "a", "tgt": "x"} {}\n', 26, "not JSON: Extra data", "'{}'"),
    ('["a", "x"]\n', 1, "a line holds one JSON object", "['a', 'x']"),
    ('{"src": "a"}\n', 1, "the object has no key 'tgt'", "the keys 'src'"),
    ("{}\n", 1, "the object has no key 'src'", "the keys none"),
    ('{"src": "a", "tgt": 3}\n', 1, "'tgt' must hold a string or a list of tokens", "3"),
    ('{"src": "a", "tgt": ["x", null]}\n', 1, "token 2 must be a string", "None"),
    ('{"src": "a", "tgt": ["x y"]}\n', 1, "token 1 has white space", "'x y'"),
    ('{"src": "a", "tgt": "\\ud800"}\n', 1, "lone surrogate", r"'\ud800'"),
    ("[" * 100_000 + "\n", 1, "beyond what can be read", "recursion"),
    ('{"src": ' + "9" * 10_000 + "}\n", 1, "beyond what can be read", "digits"),
    (b'{"src": "\xc3\xa9 \xff", "tgt": "x"}\n', 12, "not UTF-8", r"byte \xff"),
]


@pytest.mark.parametrize(
    ("line", "column", "problem", "found"), BAD, ids=[case[2] + str(n) for n, case in enumerate(BAD)]
)
def test_bad_lines_are_placed_or_skipped(tmp_path, line, column, problem, found):
    with pytest.raises(TextError) as caught:
        jsonl(tmp_path, GOOD, line, GOOD)
    error = caught.value
    assert (error.path, error.line, error.column) == (str(tmp_path / "p.jsonl"), 2, column)
    assert problem in error.problem
    assert found in error.found
    skipped = jsonl(tmp_path, GOOD, line, GOOD, on_error="skip")
    assert words(skipped) == [("a", "x"), ("", ""), ("a", "x")]
    assert skipped.counts.skipped == 1


def test_replacing_touches_bytes_only(tmp_path):
    bad = b'{"src": "a\xff", "tgt": "x", "\xfe": 1}\n'
    bitext = jsonl(tmp_path, bad, '{"src": "\\ud800", "tgt": "x"}\n', GOOD, on_error="replace")
    assert bitext.counts.replaced == 2
    assert bitext.source(0) == ["a\ufffd"]
    assert "\ufffd" in bitext.source(1)[0]
    with pytest.raises(TextError, match="no key"):
        jsonl(tmp_path, "{}\n", on_error="replace")


def test_many_records_with_bad_ones_between_keep_their_order(tmp_path):
    lines = [f'{{"src": "s{n}", "tgt": "t{n}"}}\n' if n % 7 else "?\n" for n in range(10_000)]
    bitext = jsonl(tmp_path, *lines, on_error="skip")
    assert words(bitext) == [(f"s{n}", f"t{n}") if n % 7 else ("", "") for n in range(10_000)]
