"""`import plait` is quick: it brings in nothing that only some users need."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import plait

HEAVY = ("matplotlib", "scipy", "rich", "click", "pandas", "asyncio", "multiprocessing")
# The aim is 150 ms on a quiet machine; a loaded one gets room, so that only a real mistake fails.
LIMIT = 1.5

PROGRAM = """
import json, sys, time
start = time.perf_counter()
import {module}
seconds = time.perf_counter() - start
print(json.dumps([seconds, sorted(name for name in {heavy} if name in sys.modules)]))
"""


def first_import(module, heavy):
    program = PROGRAM.format(module=module, heavy=heavy)
    output = subprocess.run(
        [sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, check=True, timeout=25
    ).stdout
    return json.loads(output)


def test_importing_the_package_brings_in_nothing_heavy(record_property):
    runs = [first_import("plait", HEAVY) for _ in range(3)]
    seconds = min(run[0] for run in runs)
    record_property("import_seconds", seconds)
    assert runs[0][1] == []
    assert seconds < LIMIT


@pytest.mark.parametrize("module", ["plait.cli.main", "plait.metrics", "plait.viz", "plait.io"])
def test_the_parts_leave_plotting_and_statistics_to_those_who_ask(module):
    assert first_import(module, ("matplotlib", "scipy", "pandas"))[1] == []


def test_the_laws_of_semirings_leave_hypothesis_to_their_search():
    assert first_import("plait.testing", ("hypothesis",))[1] == []


@pytest.mark.skipif("PLAIT_TEST_INSTALLED" not in os.environ, reason="the source tree may be tested")
def test_the_installed_package_is_tested():
    assert Path(plait.__file__).is_relative_to(sys.prefix)


def test_random_fields_are_trained_without_what_only_model_files_need():
    program = (
        "import sys\n"
        "from plait.crf import ChainCRF\n"
        "ChainCRF().fit([[['a'], ['b']]], [['X', 'Y']])\n"
        "print(*(name for name in ('_hashlib', 'rich', 'click', 'numpy') if name in sys.modules))"
    )
    command = [sys.executable, "-W", "error", "-c", program]
    assert subprocess.run(command, capture_output=True, text=True, check=True, timeout=25).stdout.strip() == ""


COMMAND = """
import sys
sys.argv = ["plait", "crf", *sys.argv[1:]]
from plait.cli.start import main
try:
    main()
except SystemExit as done:
    assert not done.code, done.code
found = [name for name in ("numpy", "rich") if name in sys.modules]
assert not found, f"{found} loaded"
"""


def test_commands_of_random_fields_do_without_numpy(tmp_path):
    # `import numpy` takes 16 MB and more time than such a model.
    text = "the D\ncat N\n\na D\ndog N\n\n"
    (tmp_path / "train.txt").write_text(text)
    (tmp_path / "train.crfsuite").write_text("D\tw=the\nN\tw=cat\n\n")
    commands = (
        "train --l2 0.1 -o conll.plait --dev train.txt train.txt",
        "train --l2 0.1 --checkpoint state --single -o single.plait train.txt",
        "train --format crfsuite -o more.plait train.crfsuite",
        "tag -m conll.plait -o tagged train.txt",
        "tag -m single.plait -n 2 -o best train.txt",
        "eval -m conll.plait train.txt",
        "eval --json -m more.plait train.crfsuite",
        "convert conll.plait model.crfsuite",
    )
    for command in commands:
        line = [sys.executable, "-W", "error", "-c", COMMAND, *command.split()]
        done = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=25)
        assert done.returncode == 0, (command, done.stderr)
    assert (tmp_path / "tagged").read_text() == "the D\tD\ncat N\tN\n\na D\tD\ndog N\tN\n\n"
