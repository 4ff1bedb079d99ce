"""Bad input of phrase extraction: a clear error with file, line and remedy, and no file.

M1 to M7 name defects that were found in the phrase tools of Moses; M8, a wrong corner in its "next" orientations, is in
the twin's tests.
"""

import pytest

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
