"""``plait crf train|tag|eval|dump``."""

import json

import pytest

from command_line import run
from plait.crf import ChainCRF, Sequences

TRAIN = "the D B-NP\ncat N I-NP\nsat V O\n\na D B-NP\ndog N I-NP\nbarks V O\n\nthe D B-NP\ndog N I-NP\nsat V O\n"
TEMPLATE = "U0:%x[0,0]\nU1:%x[0,1]\nU2:%x[-1,1]\n\nB\n"


@pytest.fixture
def crf(capfdbinary, tmp_path, monkeypatch):
    """Run `plait crf` in a folder with training data, templates and a model."""
    (tmp_path / "train").write_text(TRAIN)
    (tmp_path / "template").write_text(TEMPLATE)
    monkeypatch.chdir(tmp_path)

    def call(*words, **keywords):
        return run(capfdbinary, "crf", *words, **keywords)

    made = call("train", "-t", "template", "--l2", 0.01, "-o", "m.plait", "train")
    assert made.code == 0, made.err
    return call


def test_training_sums_up_and_the_labels_are_learnt(crf):
    result = crf("train", "--l2", "0.01", "--dev", "train", "--progress", "json", "-o", "n.plait", "train")
    assert result.code == 0
    facts = json.loads(result.err.splitlines()[-1])
    assert (facts["sequences"], facts["positions"], facts["labels"]) == (3, 9, 3)
    assert facts["dev"]["f1"] == 1.0
    assert facts["stopped_by"] in ("gradient", "objective", "precision")


def test_the_same_command_makes_the_same_file(crf, tmp_path):
    for name, threads in (("a", 1), ("b", 2)):
        assert crf("train", "-t", "template", "--threads", threads, "-o", name, "train").code == 0
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_lines_are_tagged_with_or_without_labels(crf):
    result = crf("tag", "-m", "m.plait", "-", stdin=b"a D\r\ncat N\n\n\nthe D\n")
    assert result.out == "a D\tB-NP\ncat N\tI-NP\n\nthe D\tB-NP\n\n"
    assert crf("tag", "-m", "m.plait", "train").out.splitlines()[0] == "the D B-NP\tB-NP"


def test_marginals_and_lists_have_probabilities(crf):
    result = crf("tag", "-m", "m.plait", "--marginals", "-", stdin=b"a D\ncat N\n")
    chances = [float(line.split("\t")[2]) for line in result.out.splitlines() if line]
    assert len(chances) == 2
    assert all(0.8 < chance <= 1 for chance in chances)
    lists = crf("tag", "-m", "m.plait", "-n", 100, "-", stdin=b"a D\ncat N\n").out.split("\n\n")[:-1]
    assert len(lists) == 9
    heads = [entry.splitlines()[0].split() for entry in lists]
    assert [head[1] for head in heads] == [str(n) for n in range(9)]
    found = [float(head[2]) for head in heads]
    assert found == sorted(found, reverse=True)
    assert sum(found) == pytest.approx(1, abs=1e-4)
    both = crf("tag", "-m", "m.plait", "-n", 2, "--marginals", "train")
    assert both.code == 2


def test_an_evaluation_is_printed_or_json(crf):
    result = crf("eval", "-m", "m.plait", "train", "--json")
    facts = json.loads(result.out)
    assert (facts["unit"], facts["f1"], facts["accuracy"], facts["types"]["NP"]["gold"]) == ("chunk", 1.0, 1.0, 3)
    assert "F1 100.00" in crf("eval", "-m", "m.plait", "train").out
    assert json.loads(crf("eval", "-m", "m.plait", "--unit", "label", "train", "--json").out)["unit"] == "label"


def test_a_model_is_dumped(crf):
    lines = crf("dump", "-m", "m.plait", "--top", 3).out.splitlines()
    assert "# labels: B-NP I-NP O" in lines
    assert [line.split("\t")[0] for line in lines if "\t" in line] == ["transition"] * 2 + ["state"] * 3
    facts = json.loads(crf("dump", "-m", "m.plait", "--top", 0, "--json").out)
    assert len(facts["state"]) + len(facts["transition"]) <= facts["weights"]


def test_a_template_without_b_has_no_transitions(crf):
    with open("only", "w") as out:
        out.write("U0:%x[0,0]\n")
    assert crf("train", "-t", "only", "-o", "o.plait", "train").code == 0
    assert not [line for line in crf("dump", "-m", "o.plait").out.splitlines() if line.startswith("transition")]


def test_training_goes_on_from_a_model(crf):
    result = crf(
        "train", "-t", "template", "--start", "m.plait", "--l2", 0.01, "--max-iterations", 0, "-o", "s.plait", "train"
    )
    assert result.code == 0, result.err
    old, new = (crf("dump", "-m", name).out.split("\ntransition\t", 1)[1] for name in ("m.plait", "s.plait"))
    assert new == old


def test_attribute_files_of_crfsuite(crf):
    with open("a", "w") as out:
        out.write("X\tw=a\tlen:2\nY\tw=b\n\nX\tw=a\n")
    assert crf("train", "--format", "crfsuite", "--l2", 0.01, "-o", "a.plait", "a").code == 0
    assert crf("tag", "-m", "a.plait", "a").out == "X\nY\n\nX\n\n"
    assert json.loads(crf("eval", "-m", "a.plait", "a", "--json").out)["accuracy"] == 1.0


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["train", "-o", "x", "missing"], 1, "missing"),
        (["train", "-o", "m.plait", "train"], 1, "exists"),
        (["train", "-t", "train", "-o", "x", "train"], 1, "train:1:1: a template begins with U, B or #"),
        (["train", "-o", "x", "--l2", "-1", "train"], 1, "l2 must be"),
        (["train", "-o", "missing/x", "train"], 1, "missing"),
        (["train", "-o", "x", "empty"], 1, "empty: there are no labelled positions"),
        (["train", "-o", "x", "--l2", "auto", "empty"], 1, "empty: there are no labelled positions"),
        (["train", "-o", "x", "--dev", "nothing", "train"], 1, "nothing: there are no labelled positions"),
        (["train", "-o", "x", "--l2", "auto", "--dev", "nothing", "train"], 1, "nothing: there are no labelled"),
        (["train", "-o", "x", "nothing"], 1, "nothing: the file is empty"),
        (["eval", "-m", "m.plait", "nothing"], 1, "nothing: there is no position to evaluate; the file is empty"),
        (["convert", "missing", "x"], 1, "missing"),
        (["convert", "train", "x"], 1, "train"),
        (["convert", "m.plait", "m.plait"], 1, "exists"),
        (["convert", "m.plait", "x.crfsuite", "--single"], 2, "--single is for plait"),
        (["convert", "bigram.txt", "x"], 1, "bigram.txt:8:4: a cell is %x[row,column]"),
        (["tag", "-m", "train", "train"], 1, "train"),
        (["tag", "-m", "m.plait", "narrow"], 1, "narrow:1:1: 2 cells are needed"),
        (["eval", "-m", "m.plait", "bare"], 1, "labelled at each position"),
        (["eval", "-m", "m.plait", "empty"], 1, "no position"),
        (["train", "train"], 2, "--out"),
    ],
)
def test_what_is_wrong_is_said(crf, tmp_path, words, code, message):
    (tmp_path / "empty").write_text("\n")
    (tmp_path / "narrow").write_text("a\n")
    (tmp_path / "bare").write_text("the D\n")
    (tmp_path / "nothing").write_text("")
    (tmp_path / "bigram.txt").write_text(
        "version: 100\ncost-factor: 1\nmaxid: 1\nxsize: 1\n\nX\n\nB0:%x[0]\n\n0 B0:a\n\n1.0\n"
    )
    result = crf(*words)
    assert result.code == code
    assert message in result.err
    assert not (tmp_path / "x").exists()


def test_weights_of_one_label_are_dumped(crf):
    lines = crf("dump", "-m", "m.plait", "--label", "O", "--top", 2).out.splitlines()
    rows = [line.split("\t") for line in lines if "\t" in line]
    assert {row[2] for row in rows} == {"O"}
    assert [row[0] for row in rows].count("state") == 2
    refused = crf("dump", "-m", "m.plait", "--label", "Z")
    assert (refused.code, "one of B-NP, I-NP, O" in refused.err) == (1, True)


def test_labels_are_explained(crf):
    result = crf("explain", "-m", "m.plait", "-", stdin=b"a D\ncat N\n\nthe D\n")
    assert result.code == 0, result.err
    first, second, _ = result.out.split("\n\n")
    assert first.startswith("log p -")
    assert "1: I-NP  p 0." in first
    assert ", after B-NP +" in first
    assert "  U1:N" in first
    assert "0: B-NP" in second
    found = [
        json.loads(line) for line in crf("explain", "-m", "m.plait", "--json", "--given", "train").out.splitlines()
    ]
    assert [one["labels"] for one in found] == [["B-NP", "I-NP", "O"]] * 3
    for one in found:
        terms = sum(term["score"] for position in one["terms"] for term in position)
        assert terms + sum(one["transitions"]) == pytest.approx(one["score"])
        assert one["score"] - one["log_z"] == pytest.approx(one["log_probability"])
        assert sum(one["marginals"][1].values()) == pytest.approx(1)
    assert crf("explain", "-m", "m.plait", "--given", "-", stdin=b"a D\n").code == 1


def test_models_are_converted_and_label_the_same(crf, tmp_path):
    made = crf("convert", "m.plait", "m.crfsuite")
    assert (made.code, made.out) == (0, "")
    assert "in the format of CRFsuite (templates have no place in it)" in made.err
    assert (tmp_path / "m.crfsuite").read_bytes()[:4] == b"lCRF"
    assert crf("convert", "m.crfsuite", "back.plait").code == 0
    old, new = (
        crf("dump", "-m", name, "--top", 0).out.split("\ntransition\t", 1)[1] for name in ("m.plait", "back.plait")
    )
    assert new == old
    again = crf("convert", "--to", "crfsuite", "back.plait", "again")
    assert "templates" not in again.err
    assert (tmp_path / "again").read_bytes() == (tmp_path / "m.crfsuite").read_bytes()


def test_models_of_crfpp_are_used_and_converted(crf, tmp_path):
    text = (
        "version: 100\ncost-factor: 2\nmaxid: 8\nxsize: 1\n\nX\nY\n\nU0:%x[0,0]\nB\n\n"
        "4 B\n0 U0:a\n2 U0:b\n\n1.5\n-1\n-0.5\n2\n0\n0.25\n0\n0\n"
    )
    (tmp_path / "model.txt").write_text(text)
    assert crf("tag", "-m", "model.txt", "-", stdin=b"a\nb\n").out == "a\tX\nb\tY\n\n"
    assert crf("convert", "model.txt", "from.plait").code == 0
    facts = json.loads(crf("dump", "-m", "from.plait", "--json").out)
    assert facts["transition"] == [["X", "Y", 0.5]]
    assert ["U0:a", "X", 3.0] in facts["state"]
    assert crf("tag", "-m", "from.plait", "-", stdin=b"a\nb\n").out == "a\tX\nb\tY\n\n"
    # CRF++ does not tell how many columns there were: all that the templates need must be there.
    assert crf("tag", "-m", "from.plait", "-", stdin=b"a k X\nb k Y\n").out == "a k X\tX\nb k Y\tY\n\n"
    (tmp_path / "wide").write_text("a k X\nb k Y\n")
    assert json.loads(crf("eval", "-m", "model.txt", "wide", "--json").out)["accuracy"] == 1.0


def test_training_stops_early_by_the_labels_of_dev(crf):
    result = crf(
        "train", "--l2", 0, "--epsilon", 0, "--delta", 0, "--dev", "train", "--patience", 2, "-o", "e.plait", "train",
        "--progress", "json",
    )  # fmt: skip
    assert result.code == 0, result.err
    facts = json.loads(result.err.splitlines()[-1])
    assert facts["stopped_by"] == "held-out"
    assert facts["dev"]["accuracy"] == 1.0
    assert crf("train", "--patience", 2, "-o", "f.plait", "train").code == 2


@pytest.mark.parametrize("algorithm", ["sgd", "adagrad", "perceptron"])
def test_other_trainers_learn_the_labels_too(crf, algorithm):
    made = crf(
        "train",
        "-t",
        "template",
        "--algorithm",
        algorithm,
        "--l2",
        0.01,
        "--progress",
        "json",
        "-o",
        "n.plait",
        "train",
    )
    assert made.code == 0, made.err
    facts = json.loads(made.err.splitlines()[-1])
    assert (facts["objective"] is None) == (algorithm == "perceptron")
    assert crf("eval", "-m", "n.plait", "train").out.startswith("9 positions, accuracy 100.00%")
    assert "passes (" in crf("train", "--algorithm", algorithm, "-o", "t.plait", "--progress", "bar", "train").err


def test_the_score_of_held_out_sequences_is_told_after_each_look(crf):
    result = crf(
        *("train", "-t", "template", "--dev", "train", "--dev-every", 2, "--max-iterations", 4, "--period", 0),
        *("--progress", "json", "-o", "n.plait", "train"),
    )
    assert result.code == 0
    reports = [json.loads(line) for line in result.err.splitlines() if line.startswith("{")]
    assert any("dev" in json.dumps(report) for report in reports[:-1])


def test_a_checkpoint_goes_when_the_model_is_there(crf, tmp_path):
    options = ("train", "-t", "template", "--checkpoint", "state", "--checkpoint-seconds", 0)
    assert crf(*options, "-o", "n.plait", "train").code == 0
    assert not (tmp_path / "state").exists()
    assert crf("train", "-t", "template", "-o", "same.plait", "train").code == 0
    assert (tmp_path / "n.plait").read_bytes() == (tmp_path / "same.plait").read_bytes()


def test_the_checkpoint_of_another_run_stays_and_no_model_is_written(crf, tmp_path):
    data = Sequences.read("train", template=TEMPLATE)
    ChainCRF(l2=0.5, delta=0.0).fit(data, checkpoint="state", checkpoint_seconds=0)
    result = crf("train", "-t", "template", "--checkpoint", "state", "-o", "n.plait", "train")
    assert result.code != 0
    assert "state is the checkpoint of another run: delta was 0.0 there, and is 1e-05 now" in result.err
    assert (tmp_path / "state").exists()
    assert not (tmp_path / "n.plait").exists()


def test_weights_of_sequences_are_copies(crf, tmp_path):
    (tmp_path / "weights").write_text("2\n0\n 1\n")
    blocks = TRAIN.strip().split("\n\n")
    (tmp_path / "copies").write_text("\n\n".join([blocks[0], blocks[0], blocks[2]]) + "\n")
    objectives = []
    for words in (["--weights", "weights", "train"], ["copies"]):
        result = crf(
            "train", "-t", "template", "--epsilon", 1e-9, "--progress", "json", "-o", "w.plait", "--force", *words
        )
        assert result.code == 0, result.err
        objectives.append(json.loads(result.err.splitlines()[-1])["objective"])
    assert objectives[0] == pytest.approx(objectives[1], rel=1e-6)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1\nnan\n1\n", "weights:2:1: the weight of a sequence must be"),
        ("1\n2\n  -1\n", "weights:3:3: the weight of a sequence must be"),
        ("1\n\n1\n", "weights:2:1"),
        ("1\ninf\n1\n", "weights:2:1"),
        ("1\n1\n", "weights: ends after line 2, but train has 3 sequences"),
        ("1\n1\n1\n1\n", "weights:4:1: train has 3 sequences"),
    ],
)
def test_weights_that_do_not_fit_are_named(crf, tmp_path, text, message):
    (tmp_path / "weights").write_text(text)
    result = crf("train", "-t", "template", "--weights", "weights", "-o", "w.plait", "train")
    assert result.code == 1
    assert message in result.err.replace("\n", " ")
    assert not (tmp_path / "w.plait").exists()


def test_the_penalty_is_chosen_by_parts_or_by_held_out_sequences(crf, tmp_path):
    (tmp_path / "more").write_text(TRAIN.replace("cat", "cow"))
    for more in ((), ("--dev", "more")):
        result = crf(
            "train", "--l2", "auto", "-t", "template", "--progress", "json", *more, "-o", "n.plait", "--force", "train"
        )
        assert result.code == 0, result.err
        facts = json.loads(result.err.splitlines()[-1])
        scores = dict(facts["l2_scores"])
        assert scores[facts["l2"]] == max(scores.values())
        assert ChainCRF.load("n.plait").l2 == facts["l2"]
    # The same model as with that penalty from the start.
    assert crf("train", "--l2", facts["l2"], "-t", "template", "-o", "o.plait", "train").code == 0
    assert ChainCRF.load("o.plait").state_features_ == ChainCRF.load("n.plait").state_features_


def test_a_penalty_is_a_number_or_auto(crf):
    result = crf("train", "--l2", "some", "-o", "n.plait", "train")
    assert result.code == 2
    assert "'some' is not a valid float" in result.err
    result = crf("train", "--l2", "auto", "--algorithm", "perceptron", "-o", "n.plait", "train")
    assert (result.code, "a perceptron has no penalty" in result.err) == (2, True)
