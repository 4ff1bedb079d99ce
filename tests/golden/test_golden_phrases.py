"""Files of phrase pairs are those of Moses, byte for byte, when that is asked for."""

import os
from pathlib import Path

import pytest

from phrase_vectors import NAMES, put, vectors
from plait.phrases import consolidate_files, extract_files, extract_rules_files, reordering_files, score_files

EXTRACTED = sorted(
    (name, file) for name in NAMES for file in vectors(name) if file.startswith("extract.") and "sorted" not in file
)


def case(file):
    """Return the suffix, the maximum length and the models of a file such as extract.o.len7.hier-msd."""
    parts = file.removesuffix(".SingleWordHeuristic").split(".")
    suffix = "" if parts[1].startswith("len") else f".{parts[1]}"
    length = next(part for part in parts if part.startswith("len"))
    models = parts[-1].split("+") if suffix == ".o" else []
    return suffix, int(length.removeprefix("len")), models


@pytest.mark.parametrize(("name", "file"), EXTRACTED)
def test_phrase_pairs_are_those_of_moses(name, file, tmp_path):
    suffix, max_length, models = case(file)
    single_words = file.endswith(".SingleWordHeuristic")
    options = {"max_length": max_length, "models": models, "single_words": single_words, "compat": "moses"}
    extract_files(*put(name, tmp_path), tmp_path / "out", **options)
    assert (tmp_path / f"out{suffix}").read_bytes() == vectors(name)[file]


def test_all_sets_and_models_are_there():
    assert len(EXTRACTED) == 52


def truth_of(moses, name):
    """Return what Moses wrote in a regression test."""
    return (moses / "tests" / name / "truth" / "results.txt").read_bytes()


def sorted_lines(data):
    """Return lines sorted by their bytes."""
    return b"".join(sorted(data.splitlines(keepends=True)))


@pytest.fixture(params=NAMES)
def extracted(request, tmp_path):
    """A set of vectors: its name, and a folder with its phrase pairs and lexical tables."""
    name = request.param
    extract_files(*put(name, tmp_path), tmp_path / "extract", compat="moses")
    for file in ("lex.e2f", "lex.f2e"):
        (tmp_path / file).write_bytes(vectors(name)[file])
    return name, tmp_path


@pytest.mark.parametrize("suffix", ["", ".inv"])
def test_phrase_pairs_sorted_by_their_bytes_are_those_of_moses(extracted, suffix):
    name, folder = extracted
    assert sorted_lines((folder / f"extract{suffix}").read_bytes()) == vectors(name)[f"extract{suffix}.sorted"]


def test_phrase_tables_are_those_of_moses(extracted):
    name, folder = extracted
    score_files(folder / "extract", folder / "table", lexical=folder / "lex", compat="moses")
    assert (folder / "table").read_bytes() == vectors(name)["phrase-table"]


@pytest.mark.parametrize(("kind", "suffix", "half"), [("direct", "", "f2e"), ("inverse", ".inv", "e2f")])
def test_halves_of_phrase_tables_are_those_of_moses(extracted, kind, suffix, half):
    name, folder = extracted
    score_files(folder / f"extract{suffix}", folder / "half", lexical=folder / f"lex.{half}", kind=kind, compat="moses")
    # Moses sorts the inverse half behind score.
    assert sorted_lines((folder / "half").read_bytes()) == vectors(name)[f"half.{half}"]


def test_a_table_of_two_halves_is_the_table(extracted):
    name, folder = extracted
    for kind, suffix, half in (("direct", "", "f2e"), ("inverse", ".inv", "e2f")):
        score_files(folder / f"extract{suffix}", folder / half, lexical=folder / f"lex.{half}", kind=kind)
        (folder / half).write_bytes(sorted_lines((folder / half).read_bytes()))
    done = consolidate_files(folder / "f2e", folder / "e2f", folder / "table", compat="moses")
    assert (folder / "table").read_bytes() == vectors(name)["phrase-table"]
    assert done.pairs == vectors(name)["phrase-table"].count(b"\n")


def test_lexical_tables_are_those_of_moses(extracted, plait):
    name, folder = extracted
    inputs = [folder / file for file in ("corpus.src", "corpus.tgt", "aligned.gdfa")]
    words = zip(("-s", "-t", "-a"), inputs, strict=True)
    assert plait("lexicon", *(w for pair in words for w in pair), "-o", folder / "l", "--format", "moses").code == 0
    for half in ("e2f", "f2e"):
        assert sorted_lines((folder / f"l.{half}").read_bytes()) == vectors(name)[f"lex.{half}"]


REORDERING = sorted((name, file) for name in NAMES for file in vectors(name) if file.startswith("reordering-table."))


@pytest.mark.parametrize(("name", "file"), REORDERING)
def test_reordering_tables_are_those_of_moses(name, file, tmp_path):
    model = file.removeprefix("reordering-table.").removeprefix("u.")
    basis = model.split("-")[0]
    extract_files(*put(name, tmp_path), tmp_path / "x", models=[f"{basis}-mslr"], compat="moses")
    is_proportional = ".u." in file
    reordering_files(
        tmp_path / "x.o", tmp_path / "r.", [model], proportional=is_proportional, suffix="", compat="moses"
    )
    assert (tmp_path / f"r.{model}").read_bytes() == vectors(name)[file]


def test_all_reordering_tables_are_there():
    assert len(REORDERING) == 64


@pytest.fixture
def moses():
    """The regression tests of Moses."""
    folder = Path(os.environ.get("PLAIT_DATA", "")) / "phrase" / "moses"
    if not os.environ.get("PLAIT_DATA") or not folder.is_dir():
        pytest.skip("PLAIT_DATA names no folder with phrase/moses")
    return folder


@pytest.mark.data
def test_weighted_phrase_pairs_are_those_of_the_regression_test(moses, tmp_path):
    inputs = moses / "models" / "extract.phrase-based-weighted"
    extract_files(
        inputs / "en",
        inputs / "fr",
        inputs / "align.fr-en",
        tmp_path / "extract",
        models=["wbe-msd"],
        weights=inputs / "weights",
        compat="moses",
    )
    truth = moses / "tests" / "extract.phrase-based-weighted" / "truth"
    for name in ("extract", "extract.inv", "extract.o"):
        assert (tmp_path / name).read_bytes() == (truth / name).read_bytes()


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "folder", "lexical", "kind", "links"),
    [
        ("score.phrase-based", "score.phrase-based", "lex.f2e", "direct", False),
        ("score.phrase-based-with-alignment", "score.phrase-based", "lex.f2e", "direct", True),
        ("score.phrase-based-inv", "score.phrase-based", "lex.e2f", "inverse", False),
        ("score.phrase-based-with-alignment-inv", "score.phrase-based", "lex.e2f", "inverse", True),
        ("score.phrase-based-weighted", "score.weighted", "lex", "direct", True),
    ],
)
def test_halves_are_those_of_the_regression_tests(moses, tmp_path, name, folder, lexical, kind, links):
    inputs = moses / "models" / folder
    extract = {"inverse": "extract.inv.sorted", "direct": "extract.sorted"}[kind]
    score_files(
        inputs / (extract if folder == "score.phrase-based" else "extract"),
        tmp_path / "half",
        lexical=inputs / lexical,
        kind=kind,
        links=links,
        compat="moses",
    )
    # Moses keeps the order of its input, which is not always that of bytes; that of an inverse half is by target.
    truth = truth_of(moses, name)
    assert sorted_lines((tmp_path / "half").read_bytes()) == sorted_lines(truth)
    in_order = {"lexical": inputs / lexical, "kind": kind, "links": links, "compat": "moses", "is_sorted": True}
    score_files(inputs / (extract if folder == "score.phrase-based" else "extract"), tmp_path / "in-order", **in_order)
    assert (tmp_path / "in-order").read_bytes() == truth


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "extract", "lexical", "kind"),
    [
        ("score.hierarchical", "extract", "lex.f2e", "direct"),
        ("score.hierarchical-inv", "extract.inv.sorted", "lex.e2f", "inverse"),
    ],
)
def test_halves_of_hierarchical_tables_are_those_of_the_regression_tests(moses, tmp_path, name, extract, lexical, kind):
    inputs = moses / "models" / "score.hierarchical"
    options = {"kind": kind, "hierarchical": True, "is_sorted": True, "compat": "moses"}
    score_files(inputs / extract, tmp_path / "half", lexical=inputs / lexical, **options)
    assert (tmp_path / "half").read_bytes() == truth_of(moses, name)


@pytest.mark.data
@pytest.mark.parametrize("feature", ["indicator", "ratio", "subset"])
@pytest.mark.parametrize("is_sparse", [False, True])
def test_domain_features_are_those_of_the_regression_tests(moses, tmp_path, feature, is_sparse):
    inputs = moses / "models" / "score.domain"
    options = {"kind": "direct", "links": False, "is_sorted": True, "compat": "moses"}
    options["sparse_domain_feature" if is_sparse else "domain_feature"] = feature
    score_files(inputs / "extract", tmp_path / "half", lexical=inputs / "lex", domains=inputs / "domain", **options)
    name = f"score.domain-{'sparse-' if is_sparse else ''}{feature}"
    assert (tmp_path / "half").read_bytes() == truth_of(moses, name)


@pytest.mark.data
def test_consolidated_halves_are_those_of_the_regression_test(moses, tmp_path):
    test = moses / "tests" / "misc.consolidate"
    halves = [test / f"phrase-table.1.half.{half}" for half in ("f2e", "e2f")]
    consolidate_files(*halves, tmp_path / "table", compat="moses")
    assert (tmp_path / "table").read_bytes() == truth_of(moses, "misc.consolidate")


@pytest.mark.data
@pytest.mark.parametrize("weights", [None, "weights"])
def test_lexical_tables_are_those_of_the_regression_tests(moses, tmp_path, plait, weights):
    name = "misc.lexical-weights-weighted" if weights else "misc.lexical-weights"
    test = moses / "tests" / name
    words = ["-s", test / "fr", "-t", test / "en", "-a", test / "align.fr-en", "--format", "moses", "-o", "lex"]
    done = plait("lexicon", *words, *(["--sentence-weights", test / weights] if weights else []))
    assert done.code == 0
    both = b"".join((tmp_path / f"lex.{half}").read_bytes() for half in ("f2e", "e2f"))
    assert sorted_lines(both) == truth_of(moses, name)


@pytest.mark.data
def test_weighted_reordering_tables_are_those_of_the_regression_test(moses, tmp_path):
    test = moses / "tests" / "misc.lexreorder-weighted"
    reordering_files(test / "extract.o", tmp_path / "r.", ["wbe-msd-bidirectional-fe"], suffix="", compat="moses")
    assert (tmp_path / "r.wbe-msd-bidirectional-fe").read_bytes() == (test / "truth" / "results.txt").read_bytes()


@pytest.mark.data
@pytest.mark.parametrize("weights", [None, "weights"])
def test_sorted_phrase_pairs_are_those_of_the_regression_tests(moses, tmp_path, weights):
    test = moses / "tests" / ("misc.extract-parallel-weighted" if weights else "misc.extract-parallel")
    inputs = [test / name for name in ("en", "fr", "align.fr-en")]
    extract_files(*inputs, tmp_path / "x", weights=test / weights if weights else None, compat="moses")
    found = [sorted_lines((tmp_path / name).read_bytes()) for name in ("x", "x.inv")]
    assert b"".join(found) == (test / "truth" / "results.txt").read_bytes()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("model", ["phrase-msd", "hier-msd"])
def test_m8_only_next_orientations_differ_from_those_of_moses(name, model, tmp_path):
    inputs = put(name, tmp_path)
    files = {}
    for compat in (None, "moses"):
        extract_files(*inputs, tmp_path / f"{compat}", models=[model], compat=compat)
        lines = (tmp_path / f"{compat}.o").read_text().splitlines()
        files[compat] = [line.rpartition("|||")[2].strip(" |").split() for line in lines]
    assert [previous for previous, _ in files[None]] == [previous for previous, _ in files["moses"]]
    assert [following for _, following in files[None]] != [following for _, following in files["moses"]]


def test_m8_a_block_that_starts_at_the_corner_makes_next_monotone(tmp_path):
    """The word before a block of nine in order, which Moses' extract looks for by its end."""
    (tmp_path / "t").write_text("v A B C\n")
    (tmp_path / "s").write_text("v b c a\n")
    (tmp_path / "a").write_text("0-0 3-1 1-2 2-3\n")
    found = {}
    for compat in (None, "moses"):
        files = [tmp_path / name for name in "tsa"]
        extract_files(*files, tmp_path / f"{compat}", max_length=3, models=["hier-msd"], compat=compat)
        line = (tmp_path / f"{compat}.o").read_text().splitlines()[0]
        found[compat] = line.rpartition("|||")[2].strip(" |")
    # Words b, c, a are one block, A B C, that starts behind v at both sides.
    assert found == {None: "mono mono", "moses": "mono other"}


@pytest.mark.data
def test_the_glue_grammar_is_that_of_the_regression_test(moses, tmp_path):
    inputs = moses / "models" / "extract-rules.hierarchical"
    texts = [inputs / name for name in ("en", "fr", "align.fr-en")]
    extract_rules_files(*texts, tmp_path / "rules", glue_grammar=tmp_path / "glue")
    truth = moses / "tests" / "extract-rules.hierarchical" / "truth" / "glue-grammar.3"
    assert (tmp_path / "glue").read_bytes() == truth.read_bytes()


@pytest.mark.data
def test_rules_are_those_that_moses_extracted_from_a_sentence_pair(moses, tmp_path):
    """The rules of the regression tests themselves are not there; those of the first pair of another test are."""
    truth = (moses / "models" / "score.hierarchical" / "extract").read_text().splitlines(keepends=True)[:9]
    source, target, links, _ = truth[7].split(" ||| ")
    for name, text in (("t", target), ("s", source), ("a", links)):
        (tmp_path / name).write_text(text.removesuffix(" [X]") + "\n")
    extract_rules_files(*(tmp_path / name for name in "tsa"), tmp_path / "rules")
    assert (tmp_path / "rules").read_text().splitlines(keepends=True) == truth
