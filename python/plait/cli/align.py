"""``plait align``: links of a parallel corpus."""

from __future__ import annotations

import dataclasses
import json
import time
import warnings
from collections.abc import Callable, Iterable
from typing import Any

import click

from plait.align import Aligner, AlignmentModel, fit, unused_pairs
from plait.alignments import FORMATS, Alignments
from plait.bitext import MAX_LENGTH, Bitext
from plait.classes import WordClasses
from plait.cli.align_inputs import read_classes, read_pairs
from plait.cli.align_memory import check_memory, size
from plait.cli.align_report import afterthoughts, run_report, summary
from plait.cli.align_saved import MODELS, aligned, saved_aligner, saved_settings
from plait.cli.align_usage import check_usage, lexicon_names, settings, without_effect
from plait.cli.groups import GroupedCommand, option
from plait.cli.hmm_options import hmm_options
from plait.cli.run_options import progress_option, threads_option
from plait.cli.word_options import stems
from plait.errors import AlignmentWarning
from plait.io import lexical_tables
from plait.io.atomic import OutputFile, OutputGroup
from plait.jump_classes import strange_classes
from plait.presets import PRESETS, AlignConfig
from plait.prior_counts import read_prior, unused_counts
from plait.priors import Priors
from plait.progress import Reporter, reporter
from plait.symmetrize import METHODS

INPUT, OUTPUT, MODEL, RUN = "Input", "Output", "Model", "Run"
PAIR_FORMATS = ("joint", "tsv", "jsonl", "tmx")
EXAMPLES = r"""
plait align -s train.en -t train.fr -o out.align
plait align -s train.en.gz -t train.fr.gz -o out.align.gz --preset best --report run.json
cat corpus.en-fr | plait align --pairs - -o - --preset GS-5 | head
plait align --pairs corpus.en-fr -o out.align --preset EM-5 --symmetrize intersection
plait align -s train.en -t train.fr -o train.align \
    --test-source dev.en --test-target dev.fr --test-out dev.align
plait align -s train.en -t train.fr -o train.align --save en-fr.plait
plait align --model en-fr.plait -s new.en -t new.fr -o new.align
plait align -s train.en -t train.fr -o train.align --lexicon-out lex --lexicon-format moses
plait align -s train.en -t train.fr -o train.align --classes 50
"""


@click.command(cls=GroupedCommand, examples=EXAMPLES)
@option(INPUT, "-s", "--source", metavar="FILE", help="Source side, one sentence a line; '-' for standard input.")
@option(INPUT, "-t", "--target", metavar="FILE", help="Target side, line by line parallel to the source.")
@option(INPUT, "--pairs", metavar="FILE", help="Both sides in one file instead of -s and -t; '-' for standard input.")
@option(
    INPUT,
    "--pairs-format",
    metavar="FORMAT",
    type=click.Choice(PAIR_FORMATS),
    default="joint",
    help="joint ('source ||| target' lines), tsv, jsonl or tmx.",
)
@option(INPUT, "--columns", metavar="I,J", default="1,2", help="Source and target column of a TSV file, from 1.")
@option(INPUT, "--keys", metavar="KEY,KEY", default="source,target", help="Source and target key of JSON lines.")
@option(INPUT, "--languages", metavar="L,L", help="Source and target language of a TMX file, as in 'en,fr'.")
@option(INPUT, "--lowercase", is_flag=True, help="Fold words by lower-casing.")
@stems(INPUT)
@option(
    INPUT,
    "--max-length",
    metavar="N",
    type=click.IntRange(1, MAX_LENGTH),
    default=MAX_LENGTH,
    help="Pairs with a side of more tokens get no links.",
)
@option(
    INPUT,
    "--on-error",
    metavar="WHAT",
    type=click.Choice(["strict", "skip", "replace"]),
    default="strict",
    help="Lines that cannot be read: strict stops, skip leaves them without links, replace puts U+FFFD for bad bytes.",
)
@option(
    INPUT,
    "--test-source",
    metavar="FILE",
    help="More pairs, trained on with the corpus, whose links go to --test-out.",
)
@option(INPUT, "--test-target", metavar="FILE", help="Their target side.")
@option(
    INPUT,
    "--test-unseen",
    is_flag=True,
    help="Keep the test pairs out of training: align them with the trained model.",
)
@option(
    OUTPUT,
    "-o",
    "--out",
    metavar="FILE",
    help="Symmetrised links; '-' for standard output; .gz .bz2 .xz .zst compress.  [required without --save]",
)
@option(OUTPUT, "--forward-out", metavar="FILE", help="Links of P(target | source).")
@option(OUTPUT, "--reverse-out", metavar="FILE", help="Links of P(source | target), written source-target too.")
@option(OUTPUT, "--test-out", metavar="FILE", help="Links of the test pairs.")
@option(
    OUTPUT,
    "--format",
    "format_",
    metavar="FORMAT",
    type=click.Choice(FORMATS),
    default="pharaoh",
    help="pharaoh (i-j), giza (A3 records) or jsonl (links with probabilities).",
)
@option(OUTPUT, "--probabilities", is_flag=True, help="Pharaoh links with their probabilities, i-j:p.")
@option(
    OUTPUT,
    "--report",
    metavar="FILE",
    help="JSON with options, versions, counts, figures of each iteration, times and memory.",
)
@option(OUTPUT, "--save", metavar="FILE", help="The trained model, for --model and for plait score and lexicon.")
@option(
    OUTPUT,
    "--lexicon-out",
    metavar="FILE",
    help="hmm: which words translate which, as by plait lexicon; for moses the start of two names.",
)
@option(
    OUTPUT,
    "--lexicon-format",
    metavar="FORMAT",
    type=click.Choice(lexical_tables.WRITE_FORMATS),
    default="tsv",
    help="tsv or jsonl (counts and probabilities), moses (lex.e2f and lex.f2e) or marian (shortlist).",
)
@option(
    OUTPUT,
    "--lexicon-threshold",
    metavar="P",
    type=click.FloatRange(0, 1),
    default=0.0,
    help="Leave translations out that are less probable: in both directions, in a shortlist in its own.",
)
@option(OUTPUT, "--force", is_flag=True, help="Replace outputs that exist.")
@option(
    MODEL,
    "--preset",
    metavar="NAME",
    default="default",
    help=f"Settings to start from: {', '.join(PRESETS)}. The options below change them.",
)
@option(
    MODEL,
    "--model",
    metavar="NAME|FILE",
    help=f"{', '.join(MODELS)}, or a file that --save has written: align with it, and train nothing.",
)
@option(MODEL, "--inference", metavar="NAME", type=click.Choice(["em", "vb", "gibbs"]), help="em, vb or gibbs.")
@option(MODEL, "--iterations", metavar="N", type=click.IntRange(min=1), help="em, vb: iterations.")
@option(
    MODEL,
    "--warm-up",
    metavar="N",
    type=click.IntRange(min=0),
    help="em, vb: iterations of Model 1 before Model 2 or the HMM.",
)
@option(MODEL, "--burn-in", metavar="B", type=click.IntRange(min=0), help="gibbs: sweeps before the first sample.")
@option(MODEL, "--samples", metavar="M", type=click.IntRange(1, 65_535), help="gibbs: number of samples.")
@option(MODEL, "--lag", metavar="L", type=click.IntRange(min=1), help="gibbs: sweeps from sample to sample.")
@option(
    MODEL,
    "--initial",
    metavar="START",
    help="gibbs, ibm1, ibm2: first links: uniform, cooccurrence, or em-N after N iterations.",
)
@option(
    MODEL,
    "--sampler",
    metavar="NAME",
    type=click.Choice(["auto", "exact", "parallel"]),
    help="gibbs: exact, parallel (parts of a sweep side by side), or auto: exact for small corpora.",
)
@option(
    MODEL,
    "--tail",
    metavar="NAME",
    type=click.Choice(["shared", "each"]),
    help="ibm2: positions far off the diagonal share their probability, or have all of it each.",
)
@option(MODEL, "--theta", metavar="X", type=click.FloatRange(min=0, min_open=True), help="Pseudo-count of a word pair.")
@option(
    MODEL,
    "--phi",
    metavar="X",
    type=click.FloatRange(min=0, min_open=True),
    help="ibm2: pseudo-count of a relative distortion.",
)
@option(
    MODEL,
    "--p0",
    metavar="P",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    help="Probability that a word comes from NULL.",
)
@option(
    MODEL,
    "--prior",
    metavar="FILE",
    help="hmm: counts of links from elsewhere to start from: a saved model or lexicon, or a priors file of eflomal.",
)
@option(
    MODEL,
    "--prior-weight",
    metavar="W",
    type=click.FloatRange(min=0),
    default=1.0,
    help="--prior: what one of its links counts.",
)
@hmm_options(MODEL)
@option(
    MODEL,
    "--symmetrize",
    metavar="METHOD",
    type=click.Choice(METHODS),
    help=f"How both directions become one set of links: {', '.join(METHODS)}.",
)
@option(
    MODEL, "--threshold", metavar="P", type=click.FloatRange(0, 1), help="soft: mean posterior that a link must exceed."
)
@option(MODEL, "--seed", metavar="N", type=click.IntRange(min=0), help="gibbs: seed of the sampler.")
@threads_option(independent="The links do")
@option(
    RUN,
    "--max-memory",
    metavar="SIZE",
    callback=size,
    help="End with an error before training if more memory than this will be needed, as in 4G or 800M.",
)
@progress_option()
def command(**options: Any) -> None:
    """Align a parallel corpus word by word.

    Trains a model in both directions, makes one set of links of both, and writes a line for each sentence
    pair: 'i-j' links source word i to target word j, counted from 0. Settings of the preset hold unless an
    option says otherwise. With --model FILE nothing is trained, and words are folded as those of its text
    were. Outputs are written whole or not at all.
    """
    check_usage(options)
    saved = saved_aligner(options)
    config = settings(options) if saved is None else saved_settings(saved, options)
    started = time.perf_counter()
    names = ("out", "forward_out", "reverse_out", "test_out", "report", "save")
    with reporter(options["progress"]) as progress:
        notes = without_effect(options, config)
        for note in notes:
            progress.note(note)
        # Outputs are opened before the work begins, so that a bad path is told at once.
        with OutputGroup(force=options["force"]) as outputs:
            files = {name: outputs.open(options[name]) for name in names if options[name] is not None}
            tables = [outputs.open(name) for name in lexicon_names(options)]
            progress("reading", 0, 1)
            classes = read_classes(options)
            train, test = read_pairs(options)
            seconds = {"read": time.perf_counter() - started}
            text = train if test is None or options["test_unseen"] else Bitext.concatenate(train, test)
            if saved is None:
                check_memory(text, config, options, progress)
                model = _fit(text, classes, options, config, progress, notes)
            else:
                model = _align(saved, text, options, config, progress, notes)
            seconds |= model.seconds
            writing = time.perf_counter()
            for name, (alignments, bitext) in _results(model, text, train, test, options, progress).items():
                if name in files:
                    progress("writing", 0, 1)
                    alignments.write_to(
                        files[name],
                        format=options["format_"],
                        probabilities=options["probabilities"],
                        bitext=bitext,
                    )
            if tables:
                progress("writing", 0, 1)
                _write_lexicon(model, tables, options)
            if "save" in files:
                model.save_to(files["save"])
            seconds["write"] = time.perf_counter() - writing
            if "report" in files:
                report = run_report(model, text, options, seconds, notes)
                files["report"].write(json.dumps(report, indent=2, ensure_ascii=False).encode() + b"\n")
        progress.summarize(*summary(model, text, time.perf_counter() - started))


def _fit(
    text: Bitext,
    classes: tuple[WordClasses | None, WordClasses | None],
    options: dict[str, Any],
    config: AlignConfig,
    progress: Reporter,
    notes: list[str],
) -> AlignmentModel:
    """Train, and tell at once of pairs that get no links."""
    tell = _teller(text, config, progress, notes)
    tell(filter(None, [strange_classes(text, classes)]))
    prior = None if options["prior"] is None else read_prior(options["prior"], text)
    if isinstance(prior, Priors):
        tell(filter(None, [unused_counts(prior, options["prior"])]))
    with warnings.catch_warnings():
        # Just told, in the form of the command line.
        warnings.simplefilter("ignore", AlignmentWarning)
        model = fit(
            text,
            options["preset"],
            # A link's probability needs the posteriors of both directions; plain links do without.
            posteriors=True if options["probabilities"] or options["format_"] != "pharaoh" else None,
            objective=options["report"] is not None or progress.shows_figures,
            prior=prior,
            prior_weight=options["prior_weight"],
            source_classes=classes[0],
            target_classes=classes[1],
            threads=options["threads"],
            progress=progress,
            **dataclasses.asdict(config),
        )
    tell(afterthoughts(model, text))
    return model


def _align(
    saved: Aligner, text: Bitext, options: dict[str, Any], config: AlignConfig, progress: Reporter, notes: list[str]
) -> AlignmentModel:
    """Align with a model that was trained before; tell of pairs that get no links."""
    tell = _teller(text, config, progress, notes)
    model = aligned(saved, text, config, threads=options["threads"], progress=progress)
    tell(afterthoughts(model, text))
    return model


def _write_lexicon(model: Aligner, tables: list[OutputFile], options: dict[str, Any]) -> None:
    """Write the lexicon of a model as ``plait lexicon -m`` does."""
    format_, threshold = options["lexicon_format"], options["lexicon_threshold"]
    lexicon = model.lexicon().pruned(threshold, direction="forward" if format_ == "marian" else "either")
    lexical_tables.write_to(tables, lexicon, format_, threads=options["threads"])


def _teller(text: Bitext, config: AlignConfig, progress: Reporter, notes: list[str]) -> Callable[[Iterable[str]], None]:
    """Return what tells and keeps warnings, after telling those of the text."""
    progress.tokens = text.counts.source_tokens + text.counts.target_tokens

    def tell(found: Iterable[str]) -> None:
        for note in found:
            notes.append(note)
            progress.note(note)

    tell(filter(None, [unused_pairs(text, config)]))
    return tell


def _results(
    model: AlignmentModel,
    text: Bitext,
    train: Bitext,
    test: Bitext | None,
    options: dict[str, Any],
    progress: Reporter,
) -> dict[str, tuple[Alignments, Bitext]]:
    """Return what goes to each output of links: the links, and the pairs they belong to."""
    everything = {"out": model.alignments, "forward_out": model.forward, "reverse_out": model.reverse}
    results = {name: (alignments[: len(train)], train) for name, alignments in everything.items()}
    if test is not None and options["test_unseen"]:
        progress("aligning", 0, 1)
        results["test_out"] = (model.align(test, threads=options["threads"], progress=progress), test)
    elif test is not None:
        results["test_out"] = (model.alignments[len(train) : len(text)], test)
    return results
