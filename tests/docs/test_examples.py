"""Every example of the README and of the documentation runs.

A fenced block marked ``python`` is executed; the blocks of one page share their names, as if typed in one go.
A block marked ``console`` is a terminal: a line after ``$ `` is run by the shell (a backslash at its end
continues it), and the lines below it, if there are any, are what it must print; ``...`` stands for anything.
All else (``sh``, ``text``, ``toml``) is shown, not run. The pages find a small corpus and some forests in their folder.
"""

import doctest
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from page_corpus import write_corpus
from page_forests import write_tuning_task

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
FENCE = re.compile(r"^```(python|console)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SECONDS = 120


@dataclass(frozen=True)
class Block:
    """A fenced block of a page."""

    language: str
    text: str
    line: int


def blocks(page):
    text = page.read_text(encoding="utf-8")
    return [Block(found[1], found[2], text.count("\n", 0, found.start()) + 2) for found in FENCE.finditer(text)]


def pages_with_blocks():
    generated = ROOT / "docs" / "reference" / "generated"
    return [page for page in PAGES if generated not in page.parents and blocks(page)]


def commands(block):
    """Each command of a console block with the output below it."""
    joined = block.text.replace("\\\n", " ")
    for part in re.split(r"^\$ ", joined, flags=re.MULTILINE)[1:]:
        command, _, expected = part.partition("\n")
        yield command, expected


def run_console(block, where, environment):
    for command, expected in commands(block):
        result = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", command],
            cwd=where,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=SECONDS,
        )
        assert result.returncode == 0, f"$ {command}\n{result.stdout}{result.stderr}"
        if expected.strip():
            same = doctest.OutputChecker().check_output(expected, result.stdout, doctest.ELLIPSIS)
            assert same, f"$ {command}\nexpected:\n{expected}\ngot:\n{result.stdout}"


def run_python(block, page, names):
    # The line numbers of a traceback are those of the page.
    code = compile("\n" * (block.line - 1) + block.text, str(page), "exec")
    exec(code, names)


@pytest.fixture(scope="session")
def corpus(tmp_path_factory):
    """A folder with the files that the pages name: a made corpus, its gold links, and forests to train on."""
    folder = tmp_path_factory.mktemp("corpus")
    write_corpus(folder)
    write_tuning_task(folder)
    return folder


@pytest.mark.timeout(300)
@pytest.mark.parametrize("page", pages_with_blocks(), ids=lambda page: str(page.relative_to(ROOT)))
def test_the_examples_of_a_page_run(page, corpus, tmp_path, monkeypatch):
    where = tmp_path / "work"
    shutil.copytree(corpus, where)
    monkeypatch.chdir(where)
    programs = str(Path(sys.executable).parent)
    environment = {**os.environ, "PATH": programs + os.pathsep + os.environ["PATH"], "NO_COLOR": "1"}
    names = {"__name__": "__main__"}
    for block in blocks(page):
        if block.language == "console":
            run_console(block, where, environment)
        else:
            run_python(block, page, names)
