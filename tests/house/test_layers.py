"""Arrows point one way: command line, Python, bindings, core; and in the core from the algorithms to the ground."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CORE = ROOT / "rust" / "core" / "src"
BINDINGS = ROOT / "rust" / "bindings" / "src"
PACKAGE = ROOT / "python" / "plait"

GROUND = {"best_first", "error", "ids", "numeric", "rng", "parallel", "cancel", "progress"}
# What each module of the core may use besides itself; the ground floor only itself.
ALLOWED = {
    "text": GROUND,
    "semiring": GROUND,
    "ngram": GROUND | {"text"},
    "hypergraph": GROUND | {"text", "semiring"},
    "minrisk": GROUND | {"text", "semiring", "hypergraph"},
    "align": GROUND | {"text"},
    # Links are what phrases are counted from. Examples of orientations are the phrase pairs of the one extractor that
    # there is: a second one, or a floor for one, would be worse than this arrow.
    "phrase": GROUND | {"text", "align"},
    "reorder": GROUND | {"text", "align", "phrase"},
    "crf": GROUND | {"text"},
    "translit": GROUND | {"text", "crf", "ngram"},
}
# What a neighbour may be asked for: links and how they are written, and phrase pairs with their orientations.
PAIRS = {"Definition", "Extractor", "Options", "Orientation", "Orientations", "PhrasePair"}
DOORS = {
    ("phrase", "align"): {"links", "notation"},
    ("reorder", "align"): {"links", "Link"},
    ("reorder", "phrase"): PAIRS,
}
# What the core must not know of.
OUTSIDE = re.compile(r"\b(?:pyo3|numpy)::|\be?print(?:ln)?!|\bstd::(?:env|process)\b|\b(?:Instant|SystemTime)::now\b")


def without_comments_and_tests(text):
    """Rust source without its comments, and without the tests at its end."""
    code = "\n".join(line.split("//")[0] for line in text.split("\n"))
    return code.split("#[cfg(test)]\nmod tests {")[0]


def core_files():
    """Each file of the core that is no test, with its module and its code."""
    for path in sorted(CORE.rglob("*.rs")):
        if "tests" in path.name or path.name == "lib.rs":
            continue
        relative = path.relative_to(CORE)
        yield relative, relative.parts[0].removesuffix(".rs"), without_comments_and_tests(path.read_text("utf-8"))


def uses(code):
    """What stands behind ``crate::`` in some code: pairs of a module and the name below it, or None."""
    for module, below, group in re.findall(r"\bcrate::(\w+)(?:::(?:(\w+)|\{(.*?)\}))?", code, re.DOTALL):
        yield from ((module, name) for name in re.findall(r"(?:^|,)\s*(\w+)", group) or [below or None])
    # use crate::{a, b::c};
    for group in re.findall(r"\bcrate::\{(.*?)\};", code, re.DOTALL):
        for module, below in re.findall(r"(?:^|,)\s*(\w+)(?:::(\w+))?", group):
            yield module, below or None


def test_a_use_is_seen_however_it_is_written():
    code = "use crate::{align::links, text};\nfn f(x: &crate::crf::Model) {}\nuse crate::phrase::{A, B as C};"
    assert set(uses(code)) == {("align", "links"), ("text", None), ("crf", "Model"), ("phrase", "A"), ("phrase", "B")}
    assert "crate::crf" not in without_comments_and_tests("// crate::crf\n#[cfg(test)]\nmod tests {\nuse crate::crf;")


def test_modules_of_the_core_use_those_below_them_only():
    wrong = []
    for path, module, code in core_files():
        allowed = ALLOWED.get(module, GROUND) | {module}
        wrong += [f"{path}: crate::{used}" for used, _ in uses(code) if used not in allowed]
    assert wrong == []


def test_neighbours_meet_at_their_doors():
    wrong = []
    for path, module, code in core_files():
        for used, below in uses(code):
            door = DOORS.get((module, used))
            if door is not None and below not in door:
                wrong.append(f"{path}: crate::{used}::{below}")
    assert wrong == []


def test_every_module_of_the_core_has_its_floor():
    modules = {module for _, module, _ in core_files()}
    assert modules == set(ALLOWED) | GROUND


def test_the_core_knows_neither_python_nor_the_machine():
    wrong = []
    for path, _, code in core_files():
        wrong += [f"{path}: {found}" for found in OUTSIDE.findall(code)]
    assert wrong == []


def test_there_is_no_unsafe_code():
    manifest = (ROOT / "Cargo.toml").read_text(encoding="utf-8")
    assert re.search(r'^unsafe_code = "forbid"$', manifest, re.MULTILINE)
    for crate in ("core", "bindings"):
        lints = (ROOT / "rust" / crate / "Cargo.toml").read_text(encoding="utf-8")
        assert re.search(r"^\[lints\]\nworkspace = true$", lints, re.MULTILINE), crate
    assert "#![forbid(unsafe_code)]" in (CORE / "lib.rs").read_text(encoding="utf-8")
    wrong = []
    for path in [*CORE.rglob("*.rs"), *BINDINGS.rglob("*.rs")]:
        code = without_comments_and_tests(path.read_text(encoding="utf-8"))
        if re.search(r"\bunsafe\b(?!_code)", code):
            wrong.append(str(path.relative_to(ROOT)))
    assert wrong == []


def imports(path):
    """Each module that a Python file imports, with its line."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            # `from plait import models` imports plait.models.
            yield node.module, node.lineno
            yield from ((f"{node.module}.{alias.name}", node.lineno) for alias in node.names)


def package_files(*without):
    return [path for path in sorted(PACKAGE.rglob("*.py")) if path.relative_to(PACKAGE).parts[0] not in without]


def reaches(name, packages):
    return any(name == package or name.startswith(f"{package}.") for package in packages)


def test_the_package_does_not_know_its_command_line():
    wrong = []
    for path in package_files("cli", "__main__.py"):
        for name, line in imports(path):
            if reaches(name, ["plait.cli", "click"]):
                wrong.append(f"{path.relative_to(ROOT)}:{line}: {name}")
    assert wrong == []


@pytest.mark.parametrize(
    ("package", "others"),
    [
        ("crf", ["plait.align", "plait.aligner", "plait.phrases", "plait.reorder", "plait.translit", "plait.minrisk"]),
        ("translit", ["plait.align", "plait.aligner", "plait.phrases", "plait.reorder", "plait.minrisk"]),
        ("phrases", ["plait.reorder", "plait.crf", "plait.translit", "plait.minrisk"]),
        ("reorder", ["plait.crf", "plait.translit", "plait.minrisk"]),
        ("hypergraph", ["plait.minrisk", "plait.align", "plait.aligner", "plait.crf", "plait.translit"]),
        ("semiring", ["plait.hypergraph", "plait.minrisk", "plait.align", "plait.crf"]),
        ("io", ["plait.align", "plait.aligner", "plait.crf", "plait.translit", "plait.hypergraph", "plait.minrisk"]),
    ],
)
def test_packages_do_not_reach_sideways(package, others):
    wrong = []
    for path in sorted((PACKAGE / package).rglob("*.py")):
        for name, line in imports(path):
            if reaches(name, others):
                wrong.append(f"{path.relative_to(ROOT)}:{line}: {name}")
    assert wrong == []
