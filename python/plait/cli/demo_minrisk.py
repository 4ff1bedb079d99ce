"""``plait demo minrisk``: minimum-risk training of a translation system, beside minimum error rate training."""

from __future__ import annotations

import json
import os
import time
from typing import Any, Literal

import click
from rich import box
from rich.console import Console
from rich.table import Table

from plait.cli.consoles import draws_ascii, open_console
from plait.cli.groups import GroupedCommand, option
from plait.cli.run_options import progress_option, threads_option
from plait.demo import PAIRS
from plait.demo.minrisk import RIVALS, SCHEMES, SIGNIFICANT, Finding, Results, Settings, run
from plait.demo.minrisk.files import SeedFiles, prepare_folder
from plait.minrisk import BleuComparison
from plait.progress import duration, reporter

CORPUS, LISTS, TRAINING, STATISTICS, OUTPUT, RUN = "Corpus", "Lists", "Training", "Statistics", "Output", "Run"
DEFAULTS = Settings()
EXAMPLES = """
plait demo minrisk                               about two minutes
plait demo minrisk --seeds 1 --sentences 100 --test 200 --large 300
plait demo minrisk --save tables --json > table.json
"""


@click.command(cls=GroupedCommand, examples=EXAMPLES, short_help="Minimum-risk training of a small translation system.")
@option(CORPUS, "--pair", type=click.Choice(PAIRS), default=DEFAULTS.pair, help="Languages of the corpus.")
@option(
    CORPUS,
    "--seeds",
    metavar="N",
    type=click.IntRange(min=1),
    default=len(DEFAULTS.seeds),
    help="How many times to do it all, each with a corpus of its own.",
)
@option(CORPUS, "--seed", metavar="N", type=click.IntRange(min=0), default=DEFAULTS.seeds[0], help="The first seed.")
@option(
    CORPUS,
    "--training",
    metavar="N",
    type=click.IntRange(min=10),
    default=DEFAULTS.training,
    help="Sentence pairs that phrases and word pairs are learned from.",
)
@option(
    CORPUS,
    "--sentences",
    metavar="N",
    type=click.IntRange(min=5),
    default=DEFAULTS.sentences,
    help="Sentences to tune on.",
)
@option(
    CORPUS,
    "--test",
    metavar="N",
    type=click.IntRange(min=5),
    default=DEFAULTS.test,
    help="Sentences to test on.",
)
@option(
    CORPUS,
    "--large",
    metavar="N",
    type=click.IntRange(min=1),
    default=DEFAULTS.large,
    help="Training sentences whose forests the large feature set is trained on, at most.",
)
@option(
    LISTS, "--nbest", metavar="N", type=click.IntRange(min=1), default=DEFAULTS.nbest, help="Length of n-best lists."
)
@option(
    LISTS,
    "--rounds",
    metavar="N",
    type=click.IntRange(min=1),
    default=DEFAULTS.rounds,
    help="Times that lists are drawn and added to those before, at most.",
)
@option(
    TRAINING,
    "--iterations",
    metavar="N",
    type=click.IntRange(min=1),
    default=DEFAULTS.iterations,
    help="The most iterations of the optimiser; a tenth of them for all but the last stage of annealing.",
)
@option(
    STATISTICS,
    "--bootstrap",
    metavar="N",
    type=click.IntRange(min=1),
    default=DEFAULTS.resamples,
    help="Resamples of the sentences for p-values.",
)
@option(OUTPUT, "--json", "as_json", is_flag=True, help="Print one JSON object instead of the table.")
@option(
    OUTPUT,
    "--save",
    metavar="DIR",
    type=click.Path(file_okay=False),
    help="Write forests, references and weights of each seed into this folder: 35 kB a sentence, some 100 MB a seed.",
)
@option(OUTPUT, "--force", is_flag=True, help="Replace files that exist.")
@option(OUTPUT, "--ascii", "ascii_only", is_flag=True, help="Draw with ASCII characters only.")
@threads_option()
@progress_option()
def command(**options: Any) -> None:
    """Train a small translation system in the ways that Table 5 of Li and Eisner (2009) compares, and test it.

    The system learns phrases from a corpus that plait makes, and translates new sentences with weights that are wrong
    on purpose. What it finds are forests of translations. Minimum error rate training (MERT), minimum risk (MR) and
    minimum risk with deterministic annealing (DA) tune its five weights on them, or on lists of the n best; last,
    minimum risk tunes thousands, one for each frequent word and word pair. BLEU is that of sentences that weights
    were tuned on (dev), and of others (test). Needs SciPy: pip install 'plait[minrisk]'.
    """
    folder = options["save"]
    if folder is not None:
        prepare_folder(folder, force=options["force"])
    settings = Settings(
        pair=options["pair"],
        seeds=tuple(range(options["seed"], options["seed"] + options["seeds"])),
        training=options["training"],
        sentences=options["sentences"],
        test=options["test"],
        large=options["large"],
        nbest=options["nbest"],
        rounds=options["rounds"],
        iterations=options["iterations"],
        resamples=options["bootstrap"],
    )

    def save(files: SeedFiles) -> None:
        if folder is not None:
            files.write(folder, force=options["force"])

    started = time.perf_counter()
    with reporter(options["progress"]) as progress:
        results = run(settings, threads=options["threads"], progress=progress, save=save)
    seconds = time.perf_counter() - started
    if options["as_json"]:
        click.echo(json.dumps({**results.as_json(), "seconds": seconds}, ensure_ascii=False))
        return
    console = open_console()
    _print_report(console, results, seconds, ascii_only=draws_ascii(console, options["ascii_only"]))
    _print_what_next(console, results, folder)


def _print_report(console: Console, results: Results, seconds: float, *, ascii_only: bool) -> None:
    settings, runs = results.settings, results.runs
    console.print("Minimum-risk training, after Table 5 of Li and Eisner (2009)", style="bold")
    edges = sum(run.edges for run in runs) / len(runs)
    console.print(
        f"{settings.pair}, {len(runs)} seed{'s' if len(runs) > 1 else ''}; {settings.training:,} pairs to learn from, "
        f"{settings.sentences:,} sentences to tune on, {settings.test:,} to test on; forests of {edges:,.0f} edges and "
        f"{min(run.derivations for run in runs):,.0f} derivations; {duration(seconds)}",
        soft_wrap=True,
    )
    console.print(_table(results, ascii_only=ascii_only))
    console.print(
        "MERT: minimum error rate training; MR: minimum risk; DA: deterministic annealing. Means and standard "
        "deviations over seeds; differences on the test sentences of all seeds, * p < "
        f"{SIGNIFICANT} by paired bootstrap.",
        style="dim",
    )
    claims = Table(box=box.ASCII if ascii_only else box.SIMPLE_HEAD, safe_box=True)
    claims.add_column("what the paper found")
    for heading in ("BLEU", "p", "seeds"):
        claims.add_column(heading, justify="right")
    claims.add_column("here")
    for finding in results.findings():
        claims.add_row(*_cells(finding))
    console.print(claims)


def _table(results: Results, *, ascii_only: bool) -> Table:
    # Lines between columns take the room of the blanks beside them.
    padding = (0, 0) if ascii_only else (0, 1)
    table = Table(box=box.ASCII if ascii_only else box.SIMPLE_HEAD, safe_box=True, padding=padding)
    table.add_column("training", no_wrap=True)
    for heading in ("weights", "BLEU dev", "BLEU test", "over\nMERT", "over MR\nn-best"):
        table.add_column(heading, justify="right")

    def bleu(name: str, part: Literal["dev", "test"]) -> str:
        mean = f"{results.mean(name, part):.2f}"
        if len(results.runs) == 1:
            return mean
        return f"{mean} {'+-' if ascii_only else '±'}{results.spread(name, part):.2f}"

    for scheme in SCHEMES:
        name = scheme.name
        over = ["" if name == rival else _difference(results.compare(name, rival, "test")) for rival in RIVALS]
        table.add_row(scheme.label, f"{results.features(name):,}", bleu(name, "dev"), bleu(name, "test"), *over)
    return table


def _difference(found: BleuComparison) -> str:
    return f"{100 * found.difference:+.2f}{'*' if found.p_value < SIGNIFICANT else ' '}"


def _cells(finding: Finding) -> list[str]:
    found = finding.comparison
    seeds = f"{finding.seeds}/{finding.of}" if finding.claim.says == "better" else ""
    return [finding.claim.text, f"{100 * found.difference:+.2f}", f"{found.p_value:.3f}", seeds, finding.verdict]


def _print_what_next(console: Console, results: Results, folder: str | None) -> None:
    """Say where the files are and what to try."""
    lines = ["Try next:"]
    if folder is None:
        lines.append("  plait demo minrisk --save tables    forests, references and weights as files, to go on by hand")
    else:
        first = results.runs[0]
        here = os.path.join(folder, f"seed-{first.seed}")
        own = os.path.join(folder, "own.weights")
        out = os.path.join(folder, "own.out")
        gain = ",".join(f"{value:.4g}" for value in first.precisions)
        lines += [
            f"  plait minrisk train {here}/dev.plait -r {here}/dev.ref --init {here}/baseline.weights "
            f"--precisions {gain} --method da -o {own}",
            f"  plait minrisk rerank {here}/test.plait -w {own} -o {out}",
            f"  plait minrisk eval {out} -r {here}/test.ref",
        ]
    for line in lines:
        console.print(line, soft_wrap=True)
