"""The examples in docstrings run and print what they say."""

import doctest
import importlib
import pkgutil

import pytest

import plait

MODULES = ["plait", *(module.name for module in pkgutil.walk_packages(plait.__path__, "plait."))]


@pytest.mark.parametrize("name", [name for name in MODULES if not name.endswith(("_core", "__main__"))])
def test_the_examples_of_a_module_hold(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = doctest.testmod(
        importlib.import_module(name), optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    )
    assert result.failed == 0
