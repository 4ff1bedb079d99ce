"""The examples in docstrings run and print what they say."""

import doctest
import importlib
import pkgutil
import re
from pathlib import Path

import pytest

import plait

MODULES = ["plait", *(module.name for module in pkgutil.walk_packages(plait.__path__, "plait."))]


@pytest.mark.parametrize("name", [name for name in MODULES if not name.endswith(("_core", "__main__"))])
def test_the_examples_of_a_module_hold(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    assert result.failed == 0


def test_no_heading_of_a_section_has_run_into_its_text():
    # A tool that rewraps paragraphs does this, and numpydoc then shows the section as a part of the one before.
    mangled = re.compile(r"^ *[A-Z][a-z]+( [a-z]+)? -{4,} \S", re.MULTILINE)
    files = [*Path(plait.__file__).parent.rglob("*.py"), *Path(plait.__file__).parent.rglob("*.pyi")]
    assert [path.name for path in files if mangled.search(path.read_text(encoding="utf-8"))] == []
