"""``plait translit decode``: targets of new words."""

from __future__ import annotations

from typing import Any

import click

from plait.cli.groups import GroupedCommand, option
from plait.cli.run_options import threads_option
from plait.cli.translit_options import MODEL, OUTPUT, model_option
from plait.errors import ConfigError
from plait.io.atomic import OutputFile
from plait.translit.candidates import Candidate
from plait.translit.files import read_words, write_news
from plait.translit.loading import load
from plait.translit.systems import unknown_symbols

EXAMPLES = """
plait translit decode -m names.plait words.txt
plait translit decode -m names.plait -n 10 --mass 0.9 words.txt -o names.tsv
echo timothy | plait translit decode -m names.plait -n 3
"""


@click.command(cls=GroupedCommand, examples=EXAMPLES, short_help="Transliterate words: the best, or the n best.")
@click.argument("file", metavar="[FILE]", default="-")
@model_option()
@option(MODEL, "-n", "--nbest", metavar="N", type=click.IntRange(min=1), default=1, help="The N best of each word.")
@option(MODEL, "--mass", metavar="P", type=float, help="Of these only as many as have this probability together.")
@option(OUTPUT, "-o", "--out", metavar="FILE", default="-", help="Where lines go; '-' is standard output.")
@option(OUTPUT, "--news", is_flag=True, help="Write the results file of the NEWS shared tasks, XML.")
@option(OUTPUT, "--force", is_flag=True, help="Replace an output that exists.")
@threads_option(independent="Results do")
def command(file: str, **options: Any) -> None:
    """Transliterate the words of FILE, one a line ('-' is standard input); what stands behind a tab is left out.

    Each line of output is SOURCE TAB TARGET TAB PROBABILITY, the best target of a word first. Symbols that training did
    not have are told on standard error.
    """
    mass = options["mass"]
    if mass is not None and not 0 < mass <= 1:
        raise ConfigError(name="--mass", expected="above 0 and at most 1", found=mass)
    model = load(options["model"])
    model.threads = options["threads"]
    words = read_words(file)
    _tell_unknown(model, words)
    with OutputFile(options["out"], force=options["force"]) as out:
        lists = model.nbest(words, options["nbest"])
        if mass is not None:
            lists = [_covering(candidates, mass) for candidates in lists]
        if options["news"]:
            for part in write_news(words, lists):
                out.write(part.encode())
            return
        for word, candidates in zip(words, lists, strict=True):
            out.write("".join(f"{word}\t{target}\t{probability:.6g}\n" for target, probability in candidates).encode())


def _covering(candidates: list[Candidate], mass: float) -> list[Candidate]:
    total, kept = 0.0, []
    for candidate in candidates:
        if total >= mass:
            break
        kept.append(candidate)
        total += candidate.probability
    return kept


def _tell_unknown(model: Any, words: list[str]) -> None:
    if unknown := unknown_symbols(model, words):
        shown = ", ".join(f"{symbol!r} ({times})" for symbol, times in unknown.most_common(20))
        click.echo(
            f"Note: training did not have these symbols of the words: {shown}; what they become is a guess", err=True
        )
