"""``plait align``: links of a parallel corpus."""

from __future__ import annotations

import dataclasses
import json
import sys
import time
import warnings
from typing import Any

import click

from plait import __version__
from plait.align import AlignmentModel, fit
from plait.alignments import FORMATS, Alignments
from plait.bitext import Bitext, ReadOptions
from plait.cli.groups import GroupedCommand, option
from plait.errors import AlignmentWarning
from plait.io.atomic import OutputGroup
from plait.presets import PRESETS
from plait.presets import preset as preset_named
from plait.progress import reporter
from plait.symmetrize import METHODS
from plait.threads import resolve_threads

INPUT, OUTPUT, MODEL, RUN = "Input", "Output", "Model", "Run"
PAIR_FORMATS = ("joint", "tsv", "jsonl", "tmx")
EXAMPLES = """
plait align -s train.en -t train.fr -o out.align
plait align -s train.en.gz -t train.fr.gz -o out.align.gz --seed 7 --report run.json
plait align --pairs corpus.en-fr -o out.align --model ibm1 --inference em --iterations 5 --symmetrize intersection
cat corpus.en-fr | plait align --pairs - -o - --preset GS-5 | head
plait align -s train.en -t train.fr -o train.al --test-source dev.en --test-target dev.fr --test-out dev.al
"""


@click.command(cls=GroupedCommand, examples=EXAMPLES)
@option(INPUT, "-s", "--source", type=str, help="Source side, one sentence a line; '-' for standard input.")
@option(INPUT, "-t", "--target", type=str, help="Target side, line by line parallel to the source.")
@option(INPUT, "--pairs", type=str, help="Both sides in one file instead of -s and -t; '-' for standard input.")
@option(
    INPUT,
    "--pairs-format",
    type=click.Choice(PAIR_FORMATS),
    default="joint",
    help="joint: 'source ||| target' lines.",
)
@option(INPUT, "--columns", type=str, default="1,2", help="Source and target column of a TSV file, from 1.")
@option(INPUT, "--keys", type=str, default="source,target", help="Source and target key of JSON lines.")
@option(INPUT, "--languages", type=str, help="Source and target language of a TMX file, as in 'en,fr'.")
@option(INPUT, "--lowercase", is_flag=True, help="Fold words by lower-casing.")
@option(
    INPUT,
    "--stem-source",
    type=int,
    default=0,
    help="Keep the first N characters of source words; -N: the last; 0: all.",
)
@option(INPUT, "--stem-target", type=int, default=0, help="The same for target words.")
@option(
    INPUT,
    "--max-length",
    type=int,
    help="Pairs with a longer side get no links (at most and by default 65534 tokens).",
)
@option(
    INPUT,
    "--on-error",
    type=click.Choice(["strict", "skip", "replace"]),
    default="strict",
    help="Lines that cannot be read: stop, leave them without links, or replace bad bytes by U+FFFD.",
)
@option(
    INPUT,
    "--test-source",
    type=str,
    help="More pairs, trained on with the corpus, whose links go to --test-out.",
)
@option(INPUT, "--test-target", type=str, help="Their target side.")
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
    type=str,
    required=True,
    help="Symmetrised links; '-' for standard output; .gz .bz2 .xz .zst compress.",
)
@option(OUTPUT, "--forward-out", type=str, help="Links of P(target | source).")
@option(OUTPUT, "--reverse-out", type=str, help="Links of P(source | target), written source-target too.")
@option(OUTPUT, "--test-out", type=str, help="Links of the test pairs.")
@option(
    OUTPUT,
    "--format",
    "format_",
    type=click.Choice(FORMATS),
    default="pharaoh",
    help="pharaoh: i-j; giza: A3 records; jsonl: links with probabilities.",
)
@option(OUTPUT, "--probabilities", is_flag=True, help="Pharaoh links with their probabilities, i-j:p.")
@option(
    OUTPUT,
    "--report",
    type=str,
    help="A JSON file with options, versions, counts, figures of each iteration, times and memory.",
)
@option(OUTPUT, "--force", is_flag=True, help="Replace outputs that exist.")
@option(MODEL, "--preset", type=str, default="default", help=f"Settings to start from: {', '.join(PRESETS)}.")
@option(MODEL, "--model", type=click.Choice(["ibm1", "ibm2"]), help="Which model.")
@option(MODEL, "--inference", type=click.Choice(["em", "vb", "gibbs"]), help="How it is trained.")
@option(MODEL, "--iterations", type=int, help="Iterations of EM or variational Bayes.")
@option(MODEL, "--warm-up", type=int, help="Iterations of Model 1 before Model 2 (EM, VB).")
@option(MODEL, "--burn-in", type=int, help="B: sweeps before the first sample (Gibbs).")
@option(MODEL, "--samples", type=int, help="M: samples.")
@option(MODEL, "--lag", type=int, help="L: sweeps from sample to sample.")
@option(MODEL, "--initial", type=str, help="Start of the sampler: uniform, cooccurrence, em-N.")
@option(
    MODEL,
    "--sampler",
    type=click.Choice(["auto", "exact", "parallel"]),
    help="Whether parts of a sweep run side by side.",
)
@option(
    MODEL,
    "--tail",
    type=click.Choice(["shared", "each"]),
    help="Model 2: mass of far positions, shared or each.",
)
@option(MODEL, "--theta", type=float, help="Pseudo-count of a word pair.")
@option(MODEL, "--phi", type=float, help="Pseudo-count of a relative distortion.")
@option(MODEL, "--p0", type=float, help="Probability of NULL.")
@option(MODEL, "--symmetrize", type=click.Choice(METHODS), help="How both directions become one set of links.")
@option(MODEL, "--threshold", type=float, help="Mean posterior that a link must exceed with --symmetrize soft.")
@option(MODEL, "--seed", type=int, help="Seed of the sampler.")
@option(
    RUN,
    "--threads",
    type=int,
    help="Threads; all that may be used by default. The links do not depend on it.",
)
@option(
    RUN,
    "--progress",
    type=click.Choice(["auto", "bar", "json", "none"]),
    default="auto",
    help="Progress on standard error.",
)
def command(**options: Any) -> None:
    """Align a parallel corpus word by word.

    Trains a model in both directions, makes one set of links of both, and writes a line for each sentence
    pair: 'i-j' links source word i to target
    word j, counted from 0. Settings of the preset hold unless an option says otherwise. Outputs are written
    whole or not at all.
    """
    _check_usage(options)
    started = time.perf_counter()
    # Settings that cannot be are told before any file is opened.
    preset_named(options["preset"]).replace(**_overrides(options))
    names = ("forward_out", "reverse_out", "test_out")
    # Outputs are opened before the work begins, so that a bad path is told at once.
    with reporter(options["progress"]) as progress, OutputGroup(force=options["force"]) as outputs:
        files = {name: outputs.open(options[name]) for name in ("out", *names, "report") if options[name]}
        progress("reading", 0, 1)
        train, test = _read(options)
        seconds = {"read": time.perf_counter() - started}
        text = train if test is None or options["test_unseen"] else Bitext.concatenate(train, test)
        progress.tokens = text.counts.source_tokens + text.counts.target_tokens
        wants_probabilities = options["format_"] == "jsonl" or options["probabilities"]
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", AlignmentWarning)
            model = fit(
                text,
                options["preset"],
                posteriors=True if wants_probabilities else None,
                objective=bool(options["report"]) or options["progress"] != "none",
                threads=options["threads"],
                progress=progress,
                **_overrides(options),
            )
        notes = [str(warning.message) for warning in caught]
        seconds |= model.seconds
        writing = time.perf_counter()
        progress("writing", 0, 1)
        results = {
            "out": (model.alignments, train),
            "forward_out": (model.forward, train),
            "reverse_out": (model.reverse, train),
        }
        results = {name: (alignments[: len(train)], bitext) for name, (alignments, bitext) in results.items()}
        if test is not None:
            results["test_out"] = (_test_links(model, text, train, test, options), test)
        for name, (alignments, bitext) in results.items():
            if name in files:
                alignments.write_to(
                    files[name],
                    format=options["format_"],
                    probabilities=options["probabilities"],
                    bitext=bitext,
                )
        seconds["write"] = time.perf_counter() - writing
        if "report" in files:
            report = _report(model, text, options, seconds, notes)
            files["report"].write(json.dumps(report, indent=2, ensure_ascii=False).encode() + b"\n")
    for note in notes:
        click.echo(f"plait: warning: {note}", err=True)


def _check_usage(options: dict[str, Any]) -> None:
    """Refuse combinations that cannot be meant."""
    two_files = options["source"] is not None and options["target"] is not None
    if (options["pairs"] is None) != two_files or (options["pairs"] and (options["source"] or options["target"])):
        raise click.UsageError("give the corpus either as -s SOURCE and -t TARGET or as --pairs FILE")
    test = [options[name] is not None for name in ("test_source", "test_target", "test_out")]
    if any(test) and not all(test):
        raise click.UsageError("--test-source, --test-target and --test-out go together")
    if options["test_unseen"] and not any(test):
        raise click.UsageError("--test-unseen needs --test-source, --test-target and --test-out")
    if options["pairs_format"] == "tmx" and options["pairs"] and not options["languages"]:
        raise click.UsageError("--pairs-format tmx needs --languages, as in 'en,fr'")
    if options["threads"] is not None and options["threads"] < 1:
        raise click.UsageError("--threads must be at least 1")
    inputs = [options[name] for name in ("source", "target", "pairs", "test_source", "test_target")]
    if inputs.count("-") > 1:
        raise click.UsageError("only one input can be standard input")
    outputs = [options[name] for name in ("out", "forward_out", "reverse_out", "test_out", "report")]
    named = [name for name in outputs if name is not None]
    if len(set(named)) < len(named):
        raise click.UsageError("two outputs have the same name")


def _overrides(options: dict[str, Any]) -> dict[str, Any]:
    """Return the settings that the command line changes in the preset."""
    names = (
        "model inference iterations warm_up burn_in samples lag initial sampler tail theta phi p0 symmetrize".split()
    )
    names += ["threshold", "seed"]
    return {name: options[name] for name in names if options[name] is not None}


def _read(options: dict[str, Any]) -> tuple[Bitext, Bitext | None]:
    """Read the corpus and the test pairs."""
    how = ReadOptions(
        lowercase=options["lowercase"],
        stem_source=options["stem_source"],
        stem_target=options["stem_target"],
        max_length=options["max_length"],
        on_error=options["on_error"],
        keep_text=options["format_"] == "giza",
    )
    pairs = options["pairs"]
    if pairs is None:
        train = Bitext.read(options["source"], options["target"], **how)
    elif options["pairs_format"] == "joint":
        train = Bitext.read_joint(pairs, **how)
    elif options["pairs_format"] == "tsv":
        columns = _two(options["columns"], "--columns")
        try:
            numbers = int(columns[0]), int(columns[1])
        except ValueError:
            raise click.BadParameter(
                f"two column numbers like 1,2; found {options['columns']!r}", param_hint="--columns"
            ) from None
        train = Bitext.read_tsv(pairs, *numbers, **how)
    elif options["pairs_format"] == "jsonl":
        train = Bitext.read_jsonl(pairs, *_two(options["keys"], "--keys"), **how)
    else:
        train = Bitext.read_tmx(pairs, *_two(options["languages"], "--languages"), **how)
    test = None
    if options["test_source"] is not None:
        test = Bitext.read(options["test_source"], options["test_target"], **how)
    return train, test


def _two(text: str, name: str) -> tuple[str, str]:
    parts = [part.strip() for part in text.split(",")]
    if len(parts) != 2 or not all(parts):
        raise click.BadParameter(f"two values with a comma between them; found {text!r}", param_hint=name)
    return parts[0], parts[1]


def _test_links(
    model: AlignmentModel, text: Bitext, train: Bitext, test: Bitext, options: dict[str, Any]
) -> Alignments:
    """Return the links of the test pairs."""
    if options["test_unseen"]:
        return model.align(test, threads=options["threads"])
    return model.alignments[len(train) : len(text)]


def _report(
    model: AlignmentModel, text: Bitext, options: dict[str, Any], seconds: dict[str, float], notes: list[str]
) -> dict[str, Any]:
    return {
        "plait": __version__,
        "config": dataclasses.asdict(model.config),
        "input": {
            name: options[name]
            for name in (
                "source",
                "target",
                "pairs",
                "lowercase",
                "stem_source",
                "stem_target",
                "max_length",
                "on_error",
            )
        },
        "counts": dataclasses.asdict(text.counts),
        "links": len(model.alignments.links),
        "history": model.history,
        "seconds": {name: round(value, 4) for name, value in seconds.items()},
        "cpu_seconds": round(time.process_time(), 4),
        "peak_memory_bytes": _peak_memory(),
        "threads": resolve_threads(options["threads"]),
        "warnings": notes,
    }


def _peak_memory() -> int | None:
    """Return the most memory this process has held, in bytes; None where the system does not say."""
    try:
        import resource
    except ImportError:  # Windows
        return None
    # Linux counts kilobytes, macOS bytes.
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
