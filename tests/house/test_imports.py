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
        "print(*(name for name in ('_hashlib', 'rich', 'click', 'numpy.random', 'numpy.ma') if name in sys.modules))"
    )
    command = [sys.executable, "-W", "error", "-c", program]
    assert subprocess.run(command, capture_output=True, text=True, check=True, timeout=25).stdout.strip() == ""
