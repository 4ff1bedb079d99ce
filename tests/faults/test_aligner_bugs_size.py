"""What goes wrong in other aligners with long sentences, large counts and threads, and what is right."""

import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import processes
from made_corpora import zipf_corpus
from plait import align
from plait.bitext import Bitext
from plait.cli.main import COMMANDS
from plait.priors import Priors
from plait.symmetrize import METHODS, symmetrize
from plait.translation_table import TranslationTable


@pytest.mark.parametrize("length", [101, 201, 600, 1030])
def test_words_behind_the_limits_of_others_get_links(plait, tmp_path, length):
    """GIZA++ cuts at 100 words, thot's HMM at 200, neural aligners near 510, eflomal drops 1024 and more."""
    sentence = [f"w{n}" for n in range(length)]
    short = [[word] for word in sentence]
    text = "".join(f"{' '.join(s)} ||| {' '.join(s).upper()}\n" for s in [sentence, *short])
    (tmp_path / "in").write_text(text)
    links = plait("fast_align", "-i", "in", "--preset", "EM-5").out.splitlines()[0].split()
    assert links == [f"{n}-{n}" for n in range(length)]
    assert f"{length - 1}-{length - 1}" in plait("eflomal", "-i", "in", "-f", "-").out.splitlines()[0].split()


def test_40_000_words_on_one_side_are_no_negative_length(plait, tmp_path):
    """fast_align's lengths are 16-bit numbers with a sign."""
    (tmp_path / "in").write_text(f"{'a ' * 40_000}||| b\na ||| b\n")
    found = plait("fast_align", "-i", "in", "--preset", "EM-5", "-s", "-d")
    assert found.code == 0
    first = found.out.splitlines()[0]
    assert int(first.split("-")[0]) < 40_000
    assert "nan" not in found.out


def test_giza_records_are_as_many_as_lines(plait, tmp_path):
    """plain2snt drops pairs with an empty side, and the records no longer fit the corpus (moses-smt/mgiza#23)."""
    (tmp_path / "one").write_text("a b\n\nc\n")
    (tmp_path / "two").write_text("x\ny\n\n")
    found = plait("align", "-s", "one", "-t", "two", "-o", "-", "--format", "giza")
    assert found.out.count("# Sentence pair") == 3


def test_symal_takes_sentences_of_any_length(plait, tmp_path):
    """facebookresearch/fairseq-lua#77: a segmentation fault; symal stops at 400 words."""
    n = 2000
    side = f"{n} {'w ' * n}# {' '.join(map(str, range(1, n + 1)))}\n"
    (tmp_path / "bal").write_text(f"1\n{side}{side}")
    found = plait("symal", "-a=g", "-d=yes", "-f=yes", "-b=yes", "-i=bal")
    assert found.out.split() == [f"{k}-{k}" for k in range(n)]


def test_symmetrised_links_lie_between_intersection_and_union_and_inside_of_the_pair():
    """clab/fast_align#49: an index past the end of the sentence."""
    text = Bitext.from_lists(*zipf_corpus(60))
    model = align.fit(text, "EM-5")
    both = symmetrize(model.forward, model.reverse, "intersection")
    either = symmetrize(model.forward, model.reverse, "union")
    for method in METHODS:
        if method == "soft":
            continue
        links = symmetrize(model.forward, model.reverse, method)
        links.check_within(text.source_lengths, text.target_lengths)
        for inner, middle, outer in zip(both, links, either, strict=True):
            sets = [set(map(tuple, part.tolist())) for part in (inner, middle, outer)]
            assert sets[0] <= sets[1] <= sets[2]


def test_counts_go_on_past_2_to_the_24(tmp_path):
    """A sum of singles stops at 16,777,216: eflomal's jumps do in a corpus of a million pairs."""
    one = tmp_path / "one"
    one.write_text("LEX\ta\tb\t1\nHMMF\t1\t1\nFERF\ta\t1\t1\n")
    many = tmp_path / "many"
    many.write_text("LEX\ta\tb\t16777216\nHMMF\t1\t16777216\nFERF\ta\t1\t16777216\n")
    total = Priors.merge([Priors.read(many), *[Priors.read(one)] * 5])
    total.write(tmp_path / "sum", exact=True)
    assert [line.split("\t")[-1] for line in (tmp_path / "sum").read_text().splitlines()] == ["16777221"] * 3


def test_more_threads_than_sentences_change_nothing(plait, tmp_path):
    """moses-smt/mgiza#5: a thread of 64 fails, 'not more than 8'."""
    (tmp_path / "in").write_text("a b ||| x y\na ||| x\n")
    one = plait("fast_align", "-i", "in", "--threads", 1)
    many = plait("fast_align", "-i", "in", "--threads", 64)
    assert (one.code, many.code) == (0, 0)
    assert one.out == many.out


def test_idle_threads_do_not_spin():
    """Barriers of OpenMP keep all processors busy while nothing is done."""
    align.fit(Bitext.from_lists(*zipf_corpus(200)), threads=8)
    start = time.process_time()
    time.sleep(0.3)
    assert time.process_time() - start < 0.1


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the system does not tell the peak")
def test_memory_does_not_grow_with_the_pairs_of_types_that_meet():
    """fast_align holds two numbers for every pair of types that meets: clab/fast_align#9, #41, #51."""
    program = (
        f"{processes.PEAK}import plait\n"
        "sides = [[[f'{side}{n}.{k}' for k in range(300)] for n in range(100)] for side in 'st']\n"
        "text = plait.Bitext.from_lists(*sides)\n"
        "before = peak()\n"
        "plait.align.fit(text, 'GS-5', initial='uniform', burn_in=1, samples=1, threads=1)\n"
        "print(peak() - before)\n"
    )
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=25)
    # 9,000,000 pairs of types meet; two doubles and two keys for each would be 200 MB.
    assert int(found.stdout) < 80_000


def test_no_command_runs_another_program(plait, tmp_path):
    """robertostling/eflomal#2: FileNotFoundError: 'eflomal'."""
    assert {"fast_align", "atools", "eflomal", "symal"} <= set(COMMANDS)
    for words in (("fast_align", "-i", "joint"), ("eflomal", "-i", "joint", "-f", "-")):
        found = subprocess.run(
            [sys.executable, "-m", "plait.cli.main", *words],
            cwd=tmp_path,
            capture_output=True,
            env={"PATH": "", "PYTHONPATH": os.environ.get("PYTHONPATH", "")},
            check=False,
        )
        assert (found.returncode, found.stdout.decode()) == (0, plait(*words).out)


def test_a_lexicon_has_a_row_of_null_and_rows_of_words():
    """moses-smt/mgiza#21: a lexicon whose second column is all NULL."""
    text = Bitext.from_lists(*zipf_corpus(60))
    model = align.fit(text, "EM-5", posteriors=True)
    table = TranslationTable.from_posteriors(text, model.forward_posteriors)
    null = table.given_ids["<eps>"]
    assert len(np.unique(table.given)) > 20
    assert (table.given == null).sum() <= len(table.predicted_words)
