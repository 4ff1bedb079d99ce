"""``plait priors``: priors files of eflomal, from a corpus with links or from those of its parts."""

from __future__ import annotations

from typing import Any

import click

from plait.alignments import Alignments
from plait.bitext import Bitext
from plait.cli.groups import GroupedCommand, option
from plait.cli.run_options import threads_option
from plait.cli.word_options import stems
from plait.errors import DataError
from plait.io.link_blocks import check_one_standard_input
from plait.io.streams import display_name
from plait.priors import Priors

CORPUS, WORDS, OUTPUT, RUN = "Corpus with links", "Words", "Output", "Run"
EXAMPLES = """
plait priors -s train.en -t train.fr --forward f.align --reverse r.align -o train.priors
plait priors -s train.en -t train.fr --forward out.align -o train.priors
plait priors part1.priors part2.priors part3.priors -o all.priors
plait priors train.priors -o folded.priors --lowercase --stem-source 4 --stem-target 4
"""


@click.command(cls=GroupedCommand, examples=EXAMPLES, short_help="Make and add up priors files of eflomal.")
@click.argument("priors", type=str, nargs=-1)
@option(CORPUS, "-s", "--source", metavar="FILE", help="Source side of the text that was aligned.")
@option(CORPUS, "-t", "--target", metavar="FILE", help="Target side, line by line parallel to the source.")
@option(CORPUS, "--forward", metavar="FILE", help="Links of P(target | source), or symmetrised ones.")
@option(CORPUS, "--reverse", metavar="FILE", help="Links of P(source | target); those of --forward by default.")
@option(WORDS, "--lowercase", is_flag=True, help="Fold words by lower-casing; their counts add.")
@stems(WORDS)
@option(OUTPUT, "-o", "--out", metavar="FILE", required=True, help="The priors; '-' for standard output.")
@option(OUTPUT, "--exact", is_flag=True, help="Write all digits of a count; eflomal-makepriors writes six.")
@option(OUTPUT, "--force", is_flag=True, help="Replace an output that exists.")
@threads_option()
def command(priors: tuple[str, ...], **options: Any) -> None:
    """Make a priors file of eflomal from a corpus and its links, or add up priors files.

    PRIORS are files of the parts of a corpus, whose counts are added; with a corpus (-s, -t, --forward), its counts
    are added too. Without folding, the priors of a corpus are those of eflomal-makepriors, byte for byte.
    """
    _check_usage(priors, options)
    parts = [Priors.read(path) for path in priors]
    if options["source"] is not None:
        parts.append(_of_links(options))
    whole = parts[0] if len(parts) == 1 else Priors.merge(parts)
    folding = {name: options[name] for name in ("lowercase", "stem_source", "stem_target")}
    if any(folding.values()):
        whole = whole.folded(**folding)
    whole.write(options["out"], exact=options["exact"], force=options["force"], threads=options["threads"])


def _check_usage(priors: tuple[str, ...], options: dict[str, Any]) -> None:
    corpus = [options[name] for name in ("source", "target", "forward")]
    given = [path for path in corpus if path is not None]
    if not priors and not given:
        raise click.UsageError("give priors files, or a corpus with its links (-s, -t and --forward)")
    if (given or options["reverse"] is not None) and len(given) < len(corpus):
        raise click.UsageError("-s, -t and --forward go together; --reverse goes with them")
    check_one_standard_input([*priors, *given, *filter(None, [options["reverse"]])])


def _of_links(options: dict[str, Any]) -> Priors:
    """Count the links of a corpus; errors name the file of the links."""
    text = Bitext.read(options["source"], options["target"])
    forward = _links(options["forward"], text, options["threads"])
    if options["reverse"] is None:
        return Priors.from_links(text, forward)
    return Priors.from_links(text, forward, _links(options["reverse"], text, options["threads"]))


def _links(path: str, text: Bitext, threads: int | None) -> Alignments:
    alignments = Alignments.read(path, threads=threads)
    try:
        alignments.check_within(text.source_lengths, text.target_lengths)
    except DataError as problem:
        raise DataError(f"{display_name(path)}: {problem}") from None
    return alignments
