"""The harness of the measurements measures what it says, and runs."""

import importlib
import itertools
import json
import lzma
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

BENCHES = Path(__file__).parents[2] / "benches"
pytestmark = pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="the harness binds processes to CPUs")


@pytest.fixture
def bench(monkeypatch):
    """Import a module of the harness."""
    monkeypatch.syspath_prepend(str(BENCHES))
    return importlib.import_module


@pytest.fixture
def measure(bench):
    return bench("measure")


@pytest.fixture
def data(tmp_path):
    """Sets with and without training text, and one with a full text; line N of a file is "side part N"."""

    def write(folder, part, count, *, opened=open):
        for side in ("src", "tgt"):
            name = f"train.full.{side}.xz" if part == "full" else f"{part}.{side}"
            with opened(folder / name, "wt", encoding="utf-8") as out:
                out.writelines(f"{side} {part} {number}\n" for number in range(count))

    for name, training in (("hansards-en-fr", 20), ("nc-de-en", 6), ("zh-en", 0)):
        folder = tmp_path / "data" / "align" / name
        (folder / "full").mkdir(parents=True)
        write(folder, "test", 3)
        (folder / "test.gold").write_text("0-0\n0-0 1?1\n2-2\n")
        if training:
            write(folder, "train", training)
    write(tmp_path / "data" / "align" / "hansards-en-fr" / "full", "full", 1_500, opened=lzma.open)
    return tmp_path / "data"


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


def test_all_sets_are_those_with_gold_links(bench, data):
    (data / "align" / "no-gold").mkdir()
    assert bench("corpora").every_set(data) == ["hansards-10k", "hansards-100k", "nc-de-en", "zh-en"]


@pytest.mark.parametrize(
    ("name", "training"),
    [
        ("nc-de-en", [f"train {number}" for number in range(6)]),
        ("nc-de-en/4", ["train 0", "train 4"]),
        ("nc-de-en-2", ["train 0", "train 1"]),
        ("zh-en", []),
        ("hansards-en-fr", [f"train {number}" for number in range(20)]),
        ("hansards-full-1k", [f"full {number}" for number in range(1_000)]),
        ("hansards-full/500", ["full 0", "full 500", "full 1000"]),
    ],
)
def test_a_set_is_training_text_with_the_test_pairs_behind(bench, data, tmp_path, name, training):
    corpus = bench("corpora").real(data, name, tmp_path)
    expected = [*training, "test 0", "test 1", "test 2"]
    assert corpus.source.read_text() == "".join(f"src {line}\n" for line in expected)
    assert corpus.target.read_text() == "".join(f"tgt {line}\n" for line in expected)
    assert (corpus.name, corpus.tested, corpus.pairs) == (name, 3, len(expected))
    assert corpus.tokens == 6 * len(expected)


@pytest.mark.parametrize(
    ("name", "message"),
    [("fr-en", "no set 'fr-en'"), ("nc-de-en-10k", "has 6 training pairs only"), ("nc-de-en-full", "no full text")],
)
def test_a_set_that_is_not_there_is_said_to_be_missing(bench, data, tmp_path, name, message):
    with pytest.raises(SystemExit, match=message):
        bench("corpora").real(data, name, tmp_path)


def test_the_best_symmetrisation_is_that_with_the_lowest_mean(bench):
    rates = bench("quality").Rates
    runs = [
        {"union": rates(10.0, 80.0, 90.0), "grow": rates(14.0, 0.0, 0.0)},
        {"union": rates(14.0, 90.0, 80.0), "grow": rates(11.0, 0.0, 0.0)},
    ]
    found = bench("scenarios").quality(runs)
    assert found == {
        "AER %": 12.0,
        "±": 2.0,
        "symmetrised by": "union",
        "precision %": 85.0,
        "recall %": 85.0,
        "AERs": {"union": 12.0, "grow": 12.5},
    }


def test_only_the_tested_lines_are_rated(bench, tmp_path):
    gold, forward, reverse = (tmp_path / name for name in ("gold", "forward", "reverse"))
    gold.write_text("0-0 1?1\n1-0\n")
    forward.write_text("5-5\n0-0 1-1\n1-0 1-1\n")
    reverse.write_text("5-6\n0-0 0-1\n1-0\n")
    found = bench("quality").rates(gold, 2, (forward, reverse))
    # 2 sure links: the intersection is them; the union has 5 links, 2 of them sure, 3 possible.
    assert found["intersection"].aer == 0
    assert found["union"].aer == pytest.approx(100 * (1 - 5 / 7))
    assert found["union"].precision == pytest.approx(60)
    assert found["union"].recall == 100
    alone = bench("quality").rates(gold, 2, (forward,))
    assert alone["own"].aer == pytest.approx(100 * (1 - 5 / 6))


def test_sizes_are_compared_with_the_first_one(bench):
    names = ("µs/token", "CPU µs/token", "µs/token without start")
    rows = [dict.fromkeys(names, 2.0), dict.fromkeys(names, 3.0)]
    assert [row["CPU µs/token, first = 1"] for row in bench("scenarios").against_first(rows)] == [1.0, 1.5]


def report_of(path, *rows):
    """Write a report of the scenario align; rows are (set, system, cores, AER, seconds)."""
    keys = ("corpus", "tool", "cores", "AER %", "s")
    full = [
        {**dict(zip(keys, row, strict=True)), "CPU s": row[4], "symmetrised by": "union", "peak MB": 9_000.0}
        for row in rows
    ]
    path.write_text(json.dumps({"rows": full}))
    return path


def test_the_summary_says_what_is_better(bench, tmp_path):
    first = report_of(
        tmp_path / "first.json",
        ("hansards-10k", "plait default", 2, 5.64, 2.0),
        ("hansards-10k", "plait fast", 2, 8.0, 1.0),
        ("hansards-10k", "eflomal", 1, 1.0, 99.0),
        ("hansards-10k", "eflomal", 2, 8.0, 9.0),
        ("zh-en", "plait default", 2, 9.0, 2.0),
        ("zh-en", "eflomal", 2, 10.0, 9.0),
        ("zh-en", "eflomal prefix 3", 2, 12.0, 9.0),
        ("zh-en", "eflomal prefix 4", 2, 8.0, 9.0),
    )
    second = report_of(
        tmp_path / "second.json",
        ("hansards-full", "plait default", 2, 4.3, 2.0),
        ("en-cs", "plait default", 2, 3.0, 2.0),
        ("en-cs", "eflomal", 2, 4.0, 9.0),
    )
    text = bench("summary").of([first, second])
    assert "| hansards-10k | 5.64 | 8.00 | union | - | - | -29.5% | - | yes |" in text
    assert "| zh-en | 9.00 | 10.00 | union | 8.00 | union, prefix 4 | -10.0% | +12.5% | no |" in text
    assert "| en-cs | 3.00 | 4.00 | union | - | - | -25.0% | - | yes |" in text
    assert "mean over 3 sets against eflomal: -21.5% (goal: -15%): met; below it on each" in text
    assert "mean over 2 sets without a goal of their own against eflomal: -17.5% (goal: -15%): met" in text
    assert "mean over 1 sets against eflomal with stemming: +12.5%; not below it on zh-en" in text
    assert "hansards-10k: plait default 5.64 (goal: 5.6 or lower): met" in text
    assert "hansards-full: plait default 4.30 (goal: 4.2 or lower): NOT met" in text
    assert "eflomal takes 4.5 times as long as plait default, 4.5 times the CPU time (goal: 5): NOT met" in text
    assert "eflomal takes 9.0 times as long as plait fast, 9.0 times the CPU time (goal: 10): NOT met" in text
    assert "AER of plait fast 8.00, of eflomal 8.00: met" in text
    assert "hansards-full: plait default takes 9,000 MB (goal: below 8,000): NOT met" in text
    # No AER at all is out of reach.
    perfect = report_of(tmp_path / "perfect.json", ("zh-en", "eflomal", 2, 0.0, 9.0))
    assert "against eflomal: +inf% (goal: -15%): NOT met; not below it on zh-en" in bench("summary").of(
        [first, perfect]
    )
    # A later report counts instead of an earlier one.
    third = report_of(tmp_path / "third.json", ("zh-en", "plait default", 2, 5.0, 2.0))
    assert "| zh-en | 5.00 | 10.00 |" in bench("summary").of([first, third])


@pytest.mark.parametrize(
    ("forward", "reverse", "expected"),
    [
        ({(0, 0), (1, 1)}, {(0, 0), (1, 1)}, {(0, 0), (1, 1)}),
        # Both words free.
        ({(0, 0), (2, 2)}, {(0, 0)}, {(0, 0), (2, 2)}),
        # A neighbour in its row, and one in its row that is next to that.
        ({(0, 0), (0, 1), (0, 2)}, {(0, 0)}, {(0, 0), (0, 1), (0, 2)}),
        # Not beside a link of its row: the words are not free.
        ({(0, 0), (0, 2)}, {(0, 0)}, {(0, 0)}),
        # (1, 0) would give (0, 0) neighbours in its row and its column.
        ({(0, 0), (0, 1)}, {(0, 0), (1, 0)}, {(0, 0), (0, 1)}),
        # By a corner only.
        ({(0, 0), (2, 1), (1, 1)}, {(0, 0), (2, 1)}, {(0, 0), (2, 1), (1, 1)}),
    ],
)
def test_the_refined_combination_is_that_of_och_and_ney(bench, forward, reverse, expected):
    assert bench("he2007").refined_pair(forward, reverse) == expected


def test_the_refined_combination_can_grow_no_further(bench):
    he2007, draw = bench("he2007"), random.Random(1)
    cells = list(itertools.product(range(5), range(5)))
    for _ in range(300):
        forward = {(draw.randrange(5), j) for j in range(5)}
        reverse = {(i, draw.randrange(5)) for i in range(5)}
        found = he2007.refined_pair(forward, reverse)
        assert forward & reverse <= found <= forward | reverse
        assert not any(all(he2007.neighbours(link, found)) for link in found)
        for link in (forward | reverse) - found:
            is_free = not any(link[0] == i or link[1] == j for i, j in found)
            grown = found | {link}
            breaks = any(all(he2007.neighbours(cell, grown)) for cell in cells if cell in grown)
            assert not is_free
            assert breaks or not any(he2007.neighbours(link, found))


FAKE = """#!{python}
import pathlib, sys
words = [word for word in sys.argv[1:] if word != "--overwrite"]
options = dict(zip(words[::2], words[1::2], strict=True))
lines = pathlib.Path(options["-s"]).read_text().splitlines()
links = "0-0\\n" if options.get("--source-prefix") == options.get("--target-prefix") == "3" else "\\n"
pathlib.Path(options["-f"]).write_text(links * len(lines))
pathlib.Path(options["-r"]).write_text("0-0 1-1\\n" * len(lines))
"""


def test_rivals_are_symmetrised_in_every_way_and_the_best_one_is_told(data, tmp_path):
    program = tmp_path / "venv" / "bin" / "eflomal-align"
    program.parent.mkdir(parents=True)
    program.write_text(FAKE.format(python=sys.executable))
    program.chmod(0o755)
    (data / "align" / "zh-en" / "test.gold").write_text("0-0\n0-0\n0-0\n")
    command = [sys.executable, str(BENCHES / "run.py"), "align", "--data", str(data), "--sets", "zh-en,nc-de-en"]
    command += [
        "--rivals",
        str(tmp_path / "venv"),
        "--systems",
        "plait",
        "eflomal",
        "eflomal-stems",
        "--prefixes",
        "2",
        "3",
    ]
    command += ["--preset", "default", "--repeat", "1", "--cpus", "1", "--summary", "--out", str(tmp_path / "out")]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    rows = json.loads((tmp_path / "out" / "align.json").read_text(encoding="utf-8"))["rows"]
    found = {row["tool"]: row for row in rows if row["corpus"] == "zh-en"}
    assert list(found) == ["plait default", "eflomal", "eflomal prefix 2", "eflomal prefix 3"]
    assert found["eflomal prefix 3"]["AER %"] == 0
    assert found["eflomal prefix 3"]["symmetrised by"] == "intersection"
    assert found["eflomal prefix 3"]["AERs"]["union"] == pytest.approx(100 / 3)
    assert found["eflomal"]["AER %"] == pytest.approx(100 / 3)
    assert found["eflomal"]["s, plait default = 1"] > 0
    assert "| zh-en |" in output
    assert "intersection, prefix 3" in output


def test_a_rival_that_fails_leaves_the_other_sets_their_rows(data, tmp_path):
    program = tmp_path / "venv" / "bin" / "eflomal-align"
    program.parent.mkdir(parents=True)
    failing = FAKE.replace("links =", "if len(lines) == 3: sys.exit('three are too few')\nlinks =")
    program.write_text(failing.format(python=sys.executable))
    program.chmod(0o755)
    command = [sys.executable, str(BENCHES / "run.py"), "align", "--data", str(data), "--sets", "zh-en", "nc-de-en"]
    command += ["--rivals", str(tmp_path / "venv"), "--systems", "eflomal", "--repeat", "1", "--cpus", "1"]
    finished = subprocess.run([*command, "--out", str(tmp_path / "out")], capture_output=True, text=True)
    assert finished.returncode == 1
    assert "zh-en: " in finished.stderr
    assert "three are too few" in finished.stderr
    rows = json.loads((tmp_path / "out" / "align.json").read_text(encoding="utf-8"))["rows"]
    assert [row["corpus"] for row in rows] == ["nc-de-en"]


@pytest.mark.slow
@pytest.mark.timeout(120)
def test_he_2007_reports_its_tables_and_its_curve(tmp_path):
    from plait.demo import make

    place, folder = tmp_path / "made", tmp_path / "data" / "align" / "hansards-en-fr"
    make("en-de", 80, 1).write(place)
    (folder / "full").mkdir(parents=True)
    for side, language in (("src", "en"), ("tgt", "de")):
        lines = (place / f"corpus.{language}").read_bytes().splitlines(keepends=True)
        (folder / "full" / f"train.full.{side}.xz").write_bytes(lzma.compress(b"".join(lines[:60])))
        (folder / f"test.{side}").write_bytes(b"".join(lines[60:]))
    gold = (place / "corpus.gold").read_bytes().splitlines(keepends=True)
    (folder / "test.gold").write_bytes(b"".join(gold[60:]))
    command = [sys.executable, str(BENCHES / "he2007.py"), "--data", str(tmp_path / "data"), "--pairs", "60"]
    subprocess.run([*command, "--tau", "0", "inf", "--out", str(tmp_path / "out")], check=True, capture_output=True)
    report = json.loads((tmp_path / "out" / "he2007.json").read_text(encoding="utf-8"))
    assert report["pairs"] == 80
    assert [row["system"] for row in report["rows"]] == ["hmm", "wdhmm-1000", "tau 0", "tau inf"]
    rates = {row["system"]: row for row in report["rows"]}
    assert rates["tau inf"]["refined"] == rates["hmm"]["refined"]
    assert rates["tau 0"]["forward"] != rates["hmm"]["forward"]
    assert rates["hmm"]["intersection"]["precision"] >= rates["hmm"]["union"]["precision"]
    assert rates["hmm"]["intersection"]["recall"] <= rates["hmm"]["union"]["recall"]
    text = (tmp_path / "out" / "he2007.md").read_text(encoding="utf-8")
    for expected in ("Table 1: AER", "Table 2: precision", "Table 3: recall", "Figure 1", "at least 13% below"):
        assert expected in text


@pytest.mark.slow
@pytest.mark.timeout(120)
def test_every_scenario_of_plait_reports_its_figures(tmp_path):
    command = [sys.executable, str(BENCHES / "run.py"), "model1-sweep", "align", "memory", "scaling", "--pairs", "40"]
    command += ["--repeat", "1", "--cpus", "1", "--sweeps", "2", "4", "--preset", "EM-5", "--out", str(tmp_path)]
    subprocess.run(command, check=True, capture_output=True)
    figures = {"model1-sweep": "ms/sweep", "align": "AER %", "memory": "bytes/token", "scaling": "µs/token"}
    for scenario, figure in figures.items():
        report = json.loads((tmp_path / f"{scenario}.json").read_text(encoding="utf-8"))
        assert isinstance(report["rows"][0][figure], float)
        assert f"| {report['rows'][0]['corpus']} |" in (tmp_path / f"{scenario}.md").read_text(encoding="utf-8")


def test_a_forest_of_all_parses_is_that_of_the_grammar(bench):
    made = bench("forests").make("cky-3-2-4", None)
    # 6 spans; 12 words, and 4 rules at each of 2 + 2 splits.
    assert made["nodes"] == 12
    assert made["root"] == 10
    assert len(made["heads"]) == 6 + 4 * 2 + 4 * 2
    by_edge = made["tails"].reshape(-1, 2)
    # The span from 0 to 3 has the splits 1 and 2: words 0 and 1-2, words 0-1 and 2.
    last = by_edge[-2:] // 2
    assert last.tolist() == [[0, 4], [3, 2]]


def test_systems_must_agree(bench, measure):
    compare = bench("hypergraphs").compare

    def result(log_z, posteriors):
        return {"found": {"log_z": log_z, "posteriors": posteriors}}

    compare("chain-9-2", {"plait": result(-5.0, 10.0), "pynini": result(-5.1, 10.0), "torch-struct": result(-5.0, 10)})
    with pytest.raises(measure.Failed, match=r"add up to 10\.1, not to 10"):
        compare("chain-9-2", {"plait": result(-5.0, 10.1)})
    with pytest.raises(measure.Failed, match=r"-5\.0 by plait, -5\.1 by torch-struct"):
        compare("cky-5-2-3", {"plait": result(-5.0, 9.0), "torch-struct": result(-5.1, 9.0)})


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="the harness reads /proc")
def test_forests_are_measured(tmp_path):
    command = [sys.executable, str(BENCHES / "run.py"), "hypergraph", "--forests", "cky-5-3-9", "chain-50-4"]
    subprocess.run([*command, "--repeat", "2", "--out", str(tmp_path)], check=True, capture_output=True)
    rows = json.loads((tmp_path / "hypergraph.json").read_text(encoding="utf-8"))["rows"]
    assert [(row["forest"], row["edges"], row["tool"]) for row in rows] == [
        ("cky-5-3-9", 15 + 9 * 20, "plait"),
        ("chain-50-4", 201, "plait"),
    ]
    for row in rows:
        assert row["all three ms"] > 0
        assert row["times bound"] == pytest.approx(row["all three ms"] / row["bound ms"])
        assert row["with expectations : without"] > 1
        assert row["times plait"] is None


def test_the_scenario_of_phrases_reports_speeds(tmp_path):
    command = [
        sys.executable,
        str(BENCHES / "run.py"),
        "phrases",
        "--pairs",
        "30",
        "--repeat",
        "1",
        "--out",
        str(tmp_path),
    ]
    subprocess.run(command, check=True, capture_output=True)
    rows = json.loads((tmp_path / "phrases.json").read_text(encoding="utf-8"))["rows"]
    assert {row["step"] for row in rows} == {"extract", "phrase table", "reordering table"}
    assert len({row["phrase pairs"] for row in rows}) == 1
    assert all(row["pairs a CPU second"] > 0 for row in rows)


@pytest.mark.slow
@pytest.mark.timeout(120)
def test_reordering_models_are_measured(tmp_path):
    models = ["dual, epsilon 0.1", "bayes-map", "lexical", "information"]
    command = [sys.executable, str(BENCHES / "run.py"), "reorder", "--pairs", "60", "--models", *models]
    subprocess.run([*command, "--out", str(tmp_path)], check=True, capture_output=True)
    rows = json.loads((tmp_path / "reorder.json").read_text(encoding="utf-8"))["rows"]
    assert [row["model"] for row in rows] == ["examples, from text and links", "majority", *models]
    assert all(float(row["error %"]) < 100 for row in rows[1:-1])
    assert rows[2]["gap"] <= 1e-3
    assert rows[2]["active"][0] == 1


def test_random_fields_are_measured(tmp_path):
    command = [sys.executable, str(BENCHES / "run.py"), "crf", "--crf-sets", "made-60-5", "--iterations", "4"]
    subprocess.run([*command, "--cpus", "1", "--out", str(tmp_path)], check=True, capture_output=True)
    (row,) = json.loads((tmp_path / "crf.json").read_text(encoding="utf-8"))["rows"]
    assert (row["set"], row["system"], row["iterations"]) == ("made-60-5", "plait", 4)
    assert isinstance(row["gradient CPU s"], float)
    assert row["tokens/CPU s"] > 0


def test_objectives_of_random_fields_must_agree(bench, measure):
    ours = {"weights": 3, "iterations": 9, "objective": 10.0}
    bench("crf").compare("set", ours, {**ours, "objective": 10.001}, 100)
    bench("crf").compare("set", ours, {**ours, "objective": 11.0}, 9)
    with pytest.raises(measure.Failed, match=r"10\.0 by plait, 11\.0"):
        bench("crf").compare("set", ours, {**ours, "objective": 11.0}, 100)
    with pytest.raises(measure.Failed, match="4 by python-crfsuite"):
        bench("crf").compare("set", ours, {**ours, "weights": 4}, 100)
    sequence = [["the", "D", "B"], ["cat", "N", "I"]]
    lines = list(bench("crf_sets").expand(sequence, ["U0:%x[-1,0]/%x[0,1]", "U1:%x[1,0]"]))
    assert lines == ["B\tU0\\:_B-1/D\tU1\\:cat", "I\tU0\\:the/N\tU1\\:_B+1"]


def test_attributes_become_columns_for_rivals_that_read_those(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(BENCHES / "rivals")
    files = importlib.import_module("attribute_files")
    path = tmp_path / "set.train"
    path.write_text("B\tU0\\:a\tU1\\:x\nI\tU0\\:b\tU1\\:y\n\nB\tU0\\:c\tU1\\:\\\\\n", encoding="utf-8")
    assert files.as_columns(str(path)) == ("U0:a U1:x B\nU0:b U1:y I\n\nU0:c U1:\\ B\n\n", 2)
    assert files.patterns(2, "b") == "U0:%x[0,0]\nU1:%x[0,1]\nb\n"
    path.write_text("B\ta\tb\nB\ta\n", encoding="utf-8")
    with pytest.raises(SystemExit, match=r"\[1, 2\]"):
        files.as_columns(str(path))


def test_transliteration_is_measured_with_and_without_settings_of_a_set(tmp_path, bench):
    command = [sys.executable, str(BENCHES / "run.py"), "translit", "--translit-sets", "made-200", "--cpus", "1"]
    command += ["--translit-systems", "jscm", "--out", str(tmp_path)]
    subprocess.run(command, check=True, capture_output=True)
    (row,) = json.loads((tmp_path / "translit.json").read_text(encoding="utf-8"))["rows"]
    assert (row["system"], row["words"]) == ("jscm", 40)
    assert 50 < row["ACC %"] <= row["MRR %"] <= 100
    assert row["F %"] > row["ACC %"]
    module = bench("translit")
    assert module.SETTINGS["en-zhs-proxy"].options[-1] == "3"
    assert module.Settings().options == []


def test_differences_of_f1_are_those_of_all_exchanges(bench):
    module = bench("crf_difference")
    gold = [["B-A", "I-A"], ["B-A", "O"], ["O", "B-A"], ["B-A"]]
    ours = [["B-A", "I-A"], ["B-A", "O"], ["O", "O"], ["B-A"]]
    theirs = [["B-A", "O"], ["O", "O"], ["O", "B-A"], ["B-A"]]
    a, b = module.counts_of(gold, ours), module.counts_of(gold, theirs)
    assert a.tolist() == [[1, 1, 1], [1, 1, 1], [1, 0, 0], [1, 1, 1]]
    assert b.tolist() == [[1, 1, 0], [1, 0, 0], [1, 1, 1], [1, 1, 1]]
    found = module.difference(a, b, rounds=4000)
    # Of 4 gold chunks: 3 found, 3 right; and 3 found, 2 right.
    assert found["F1 difference"] == pytest.approx(600 / 7 - 400 / 7)
    # Three sequences differ: the share of their eight exchanges with a difference at least as large.
    extreme = 0
    for draws in itertools.product((0, 1), repeat=3):
        one, other = a.copy(), b.copy()
        for sequence, is_exchanged in enumerate(draws):
            if is_exchanged:
                one[sequence], other[sequence] = b[sequence], a[sequence]
        extreme += abs(module.f1(one.sum(axis=0)) - module.f1(other.sum(axis=0))) >= found["F1 difference"] - 1e-9
    assert found["p"] == pytest.approx(extreme / 8, abs=0.03)
    assert found["low"] < found["F1 difference"] < found["high"]
    same = module.difference(a, a, rounds=50)
    assert (same["F1 difference"], same["low"], same["high"], same["p"]) == (0, 0, 0, 1)
