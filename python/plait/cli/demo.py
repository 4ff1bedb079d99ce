"""``plait demo``: see it work on a corpus with known links, made on the spot."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import click
from rich import box
from rich.console import Console
from rich.table import Table

from plait.align import AlignmentModel, fit
from plait.bitext import Bitext
from plait.cli.consoles import draws_ascii, open_console, print_pairs
from plait.cli.groups import option
from plait.cli.lazy_group import VerbWithSubcommands, goes_on
from plait.cli.run_options import threads_option
from plait.demo import PAIRS, DemoCorpus, make
from plait.errors import ConfigError
from plait.metrics import Gold, Scores, score
from plait.presets import PRESETS
from plait.presets import preset as preset_named
from plait.progress import reporter
from plait.threads import resolve_threads
from plait.viz.html import write_view

CORPUS, MODEL, OUTPUT = "Corpus", "Model", "Output"
LANGUAGES = {"en": "English", "de": "German", "es": "Spanish"}
COMMANDS = {"minrisk": "plait.cli.demo_minrisk"}
EXAMPLES = """
plait demo                               English and German
plait demo --pair en-es --sentences 20000
plait demo --preset EM-5                 plain IBM Model 1, to compare
plait demo --keep-corpus files           keep the text and its links, to try the other verbs
"""
# Sentence pairs on the page: enough to leaf through, and a page that opens at once.
_PAGE_PAIRS = 1000
_PAGE_NAME = "plait-demo.html"
# What the pages of plait begin with: such a page may be replaced without asking.
_OWN_PAGE = b'<meta name="generator" content="plait'


@click.group(
    cls=VerbWithSubcommands,
    modules=COMMANDS,
    examples=EXAMPLES,
    short_help="See it work on a corpus with known links.",
)
@option(CORPUS, "--pair", type=click.Choice(PAIRS), default="en-de", help="Languages of the corpus.")
@option(CORPUS, "--sentences", type=click.IntRange(min=1), default=5000, help="Number of sentence pairs.")
@option(CORPUS, "--seed", type=click.IntRange(min=0), default=1, help="Of the corpus and of the sampler.")
@option(
    CORPUS,
    "--keep-corpus",
    type=click.Path(file_okay=False),
    metavar="DIR",
    help="Write the text and the gold links into this folder.",
)
@option(
    MODEL,
    "--preset",
    metavar="NAME",
    type=str,
    default="default",
    help=f"Settings of the aligner: {', '.join(PRESETS)}.",
)
@threads_option(MODEL)
@option(
    OUTPUT,
    "--out",
    type=str,
    metavar="DIR|FILE.html",
    default=_PAGE_NAME,
    help="Where the page that shows the links goes.",
)
@option(OUTPUT, "--show", type=click.IntRange(min=0), default=2, help="Sentence pairs to draw in the terminal.")
@option(OUTPUT, "--ascii", "ascii_only", is_flag=True, help="Draw with ASCII characters only.")
@option(OUTPUT, "--force", is_flag=True, help="Replace files that exist.")
@click.pass_context
def command(context: click.Context, /, **options: Any) -> None:
    """See plait work: make a corpus with known links, align it, and tell how good the links are.

    The sentences come from small grammars of both languages, which say the same meaning, so that the right
    links are known. No network and no data are needed. Marks in the drawing compare the links with the gold;
    a page with more of them is written for the browser. A subcommand shows something else.
    """
    if goes_on(context):
        return
    preset_named(options["preset"])  # a wrong name is told before anything is made
    page = _page_path(options["out"])
    force = _may_replace(page, options["force"])
    console = open_console(on_stderr=page == "-")
    ascii_only = draws_ascii(console, options["ascii_only"])
    run = _run(options)
    _print_report(console, run, options, ascii_only=ascii_only)
    if options["show"]:
        chosen = _telling_pairs(run.corpus, options["show"])
        console.print()
        print_pairs(console, run.text, run.model.alignments, chosen, gold=run.gold, ascii_only=ascii_only)
    source, target = _names(options["pair"])
    write_view(
        page,
        run.text,
        run.model.alignments,
        gold=run.gold,
        title=f"plait demo: {source} and {target}",
        names=(f"links of plait, preset {options['preset']}", ""),
        limit=_PAGE_PAIRS,
        force=force,
    )
    console.print()
    _print_what_next(console, page, run.files, options)


@dataclass(frozen=True)
class _Run:
    """The corpus, its files, its links, and how long corpus and links took in seconds."""

    corpus: DemoCorpus
    files: list[str]
    text: Bitext
    gold: Gold
    model: AlignmentModel
    making: float
    aligning: float


def _run(options: dict[str, Any]) -> _Run:
    started = time.perf_counter()
    corpus = make(options["pair"], options["sentences"], options["seed"])
    making = time.perf_counter() - started
    folder = options["keep_corpus"]
    files = corpus.write(folder, force=options["force"]) if folder else []
    # Words are learned without case: "The" and "the" are one word. The page shows them as they are written.
    folded = Bitext.from_lists(corpus.source, corpus.target, lowercase=True)
    with reporter("auto") as progress:
        progress.tokens = folded.counts.source_tokens + folded.counts.target_tokens
        started = time.perf_counter()
        model = fit(folded, options["preset"], threads=options["threads"], progress=progress, seed=options["seed"])
        aligning = time.perf_counter() - started
    text = Bitext.from_lists(corpus.source, corpus.target)
    return _Run(corpus, files, text, corpus.gold, model, making, aligning)


def _print_report(console: Console, run: _Run, options: dict[str, Any], *, ascii_only: bool) -> None:
    """Say what was made and how good the links of each direction and of both together are."""
    counts = run.text.counts
    source, target = _names(options["pair"])
    console.print(f"{source} and {target}, made from a grammar", style="bold")
    console.print(
        f"{counts.pairs:,} sentence pairs, {counts.source_tokens:,} and {counts.target_tokens:,} words, "
        f"seed {options['seed']}; made in {run.making:.2f} s",
        soft_wrap=True,
    )
    threads = resolve_threads(options["threads"])
    console.print(
        f"aligned in both directions in {run.aligning:.2f} s, {counts.pairs / run.aligning:,.0f} pairs/s, "
        f"with preset {options['preset']} on {threads} thread{'s' if threads > 1 else ''}",
        soft_wrap=True,
    )
    table = Table(box=box.ASCII if ascii_only else box.SIMPLE_HEAD, safe_box=True)
    table.add_column("links")
    for heading in ("AER %", "precision %", "recall %", "count"):
        table.add_column(heading, justify="right")
    model = run.model
    rows = {
        "forward, P(target | source)": model.forward,
        "reverse, P(source | target)": model.reverse,
        f"both, {model.config.symmetrize}": model.alignments,
    }
    for name, alignments in rows.items():
        scores = score(alignments, run.gold)
        table.add_row(name, *_cells(scores), style="bold" if alignments is model.alignments else "")
    console.print(table)
    console.print("AER: alignment error rate; less is better. Gold links are sure or merely possible.", style="dim")


def _cells(scores: Scores) -> list[str]:
    rates = (scores.aer, scores.precision, scores.recall)
    return [*(f"{100 * rate:.2f}" for rate in rates), f"{scores.links:,}"]


def _telling_pairs(corpus: DemoCorpus, count: int) -> list[int]:
    """Choose sentence pairs to draw: of middle length, the more crossing links the better, early ones first."""
    early = range(min(len(corpus), 400))
    fitting = [n for n in early if 6 <= len(corpus.source[n]) <= 11 and len(corpus.target[n]) <= 12]
    best = sorted(fitting or early, key=lambda n: (-_crossings(corpus.sure[n]), n))[:count]
    return sorted(best)


def _crossings(links: list[tuple[int, int]]) -> int:
    return sum((i - k) * (j - m) < 0 for (i, j), (k, m) in combinations(links, 2))


def _print_what_next(console: Console, page: str, files: list[str], options: dict[str, Any]) -> None:
    """Say where things are and what to try."""
    lines = []
    if page != "-":
        lines.append(
            f"Open {page} in a browser: {min(_PAGE_PAIRS, options['sentences']):,} sentence pairs to leaf through."
        )
    lines.append("Try next:")
    if files:
        source, target, gold = files
        links = os.path.join(options["keep_corpus"], "links.align")
        lines += [
            f"  plait align -s {source} -t {target} -o {links} --lowercase",
            f"  plait eval {links} {gold}",
        ]
    else:
        other = next(pair for pair in PAIRS if pair != options["pair"])
        lines += [
            f"  plait demo --pair {other}",
            "  plait demo --keep-corpus files    text and gold links as files, for the other verbs",
        ]
    lines.append("  plait align -s train.en -t train.de -o out.align    your own text, one sentence a line")
    for line in lines:
        console.print(line, soft_wrap=True)


def _names(pair: str) -> tuple[str, str]:
    source, target = pair.split("-")
    return LANGUAGES[source], LANGUAGES[target]


def _page_path(out: str) -> str:
    """Return the path of the page; a folder is made if it does not exist."""
    if out == "-" or (out.endswith((".html", ".htm", ".html.gz")) and not os.path.isdir(out)):
        return out
    os.makedirs(out, exist_ok=True)
    return os.path.join(out, _PAGE_NAME)


def _may_replace(page: str, force: bool) -> bool:
    """Return whether the page may be written over what is there; a page of plait may."""
    if force or page == "-" or not os.path.lexists(page):
        return force
    if os.path.isfile(page):
        with open(page, "rb") as file:
            if _OWN_PAGE in file.read(2000):
                return True
    raise ConfigError(f"{page} exists and is not a page of plait; --force replaces it, --out names another one")
