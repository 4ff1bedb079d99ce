"""``plait symal`` writes what symal writes, byte for byte."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reference.links import symmetrized

RECORD = "1\n4 the house is small  # 1 2 3 3\n3 das Haus ist-klein  # 1 2 4\n"
GROW = ("-alignment=grow", "-diagonal=yes", "-final=yes", "-both=yes")


def record(inverse, direct):
    """A record of giza2bal.pl: links of the target words, then of the source words."""
    sides = (f"{len(side)} {'w ' * len(side)} # {' '.join(map(str, side))}" for side in (inverse, direct))
    return "1\n" + "\n".join(sides) + "\n"


def test_the_five_kinds(plait):
    def links(*words):
        found = plait("symal", *words, stdin=RECORD.encode())
        assert (found.code, found.err) == (0, "Sents: 1\n")
        return found.out

    # Target words link 1-1, 2-2, 3-3, 4-3; source words 1-1, 2-2, 3-4. Source first, from 0, in the output.
    assert links("-a=i") == links("-alignment=intersect") == "0-0 1-1 2-3\n"
    assert links("-a=s2t") == "0-0 1-1 2-3\n"
    assert links("-a=t2s") == "0-0 1-1 2-2 2-3\n"
    assert links("-a=u") == "0-0 1-1 2-3 2-2\n"
    assert links(*GROW) == links("-a=g", "-d=yes", "-f=y", "-b=true") == "0-0 1-1 2-2 2-3\n"


@st.composite
def directions(draw):
    n, m = draw(st.integers(1, 6)), draw(st.integers(1, 6))
    inverse = draw(st.lists(st.integers(0, n), min_size=m, max_size=m))
    direct = draw(st.lists(st.integers(0, m), min_size=n, max_size=n))
    return inverse, direct


@pytest.mark.parametrize(
    ("switches", "method"),
    [
        (("no", "no", "no"), "grow"),
        (("no", "no", "yes"), "grow"),
        (("yes", "no", "no"), "grow-diag"),
        (("no", "yes", "no"), "grow-final"),
        (("yes", "yes", "no"), "grow-diag-final"),
        (("no", "yes", "yes"), "grow-final-and"),
        (("yes", "yes", "yes"), "grow-diag-final-and"),
    ],
)
def test_growing_equals_its_definition_in_the_order_of_the_target(plait, switches, method):
    @settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
    @given(pair=directions())
    def check(pair):
        inverse, direct = pair
        forward = frozenset((i - 1, j) for j, i in enumerate(inverse) if i)
        reverse = frozenset((i, j - 1) for i, j in enumerate(direct) if j)
        expected = sorted(symmetrized(forward, reverse, method, "symal"), key=lambda link: link[::-1])
        diagonal, final, both = switches
        words = ("symal", "-a=g", f"-d={diagonal}", f"-f={final}", f"-b={both}")
        out = plait(*words, stdin=record(inverse, direct).encode()).out
        assert out == " ".join(f"{i}-{j}" for i, j in expected) + "\n"

    check()


def test_files_are_read_and_replaced(plait, tmp_path):
    (tmp_path / "train.bal").write_text(RECORD)
    (tmp_path / "out").write_text("old\n")
    assert plait("symal", "-a=i", "-i=train.bal", "-o=out").code == 0
    assert (tmp_path / "out").read_text() == "0-0 1-1 2-3\n"


def test_pairs_without_words_keep_their_line(plait):
    text = record([], []) + "\n" + record([1], [1]) + record([], [0])
    assert plait("symal", *GROW, stdin=text.encode()).out == "\n0-0\n\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x\n", "standard input:1:1: expected the number of times"),
        ("1\n2 a b # 1 1\n", "standard input:3:1: expected the number of words"),
        ("1\n2 a b # 1\n1 c # 1\n", "standard input:2:1"),
        ("1\n2 a b 1 1\n1 c # 1\n", "standard input:2:1"),
        ("1\n2 a b # 1 2\n1 c # 1\n", "standard input:2:1: expected positions from 0 to 1"),
        ("1\n1 a # 1\n1 c # 9\n", "standard input:3:1: expected positions from 0 to 1"),
        ("1\n" + "9" * 5_000 + " a # 1\n1 c # 1\n", "standard input:2:1: expected the number of words"),
        ("1\n1 a # " + "9" * 5_000 + "\n1 c # 1\n", "standard input:2:1: expected the number of words"),
    ],
)
def test_damaged_records_are_named(plait, text, message):
    found = plait("symal", *GROW, stdin=text.encode())
    assert found.code == 1
    assert message in found.err


def test_bad_usage(plait):
    for words in ((), ("-alignment=nonsense",), ("-a=g", "-d=maybe"), ("-x=1", "-a=g")):
        assert plait("symal", *words).code == 2
