"""Options out of a file, and the file out of options; completion by the shell."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from test_help import VERBS, command

from plait.cli.main import COMMANDS, cli


def run(*words: object) -> Result:
    return CliRunner().invoke(cli, [str(word) for word in words])


def printed(*words: object) -> dict[str, object]:
    """The table of the verb that ``--print-config`` writes."""
    result = run(*words, "--print-config")
    assert result.exit_code == 0, result.output
    table = tomllib.loads(result.stdout)
    while len(table) == 1 and isinstance(next(iter(table.values())), dict):
        table = next(iter(table.values()))
    return table


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "plait.toml"


CONFIGURABLE = [verb for verb in VERBS if any(option.name == "print_config" for option in command(verb).params)]


def test_all_verbs_but_groups_and_those_in_place_of_other_programs_have_a_file():
    others = {"eflomal", "eflomal align", "eflomal makepriors", "fast_align", "atools", "symal", "completion", "info"}
    groups = {verb for verb in VERBS if any(other.startswith(f"{verb} ") for other in VERBS)} - {"demo"}
    assert set(VERBS) - set(CONFIGURABLE) == (others | groups) & set(VERBS)


@pytest.mark.parametrize("verb", CONFIGURABLE)
def test_what_is_printed_is_read_and_printed_again(verb, file):
    first = run(*verb.split(), "--print-config")
    assert first.exit_code == 0, first.output
    file.write_text(first.stdout)
    assert run(*verb.split(), "--config", file, "--print-config").stdout == first.stdout


def test_the_command_line_goes_before_the_file(file):
    file.write_text('[align]\npreset = "fast"\niterations = 3\nprobabilities = true\n')
    table = printed("align", "--config", file, "--iterations", "7")
    assert (table["preset"], table["iterations"], table["probabilities"]) == ("fast", 7, True)


def test_a_file_does_what_the_options_do(plait, file):
    file.write_text('[align]\nsource = "s"\ntarget = "t"\nout = "by_file"\npreset = "EM-5"\n')
    plait("align", "-s", "s", "-t", "t", "-o", "by_options", "--preset", "EM-5")
    outcome = plait("align", "--config", file)
    assert outcome.code == 0, outcome.err
    assert Path("by_file").read_bytes() == Path("by_options").read_bytes()


def test_tables_of_other_verbs_stand_beside(file):
    file.write_text('[align]\npreset = "fast"\n[crf.train]\nl2 = 0.25\n[crf.tag]\nmodel = "m"\n')
    assert printed("crf", "train", "--config", file)["l2"] == 0.25


def test_hyphens_and_underscores_are_the_same(file):
    file.write_text("[align]\nmax_length = 5\n")
    assert printed("align", "--config", file)["max-length"] == 5


def test_text_with_quotes_and_control_characters_comes_back(file):
    odd = 'a"b\\c\x7f\té\n'
    file.write_text(run("align", "--source", odd, "--print-config").stdout)
    assert printed("align", "--config", file)["source"] == odd


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[align]\niteratons = 3\n", "[align]: iteratons is no option here; did you mean iterations?"),
        ("[align]\nqqqq = 3\n", "[align]: qqqq is no option here; --help lists the options"),
        ("[align]\nconfig = 'x'\n", "config is no option here"),
        ("[align]\nforce = 1\n", "force needs true or false; found 1"),
        ("[align]\niterations = true\n", "iterations needs a string or a number; found True"),
        ("[align]\nsource = ['a', 'b']\n", "source needs a string or a number"),
        ("[align]\niterations = 'many'\n", "'many' is not a valid integer"),
        ("[align]\nformat = 'quick'\n", "'--format': 'quick' is not one of"),
        ("[score]\n", "there is no table [align]; 'plait align --print-config' writes one to begin with"),
        ("[align\n", "not TOML: "),
        ("[align]\nseed = " + "9" * 5_000, "not TOML: "),
        ("[align]\nseed = " + "[" * 5_000, "arrays stand too deep in each other"),
        ("align = 3\n", "there is no table [align]"),
    ],
)
def test_what_is_wrong_in_a_file_is_said(file, text, message):
    file.write_text(text)
    result = run("align", "--config", file)
    assert result.exit_code == 2
    assert message in result.output.replace("\n", " ")
    assert file.name in result.output


def test_bytes_that_are_no_text_and_a_missing_file_are_said(file):
    assert "No such file" in run("align", "--config", file).output
    file.write_bytes(b"[align]\nsource = '\xff'\n")
    assert "not TOML" in run("align", "--config", file).output


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_is_written_for_each_shell(shell):
    result = run("completion", shell)
    assert result.exit_code == 0, result.output
    assert f"_PLAIT_COMPLETE={shell}_complete" in result.stdout


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("plait al", {"align"}),
        ("plait align --pairs-f", {"--pairs-format"}),
        ("plait align --pairs-format t", {"tsv", "tmx"}),
        ("plait crf ", {"train", "tag", "eval", "dump"}),
        ("plait eval tests/", {"tests/"}),
        ("plait align --source te", {"te"}),
    ],
)
def test_a_shell_is_told_what_can_follow(line, offered):
    words = {"COMP_WORDS": line, "COMP_CWORD": str(line.count(" ")), "_PLAIT_COMPLETE": "bash_complete"}
    done = subprocess.run(
        [sys.executable, "-m", "plait"], env=os.environ | words, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    assert offered <= {entry.split(",")[1] for entry in done.stdout.split()}


def test_every_verb_is_offered():
    words = {"COMP_WORDS": "plait ", "COMP_CWORD": "1", "_PLAIT_COMPLETE": "bash_complete"}
    done = subprocess.run(
        [sys.executable, "-m", "plait"], env=os.environ | words, capture_output=True, text=True, timeout=60
    )
    assert {entry.split(",")[1] for entry in done.stdout.split()} == set(COMMANDS)
