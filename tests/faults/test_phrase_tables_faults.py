"""Bad halves, domains, weights and rules; full disks and interrupts while phrase pairs and tables are written."""

import errno
import os
import signal
import subprocess
import time

import pytest

import processes
from plait.phrases import score_files


@pytest.fixture
def join(plait, tmp_path):
    """Consolidate two halves; nothing may be left behind when it fails."""

    def run(direct, inverse, *words, **files):
        for name, text in ({"f2e": direct, "e2f": inverse} | files).items():
            (tmp_path / name).write_text(text)
        done = plait("phrases", "consolidate", "f2e", "e2f", "out", *words)
        if done.code:
            assert list(tmp_path.glob("*out*")) == []
        return done

    return run


GOOD = "a ||| x ||| 0-0  ||| 0.5 ||| 2 1 |||\n"
OTHER = "b ||| x ||| 0-0  ||| 0.5 ||| 2 1 |||\n"


@pytest.mark.parametrize(
    ("direct", "inverse", "messages"),
    [
        ("", "", ["f2e is empty"]),
        (GOOD + OTHER, GOOD, ["e2f ends after line 1", "f2e has 2 lines"]),
        (GOOD + OTHER, GOOD + GOOD, ["e2f:2:1", "same line of the direct half", "LC_ALL=C sort"]),
        ("a ||| x ||| 0.5\n", GOOD, ["f2e:1:1", "links ||| scores ||| counts"]),
        (GOOD, "a ||| x |||  ||| 0.5 ||| two 1 |||\n", ["e2f:1:1", "a half"]),
        (GOOD, "a ||| x |||  ||| 0.5 ||| 0 0 |||\n", ["e2f:1:1", "divided"]),
        ("a ||| x |||  ||| 0.5 dom_in ||| 2 1 |||\n", GOOD, ["f2e:1:1", "sparse feature", "dom_in"]),
    ],
)
def test_bad_halves_are_named(join, direct, inverse, messages):
    done = join(direct, inverse)
    assert done.code == 1
    for message in messages:
        assert message in done.err
    assert "Traceback" not in done.err


def test_what_smoothing_needs_is_asked_for(join):
    assert "f2e.coc" in join(GOOD, GOOD, "--smoothing", "good-turing").err
    assert "coc:2:1" in join(GOOD, GOOD, "--smoothing", "good-turing", "--counts", "coc", coc="1\nmany\n").err
    assert (
        "once, twice or three times" in join(GOOD, GOOD, "--smoothing", "kneser-ney", "--counts", "coc", coc="1\n").err
    )
    coc = "3\n1\n1\n1\n"
    assert "number of partners" in join(GOOD, GOOD, "--smoothing", "kneser-ney", "--counts", "coc", coc=coc).err
    assert "for smoothing" in join(GOOD, GOOD, "--counts", "coc", coc=coc).err


@pytest.fixture
def score(plait, tmp_path):
    """Score some lines with a file of domains; nothing may be left behind when it fails."""

    def run(text, *words, domains="2 in\n"):
        (tmp_path / "in").write_text(text)
        (tmp_path / "d").write_text(domains)
        done = plait("phrases", "score", "in", "out", "--no-lex", *words)
        if done.code:
            assert list(tmp_path.glob("*out*")) == []
            assert list(tmp_path.glob(".plait*")) == []
        return done

    return run


IDS = "a ||| x ||| 0-0 ||| 1\n"
DOMAINS = ("--domains", "d", "--domain-feature", "indicator")


@pytest.mark.parametrize(
    ("domains", "messages"),
    [
        ("", ["d:1:1", "no part"]),
        ("in 2\n", ["d:1:1", "last sentence pair"]),
        ("2 in out\n", ["d:1:1"]),
        ("2 in\n2 out\n", ["d:2:1", "rise"]),
        ("2 |||\n", ["d:1:1"]),
    ],
)
def test_bad_domains_are_named(score, domains, messages):
    done = score(IDS, *DOMAINS, domains=domains)
    assert done.code == 1
    for message in messages:
        assert message in done.err


@pytest.mark.parametrize(
    ("text", "messages"),
    [
        ("a ||| x ||| 0-0 ||| 1\na ||| x ||| 0-0 ||| 3\n", ["in:2:1", "no domain", "is 2", "found 3"]),
        ("a ||| x ||| 0-0\n", ["in:1:16", "number of the sentence pair", "--sentence-ids"]),
        ("a ||| x ||| 0-0 ||| 0.5\n", ["in:1:21", "number of the sentence pair"]),
        ("a ||| x ||| 0-0 ||| 1 ||| 2 ||| 3\n", ["in:1:33", "behind the weight"]),
    ],
)
def test_sentence_pairs_without_domains_are_named(score, text, messages):
    done = score(text, *DOMAINS)
    assert done.code == 1
    for message in messages:
        assert message in done.err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--domains", "d"), "domain feature"),
        (("--domain-feature", "ratio"), "file of domains"),
        (("--sparse-count-bins",), "bounds"),
        (("--count-bins", "3,2"), "rise from 1"),
        (("--count-bins", "0,2"), "rise from 1"),
        (("--sorted",), "one half"),
        (("--table", "direct", "--count-bins", "1"), "consolidate"),
        (("--table", "inverse", "--min-direct", "0.5"), "consolidate"),
        (("--table", "direct", "--phrase-count"), "consolidate"),
        (("--sentence-ids", "--source-function-words", "nowhere"), "nowhere"),
    ],
)
def test_options_that_contradict_each_other(score, words, message):
    done = score(IDS, *words)
    assert done.code == 1
    assert message in done.err


def test_seven_domains_have_too_many_subsets(score):
    domains = "".join(f"{n} d{n}\n" for n in range(1, 8))
    words = ("--domains", "d", "--domain-feature", "subset")
    assert "at most" not in score(IDS, *words, domains=domains).err
    assert "more than 6 domains" in score(IDS, *words, domains=domains).err
    sparse = ("--domains", "d", "--sparse-domain-feature", "subset")
    assert score(IDS, *sparse, domains=domains).code == 0


def test_bounds_of_counts_are_whole_numbers(score):
    assert score(IDS, "--count-bins", "1;2").code == 2


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"s": "a [b]\n"}, "s:1:1"),
        ({"t": "x [X][X]\n"}, "square brackets"),
        ({"a": "0-0 5-0\n"}, "a:1:1"),
        ({"a": ""}, "a ends after line 0"),
        ({"w": "-1\n"}, "w:1:1"),
    ],
)
def test_bad_input_of_rules_is_named(plait, tmp_path, files, message):
    for name, text in ({"t": "x y\n", "s": "a b\n", "a": "0-0 1-1\n", "w": "1\n"} | files).items():
        (tmp_path / name).write_text(text)
    done = plait("phrases", "rules", "t", "s", "a", "rules", "--weights", "w", "--glue-grammar", "glue")
    assert done.code == 1
    assert message in done.err
    assert list(tmp_path.glob("*rules*")) + list(tmp_path.glob("*glue*")) == []


@pytest.mark.parametrize("text", ["x\n", "-1\n", "nan\n", "1 2\n", "\n"])
def test_bad_weights_of_lexical_tables_are_named(plait, tmp_path, text):
    for name, content in (("s", "a\na\n"), ("t", "x\nx\n"), ("a", "0-0\n0-0\n"), ("w", f"1\n{text}")):
        (tmp_path / name).write_text(content)
    done = plait("lexicon", "-s", "s", "-t", "t", "-a", "a", "-o", "lex", "--sentence-weights", "w")
    assert done.code == 1
    assert "w:2:1" in done.err
    (tmp_path / "w").write_text("1\n")
    assert (
        "w ends after line 1"
        in plait("lexicon", "-s", "s", "-t", "t", "-a", "a", "-o", "lex", "--sentence-weights", "w").err
    )


@pytest.fixture
def texts(tmp_path):
    """A text of some hundred sentence pairs, whose phrase pairs are more than a small disk holds."""
    folder = tmp_path / "in"
    folder.mkdir()
    words = [str(n) for n in range(20)]
    for name, line in (("t", " ".join(words)), ("s", " ".join(words)), ("a", " ".join(f"{n}-{n}" for n in range(20)))):
        (folder / name).write_text(f"{line}\n" * 300)
    (folder / "x").write_text("".join(f"a{n} ||| x{n} ||| 0-0\n" for n in range(40_000)))
    (folder / "half").write_text("".join(f"a{n} ||| x ||| 0-0  ||| 0.5 ||| 2 1 |||\n" for n in range(2_000)))
    return folder


@pytest.mark.skipif(os.name == "nt", reason="limits of POSIX")
@pytest.mark.parametrize(
    "words",
    [
        ("extract", "in/t", "in/s", "in/a", "out", "--orientation"),
        ("extract", "in/t", "in/s", "in/a", "out.gz", "--orientation"),
        ("rules", "in/t", "in/s", "in/a", "out"),
        ("score", "in/x", "out", "--no-lex", "--memory", "1"),
        ("consolidate", "in/half", "in/half", "out"),
    ],
)
def test_a_full_disk_leaves_nothing(texts, tmp_path, words):
    """What a full disk does, for any user: a file cannot grow any further."""
    resource = pytest.importorskip("resource")
    code, _, err = processes.run(
        "phrases", *words, cwd=tmp_path, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (2_000, 2_000))
    )
    assert code == 1
    assert os.strerror(errno.EFBIG) in err
    assert "Traceback" not in err
    assert [path.name for path in tmp_path.iterdir()] == ["in"]


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.parametrize(("verb", "words"), [("extract", 60), ("rules", 8)])
def test_an_interrupted_extraction_leaves_nothing(tmp_path, verb, words):
    texts = []
    for name in "ts":
        texts.append(tmp_path / name)
        texts[-1].write_text((" ".join(map(str, range(words))) + "\n") * 3_000)
    links = " ".join(f"{n}-{n}" for n in range(words)) + "\n"
    with processes.start("phrases", verb, "t", "s", "-", "out", cwd=tmp_path, stdin=subprocess.PIPE) as process:
        process.stdin.write(links.encode() * 2_500)
        process.stdin.flush()
        for _ in range(200):
            # The first blocks are written and more input is waited for.
            if any(path.stat().st_size for path in tmp_path.glob(".out*")):
                break
            time.sleep(0.05)
        assert list(tmp_path.glob(".out*"))
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=20)
    assert process.returncode == 130
    assert b"Traceback" not in err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["s", "t"]


def test_temporary_files_take_the_room_of_the_lines_and_no_more(tmp_path):
    """Runs that were merged are removed; each pass gives its files back before the table is complete."""
    (tmp_path / "in").write_text("".join(f"a{n} ||| x{n % 97} ||| 0-0\n" for n in range(60_000)))
    sizes = []

    def measure(*_):
        sizes.append(sum(path.stat().st_size for path in tmp_path.glob(".plait-sort-*/*")))

    score_files(tmp_path / "in", tmp_path / "out", lexical=None, memory=1, progress=measure)
    lines = (tmp_path / "in").stat().st_size
    # The distinct lines and the records have 20 and 84 bytes of numbers each, the two sorts by targets 44 and 52.
    assert 0 < max(sizes) < 3 * lines + 60_000 * (20 + 84 + 44 + 52)
    assert not list(tmp_path.glob(".plait-sort-*"))
