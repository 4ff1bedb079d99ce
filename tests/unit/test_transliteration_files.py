"""Files of word pairs: lines, XML of NEWS, and what is wrong with them."""

# Cyrillic letters are meant.
# ruff: noqa: RUF001

from __future__ import annotations

import gzip

import pytest

from plait.errors import ConfigError, DataError, TextError
from plait.translit.candidates import Candidate
from plait.translit.files import Entry, read_entries, read_words, to_pairs, write_news

CORPUS = """<?xml version="1.0" encoding="UTF-8"?>
<TransliterationCorpus SourceLang="English" TargetLang="Russian">
  <Name ID="1"><SourceName>anna</SourceName><TargetName ID="1">анна</TargetName><TargetName>энна</TargetName></Name>
  <Name ID="2"><SourceName>a&amp;b</SourceName><TargetName ID="1"> б </TargetName></Name>
</TransliterationCorpus>
"""


def read(tmp_path, text, **options):
    path = tmp_path / "words"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_entries(path, **options)


def test_lines_have_one_or_more_targets(tmp_path):
    found = read(tmp_path, "\ufeffanna\tанна|энна\r\nשלום\tsalom\n")
    assert found == [Entry("anna", ("анна", "энна")), Entry("שלום", ("salom",))]
    assert to_pairs(found) == [("anna", "анна"), ("anna", "энна"), ("שלום", "salom")]


def test_compressed_files_are_recognised(tmp_path):
    assert read(tmp_path, gzip.compress(b"a\tb\n")) == [Entry("a", ("b",))]


def test_a_bar_in_a_word_needs_another_separator(tmp_path):
    assert read(tmp_path, "a\tb|c\n", separator=None) == [Entry("a", ("b|c",))]
    assert read(tmp_path, "a\tb|;c\n", separator=";") == [Entry("a", ("b|", "c"))]
    with pytest.raises(TextError, match=r":1:5: a target is empty.*another separator"):
        read(tmp_path, "a\tb||c\n")


def test_texts_are_composed_only_on_demand(tmp_path):
    decomposed = "cafe\u0301\tкафе\u0308\n"
    assert read(tmp_path, decomposed)[0].source == "cafe\u0301"
    assert read(tmp_path, decomposed, normalize="NFC")[0].source == "caf\u00e9"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a\tb\nc\n", r":2:1: a source and a target are needed.*1 field"),
        ("a\tb\n\nc\td\n", r":2:1: .*an empty line"),
        ("a\tb\tc\n", r":1:1: .*3 field"),
        ("\tb\n", r":1:1: the source is empty"),
        ("a\t\n", r":1:3: a target is empty"),
        ("a\t \n", r":1:3: a target is empty"),
        (b"a\tb\nab\tc\xff\n", r":2:5: the text is not UTF-8"),
    ],
)
def test_bad_lines_are_named(tmp_path, text, message):
    with pytest.raises(TextError, match=message):
        read(tmp_path, text)


def test_an_empty_file_is_refused(tmp_path):
    with pytest.raises(DataError, match="there is no word"):
        read(tmp_path, "")


def test_options_out_of_range(tmp_path):
    for options in ({"format": "csv"}, {"separator": "\t"}, {"separator": ""}, {"normalize": "NFD"}):
        with pytest.raises(ConfigError):
            read(tmp_path, "a\tb\n", **options)


def test_xml_of_news(tmp_path):
    assert read(tmp_path, CORPUS) == [Entry("anna", ("анна", "энна")), Entry("a&b", ("б",))]
    assert read(tmp_path, CORPUS, format="news")[1].source == "a&b"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "<TransliterationCorpus",
            '<!DOCTYPE x [<!ENTITY a "b">]><TransliterationCorpus',
            "declarations inside DOCTYPE",
        ),
        ("</TransliterationCorpus>", "", ":6:1: the file is not well-formed"),
        ("<SourceName>anna</SourceName>", "", ":3:.*add <SourceName>"),
        ("anna</SourceName>", "</SourceName>", ":3:.*the name is empty"),
        ("TransliterationCorpus", "Corpus", ":2:1: .*starts with <TransliterationCorpus>"),
    ],
)
def test_bad_xml_is_named(tmp_path, old, new, message):
    with pytest.raises(TextError, match=message):
        read(tmp_path, CORPUS.replace(old, new))


def test_an_entity_that_the_file_does_not_define_is_named_and_not_dropped(tmp_path):
    doctype = '<!DOCTYPE TransliterationCorpus SYSTEM "x.dtd"><TransliterationCorpus'
    text = CORPUS.replace("<TransliterationCorpus", doctype, 1).replace(">anna<", ">caf&eacute;<")
    with pytest.raises(TextError, match="the entity is not defined; write the character itself"):
        read(tmp_path, text)


def test_words_are_what_stands_before_a_tab(tmp_path):
    path = tmp_path / "words"
    path.write_text("anna\tанна\nbob\n")
    assert read_words(path) == ["anna", "bob"]
    path.write_text("anna\n\nbob\n")
    with pytest.raises(TextError, match=":2:1: a word is needed"):
        read_words(path)


def test_results_of_news_are_escaped():
    text = "".join(write_news(["a&b"], [[Candidate("<б>", 0.5), Candidate("в", 0.1)]], group='x"y'))
    assert "<SourceName>a&amp;b</SourceName>" in text
    assert '<TargetName ID="1">&lt;б&gt;</TargetName>\n    <TargetName ID="2">в</TargetName>' in text
    assert "GroupID='x\"y'" in text
