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
