"""What goes wrong in other aligners with HMMs, models that are kept, and links that others use, and what is right."""

import json
import math
import re
import time
from pathlib import Path

import numpy as np
import pytest

import hmm_fitting
from align_commands import SOURCES, TARGETS
from made_corpora import zipf_corpus
from plait import Bitext, align, models
from plait.errors import ConfigError
from plait.presets import PRESETS
from plait.priors import Priors
from reference.hmm import BUCKETS, HmmModel


def write(folder, name, sentences):
    (folder / name).write_text("".join(f"{' '.join(words)}\n" for words in sentences))


@pytest.mark.parametrize("preset", ["default", "fast", "wdhmm-100"])
def test_a_text_of_any_size_goes_through_in_chunks_with_the_model_of_a_sample(plait, tmp_path, preset):
    """mozilla/translations#663, #739, #1108: 200 million pairs need 512 GB; chunks with priors are biased."""
    text = zipf_corpus(90, seed=5)
    write(tmp_path, "sample.s", text[0][:40])
    write(tmp_path, "sample.t", text[1][:40])
    sample = ("-s", "sample.s", "-t", "sample.t", "-o", "sample.out")
    assert plait("align", *sample, "--save", "model", "--preset", preset).code == 0
    kept = (tmp_path / "model").read_bytes()

    def aligned(start, stop):
        write(tmp_path, "c.s", text[0][start:stop])
        write(tmp_path, "c.t", text[1][start:stop])
        return plait("align", "--model", "model", "-s", "c.s", "-t", "c.t", "-o", "-", "--probabilities").out

    whole = aligned(0, 90)
    assert whole.count("\n") == 90
    for size in (1, 7, 40):
        assert "".join(aligned(start, start + size) for start in range(0, 90, size)) == whole
    assert (tmp_path / "model").read_bytes() == kept


def test_far_jumps_are_jumps_and_no_part_of_their_sum():
    """eflomal keeps the sum of all jumps where those of 1023 and more are counted."""
    length = 1100
    numbers = np.random.default_rng(2).permutation(length)
    # Neighbours on one side stand anywhere on the other; words that stand alone tell which belong together.
    alone = [[f"s{n}"] for n in range(length)] * 2, [[f"t{n}"] for n in range(length)] * 2
    far = [0, length - 1]
    sources = [[f"s{n}" for n in range(length)], [f"s{n}" for n in range(length)], *alone[0]]
    targets = [[f"t{n}" for n in numbers], [f"t{n}" for n in far], *alone[1]]
    model = HmmModel(p0=0.01, tau=10.0)
    trained = hmm_fitting.train((sources, targets), model, warm_up=3, iterations=2, emission_beam=1e-2)
    assert set(trained.links_of(reverse=False)[1]) == {(0, 0), (length - 1, 1)}
    for reverse in (False, True):
        jumps = trained.parameters(reverse=reverse).jumps
        assert len(jumps.between) == BUCKETS
        # One jump leads to each real link.
        kept = sum(sum(table.values()) for table in trained.posteriors_of(reverse=reverse))
        assert sum(jumps.between) + sum(jumps.first) == pytest.approx(kept, rel=1e-3)
        assert min(jumps.between[0], jumps.between[-1]) > 400, "most jumps are far"
        assert sum(map(sum, jumps.by_word.values())) == pytest.approx(sum(jumps.between), rel=1e-3)
        assert all(math.isfinite(figure) and figure < 0 for figure in trained.history[reverse])


def test_priors_have_a_line_for_each_far_jump(tmp_path):
    """eflomal makes one of all jumps of 1023 and more."""
    words = [f"w{n}" for n in range(3000)]
    links = align.fit(Bitext.from_lists([["a"]], [["x"]]), "EM-5").forward.from_lists([[(0, 0), (2999, 1), (5, 2)]])
    Priors.from_links(Bitext.from_lists([words], [["x", "y", "z"]]), links).write(tmp_path / "p")
    lines = (tmp_path / "p").read_text().splitlines()
    assert {line for line in lines if line.startswith("HMMF")} >= {"HMMF\t2999\t1", "HMMF\t-2994\t1"}


DIRTY = [
    "a  b   c",
    "\x01\x02\x7f",
    "a\u00a0b \u200b \u2028",
    "\ufeffa \u202e b",
    "e\u0301 \u00e9",
    "\U0001f468\u200d\U0001f469\u200d\U0001f467 \ud7ff",
    "|| ||| |",
    "<NULL> NULL <eps> <s> </s> 0-0",
    "\t a \t",
    "%s %n {0} \\n \\",
]


@pytest.mark.parametrize("preset", ["default", "best", "wdhmm-1000"])
def test_dirty_text_goes_through_training_files_and_new_text(plait, tmp_path, preset):
    """moses-smt/mosesdecoder#225, #230: signal 11 of GIZA++ on double spaces and characters that do not print."""
    lines = DIRTY * 3
    (tmp_path / "s").write_text("".join(f"{line}\n" for line in lines), newline="\n")
    (tmp_path / "t").write_text("".join(f"{line}\n" for line in lines[1:] + lines[:1]), newline="\n")
    corpus = ("-s", "s", "-t", "t")
    found = plait("align", *corpus, "-o", "out", "--save", "m", "--preset", preset)
    assert found.code == 0, found.err
    first = plait("align", *corpus, "--model", "m", "-o", "-").out
    assert first.count("\n") == (tmp_path / "out").read_bytes().count(b"\n") == len(lines)
    model = align.load(tmp_path / "m")
    text = Bitext.read(tmp_path / "s", tmp_path / "t")
    assert model.align(text).to_pharaoh().decode() == first
    words = {word for line in lines for word in re.split("[ \t]+", line) if word}
    assert set(model.lexicon().source_vocabulary) == set(model.lexicon().target_vocabulary) == words
    model.align(text).check_within(text.source_lengths, text.target_lengths)


def test_a_big_model_comes_back_from_its_file_to_the_bit(tmp_path):
    """moses-smt/mgiza#2: a segmentation fault when a big fertility table is loaded for new text."""
    rng = np.random.default_rng(4)
    numbers = rng.zipf(1.3, size=(3000, 12)) % 60_000
    sources = [[f"s{n}" for n in row] for row in numbers]
    targets = [[f"t{n}" for n in row] for row in numbers]
    # One word with very many translations, and one that stands for a whole sentence.
    sources += [["all"]] * 3 + [["often"]] * 2000
    targets += [[f"t{n}" for n in range(5000)]] * 3 + [[f"u{n}"] for n in range(2000)]
    model = align.fit(Bitext.from_lists(sources, targets), "fast")
    model.save(tmp_path / "m")
    loaded = align.load(tmp_path / "m")
    new = Bitext.from_lists(sources[::7], targets[::7])
    assert loaded.align(new).to_pharaoh(probabilities=True) == model.align(new).to_pharaoh(probabilities=True)
    assert len(loaded.lexicon().translations("often", top=None)) > 1000
    loaded.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "m").read_bytes()


def seconds_for_a_pair(model, words):
    text = Bitext.from_lists([[f"s{n}" for n in words]], [[f"t{n}" for n in words]])
    model.align(text, threads=1)
    times = []
    for _ in range(40):
        start = time.perf_counter()
        model.align(text, threads=1)
        times.append(time.perf_counter() - start)
    # The quickest: the machine may be busy.
    return min(times)


def test_a_loaded_model_aligns_a_pair_at_once_however_large_it_is(tmp_path):
    """robertostling/eflomal#24, neulab/awesome-align#58: seconds for each sentence, as all is read again."""
    times = []
    for pairs, types in ((60, 30), (4000, 3000)):
        align.fit(Bitext.from_lists(*zipf_corpus(pairs, types=types, mean_length=10)), "fast").save(tmp_path / "m")
        times.append(seconds_for_a_pair(align.load(tmp_path / "m"), range(20)))
        (tmp_path / "m").unlink()
    # A tenth of a millisecond on a quiet machine.
    assert max(times) < 0.01
    assert times[1] < 5 * times[0]


def test_a_model_says_how_it_was_made_and_refuses_what_does_not_fit(tmp_path):
    """Helsinki-NLP/OpusFilter#30: priors of words of another form; eflomal's files say nothing of how text was read."""
    text = Bitext.from_lists(*zipf_corpus(50), lowercase=True, stem_target=3)
    align.fit(text, "fast").save(tmp_path / "m")
    file = models.load(tmp_path / "m")
    assert file.plait_version
    assert file.metadata["folding"] == {"lowercase": True, "stem_source": 0, "stem_target": 3}
    assert file.metadata["config"]["prefixes"] == list(PRESETS["fast"].prefixes)
    with pytest.raises(ConfigError, match="read the text with these options"):
        align.load(tmp_path / "m").align(Bitext.from_lists(["a"], ["b"], lowercase=True))


@pytest.mark.parametrize(
    "words",
    [
        ("analyze", "-s", "s", "-t", "t", "links"),
        ("eval", "links", "gold", "-s", "s", "-t", "t"),
        ("lexicon", "-a", "links", "-s", "s", "-t", "t", "-o", "out"),
        ("priors", "-s", "s", "-t", "t", "--forward", "links", "-o", "out"),
        ("view", "links", "-s", "s", "-t", "t", "-o", "out"),
    ],
    ids=lambda words: words[0],
)
def test_links_outside_of_their_sentences_are_found_before_anything_is_made_of_them(plait, tmp_path, words):
    """hplt-project/OpusTrainer#54, mozilla/translations#450, OpenNMT-tf#815: trainers crash far from the cause."""
    write(tmp_path, "s", [["a", "b"], ["a"], ["b"]])
    write(tmp_path, "t", [["x"], ["x", "y"], ["y"]])
    (tmp_path / "gold").write_text("0-0\n0-0\n0-0\n")
    (tmp_path / "links").write_text("0-0\n0-0 0-2\n0-0\n")
    found = plait(*words)
    assert found.code == 1, found.err
    assert "0-2" in found.err
    assert "2" in found.err
    assert not (tmp_path / "out").exists()


def test_what_was_left_out_is_told_from_what_has_no_links_line_by_line(plait, tmp_path):
    """mozilla/translations#570, PR#571: an empty line may mean either."""
    plait("align", "-s", "s", "-t", "t", "-o", "out", "--save", "m", "--report", "run.json", "--threshold", 0.99)
    lines = (tmp_path / "out").read_text().split("\n")[:-1]
    rows = [line.split("\t") for line in plait("score", "-m", "m", "-s", "s", "-t", "t", "-o", "-").out.splitlines()]
    assert rows[0][:3] == ["forward", "reverse", "mean"]
    left_out = [math.isnan(float(row[2])) for row in rows[1:]]
    assert left_out == [not s or not t for s, t in zip(SOURCES, TARGETS, strict=True)]
    empty = [not line for line in lines]
    assert sum(empty) > sum(left_out) > 0, "some pairs are aligned and have no links that are probable enough"
    assert all(empty[n] for n, is_left_out in enumerate(left_out) if is_left_out)
    report = json.loads(Path("run.json").read_text())
    assert report["pairs_without_links"] == sum(empty)
    assert report["counts"]["empty"] == sum(left_out)
