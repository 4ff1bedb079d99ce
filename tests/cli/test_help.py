"""What a newcomer reads: a verb says what it does, shows examples that would run, and names its defaults."""

import json
import os
import re
import shlex
import subprocess
import sys

import click
import pytest
from click.testing import CliRunner

from plait.cli.main import COMMANDS, cli


def command(verb):
    """The command of a verb, or of the words of a subcommand."""
    found = cli
    for word in verb.split():
        found = found.get_command(click.Context(found), word)
    return found


def with_subcommands(verb):
    found = command(verb)
    names = found.list_commands(click.Context(found)) if isinstance(found, click.Group) else []
    return [verb, *(f"{verb} {name}" for name in names)]


VERBS = [verb for name in COMMANDS for verb in with_subcommands(name)]


def help_of(*words):
    result = CliRunner().invoke(cli, [*words, "--help"], terminal_width=100)
    assert result.exit_code == 0, result.output
    return result.stdout


def options(verb):
    return [parameter for parameter in command(verb).params if isinstance(parameter, click.Option)]


def examples(verb):
    """The command lines among the examples, with continued lines joined."""
    text = help_of(*verb.split()).replace("\\\n", " ")
    commands = (re.search(rf"(?:^|[|;]\s*)(plait {verb}\b.*)", line.strip()) for line in text.splitlines())
    return [found[1] for found in commands if found]


def test_the_overview_lists_every_verb_with_a_line_about_it():
    overview = help_of()
    for verb in COMMANDS:
        line = re.search(rf"^  {verb}\s+(\S.*)$", overview, re.MULTILINE)
        assert line, f"no line about {verb}"
        assert not line[1].endswith("..."), f"the short help of {verb} is cut: {line[1]}"


@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_has_examples(verb):
    assert re.search(r"^\s*Examples?:?$", help_of(*verb.split()), re.MULTILINE | re.IGNORECASE)
    assert examples(verb)


@pytest.mark.parametrize("verb", VERBS)
def test_the_examples_use_options_that_exist(verb):
    for example in examples(verb):
        words = shlex.split(re.split(r"[|<>#;]|\s{3,}", example)[0])[1:]
        whole = " ".join(
            words[: next((n for n, word in enumerate(words) if " ".join(words[: n + 1]) not in VERBS), None)]
        )
        known = {name for option in options(whole) for name in (*option.opts, *option.secondary_opts)}
        known |= {"-h", "--help"}
        used = {word.split("=")[0] for word in words if re.fullmatch(r"-[a-z]|--[a-z][a-z-]*(=.*)?", word)}
        assert used <= known, f"{example!r} uses {sorted(used - known)}"


@pytest.mark.parametrize("verb", VERBS)
def test_every_option_says_what_it_does_and_its_default(verb):
    text = re.sub(r"\s+", " ", help_of(*verb.split()))
    for option in options(verb):
        name = option.opts[0]
        assert option.help, f"{name} has no help"
        has_default = not (option.required or option.is_flag or option.multiple)
        if has_default and isinstance(option.default, str | int | float):
            shown = option.show_default or command(verb).context_settings.get("show_default")
            assert shown or str(option.default) in text, f"{name} does not show its default"


@pytest.mark.parametrize("verb", VERBS)
def test_no_value_is_called_after_a_type_of_the_machine(verb):
    assert not re.search(r"\b(INTEGER|FLOAT|RANGE|BOOLEAN)\b", help_of(*verb.split()))


def test_the_overview_fits_a_screen():
    lines = help_of().splitlines()
    assert len(lines) <= 40
    assert max(map(len, lines)) <= 100


@pytest.mark.parametrize("verb", VERBS)
def test_an_unknown_option_is_bad_usage(verb):
    result = CliRunner().invoke(cli, [*verb.split(), "--no-such-option"])
    assert result.exit_code == 2
    assert "--no-such-option" in result.stderr


def plait(*words, **environment):
    return subprocess.run(
        [sys.executable, "-m", "plait.cli.main", *words],
        capture_output=True,
        text=True,
        check=False,
        timeout=25,
        env={**os.environ, **environment},
    )


def test_exit_codes_and_streams_of_the_command_line():
    unknown = plait("no-such-verb")
    assert (unknown.returncode, unknown.stdout) == (2, "")
    assert "no-such-verb" in unknown.stderr
    version = plait("--version")
    assert (version.returncode, version.stderr) == (0, "")
    assert re.search(r"\d+\.\d+\.\d+", version.stdout)


def test_info_for_people_and_for_programs():
    lines = plait("info")
    assert lines.returncode == 0
    facts = json.loads(plait("info", "--json").stdout)
    assert f"plait      {facts['plait']}" in lines.stdout
    assert facts["threads"] >= 1
    assert facts["requirements"].keys() == {"numpy", "click", "rich"}
    assert facts["plait"] in plait("info", "--cite").stdout


def test_info_tells_the_cap_on_threads():
    facts = json.loads(plait("info", "--json", PLAIT_NUM_THREADS="1").stdout)
    assert facts["threads"] == 1
    bad = plait("info", PLAIT_NUM_THREADS="many")
    assert bad.returncode == 1
    assert "PLAIT_NUM_THREADS" in bad.stderr
    assert "many" in bad.stderr
