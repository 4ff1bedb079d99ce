"""``plait phrases``: files in, files out."""

import gzip

import pytest

from phrase_vectors import put, vectors


@pytest.fixture
def edge(tmp_path):
    """The edge cases, in the folder of the command."""
    put("edge", tmp_path)
    return tmp_path


INPUTS = ("corpus.tgt", "corpus.src", "aligned.gdfa")


def test_extract_writes_three_files(plait, edge):
    done = plait("phrases", "extract", *INPUTS, "x", "7", "--orientation", "--compat", "moses")
    assert (done.code, done.out) == (0, "")
    assert "105 phrase pairs of 10 sentence pairs" in done.err
    expected = vectors("edge")
    assert (edge / "x").read_bytes() == expected["extract.len7"]
    assert (edge / "x.inv").read_bytes() == expected["extract.inv.len7"]
    assert (edge / "x.o").read_bytes() == expected["extract.o.len7.wbe-msd"]


def test_names_say_the_compression_and_threads_change_nothing(plait, edge):
    for threads in (1, 3):
        plait("phrases", "extract", *INPUTS, f"x{threads}.gz", "--model", "hier-msd", "--threads", threads)
    for suffix in (".gz", ".inv.gz", ".o.gz"):
        one, three = ((edge / f"x{threads}{suffix}").read_bytes() for threads in (1, 3))
        assert one == three
        assert gzip.decompress(one).count(b"\n") == 105


def test_only_orientations(plait, edge):
    plait("phrases", "extract", *INPUTS, "x", "3", "--only-orientations", "--model", "phrase-mslr")
    assert sorted(path.name for path in edge.glob("x*")) == ["x.o"]


def test_weights_and_sentence_numbers_stand_behind(plait, edge):
    (edge / "w").write_text("".join(f"0.{n}\n" for n in range(10)))
    done = plait("phrases", "extract", *INPUTS, "x", "--weights", "w", "--sentence-ids", "5", "--orientation")
    assert done.code == 0
    assert (edge / "x").read_text().splitlines()[0] == "v ||| V ||| 0-0 ||| 6 ||| 0.0"
    assert (edge / "x.inv").read_text().splitlines()[0] == "V ||| v ||| 0-0 ||| 0.0"
    assert (edge / "x.o").read_text().splitlines()[0] == "v ||| V ||| other other ||| 0.0"


def lines(path):
    return path.read_text().splitlines()


EXTRACT = """\
a ||| x ||| 0-0 ||| 1
a ||| x ||| 0-0 ||| 2
a b ||| x y ||| 0-0 ||| 3
b ||| y ||| 0-0 ||| 4
a ||| x ||| 0-0 ||| 4
"""


@pytest.fixture
def score(plait, tmp_path):
    """Make a table of lines with numbers of sentence pairs; return its lines."""

    def run(*words):
        (tmp_path / "in").write_text(EXTRACT)
        (tmp_path / "domains").write_text("2 in\n4 out\n")
        (tmp_path / "words").write_text("y\nz more\n\n")
        done = plait("phrases", "score", "in", "out", "--no-lex", "--force", *words)
        assert (done.code, done.out) == (0, "")
        return lines(tmp_path / "out")

    return run


def test_sparse_and_dense_features_of_domains_stand_where_moses_has_them(score):
    words = ("--domains", "domains", "--domain-feature", "subset", "--sparse-domain-feature", "ratio")
    assert score(*words) == [
        "a b ||| x y ||| 1 1 1 2.718 1 ||| 0-0 ||| 1 1 1 ||| domr_out 1 |||",
        "a ||| x ||| 1 1 1 1 2.718 ||| 0-0 ||| 3 3 3 ||| domr_in 0.666667 domr_out 0.333333 |||",
        "b ||| y ||| 1 1 1 2.718 1 ||| 0-0 ||| 1 1 1 ||| domr_out 1 |||",
    ]


def test_penalties_bins_and_logarithms(score):
    words = ("--sentence-ids", "--unaligned", "--target-function-words", "words", "--count-bins", "1,3")
    assert score(*words)[0] == "a b ||| x y ||| 1 2.718 1 2.718 2.718 2.718 1 1 ||| 0-0 ||| 1 1 1 ||| |||"
    logs = score("--sentence-ids", "--unaligned", "--phrase-count", "--scale", "neg-log")[0]
    assert logs == "a b ||| x y ||| 0 -0.999896 0 -0.999896 -0.999896 ||| 0-0 ||| 1 1 1 ||| |||"
    sparse = score("--sentence-ids", "--count-bins", "1,2,5", "--sparse-count-bins")
    assert [line.split(" ||| ")[5] for line in sparse] == ["cb_1 1 |||", "cb_3_5 1 |||", "cb_1 1 |||"]


def test_rare_and_improbable_pairs_are_left_out_and_count_all_the_same(plait, tmp_path):
    (tmp_path / "in").write_text("a ||| x ||| 0-0\n" * 3 + "a ||| y ||| 0-0\n" + "b ||| y ||| 0-0\n" * 4)
    for words, pairs in (
        (("--min-count", "2"), ["a x", "b y"]),
        (("--min-direct", "0.5"), ["a x", "b y"]),
        (("--min-inverse", "0.5"), ["a x", "b y"]),
        (("--min-inverse", "0.2"), ["a x", "a y", "b y"]),
    ):
        assert plait("phrases", "score", "in", "out", "--no-lex", "--force", *words).code == 0
        rows = [line.split(" ||| ") for line in lines(tmp_path / "out")]
        assert [f"{source} {target}" for source, target, *_ in rows] == pairs
        assert rows[0][2:] == ["1 0.75", "0-0", "3 4 3", "|||"]
    done = plait("phrases", "score", "in", "out", "--no-lex", "--force", "--min-count", "9")
    assert (done.code, lines(tmp_path / "out")) == (0, [])


def test_halves_are_consolidated_with_their_counts_of_counts(plait, tmp_path):
    (tmp_path / "in").write_text("a ||| x ||| 0-0\na ||| y ||| 0-0\na ||| y ||| 0-0\n" + "b ||| y ||| 0-0\n" * 3)
    (tmp_path / "in.inv").write_text("x ||| a ||| 0-0\n" + "y ||| a ||| 0-0\n" * 2 + "y ||| b ||| 0-0\n" * 3)
    smoothing = ("--smoothing", "kneser-ney")
    for kind, name in (("direct", "in"), ("inverse", "in.inv")):
        assert plait("phrases", "score", name, kind, "--table", kind, "--no-lex", *smoothing).code == 0
    assert lines(tmp_path / "direct.coc") == ["3", "1", "1", "1", *["0"] * 7]
    assert lines(tmp_path / "direct")[0] == "a ||| x ||| 0-0  |||  ||| 3 1 2 1 1 |||"
    plait("phrases", "score", "in", "whole", "--no-lex", "--low-count", "--count-bins", "2", *smoothing)
    done = plait(
        "phrases", "consolidate", "direct", "inverse", "joined", "--low-count", "--count-bins", "2", *smoothing
    )
    assert "3 phrase pairs" in done.err
    assert (tmp_path / "joined").read_bytes() == (tmp_path / "whole").read_bytes()


def test_sparse_features_and_properties_of_halves_go_to_their_fields(plait, tmp_path):
    (tmp_path / "f2e").write_text("a ||| x ||| 0-0  ||| -0.5 dom_in 1 ||| 2 1 ||| {{Tree t}}\n")
    (tmp_path / "e2f").write_text("a ||| x |||  ||| -0.25 ||| 4 1 |||\n")
    assert plait("phrases", "consolidate", "f2e", "e2f", "-", "--scale", "log").out == (
        "a ||| x ||| -1.38629 -0.25 -0.693147 -0.5 ||| 0-0 ||| 4 2 1 ||| dom_in 1 ||| {{Tree t}}\n"
    )


def test_rules_with_a_glue_grammar(plait, tmp_path):
    for name, text in (("t", "w x y\n"), ("s", "a b c d\n"), ("a", "0-0 1-1 2-1 3-2\n"), ("weights", "2\n")):
        (tmp_path / name).write_text(text)
    done = plait("phrases", "rules", "t", "s", "a", "r.gz", "--glue-grammar", "glue", "--weights", "weights")
    assert (done.code, done.out) == (0, "")
    assert "9 rules of 1 sentence pairs" in done.err
    rules = gzip.decompress((tmp_path / "r.gz").read_bytes()).decode().splitlines()
    assert rules[4] == "a [X][X] [X] ||| w [X][X] [X] ||| 0-0 1-1 ||| 1.5"
    assert gzip.decompress((tmp_path / "r.inv.gz").read_bytes()).count(b"\n") == 9
    assert lines(tmp_path / "glue")[0] == "<s> [X] ||| <s> [S] ||| 1 ||| 0-0 ||| 0 ||| |||"
    assert plait("phrases", "score", "r.gz", "table", "--no-lex", "--hierarchical").code == 0
    assert "[X][X] d [X] ||| [X][X] y [X] ||| 1 1 ||| 0-0 1-1 ||| 1.5 1.5 1.5 ||| |||" in lines(tmp_path / "table")


def test_single_words_of_links_that_share_a_word(plait, tmp_path):
    for name, text in (("t", "x y\n"), ("s", "a\n"), ("a", "0-0 0-1\n")):
        (tmp_path / name).write_text(text)
    assert plait("phrases", "extract", "t", "s", "a", "x", "--single-words").code == 0
    assert lines(tmp_path / "x") == ["a ||| x y ||| 0-0 0-1", "a ||| x ||| 0-0", "a ||| y ||| 0-0"]
    assert lines(tmp_path / "x.inv")[2] == "y ||| a ||| 0-0"
