"""Fuzzes a reader guided by coverage, with atheris: `scripts/fuzz-python TARGET` runs it."""

from __future__ import annotations

import sys

import atheris

with atheris.instrument_imports(include=["plait", "tomllib", "json"]):
    from fuzz_python.checks import TARGETS


def main() -> None:
    """Fuzz the target that the first argument names; libFuzzer reads the others."""
    target = sys.argv.pop(1)
    atheris.Setup(sys.argv, TARGETS[target])
    atheris.Fuzz()


if __name__ == "__main__":
    main()
