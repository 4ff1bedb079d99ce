"""Tables of phrase pairs equal counting in dictionaries, whatever the order of lines, the memory and the threads."""

import random
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plait.phrases import reordering_files, score_files
from reference.phrase_tables import CLASSES, SIZES, orientation_probabilities, relative_frequencies

WEIGHTS = st.sampled_from(["", " ||| 0.3", " ||| 2", " ||| 1e-3"])


@st.composite
def phrase_pairs(draw):
    """Lines of extract files, with few phrases so that they repeat, and links inside of them."""
    lines = []
    for _ in range(draw(st.integers(1, 12))):
        source = draw(st.lists(st.sampled_from("ab"), min_size=1, max_size=2))
        target = draw(st.lists(st.sampled_from("xy"), min_size=1, max_size=2))
        cells = [(i, j) for i in range(len(source)) for j in range(len(target))]
        links = sorted(draw(st.sets(st.sampled_from(cells), min_size=1)))
        third = " ".join(f"{i}-{j}" for i, j in links)
        lines.append(f"{' '.join(source)} ||| {' '.join(target)} ||| {third}{draw(WEIGHTS)}")
    return lines


@st.composite
def orientation_lines(draw):
    """Lines of orientations of three models in four classes."""
    label = st.sampled_from(["mono", "swap", "dleft", "dright"])
    lines = []
    for _ in range(draw(st.integers(1, 12))):
        source, target = draw(st.sampled_from(["a", "a b"])), draw(st.sampled_from(["x", "x y"]))
        columns = " | ".join(f"{draw(label)} {draw(label)}" for _ in range(3))
        lines.append(f"{source} ||| {target} ||| {columns}{draw(WEIGHTS)}")
    return lines


def run(lines, work, **options):
    """Return what is written for these lines: the text of each file by name."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "in").write_text("".join(line + "\n" for line in lines))
        work(folder / "in", folder / "out", **options)
        (folder / "in").unlink()
        return {path.name: path.read_text() for path in sorted(folder.iterdir())}


def scores(lines, **options):
    return run(lines, score_files, lexical=None, **options)["out"]


@settings(deadline=None)
@given(lines=phrase_pairs(), seed=st.integers(0, 99))
def test_phrase_tables_count(lines, seed):
    table = scores(lines)
    expected = relative_frequencies(lines)
    rows = [line.split(" ||| ") for line in table.splitlines()]
    assert {(source, target) for source, target, *_ in rows} == set(expected)
    assert [f"{row[0]} ||| {row[1]} |||" for row in rows] == sorted(f"{row[0]} ||| {row[1]} |||" for row in rows)
    for source, target, both, links, counts, _ in rows:
        inverse, direct, best, numbers = expected[source, target]
        assert [float(p) for p in both.split()] == pytest.approx([inverse, direct], rel=1e-5)
        assert links == best
        assert [float(c) for c in counts.split()] == pytest.approx(numbers, rel=1e-5)
    shuffled = random.Random(seed).sample(lines, len(lines))
    assert scores(shuffled, threads=2) == table


# Two dozen files are brought to the disk in each.
@settings(deadline=None, max_examples=10)
@given(lines=orientation_lines(), proportional=st.booleans(), seed=st.integers(0, 99))
def test_reordering_tables_count(lines, proportional, seed):
    """M2 and M3 of Moses: any number of tables of one model at once, and no row that has the counts of the others."""
    models = [
        f"{basis}-{classes}-bidirectional-{rows}"
        for basis in ("wbe", "phrase", "hier")
        for classes in CLASSES
        for rows in ("fe", "f")
    ]

    def work(path, out, **options):
        reordering_files(path, out, models, suffix="", proportional=proportional, **options)

    tables = run(lines, work)
    for model in models:
        basis, classes, _, rows = model.split("-")
        expected = orientation_probabilities(
            lines,
            ("wbe", "phrase", "hier").index(basis),
            classes,
            0.5,
            proportional=proportional,
            by_pair=rows == "fe",
        )
        found = {}
        for line in tables[f"out{model}"].splitlines():
            # M4: a table by source phrase has its key.
            key, _, numbers = line.rpartition(" ||| ")
            found[key] = [float(p) for p in numbers.split()]
        assert set(found) == set(expected)
        for key, probabilities in found.items():
            assert len(probabilities) == 2 * SIZES[classes]
            assert probabilities == pytest.approx(expected[key], rel=1e-4, abs=1e-6)
    shuffled = random.Random(seed).sample(lines, len(lines))
    assert run(shuffled, work, threads=2) == tables


def test_backward_and_forward_are_the_halves_of_bidirectional():
    lines = ["a ||| x ||| mono swap", "a ||| x ||| swap swap", "b ||| x ||| other mono"]
    models = [f"wbe-msd-{side}-fe" for side in ("backward", "forward", "bidirectional")]
    tables = run(lines, lambda path, out: reordering_files(path, out, models, suffix=""))
    back, forth, both = (tables[f"out{model}"].splitlines() for model in models)
    for one, other, row in zip(back, forth, both, strict=True):
        assert f"{one} {other.rpartition(' ||| ')[2]}" == row


def many_lines(count=60_000):
    """More lines than fit into a mebibyte, with repeats near and far."""
    draw = random.Random(7)
    words = [f"word{n}" for n in range(300)]
    for _ in range(count):
        source, target = draw.choice(words), draw.choice(words)
        yield f"{source} {source} ||| {target} ||| {draw.randrange(2)}-0"


def test_what_does_not_fit_into_memory_is_sorted_on_the_disk_with_the_same_result(tmp_path):
    lines = list(many_lines())
    small = scores(lines, memory=1)
    assert small == scores(lines, memory=512, threads=2)
    assert len(small.splitlines()) == len({tuple(line.split(" ||| ")[:2]) for line in lines})
    expected = relative_frequencies(lines)
    for line in small.splitlines()[::500]:
        source, target, both, *_ = line.split(" ||| ")
        assert [float(p) for p in both.split()] == pytest.approx(expected[source, target][:2], rel=1e-5)
