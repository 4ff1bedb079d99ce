"""Training that is killed or interrupted at any moment, and goes on."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import plait

pytest.importorskip("scipy")

HERE = Path(__file__).parents[1]

PROGRAM = """
import sys
import numpy as np
from minrisk_forests import made_training_set
from plait.minrisk import Schedule, train

forests = made_training_set(forests=3)
evaluate = forests.evaluate

class Telling:
    feature_names = forests.feature_names
    def evaluate(self, weights, **options):
        print("evaluation", flush=True)
        sys.stdin.readline()
        return evaluate(weights, **options)

class NearTo:
    name = "nearness"
    def score(self, weights):
        return -float(abs(np.linalg.norm(weights) - 1.0))

print("ready", flush=True)
schedule = Schedule.annealing(highest=1.0, lowest=0.3, sharpest=2.0, iterations=25, last_iterations=12)
found = train(
    Telling(), schedule=schedule, l2=0.05, development=NearTo(), selection="best", checkpoint=sys.argv[1] or None
)
np.save(sys.argv[2], np.append(found.weights, [found.gamma, found.score]))
"""


def started(checkpoint, out):
    paths = os.pathsep.join([str(Path(plait.__file__).parents[1]), str(HERE)])
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(checkpoint), str(out)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": paths},
    )


def until_evaluation(process, count):
    """Let the process work up to and into an evaluation, each of which waits for a line; whether it came so far."""
    for line in process.stdout:
        if line == b"evaluation\n":
            process.stdin.write(b"\n")
            process.stdin.flush()
            count -= 1
        if count == 0:
            return True
    return False


def finish(process):
    """Let the process work to its end; return its exit code and what it complains of."""
    assert not until_evaluation(process, -1)
    err = process.communicate(timeout=25)[1]
    return process.returncode, err


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    out = tmp_path_factory.mktemp("whole") / "weights.npy"
    process = started("", out)
    assert finish(process) == (0, b"")
    found = np.load(out)
    # Neither the first weights nor the last.
    assert 0.5 < np.linalg.norm(found[:-2]) < 2
    return found


@pytest.mark.timeout(120)
@pytest.mark.parametrize("name", ["SIGKILL", "SIGINT"])
def test_a_run_that_is_stopped_at_any_moment_ends_with_the_same_bits(name, undisturbed, tmp_path):
    checkpoint, out = tmp_path / "checkpoint", tmp_path / "weights.npy"
    generator = random.Random(7)
    stops = 0
    for _ in range(40):
        process = started(checkpoint, out)
        # The first evaluation of a run only tells its data apart from others.
        if not until_evaluation(process, generator.randint(2, 40)):
            err = process.communicate(timeout=25)[1]
            assert (process.returncode, err) == (0, b"")
            break
        # Into the evaluation, the journal, or the checkpoint of the next stage.
        time.sleep(generator.random() * 0.01)
        process.send_signal(getattr(signal, name))
        process.communicate(timeout=25)
        stops += 1
    assert stops >= 4
    np.testing.assert_array_equal(np.load(out), undisturbed)
    assert sorted(path.name for path in tmp_path.iterdir() if "tmp" not in path.name) == ["checkpoint", "weights.npy"]


@pytest.mark.parametrize(("limit", "file"), [(1000, "checkpoint"), (1800, "checkpoint.journal")])
def test_a_full_disk_leaves_a_run_that_goes_on(limit, file, undisturbed, tmp_path):
    pytest.importorskip("resource")
    checkpoint, out = tmp_path / "checkpoint", tmp_path / "weights.npy"
    limited = PROGRAM.replace(
        "import sys\n",
        "import resource, signal, sys\nsignal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        f"resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, resource.RLIM_INFINITY))\n",
        1,
    )
    paths = os.pathsep.join([str(Path(plait.__file__).parents[1]), str(HERE)])
    finished = subprocess.run(
        [sys.executable, "-c", limited, str(checkpoint), str(out)],
        input=b"\n" * 1000,
        capture_output=True,
        env={**os.environ, "PYTHONPATH": paths},
        timeout=25,
        check=False,
    )
    assert finished.returncode != 0
    message = finished.stderr.decode().splitlines()[-1]
    assert message.startswith("plait.errors.ResourceError")
    assert f"{tmp_path / file}: File too large" in message
    assert not out.exists()
    assert finish(started(checkpoint, out)) == (0, b"")
    np.testing.assert_array_equal(np.load(out), undisturbed)
