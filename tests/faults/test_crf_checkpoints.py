"""Training of random fields that is killed or interrupted at any moment, and goes on."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import plait
from plait import _core
from plait.crf import ChainCRF, Sequences
from plait.errors import ConfigError, ModelFileError, ResourceError

HERE = Path(__file__).parents[1]
ALGORITHMS = ["lbfgs", "owlqn", "sgd", "adagrad", "perceptron"]

PROGRAM = """
import sys
from crf_models import draw
from plait.crf import ChainCRF

drawn = draw(3, labels=4, lengths=[5] * 60, attributes=12)
name, checkpoint, out = sys.argv[1:]
model = ChainCRF(
    algorithm="lbfgs" if name == "owlqn" else name, l1=0.05 if name == "owlqn" else 0.0, l2=0.02, epsilon=0.0, period=0,
    max_iterations=24, batch=4, threads=2,
)

def progress(stage, done, total, figures):
    print("iteration", flush=True)

model.fit(
    drawn.data, held_out=drawn.data, patience=100, checkpoint=checkpoint or None, checkpoint_seconds=0,
    progress=progress,
)
model.save(out)
"""


def started(name, checkpoint, out):
    paths = os.pathsep.join([str(Path(plait.__file__).parents[1]), str(HERE)])
    return subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", PROGRAM, name, str(checkpoint), str(out)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": paths},
    )


@pytest.mark.slow
@pytest.mark.timeout(180)
@pytest.mark.parametrize("name", ALGORITHMS)
@pytest.mark.parametrize("stop", ["SIGKILL", "SIGINT"])
def test_a_run_that_is_stopped_at_any_moment_ends_with_the_same_bits(name, stop, tmp_path):
    checkpoint, whole, out = tmp_path / "checkpoint", tmp_path / "whole", tmp_path / "out"
    assert started(name, "", whole).communicate(timeout=60)[1] == b""
    generator = random.Random(7)
    stops = 0
    for _ in range(40):
        process = started(name, checkpoint, out)
        # The first line comes before the first iteration.
        for _ in range(generator.randint(3, 9)):
            if not process.stdout.readline():
                break
        else:
            process.send_signal(getattr(signal, stop))
        process.communicate(timeout=60)
        if process.returncode == 0:
            break
        stops += 1
    assert stops >= 1
    assert out.read_bytes() == whole.read_bytes()


@pytest.mark.parametrize("name", ALGORITHMS)
def test_a_run_that_its_callback_ends_goes_on_to_the_same_bits(name, tmp_path):
    """An exception of the callback is what Ctrl-C is: the last whole iteration is kept."""
    drawn = {"X": [[{"w": str(n % 7)}, {"w": str(n % 5)}] for n in range(40)]}
    drawn["y"] = [[f"B-{n % 3}", f"I-{n % 2}"] for n in range(40)]
    algorithm, l1 = ("lbfgs", 0.1) if name == "owlqn" else (name, 0.0)
    options = {"algorithm": algorithm, "l1": l1, "l2": 0.1, "max_iterations": 12, "batch": 4, "period": 0, "epsilon": 0}
    whole = ChainCRF(**options)
    with_dev = {"held_out": (drawn["X"][:10], drawn["y"][:10]), "patience": 50}
    fitted(whole, **drawn, **with_dev)
    rounds = 0
    for _ in range(30):
        rounds += 1
        model = ChainCRF(**options, threads=1 + rounds % 3)
        try:
            fitted(
                model, **drawn, **with_dev, checkpoint=tmp_path / "c", checkpoint_seconds=0, progress=Ending(after=2)
            )
        except RuntimeError:
            continue
        break
    assert model.core.states()[2].tolist() == whole.core.states()[2].tolist()
    assert model.core.transitions()[2].tolist() == whole.core.transitions()[2].tolist()
    assert model.history_.tolist() == whole.history_.tolist()
    assert model.held_out_history_.tolist() == whole.held_out_history_.tolist()
    assert model.stopped_by_ == whole.stopped_by_


class Ending:
    """A callback that has enough after some reports."""

    def __init__(self, after):
        self.left = after

    def __call__(self, stage, done, total, figures):
        if 0 < done < total:
            self.left -= 1
        if self.left < 0:
            raise RuntimeError("enough")


def fitted(model, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(**options)


X = [[{"w": "a"}, {"w": "b"}], [{"w": "b"}], [{"w": "c"}]]
Y = [["P", "Q"], ["Q"], ["P"]]


@pytest.fixture
def checkpoint(tmp_path):
    path = tmp_path / "state"
    fitted(ChainCRF(max_iterations=3, period=0, epsilon=0), X=X, y=Y, checkpoint=path, checkpoint_seconds=0)
    return path


@pytest.mark.parametrize(
    ("options", "data", "message"),
    [
        ({"l2": 0.5}, (X, Y), "l2 was 1.0 there, and is 0.5 now"),
        ({"algorithm": "perceptron"}, (X, Y), "algorithm was"),
        ({}, (X[:2], Y[:2]), "data was"),
        ({}, (X, [*Y[:2], ["Q"]]), "data was"),
        ({"seed": 2}, (X, Y), "seed was 1 there, and is 2 now"),
    ],
)
def test_the_checkpoint_of_another_run_is_refused(checkpoint, options, data, message):
    before = checkpoint.read_bytes()
    with pytest.raises(ConfigError, match=message):
        ChainCRF(**{"max_iterations": 3, "period": 0, "epsilon": 0, **options}).fit(*data, checkpoint=checkpoint)
    assert checkpoint.read_bytes() == before


def test_more_iterations_and_other_threads_go_on_from_a_checkpoint(checkpoint):
    options = {"max_iterations": 20, "period": 0, "epsilon": 0}
    one = fitted(ChainCRF(**options, threads=1), X=X, y=Y)
    two = fitted(ChainCRF(**options, threads=2), X=X, y=Y, checkpoint=checkpoint, checkpoint_seconds=0)
    assert two.history_.tolist() == one.history_.tolist()
    assert two.state_features_ == one.state_features_


def test_a_damaged_checkpoint_is_refused(checkpoint):
    whole = checkpoint.read_bytes()
    model = ChainCRF(max_iterations=3, period=0, epsilon=0)
    for length in range(0, len(whole), 211):
        checkpoint.write_bytes(whole[:length])
        with pytest.raises(ModelFileError):
            model.fit(X, Y, checkpoint=checkpoint)
    for place in range(0, len(whole), 211):
        checkpoint.write_bytes(whole[:place] + bytes([whole[place] ^ 0x41]) + whole[place + 1 :])
        with pytest.raises(ModelFileError):
            model.fit(X, Y, checkpoint=checkpoint)


def test_a_model_is_no_checkpoint(tmp_path):
    ChainCRF().fit(X, Y).save(tmp_path / "m")
    with pytest.raises(ModelFileError):
        ChainCRF().fit(X, Y, checkpoint=tmp_path / "m")
    with pytest.raises(ConfigError, match="can be read again"):
        ChainCRF().fit(X, Y, checkpoint="-")


def test_a_checkpoint_that_cannot_be_written_ends_training(tmp_path, monkeypatch):
    def full(*_, **__):
        raise ResourceError("no room")

    monkeypatch.setattr("plait.models.save", full)
    with pytest.raises(ResourceError, match="no room"):
        ChainCRF().fit(X, Y, checkpoint=tmp_path / "state", checkpoint_seconds=0)


def test_the_state_of_training_is_that_of_its_data(tmp_path):
    """Names, values, labels and the ends of sequences all count."""
    made = [
        Sequences.from_items([[{"a": 1.0}, {"b": 1.0}]], [["P", "Q"]]),
        Sequences.from_items([[{"a": 1.0}, {"b": 1.5}]], [["P", "Q"]]),
        Sequences.from_items([[{"a": 1.0}, {"c": 1.0}]], [["P", "Q"]]),
        Sequences.from_items([[{"a": 1.0}, {"b": 1.0}]], [["P", "P"]]),
        Sequences.from_items([[{"a": 1.0}], [{"b": 1.0}]], [["P"], ["Q"]]),
    ]
    found = {_core.crf_fingerprint(data.core) for data in made}
    assert len(found) == len(made)
    assert np.all([len(text) == 16 for text in found])
