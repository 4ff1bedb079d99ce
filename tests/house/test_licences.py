"""Every Rust dependency has a licence that deny.toml allows: what cargo-deny checks where it is installed."""

import json
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def is_allowed(expression, allowed):
    """Evaluate an SPDX expression of names, AND, OR and parentheses; ``/`` is an old way to write OR."""
    words = re.findall(r"\(|\)|[\w.+-]+(?: WITH [\w.-]+)?", expression.replace("/", " OR "))
    python = {"(": "(", ")": ")", "AND": "and", "OR": "or"}
    return bool(eval(" ".join(python.get(word, str(word in allowed)) for word in words)))


@pytest.mark.parametrize(
    ("expression", "verdict"),
    [
        ("MIT", True),
        ("MIT/Apache-2.0", True),
        ("GPL-3.0-only", False),
        ("GPL-3.0-only OR MIT", True),
        ("MIT AND GPL-3.0-only", False),
        ("(MIT OR GPL-3.0-only) AND Unicode-3.0", True),
        ("Apache-2.0 WITH LLVM-exception", True),
        ("Apache-2.0 WITH Classpath-exception-2.0", False),
    ],
)
def test_expressions_are_read_as_spdx_means_them(expression, verdict):
    allowed = {"MIT", "Apache-2.0", "Unicode-3.0", "Apache-2.0 WITH LLVM-exception"}
    assert is_allowed(expression, allowed) is verdict


@pytest.mark.skipif(shutil.which("cargo") is None, reason="needs cargo")
@pytest.mark.timeout(120)
def test_no_dependency_has_a_licence_that_is_not_allowed():
    rules = tomllib.loads((ROOT / "deny.toml").read_text(encoding="utf-8"))
    allowed, banned = set(rules["licenses"]["allow"]), {ban["crate"] for ban in rules["bans"]["deny"]}
    command = ["cargo", "metadata", "--locked", "--format-version", "1"]
    finished = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    packages = json.loads(finished.stdout)["packages"]
    assert len(packages) > 2
    for package in packages:
        assert package["license"], f"{package['name']} names no licence"
        assert is_allowed(package["license"], allowed), f"{package['name']}: {package['license']}"
        assert package["name"] not in banned


@pytest.mark.skipif(shutil.which("cargo") is None, reason="needs cargo")
@pytest.mark.timeout(120)
def test_the_page_of_licences_is_up_to_date():
    command = [sys.executable, str(ROOT / "scripts" / "licences"), "--check"]
    finished = subprocess.run(command, capture_output=True, text=True)
    assert finished.returncode == 0, finished.stderr
