"""Sphinx configuration. ``scripts/docs`` builds with warnings as errors; nothing is fetched for it."""

from __future__ import annotations

import pkgutil
import sys
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.testing import CliRunner

import plait
from plait.cli.main import COMMANDS, cli

if TYPE_CHECKING:
    from sphinx.application import Sphinx

HERE = Path(__file__).parent
GENERATED = HERE / "reference" / "generated"

project = "plait"
author = "plait contributors"
project_copyright = "plait contributors, MIT or Apache-2.0"
release = version = metadata.version("plait")

extensions = ["myst_parser", "numpydoc", "sphinx.ext.autodoc", "sphinx.ext.mathjax", "sphinx.ext.viewcode"]
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = f"plait {release}"
html_static_path: list[str] = []

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath", "amsmath"]
myst_heading_anchors = 3

autodoc_default_options = {"members": True, "show-inheritance": True}
autodoc_typehints = "none"  # numpydoc's Parameters say it in words
numpydoc_show_class_members = False
# The border is an implementation detail; its errors and values are documented where Python shows them.
numpydoc_xref_param_type = False


def public_modules() -> list[str]:
    """Return the names of all modules that a user may import, in order."""
    names = ["plait"]
    for module in pkgutil.walk_packages(plait.__path__, "plait."):
        parts = module.name.split(".")
        if "cli" not in parts and not any(part.startswith("_") for part in parts):
            names.append(module.name)
    return sorted(names)


def write_reference(_app: Sphinx) -> None:
    """Write one page for each public module and one for the command line, from what is installed."""
    GENERATED.mkdir(parents=True, exist_ok=True)
    for name in public_modules():
        page = f"# {name}\n\n```{{eval-rst}}\n.. automodule:: {name}\n```\n"
        (GENERATED / f"{name}.md").write_text(page, encoding="utf-8")
    (GENERATED / "command-line.md").write_text(command_line(), encoding="utf-8")


def command_line() -> str:
    """Return a page with the help of every verb, as a terminal shows it."""
    runner, parts = CliRunner(), ["# Command line\n"]
    context = click.Context(cli)
    for words in ([], *([verb] for verb in COMMANDS)):
        if words and cli.get_command(context, words[0]) is None:
            sys.exit(f"docs/conf.py: no command {words[0]}")
        output = runner.invoke(
            cli, [*words, "--help"], prog_name="plait", terminal_width=100, catch_exceptions=False
        ).output
        parts.append(f"## {' '.join(['plait', *words])}\n\n```text\n{output}```\n")
    return "\n".join(parts)


def setup(app: Sphinx) -> None:
    """Write the reference pages before Sphinx looks for sources."""
    app.connect("builder-inited", write_reference)
