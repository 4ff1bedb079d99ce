"""Priors of eflomal: made, read, merged, folded and written."""

import os
import shutil
import subprocess

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import plait
from linked_texts import linked_texts
from plait.errors import ConfigError, DataError, TextError
from plait.priors import Priors
from reference.tables import priors_lines

GOOD = "LEX\tDas\tthe\t2\nLEX\tdas\tthe\t1.5\nLEX\t<NULL>\tof\t3\nFERF\tdas\t1\t2\nHMMF\t-3\t1e+06\nHMMR\t1\t2\n"


def from_links(text):
    sources, targets, forward, reverse = text
    corpus = plait.Bitext.from_lists(sources, targets)
    return Priors.from_links(corpus, plait.Alignments.from_lists(forward), plait.Alignments.from_lists(reverse))


def read(path, text):
    path.write_text(text, encoding="utf-8", newline="\n")
    return Priors.read(path)


def written(priors, path, **options):
    priors.write(path, force=True, **options)
    return path.read_text(encoding="utf-8")


@given(linked_texts())
def test_links_are_counted_as_the_twin_counts_them(tmp_path_factory, text):
    path = tmp_path_factory.mktemp("priors") / "p"
    assert written(from_links(text), path).splitlines() == priors_lines(*text)


@given(linked_texts())
def test_priors_are_read_as_they_were_written(tmp_path_factory, text):
    priors = from_links(text)
    path = tmp_path_factory.mktemp("priors") / "p"
    priors.write(path)
    assert Priors.read(path) == priors


@given(linked_texts(), st.integers(0, 6))
def test_the_priors_of_parts_add_up_to_those_of_the_whole(text, cut):
    parts = [from_links([side[part] for side in text]) for part in (slice(cut), slice(cut, None))]
    assert Priors.merge(parts) == from_links(text)
    assert Priors.merge(reversed(parts)) == from_links(text)
    assert Priors.merge([parts[0]]) == parts[0]


def test_symmetrised_links_serve_both_directions():
    corpus = plait.Bitext.from_lists(["a b"], ["x y"])
    links = plait.Alignments.from_lists([[(0, 0), (1, 1)]])
    assert Priors.from_links(corpus, links) == Priors.from_links(corpus, links, links)


def test_words_are_folded_by_the_function_of_the_corpus(tmp_path):
    priors = read(tmp_path / "p", GOOD).folded(lowercase=True)
    assert written(priors, tmp_path / "q").splitlines()[:2] == ["LEX\t<NULL>\tof\t3", "LEX\tdas\tthe\t3.5"]
    words = ["ΟΔΟΣ", "İx", "Straße", "été"]
    lines = "".join(f"LEX\t{word}\tx\t1\n" for word in words)
    folded = read(tmp_path / "p", lines).folded(lowercase=True, stem_source=-2)
    corpus = plait.Bitext.from_lists([words], [["x"]], lowercase=True, stem_source=-2)
    assert set(folded.source_words) == set(corpus.source_vocabulary)


def test_lexical_counts_come_with_the_ids_of_a_corpus(tmp_path):
    corpus = plait.Bitext.from_lists([["das", "Haus", "das"]], [["the", "house", "of"]], lowercase=True)
    lexicon = (
        read(tmp_path / "p", GOOD).folded(lowercase=True).lexicon(corpus.source_vocabulary, corpus.target_vocabulary)
    )
    assert [(t.word, t.links) for t in lexicon.translations("das")] == [("the", 3.5)]
    assert [(t.word, t.links) for t in lexicon.translations(None)] == [("of", 3.0)]
    assert len(lexicon) == 2
    assert len(read(tmp_path / "p", GOOD).lexicon(["x"], ["y"])) == 0


def test_counts_of_the_same_line_add_and_weights_scale(tmp_path):
    text = "LEX\ta\tx\t1\nHMMF\t1\t2\nLEX\ta\tx\t0.5\nHMMF\t1\t3\n"
    priors = read(tmp_path / "p", text)
    assert written(priors, tmp_path / "q") == "LEX\ta\tx\t1.5\nHMMF\t1\t5\n"
    assert written(priors.scaled(0.5), tmp_path / "q") == "LEX\ta\tx\t0.75\nHMMF\t1\t2.5\n"
    with pytest.raises(ConfigError, match="weight must be a finite number"):
        priors.scaled(-1)


def test_counts_have_six_digits_as_with_eflomal_or_all(tmp_path):
    priors = read(tmp_path / "p", "HMMF\t1\t1234567\nHMMF\t2\t0.1234567\n")
    assert written(priors, tmp_path / "q") == "HMMF\t1\t1.23457e+06\nHMMF\t2\t0.123457\n"
    assert written(priors, tmp_path / "q", exact=True) == "HMMF\t1\t1234567\nHMMF\t2\t0.1234567\n"
    assert Priors.read(tmp_path / "q") == priors


@pytest.mark.parametrize(
    ("line", "message", "found"),
    [
        ("BROKEN", "a line starts with one of LEX, FERF, FERR, HMMF, HMMR", "BROKEN"),
        ("", "a line starts with one of", ""),
        ("LEX\ta\t1", r"expected 4 fields separated by tabs \(LEX, source word, target word, count\), found 3", "LEX"),
        ("LEX\ta\tb\tmany", "the count must be a number of at least 0", "many"),
        ("LEX\ta\tb\t-1", "the count must be a number of at least 0", "-1"),
        ("LEX\ta\tb\tnan", "the count must be a number of at least 0", "nan"),
        ("LEX\ta b\tb\t1", "the source word has a space in it", "a b"),
        ("FERF\ta\t-1\t1", "the fertility must be a whole number of at least 0", "-1"),
        ("HMMF\t1.5\t1", "the jump must be a whole number", "1.5"),
        ("HMMF\t99999999999999999999\t1", "the jump must be a whole number", "9999"),
        ("HMMF\t1\t1\t1", "expected 3 fields", "HMMF"),
    ],
)
def test_a_bad_line_is_named_with_what_to_do(tmp_path, line, message, found):
    path = tmp_path / "priors.tsv"
    with pytest.raises(TextError, match=message) as caught:
        read(path, f"HMMF\t1\t1\n{line}\n")
    text = str(caught.value)
    assert text.startswith(f"{path}:2:")
    assert "make the file again with eflomal-makepriors or plait.priors" in text
    assert f'found "{found}' in text


def test_a_file_without_lines_holds_nothing(tmp_path):
    priors = read(tmp_path / "p", "")
    assert repr(priors) == "<Priors of 0 source and 0 target words: 0 LEX, 0 FERF, 0 FERR, 0 HMMF, 0 HMMR>"
    assert written(priors, tmp_path / "q") == ""
    with pytest.raises(ConfigError, match="no priors to merge"):
        Priors.merge([])


def test_links_that_do_not_fit_are_refused():
    corpus = plait.Bitext.from_lists(["a"], ["x"])
    with pytest.raises(DataError, match="sentence pair 1"):
        Priors.from_links(corpus, plait.Alignments.from_lists([[(1, 0)]]))


def test_the_program_of_eflomal_writes_the_same_bytes(tmp_path):
    """Runs where eflomal-makepriors is on the path, or in the folder that PLAIT_EFLOMAL names."""
    program = shutil.which("eflomal-makepriors", path=os.environ.get("PLAIT_EFLOMAL", os.environ.get("PATH")))
    if program is None:
        pytest.skip("eflomal is not installed")
    generator = np.random.default_rng(5)
    words = ["a", "B", "é", "Zz", "\U0001d54f", "\ufffd", "-"]
    sources, targets, forward, reverse = [], [], [], []
    for _ in range(400):
        e, f = (generator.choice(words, size=generator.integers(0, 9)).tolist() for _ in range(2))
        sources.append(e)
        targets.append(f)
        for links in (forward, reverse):
            grid = generator.random((len(e), len(f))) < 0.2
            links.append([(int(i), int(j)) for i, j in np.argwhere(grid)])
    for name, lines in (("s", sources), ("t", targets)):
        (tmp_path / name).write_text("".join(" ".join(line) + "\n" for line in lines), encoding="utf-8")
    for name, lines in (("f", forward), ("r", reverse)):
        (tmp_path / name).write_text("".join(" ".join(f"{i}-{j}" for i, j in line) + "\n" for line in lines))
    command = [program, "-s", "s", "-t", "t", "-f", "f", "-r", "r", "-p", "theirs"]
    subprocess.run(command, cwd=tmp_path, check=True, timeout=25)
    corpus = plait.Bitext.read(tmp_path / "s", tmp_path / "t")
    priors = Priors.from_links(corpus, plait.Alignments.read(tmp_path / "f"), plait.Alignments.read(tmp_path / "r"))
    priors.write(tmp_path / "ours")
    assert (tmp_path / "ours").read_bytes() == (tmp_path / "theirs").read_bytes()
    assert Priors.read(tmp_path / "theirs") == priors
