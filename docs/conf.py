"""Sphinx configuration. ``scripts/docs`` builds with warnings as errors; nothing is fetched for it."""

from __future__ import annotations

import importlib
import inspect
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
html_static_path = ["_static"]
html_css_files = ["tables.css"]

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath", "amsmath"]
myst_heading_anchors = 3

autodoc_default_options = {"members": True, "show-inheritance": True}
autodoc_typehints = "none"  # numpydoc's Parameters say it in words
numpydoc_show_class_members = False
numpydoc_xref_param_type = False


def public_modules() -> list[str]:
    """Return the names of the modules directly below plait that say what they export; deeper ones are theirs to use."""
    names = sorted(module.name for module in pkgutil.iter_modules(plait.__path__, "plait."))
    named = [name for name in names if not name.startswith("plait._")]
    return [name for name in named if hasattr(importlib.import_module(name), "__all__")]


def write_reference(_app: Sphinx) -> None:
    """Write a page for the package, for each public module and for the command line, from what is installed."""
    GENERATED.mkdir(parents=True, exist_ok=True)
    (GENERATED / "plait.md").write_text(package(), encoding="utf-8")
    for name in public_modules():
        page = f"# {name}\n\n```{{eval-rst}}\n.. automodule:: {name}\n```\n"
        (GENERATED / f"{name}.md").write_text(page, encoding="utf-8")
    (GENERATED / "command-line.md").write_text(command_line(), encoding="utf-8")


def package() -> str:
    """Return a page that lists what ``import plait`` gives, each with the module that documents it."""
    lines = ["# plait\n", f"{inspect.getdoc(plait)}\n"]
    for name in plait.__all__:
        value = getattr(plait, name)
        if inspect.ismodule(value):
            lines.append(f"- [`plait.{name}`]({value.__name__}.md)")
        elif hasattr(value, "__module__"):
            lines.append(f"- `plait.{name}`, from [`{value.__module__}`]({value.__module__}.md)")
    return "\n".join(lines) + "\n"


def command_line() -> str:
    """Return a page with the help of every verb, as a terminal shows it."""
    runner, parts = CliRunner(), ["# Command line\n"]
    context = click.Context(cli)
    pages: list[list[str]] = [[]]
    for verb in COMMANDS:
        command = cli.get_command(context, verb)
        if command is None:
            sys.exit(f"docs/conf.py: no command {verb}")
        pages.append([verb])
        if isinstance(command, click.Group):
            pages += [[verb, name] for name in command.list_commands(context)]
    for words in pages:
        output = runner.invoke(
            cli, [*words, "--help"], prog_name="plait", terminal_width=100, catch_exceptions=False
        ).output
        parts.append(f"## {' '.join(['plait', *words])}\n\n```text\n{output}```\n")
    return "\n".join(parts)


def setup(app: Sphinx) -> None:
    """Write the reference pages before Sphinx looks for sources."""
    app.connect("builder-inited", write_reference)
