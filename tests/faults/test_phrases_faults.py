"""Bad input of phrase extraction: a clear error with file, line and remedy, and no file.

M1 to M7 name defects that were found in the phrase tools of Moses; M8, a wrong corner in its "next" orientations, is in
the twin's tests.
"""

import os
import signal
import subprocess
import time

import pytest

import processes

TEXTS = {"t": "x y\nz\n", "s": "a b\nc\n", "a": "0-0 1-1\n0-0\n", "w": "0.5\n1\n"}


@pytest.fixture
def extract(plait, tmp_path):
    """Run an extraction of two sentence pairs with some files replaced."""

    def run(*words, **files):
        for name, text in (TEXTS | files).items():
            (tmp_path / name).write_bytes(text.encode())
        done = plait("phrases", "extract", "t", "s", "a", "x", *words)
        if done.code:
            assert list(tmp_path.glob("x*")) == []
            assert list(tmp_path.glob(".x*")) == []
        return done

    return run


@pytest.mark.parametrize(
    ("files", "messages"),
    [
        ({"a": "0-0 1-1\n0-1\n"}, ["a:2:1", "outside", "turned around", "0-1"]),
        ({"a": "0-0 2-1\n0-0\n"}, ["a:1:1", "outside", "2-1"]),
        # M5: Moses takes a number without a dash, with whatever it had in memory.
        ({"a": "0-0 3\n0-0\n"}, ["a:1:5", "expected a link", "'3'"]),
        ({"a": "0-0 1-x\n0-0\n"}, ["a:1:5", "expected a link", "'1-x'"]),
        ({"a": "0-0\n-1-0\n"}, ["a:2:1", "expected a link"]),
        ({"a": "99999999999999999999-0\n0-0\n"}, ["a:1:1", "above"]),
        # M7: Moses ends silently, or uses the last line again.
        ({"a": "0-0 1-1\n"}, ["a ends after line 1", "has 2 lines"]),
        ({"a": "0-0 1-1"}, ["a ends after line 1"]),
        ({"t": "x y\n"}, ["t ends after line 1"]),
        ({"s": "a b\nc\nd\n"}, ["after line 2", "s has 3 lines"]),
        ({"t": "x ||| y\nz\n"}, ["t:1:3", "'|||'", "separates"]),
        ({"s": "a b\n|||\n"}, ["s:2:1", "'|||'"]),
        ({"a": "0-0\n0-0\n", "t": "x\n\n"}, ["a:2:1", "outside"]),
    ],
)
def test_bad_files_are_named_with_their_line(extract, files, messages):
    done = extract("--orientation", **files)
    assert done.code == 1
    for message in messages:
        assert message in done.err
    assert "Traceback" not in done.err


@pytest.mark.parametrize("weight", ["", "nan", "-1", "inf", "1 2", "one"])
def test_bad_weights_are_named(extract, weight):
    done = extract("--weights", "w", w=f"1\n{weight}\n")
    assert done.code == 1
    assert "w:2:1" in done.err
    assert "not negative" in done.err


def test_too_few_weights(extract):
    assert "w ends after line 1" in extract("--weights", "w", w="1\n").err


@pytest.mark.parametrize("model", ["wbe", "wbe-xyz", "foo-msd", "hier-", "-msd"])
def test_unknown_models_are_refused(extract, model):
    done = extract("--model", model)
    assert done.code == 1
    assert "hier-msd" in done.err or "msd, mslr" in done.err


def test_a_basis_twice_is_refused(extract):
    assert "once" in extract("--model", "hier-msd", "--model", "hier-mslr").err


def test_m6_text_is_never_parsed_as_markup(extract, tmp_path):
    """Moses skips a target sentence with '<', and drops '<br/>' and shifts the links behind it."""
    assert extract(t="< <br/>\n&lt;\n").code == 0
    assert (tmp_path / "x").read_text().splitlines() == [
        "a ||| < ||| 0-0",
        "a b ||| < <br/> ||| 0-0 1-1",
        "b ||| <br/> ||| 0-0",
        "c ||| &lt; ||| 0-0",
    ]


def test_m7_a_last_line_without_its_end_counts_once(extract, tmp_path):
    assert extract(t="x y\nz", s="a b\nc", a="0-0 1-1\n0-0").code == 0
    assert (tmp_path / "x").read_text().count("\n") == 4


def test_odd_spaces_empty_lines_and_carriage_returns(extract, tmp_path):
    assert extract(t=" x\t y \r\n\r\n", s="a  b\r\n\r\n", a="0-0\t1-1 \r\n\r\n").code == 0
    assert (tmp_path / "x").read_text().splitlines() == [
        "a ||| x ||| 0-0",
        "a b ||| x y ||| 0-0 1-1",
        "b ||| y ||| 0-0",
    ]


def test_repeated_links_count_once_unless_as_in_moses(extract, tmp_path):
    assert extract(a="0-0 0-0 1-1\n0-0\n").code == 0
    assert (tmp_path / "x").read_text().splitlines()[0] == "a ||| x ||| 0-0"


def test_an_output_that_exists_stays(extract, tmp_path, plait):
    assert extract().code == 0
    before = (tmp_path / "x").read_bytes()
    done = plait("phrases", "extract", "t", "s", "a", "x", "1")
    assert done.code == 1
    assert "--force" in done.err
    assert (tmp_path / "x").read_bytes() == before


def test_only_one_standard_input(plait):
    assert "standard input" in plait("phrases", "extract", "-", "-", "a", "x").err


@pytest.fixture
def table(plait, tmp_path):
    """Make a table of some lines; nothing may be left behind when it fails."""

    def run(verb, lines, *words, **files):
        (tmp_path / "in").write_bytes(lines.encode())
        for name, text in files.items():
            (tmp_path / f"lex.{name}").write_bytes(text.encode())
        before = sorted(path.name for path in tmp_path.iterdir())
        done = plait("phrases", verb, "in", "out", *words)
        assert not list(tmp_path.glob(".plait-sort-*"))
        if done.code:
            assert sorted(path.name for path in tmp_path.iterdir()) == before
        return done

    return run


GOOD = "a ||| x ||| 0-0\n"


@pytest.mark.parametrize(
    ("lines", "messages"),
    [
        ("", ["in is empty"]),
        (GOOD + "a ||| x\n", ["in:2:1", "source ||| target"]),
        (GOOD + "a x\n", ["in:2:1", "source ||| target"]),
        (GOOD + " ||| x ||| 0-0\n", ["in:2:1"]),
        ("a ||| x ||| 0-1\n", ["in:1:1", "outside", "0-1"]),
        ("a ||| x ||| 1-0\n", ["in:1:1", "outside"]),
        ("a ||| x ||| 0\n", ["in:1:1", "expected links"]),
        ("a ||| x ||| 0-0 ||| much\n", ["in:1:21", "weight", "'much'"]),
        ("a ||| x ||| 0-0 ||| -1\n", ["in:1:21", "weight"]),
        ("a ||| x ||| 0-0 ||| nan\n", ["in:1:21", "weight"]),
        ("a ||| x ||| 0-0 ||| 1 ||| 2\n", ["in:1:27", "behind the weight"]),
    ],
)
def test_bad_phrase_pairs_are_named(table, lines, messages):
    done = table("score", lines, "--no-lex")
    assert done.code == 1
    for message in messages:
        assert message in done.err


def test_counts_of_a_billion_are_exact(table, tmp_path):
    assert table("score", "a ||| x ||| 0-0 ||| 1e9\n" * 3 + GOOD, "--no-lex").code == 0
    assert "||| 3000000001 3000000001 3000000001 |||" in (tmp_path / "out").read_text()


@pytest.mark.parametrize("text", ["x a\n", "x a 2\n", "x a nan\n", "x a 0.5 1\n", "x a -0.5\n"])
def test_bad_lexical_tables_are_named(table, text):
    done = table("score", GOOD, "--lex", "lex", f2e="x a 1\n" + text, e2f="a x 1\n")
    assert done.code == 1
    assert "lex.f2e:2:1" in done.err


def test_word_pairs_that_are_not_in_the_lexical_tables_are_counted(table, tmp_path):
    done = table("score", GOOD, "--lex", "lex", f2e="x b 1\n", e2f="a x 0.5\n")
    assert done.code == 0
    assert "1 times" in done.err
    assert (tmp_path / "out").read_text() == "a ||| x ||| 1 0.5 1 1 ||| 0-0 ||| 1 1 1 ||| |||\n"


def test_lexical_tables_must_be_named_or_left_out(table):
    for words in ((), ("--no-lex", "--lex", "lex")):
        assert table("score", GOOD, *words).code == 2


def test_kneser_ney_needs_counts(table):
    assert "kneser-ney" in table("score", GOOD, "--no-lex", "--smoothing", "kneser-ney").err


HIER = "hier-msd-backward-fe"


@pytest.mark.parametrize(
    ("lines", "model", "messages"),
    [
        ("", HIER, ["in is empty"]),
        # M1: what Moses writes for several models, and cannot read.
        ("a ||| x ||| mono mono\n", HIER, ["in:1:1", "no orientations", "--model hier"]),
        ("a ||| x ||| mono mono | mono mono\n", HIER, ["in:1:1", "wbe | phrase | hier"]),
        ("a ||| x |||  |  | mono\n", HIER, ["in:1:1", "previous next"]),
        ("a ||| x |||  |  | mono away\n", HIER, ["in:1:1", "'away' is no orientation"]),
        ("a ||| x |||  |  | mono other\n", "hier-mslr", ["in:1:1", "too coarse", "--model hier-mslr"]),
        ("a ||| x |||  |  | mono nomono\n", HIER, ["in:1:1", "too coarse"]),
        ("a ||| x |||  |  | mono other\n", "hier-leftright-f", ["in:1:1", "too coarse"]),
        ("a ||| x |||  |  | mono mono ||| x\n", HIER, ["in:1:", "weight"]),
        (GOOD, "hier", ["model", "found hier"]),
        (GOOD, "hier-msd-msd", ["model"]),
        (GOOD, "hier-msd-sideways", ["model"]),
    ],
)
def test_bad_orientations_are_named(table, lines, model, messages):
    done = table("reordering", lines, "--model", model)
    assert done.code == 1
    for message in messages:
        assert message in done.err


@pytest.mark.parametrize("smoothing", ["0", "-1"])
def test_smoothing_is_above_zero(table, smoothing):
    assert table("reordering", GOOD, "--model", HIER, "--smoothing", smoothing).code == 2


def test_a_table_twice_is_refused(table):
    assert "once" in table("reordering", "a ||| x ||| mono mono\n", "--model", "msd", "--model", "msd").err


def test_m2_several_tables_of_one_model(table, tmp_path):
    done = table("reordering", "a ||| x |||  |  | mono swap\n", "--model", HIER, "--model", "hier-msd-forward-fe")
    assert done.code == 0
    assert sorted(path.name for path in tmp_path.glob("out*")) == [f"out{HIER}.gz", "outhier-msd-forward-fe.gz"]


def test_m3_rows_with_equal_counts_have_equal_probabilities(table, tmp_path):
    lines = "".join(f"{word} ||| x ||| mono mono\n" for word in "abc") + "d ||| x ||| swap other\n"
    table("reordering", lines, "--model", "msd-bidirectional-fe", "--proportional", "--suffix", "")
    rows = [line.split(" ||| ")[2] for line in (tmp_path / "outmsd-bidirectional-fe").read_text().splitlines()]
    assert rows[0] == rows[1] == rows[2] != rows[3]


def test_m4_tables_by_source_have_their_key(table, tmp_path):
    table("reordering", "a b ||| x ||| mono swap\n", "--model", "wbe-msd-backward-f", "--suffix", "")
    assert (tmp_path / "outwbe-msd-backward-f").read_text() == "a b ||| 0.6 0.2 0.2\n"


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_temporary_files_are_removed_when_a_sort_is_interrupted(tmp_path, number):
    with processes.start(
        "phrases", "score", "-", "out", "--no-lex", "--memory", "1", cwd=tmp_path, stdin=subprocess.PIPE
    ) as process:
        for n in range(60_000):
            process.stdin.write(b"a%d ||| x%d ||| 0-0\n" % (n, n))
        process.stdin.flush()
        for _ in range(200):
            if list(tmp_path.glob(".plait-sort-*/*")):
                break
            time.sleep(0.05)
        assert list(tmp_path.glob(".plait-sort-*/*.run"))
        process.send_signal(number)
        _, err = process.communicate(timeout=20)
    assert process.returncode == 128 + number if number == signal.SIGTERM else 130
    assert b"Traceback" not in err
    assert list(tmp_path.iterdir()) == []


def test_a_folder_for_temporary_files_that_is_missing(table):
    done = table("score", GOOD, "--no-lex", "--temp", "nowhere")
    assert done.code == 1
    assert "nowhere" in done.err


def test_m1_what_is_extracted_for_several_models_is_read_again(plait, tmp_path):
    """Moses writes the columns of wbe alone, and its scorer then stops."""
    for name, text in TEXTS.items():
        (tmp_path / name).write_text(text)
    models = ("--model", "wbe-msd", "--model", "phrase-mslr", "--model", "hier-msd")
    assert plait("phrases", "extract", "t", "s", "a", "x", *models).code == 0
    tables = ("wbe-msd-backward-fe", "phrase-mslr-bidirectional-fe", "hier-msd-forward-f")
    done = plait("phrases", "reordering", "x.o", "r.", "--suffix", "", *(w for t in tables for w in ("--model", t)))
    assert done.code == 0
    rows = [(tmp_path / f"r.{table}").read_text().splitlines()[0] for table in tables]
    assert [len(row.rpartition(" ||| ")[2].split()) for row in rows] == [3, 8, 3]
