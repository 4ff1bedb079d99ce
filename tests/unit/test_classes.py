"""Word classes from Python and from the command line."""

from __future__ import annotations

import json
import math
import os
import signal
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from command_line import run
from made_corpora import zipf_corpus
from plait.bitext import Bitext
from plait.classes import MAX_CLASSES, WordClasses, cluster, read_text
from plait.errors import ConfigError, DataError, TextError

TEXT = "a cat sleeps\nthe cat eats\n\na dog eats\nthe dog sleeps\n"


def test_words_that_stand_in_the_same_places_share_a_class() -> None:
    found = cluster(TEXT.splitlines(), 3)
    assert {frozenset(found.members(n)) for n in range(3)} == {
        frozenset({"a", "the"}),
        frozenset({"cat", "dog"}),
        frozenset({"sleeps", "eats"}),
    }
    # A word is one of two in its class, and all else is certain.
    assert found.history[-1] == pytest.approx(12 * math.log(0.5))
    assert found.events == 12 + 4
    assert found.perplexity == pytest.approx(2 ** (12 / 16))
    assert found.labels == (2, 3, 4)


def test_either_side_of_a_corpus_has_classes() -> None:
    bitext = Bitext.from_lists(["a b", "", "c"], ["x", "y z", "x x"])
    assert set(cluster(bitext, 2, side="source").words) == {"a", "b", "c"}
    # The second pair takes no part in training, but its words have classes.
    target = cluster(bitext, 2, side="target")
    assert set(target.words) == {"x", "y", "z"}
    assert target.array(bitext.target_vocabulary).dtype == np.uint16
    assert target.array([*bitext.target_vocabulary, "?"])[-1] == target.count


def test_the_largest_class_is_the_first() -> None:
    sources, _ = zipf_corpus(200, types=40)
    found = cluster(sources, 7)
    tokens = [sum(word in set(found.members(n)) for line in sources for word in line) for n in range(found.count)]
    assert tokens == sorted(tokens, reverse=True)
    assert found.count == 7


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({"classes": 0}, "classes"),
        ({"classes": MAX_CLASSES + 1}, "classes"),
        ({"classes": 2.0}, "classes"),
        ({"runs": 0}, "runs"),
        ({"runs": 1001}, "runs"),
        ({"iterations": 0}, "iterations"),
        ({"seed": -1}, "seed"),
        ({"seed": True}, "seed"),
        ({"threads": 0}, "threads"),
        ({"side": "source"}, "side"),
    ],
)
def test_options_out_of_range_are_named(options: dict[str, object], name: str) -> None:
    with pytest.raises(ConfigError, match=name):
        cluster(["a b"], **options)  # type: ignore[arg-type]


def test_a_corpus_needs_a_side() -> None:
    with pytest.raises(ConfigError, match="side"):
        cluster(Bitext.from_lists(["a"], ["b"]), 2)


def test_an_empty_text_has_no_classes() -> None:
    for text in ([], ["", ""]):
        found = cluster(text, 5)
        assert (len(found), found.count, found.words) == (0, 0, ())
        assert math.isnan(found.perplexity)


def test_progress_and_interrupts() -> None:
    stages: list[tuple[str, int, int]] = []
    sources, _ = zipf_corpus(300, types=50)
    cluster(sources, 5, progress=lambda stage, done, total, _: stages.append((stage, done, total)))
    assert {stage for stage, _, _ in stages} == {"counting", "clustering"}
    assert stages[-1][1] == stages[-1][2]
    sources, _ = zipf_corpus(3000, types=2000)
    timer = threading.Timer(0.5, signal.raise_signal, [signal.SIGINT])
    timer.start()
    started = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        cluster(sources, 400, runs=1000)
    assert time.monotonic() - started < 5
    timer.join()


def test_classes_are_immutable_and_checked() -> None:
    found = WordClasses.from_mapping({"a": 7, "b": 3})
    assert (found["a"], found["b"], found.labels) == (1, 0, (3, 7))
    assert "c" not in found
    with pytest.raises(KeyError):
        found["c"]
    with pytest.raises(ValueError, match="read-only"):
        found.classes[0] = 1
    with pytest.raises(IndexError, match="there are 2"):
        found.members(2)
    for words, classes, labels in (
        (("a", "a"), [0, 0], (2,)),
        (("a",), [0, 0], (2,)),
        (("a", "b"), [0, 2], (2, 3)),
        (("a",), [0], (2, 3)),
        (("a", "b"), [0, 1], (3, 2)),
        (("a b",), [0], (2,)),
        (("",), [0], (2,)),
        (("a", "b"), [0, 65_537], (2, 3)),
    ):
        with pytest.raises(DataError):
            WordClasses(words, np.array(classes), labels)
    with pytest.raises(DataError, match="0 or more"):
        WordClasses.from_mapping({"a": -1})
    with pytest.raises(DataError, match="65536 classes"):
        WordClasses.from_mapping({str(n): n for n in range(2**16)})
    with pytest.raises(DataError, match="surrogate"):
        WordClasses.from_mapping({"\ud800": 0}).to_bytes()


def test_files_of_mkcls_are_read(tmp_path: Path) -> None:
    path = tmp_path / "de.classes"
    path.write_bytes('\ufeff!\t14\n"\t14\r\n#\t30\nzwölf 10\nno\u00a0break\t31'.encode())
    found = WordClasses.read(path)
    assert found.labels == (10, 14, 30, 31)
    assert found.array(["!", '"', "#", "zwölf", "no\u00a0break", "?"]).tolist() == [1, 1, 2, 0, 3, 4]
    assert found.to_bytes() == '!\t14\n"\t14\n#\t30\nno\u00a0break\t31\nzwölf\t10\n'.encode()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "has no classes"),
        (b"a\t1\n\nb\t2\n", ":2:1: a line holds a word, a tab and .* found an empty line"),
        (b"a\t1\nb\n", ":2:1: a line holds"),
        (b"a b\t1\n", ":1:1: a line holds"),
        (b"\t1\n", ":1:1: a line holds"),
        (b"a\tx\n", ":1:3: the class of a word is a whole number.* found 'x'"),
        (b"a\t-1\n", ":1:3: the class"),
        (b"a\t1.5\n", ":1:3: the class"),
        (b"a\t" + b"9" * 5000 + b"\n", ":1:3: the class"),
        ("a\t٣\n".encode(), ":1:3: the class"),
        (b"a\t1\na\t1\n", ":2:1: a word has one class; .* found 'a' again"),
        (b"ok\t1\n\xe9t\xe9\t2\n", r":2:1: the text is not UTF-8 here; .* found byte \\xe9"),
        (b"\x00\xff\x00", ":1:2: the text is not UTF-8"),
    ],
    ids=lambda value: repr(value)[:20],
)
def test_damaged_files_are_named(tmp_path: Path, text: bytes, message: str) -> None:
    path = tmp_path / "damaged"
    path.write_bytes(text)
    with pytest.raises(DataError, match=message) as caught:
        WordClasses.read(path)
    assert str(path) in str(caught.value)
    assert len(str(caught.value)) < 400 + len(str(path))


def test_a_text_is_read_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "text"
    for content in (b"", b"\xef\xbb\xbf", b"\xef\xbb\xbfa b\r\n\nb", b"a\n" * 3):
        path.write_bytes(content)
        text = read_text(path)
        assert text.source_vocabulary == text.target_vocabulary
    path.write_bytes(b"A a\n\xff\n")
    with pytest.raises(TextError, match=f"{path}:2:1"):
        read_text(path)
    text = read_text(path, on_error="skip", lowercase=True)
    assert (text.source_vocabulary, text.counts.skipped) == (("a",), 1)


@pytest.fixture
def plait(capfdbinary, tmp_path, monkeypatch):
    """How to run a command in a folder with a text."""
    (tmp_path / "text").write_text(TEXT)
    monkeypatch.chdir(tmp_path)
    return lambda *words, **keywords: run(capfdbinary, *words, **keywords)


def test_the_command_does_what_the_function_does(plait, tmp_path: Path) -> None:
    expected = cluster(TEXT.splitlines(), 3).to_bytes().decode()
    assert plait("classes", "text", "-c", 3, "-o", "-").out == expected
    assert plait("classes", "-", "-c", 3, "-o", "out.gz", "--progress", "none", stdin=TEXT.encode()).err == ""
    assert WordClasses.read(tmp_path / "out.gz").to_bytes().decode() == expected
    told = plait("classes", "text", "-c", 3, "-o", "-", "--progress", "json").err.splitlines()
    facts = json.loads(told[-1])
    assert (facts["words"], facts["classes"], facts["tokens"]) == (6, 3, 12)
    assert "6 words in 3 classes, perplexity 1.68" in plait("classes", "text", "-c", 3, "-o", "-").err
    folded = plait("classes", "-", "-o", "-", "--lowercase", "--stem", 2, stdin=b"ABc abD\n").out
    assert folded == "ab\t2\n"


def test_the_command_leaves_nothing_behind_on_failure(plait, tmp_path: Path) -> None:
    (tmp_path / "bad").write_bytes(b"a\n\xff\n")
    (tmp_path / "empty").write_bytes(b"\n\n")
    (tmp_path / "old").write_bytes(b"precious")
    before = sorted(os.listdir(tmp_path))
    for words, code, message in (
        (("bad",), 1, "bad:2:1"),
        (("empty",), 1, "no words"),
        (("missing",), 1, "missing: No such file"),
        (("text", "-c", 0), 2, "classes"),
        (("text", "--seed", 2**64), 1, "seed"),
    ):
        found = plait("classes", *words, "-o", "out")
        assert (found.code, found.out) == (code, "")
        assert message in found.err
    assert "--force" in plait("classes", "text", "-o", "old").err
    assert (tmp_path / "old").read_bytes() == b"precious"
    assert sorted(os.listdir(tmp_path)) == before
    assert plait("classes", "text", "-o", "old", "--force").code == 0


@pytest.mark.data
@pytest.mark.timeout(120)
def test_real_text_is_clustered_in_seconds() -> None:
    folder = os.environ.get("PLAIT_DATA")
    path = Path(folder or "") / "align" / "hansards-en-fr" / "train.src"
    if folder is None or not path.exists():
        pytest.skip("needs PLAIT_DATA")
    text = read_text(path, lowercase=True)
    started = time.process_time()
    found = cluster(text, 50, side="source", threads=1)
    assert time.process_time() - started < 30, "about one second on an idle machine"
    # One class for all words has a perplexity of about 500, a single run from a bad start of about 183.
    assert found.perplexity < 183
    assert found["monday"] == found["tuesday"]
    assert found["he"] != found["house"]
