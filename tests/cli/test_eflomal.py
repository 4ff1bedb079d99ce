"""``plait eflomal``: the options and formats of eflomal-align and eflomal-makepriors."""

import math
import os
import re
import shutil
import subprocess
import warnings

import pytest

from align_commands import JOINT, SOURCES, TARGETS
from plait import align
from plait.bitext import Bitext
from plait.errors import AlignmentWarning

PAIR = ("-s", "s", "-t", "t")


def by_target(links):
    return sorted(links.tolist(), key=lambda link: link[::-1])


def pharaoh(links):
    return " ".join(f"{i}-{j}" for i, j in links)


def fitted(preset="default", reading=None, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AlignmentWarning)
        return align.fit(Bitext.from_lists(SOURCES, TARGETS, lowercase=True, **reading or {}), preset, **options)


def test_both_directions_are_those_of_the_aligner(plait, tmp_path):
    assert plait("eflomal", "align", *PAIR, "-f", "fwd", "-r", "rev").code == 0
    model = fitted()
    assert (tmp_path / "fwd").read_text().splitlines() == [pharaoh(by_target(x)) for x in model.forward]
    assert (tmp_path / "rev").read_text().splitlines() == [pharaoh(x.tolist()) for x in model.reverse]


def test_the_program_may_be_left_out_and_the_input_be_joint(plait):
    two = plait("eflomal", "align", *PAIR, "-f", "-").out
    assert plait("eflomal", *PAIR, "-f", "-").out == two
    assert plait("eflomal", "-i", "joint", "-f", "-").out == two
    assert plait("eflomal", "--input", "-", "--forward-links", "-", stdin=JOINT.encode()).out == two


def test_words_are_lower_cased_always(plait, tmp_path):
    for name in ("s", "t"):
        (tmp_path / f"upper.{name}").write_text((tmp_path / name).read_text().upper())
    lower = plait("eflomal", *PAIR, "-f", "-").out
    assert plait("eflomal", "-s", "upper.s", "-t", "upper.t", "-f", "-").out == lower


@pytest.mark.parametrize(
    ("words", "reading"),
    [
        (("--source-prefix", 2), {"stem_source": 2}),
        (("--source-suffix", 1), {"stem_source": -1}),
        (("--target-prefix", 2, "--target-suffix", 1), {"stem_target": 2}),
        (("--target-suffix", 1), {"stem_target": -1}),
    ],
)
def test_stems(plait, words, reading):
    found = plait("eflomal", *PAIR, "-r", "-", *words)
    assert found.out.splitlines() == [pharaoh(x.tolist()) for x in fitted(reading=reading).reverse]
    assert ("--target-suffix has no effect" in found.err) == (len(words) == 4)


def test_model_1_is_sampled_and_its_sweeps_can_be_set(plait):
    found = plait("eflomal", *PAIR, "-m", 1, "-1", 5, "-r", "-", "--null-prior", 0.3, "--seed", 7)
    model = fitted("GS-5", burn_in=2, samples=3, p0=0.3, seed=7)
    assert found.out.splitlines() == [pharaoh(x.tolist()) for x in model.reverse]
    # 5000 / sqrt(80) sweeps, times the relative length.
    sweeps = round(0.1 * 5000 / math.sqrt(len(SOURCES)))
    short = plait("eflomal", *PAIR, "-m", 1, "-l", 0.1, "-r", "-").out
    model = fitted("GS-5", burn_in=sweeps // 2, samples=sweeps - sweeps // 2)
    assert short.splitlines() == [pharaoh(x.tolist()) for x in model.reverse]


def test_links_are_replaced_with_overwrite_only_and_scores_anyway(plait, tmp_path):
    (tmp_path / "fwd").write_text("precious\n")
    (tmp_path / "scores").write_text("old\n")
    found = plait("eflomal", *PAIR, "-f", "fwd", "-F", "scores")
    assert found.code == 1
    assert "output file fwd exists" in found.err
    assert "--overwrite" in found.err
    assert (tmp_path / "fwd").read_text() == "precious\n"
    assert plait("eflomal", *PAIR, "-f", "fwd", "-F", "scores", "--overwrite").code == 0
    assert "precious" not in (tmp_path / "fwd").read_text()
    assert len((tmp_path / "scores").read_text().splitlines()) == len(SOURCES)


def test_scores_are_costs_of_a_word_and_the_worst_where_nothing_can_be_aligned(plait, tmp_path):
    assert plait("eflomal", *PAIR, "-F", "fwd", "-R", "rev").code == 0
    for name in ("fwd", "rev"):
        costs = [float(line) for line in (tmp_path / name).read_text().splitlines()]
        assert len(costs) == len(SOURCES)
        assert all(0 < cost < 21 for cost in costs)
        for n, (source, target) in enumerate(zip(SOURCES, TARGETS, strict=True)):
            if not source or not target:
                assert costs[n] == max(costs) == pytest.approx(-math.log(1e-9), rel=1e-5)


def test_scores_are_those_of_the_model(plait, tmp_path):
    text = Bitext.from_lists(SOURCES, TARGETS, lowercase=True)
    scores = fitted().score(text)
    assert plait("eflomal", *PAIR, "-F", "fwd", "-R", "rev").code == 0
    for name, per_word in (("fwd", scores.forward_per_word), ("rev", scores.reverse_per_word)):
        costs = [float(line) for line in (tmp_path / name).read_text().splitlines()]
        for cost, score in zip(costs, per_word.tolist(), strict=True):
            assert cost == pytest.approx(-math.log(1e-9) if math.isnan(score) else -score, rel=1e-5)


@pytest.mark.parametrize("model", [("-m", 1, "-1", 4), ("--preset", "EM-5")])
def test_other_models_have_scores_too(plait, tmp_path, model):
    assert plait("eflomal", *PAIR, "-F", "fwd", *model).code == 0
    costs = [float(line) for line in (tmp_path / "fwd").read_text().splitlines()]
    assert all(0 < cost < 21 for cost in costs)
    assert len(set(costs)) > 10


def test_a_wrong_translation_costs_more(plait, tmp_path):
    """What scores are for: a pair that is no translation stands out."""
    right = [f"w{n % 7} v{n % 5} u{n % 3}\n" for n in range(60)]
    (tmp_path / "one").write_text("".join(right))
    (tmp_path / "two").write_text("".join(right[:-1]).replace("w", "W").upper() + "V1 V1 V1 U2\n")
    assert plait("eflomal", "-s", "one", "-t", "two", "-F", "f", "-R", "r").code == 0
    for name in "fr":
        costs = [float(line) for line in (tmp_path / name).read_text().splitlines()]
        assert costs[-1] > max(costs[:-1])


def test_priors_are_those_of_makepriors(plait, tmp_path):
    (tmp_path / "one").write_text("The House\nthe Book\n")
    (tmp_path / "two").write_text("das Haus\ndas Buch\n")
    (tmp_path / "fwd").write_text("0-0 1-1\n0-0 1-1\n")
    (tmp_path / "rev").write_text("1-1\n1-1\n")
    expected = (
        "LEX\tBook\tBuch\t1\nLEX\tHouse\tHaus\t1\nLEX\tThe\tdas\t1\nLEX\tthe\tdas\t1\n"
        "FERF\tBook\t1\t1\nFERF\tHouse\t1\t1\nFERF\tThe\t1\t1\nFERF\tthe\t1\t1\n"
        "FERR\tBuch\t1\t1\nFERR\tHaus\t1\t1\nHMMF\t1\t6\nHMMR\t1\t2\nHMMR\t2\t2\n"
    )
    words = ("eflomal", "makepriors", "-s", "one", "-t", "two", "-f", "fwd", "-r", "rev")
    assert plait(*words).out == expected
    (tmp_path / "out").write_text("old")
    assert plait(*words, "--priors", "out").code == 0
    assert (tmp_path / "out").read_text() == expected
    (tmp_path / "both").write_text("The House ||| das Haus\nthe Book ||| das Buch\n")
    joint = ("eflomal", "makepriors", "-i", "both", "-f", "fwd", "-r", "rev")
    assert plait(*joint).out == expected
    (tmp_path / "rev").write_text("1-1\n1-2\n")
    outside = plait(*words)
    assert outside.code == 1
    assert "sentence pair 2" in outside.err


def test_options_without_effect_are_told_and_have_none(plait):
    plain = plait("eflomal", *PAIR, "-f", "-")
    found = plait(
        "eflomal", *PAIR, "-f", "-", "--n-samplers", 5, "-2", 3, "-3", 4, "-M", 1, "--debug", "-l", 2, "-1", 9
    )
    assert found.out == plain.out
    for name in ("--n-samplers", "-2", "-3", "-M", "--debug", "-l", "-1"):
        assert re.search(rf"warning: .*{name}\b", found.err), name
    assert "no effect" not in plain.err


def test_bad_usage(plait):
    assert plait("eflomal", *PAIR).code == 2
    assert plait("eflomal", "-s", "s", "-f", "-").code == 2
    assert plait("eflomal", "makepriors", *PAIR).code == 2
    assert plait("eflomal", *PAIR, "-f", "x", "-r", "x").code == 2
    assert plait("eflomal", *PAIR, "-f", "-", "-m", 4).code == 2
    assert plait("eflomal", "-s", "missing", "-t", "t", "-f", "-").code == 1
    unknown = plait("eflomal", "makepriors", "--no-such-option")
    assert unknown.code == 2
    assert "plait eflomal makepriors" in unknown.err


def test_help_of_both_programs(plait):
    assert "--forward-links" in plait("eflomal", "align", "--help").out
    assert "--forward-alignments" in plait("eflomal", "makepriors", "--help").out


@pytest.mark.skipif(shutil.which("eflomal-align") is None, reason="eflomal is not installed")
def test_files_have_the_form_of_eflomals(plait, tmp_path):
    """The installed eflomal on the same text: lines, order of links, and the same priors of the same links."""
    words = ("-s", "s", "-t", "t", "-f", "{}.f", "-r", "{}.r", "-F", "{}.F", "-R", "{}.R")
    theirs = [word.format("theirs") for word in words]
    subprocess.run(["eflomal-align", *theirs], check=True, capture_output=True, env=os.environ)
    assert plait("eflomal", "align", *(word.format("ours") for word in words)).code == 0

    def lines(name):
        text = (tmp_path / name).read_text()
        assert text.endswith("\n")
        return text.split("\n")[:-1]

    for kind, side in (("f", 1), ("r", 0)):
        for name in ("theirs", "ours"):
            read = [
                [tuple(map(int, link.split("-"))) for link in line.split(" ")]
                for line in lines(f"{name}.{kind}")
                if line
            ]
            assert all(links == sorted(links, key=lambda link: link[side]) for links in read), f"{name}.{kind}"
        assert len(lines(f"theirs.{kind}")) == len(lines(f"ours.{kind}")) == len(SOURCES)
    for kind in "FR":
        assert len(lines(f"theirs.{kind}")) == len(lines(f"ours.{kind}")) == len(SOURCES)
        assert all(math.isfinite(float(line)) for line in lines(f"ours.{kind}"))
    made = ("-s", "s", "-t", "t", "-f", "theirs.f", "-r", "theirs.r")
    expected = subprocess.run(["eflomal-makepriors", *made], check=True, capture_output=True, text=True).stdout
    assert plait("eflomal", "makepriors", *made).out == expected
