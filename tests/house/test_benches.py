"""The harness of the measurements measures what it says, and runs."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

BENCHES = Path(__file__).parents[2] / "benches"
pytestmark = pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="the harness binds processes to CPUs")


@pytest.fixture
def measure(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHES))
    import measure

    return measure


def measured(*programs):
    """Measure programs from a small process: the memory of the one that forks counts towards the child's peak."""
    lines = ["import dataclasses, json, sys", f"sys.path.insert(0, {str(BENCHES)!r})", "import measure"]
    lines += [f"runs = [measure.run([sys.executable, '-c', program]) for program in {list(programs)!r}]"]
    lines += ["print(json.dumps([dataclasses.asdict(run) for run in runs]))"]
    command = [sys.executable, "-c", "\n".join(lines)]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def test_memory_and_time_of_a_child_are_seen():
    idle, busy = measured("pass", "b = bytearray(100 << 20); [n for n in range(3_000_000)]")
    assert busy["peak_bytes"] - idle["peak_bytes"] > 90 << 20
    assert busy["cpu_seconds"] > idle["cpu_seconds"]
    assert busy["seconds"] >= busy["cpu_seconds"] / 2


def test_children_of_a_child_count():
    grandchild = "b = bytearray(100 << 20)"
    program = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {grandchild!r}], check=True)"
    (run,) = measured(program)
    assert run["peak_bytes"] > 100 << 20


def test_a_child_is_bound_to_its_cpus(measure):
    one = min(os.sched_getaffinity(0))
    measure.run([sys.executable, "-c", f"import os; assert os.sched_getaffinity(0) == {{{one}}}"], cpus=[one])


def test_a_program_that_fails_is_no_measurement(measure):
    with pytest.raises(measure.Failed, match=r"(?s)exit code 3.*what went wrong"):
        measure.run([sys.executable, "-c", "print('what went wrong'); raise SystemExit(3)"])


def test_the_cost_of_a_unit_is_the_difference_of_run_lengths(measure):
    def runs(*seconds):
        return [measure.Run(second, 2 * second, 0) for second in seconds]

    cost = measure.per_unit(runs(1.0, 1.2, 1.1), runs(3.0, 3.1, 3.2), 10)
    assert cost.seconds == pytest.approx(0.2)
    assert cost.cpu_seconds == pytest.approx(0.4)
    assert cost.doubt == pytest.approx(0.02)


@pytest.mark.slow
@pytest.mark.timeout(120)
def test_every_scenario_of_plait_reports_its_figures(tmp_path):
    command = [sys.executable, str(BENCHES / "run.py"), "model1-sweep", "align", "memory", "--pairs", "40"]
    command += ["--repeat", "1", "--cpus", "1", "--sweeps", "2", "4", "--preset", "EM-5", "--out", str(tmp_path)]
    subprocess.run(command, check=True, capture_output=True)
    for scenario, figure in (("model1-sweep", "ms/sweep"), ("align", "AER %"), ("memory", "bytes/token")):
        report = json.loads((tmp_path / f"{scenario}.json").read_text(encoding="utf-8"))
        assert isinstance(report["rows"][0][figure], float)
        assert f"| {report['rows'][0]['corpus']} |" in (tmp_path / f"{scenario}.md").read_text(encoding="utf-8")
