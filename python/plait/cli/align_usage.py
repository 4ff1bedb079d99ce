"""What can be told from the options of ``plait align`` alone, before a file is opened."""

from __future__ import annotations

import dataclasses
import os
from typing import Any

import click
from click.core import ParameterSource

from plait.errors import ConfigError
from plait.io.lexical_tables import file_names
from plait.presets import PRESETS, AlignConfig
from plait.presets import preset as preset_named

__all__ = ["check_usage", "columns", "lexicon_names", "named_inputs", "settings", "two", "without_effect"]

_INPUTS = ("source", "target", "pairs", "test_source", "test_target")
_KNOWLEDGE = ("prior", "source_classes", "target_classes")
_OUTPUTS = ("out", "forward_out", "reverse_out", "test_out", "report", "save")
_OF_THE_HMM = (
    "agreement",
    "tau",
    "classes",
    "class_tau",
    "smoothing",
    "initial_decay",
    "prefixes",
    "strength",
    "variety",
    "leave_out",
    "null_mixture",
    "beams",
    "decoding",
)
_OF_THE_SAMPLED_HMM = ("fertility", "em_share")
_FIRST_STEP = "for example: plait align -s train.en -t train.fr -o out.align"


def check_usage(options: dict[str, Any]) -> None:
    """Refuse combinations that cannot be meant.

    Raises
    ------
    click.UsageError
        The message says which options, and what to do.
    """
    _check_corpus(options)
    _check_pairs_format(options)
    test = [options[name] is not None for name in ("test_source", "test_target", "test_out")]
    if any(test) and not all(test):
        raise click.UsageError("--test-source, --test-target and --test-out go together; give all three")
    if options["test_unseen"] and not any(test):
        raise click.UsageError("--test-unseen needs --test-source, --test-target and --test-out")
    knowledge = [options[name] for name in _KNOWLEDGE]
    if [*named_inputs(options), *knowledge].count("-") > 1:
        raise click.UsageError("only one input can be standard input; give a file for the others")
    named = [*(options[name] for name in _OUTPUTS if options[name] is not None), *lexicon_names(options)]
    for name in named:
        if named.count(name) > 1:
            raise click.UsageError(f"two outputs have the same name, {name!r}; give each its own")
        if any(_is_same_file(name, other) for other in [*named_inputs(options), options["model"], *knowledge]):
            raise click.UsageError(f"{name!r} is an input, and would be replaced; give the output another name")


def named_inputs(options: dict[str, Any]) -> list[str]:
    """Return the names of all texts."""
    return [options[name] for name in _INPUTS if options[name] is not None]


def lexicon_names(options: dict[str, Any]) -> list[str]:
    """Return the names of the files of ``--lexicon-out``.

    Raises
    ------
    click.UsageError
        Two files cannot be standard output.
    """
    if options["lexicon_out"] is None:
        return []
    try:
        return [str(name) for name in file_names(options["lexicon_out"], options["lexicon_format"])]
    except ConfigError as problem:
        raise click.UsageError(f"--lexicon-out: {problem.message}") from None


def settings(options: dict[str, Any]) -> AlignConfig:
    """Return the preset with what the command line changes.

    Raises
    ------
    click.UsageError
        A setting is out of its range.
    """
    names = [field.name for field in dataclasses.fields(AlignConfig)]
    changes = {name: options[name] for name in names if options.get(name) is not None}
    try:
        config = preset_named(options["preset"]).replace(**changes)
    except ConfigError as problem:
        raise click.UsageError(problem.message) from None
    for name in _KNOWLEDGE:
        if options[name] is not None and config.model != "hmm":
            option = f"--{name.replace('_', '-')}"
            raise click.UsageError(
                f"{option} is for the HMM, not for {config.model}; leave it out, or take another preset"
            )
    presets = ", ".join(name for name, known in PRESETS.items() if known.model == "hmm")
    if options["save"] is not None and config.model != "hmm":
        raise click.UsageError(
            f"--save is for the HMM, not for {config.model}; the presets that can be saved: {presets}"
        )
    if options["lexicon_out"] is not None and config.model != "hmm":
        raise click.UsageError(
            f"--lexicon-out is for the HMM, not for {config.model}; take one of the presets {presets}, or count the "
            "links with plait lexicon -s FILE -t FILE -a FILE"
        )
    return config


def _is_same_file(output: str, other: str | None) -> bool:
    """Whether an output is a regular file that is read, too."""
    return other is not None and os.path.isfile(other) and os.path.realpath(output) == os.path.realpath(other)


def _check_corpus(options: dict[str, Any]) -> None:
    has_side = options["source"] is not None or options["target"] is not None
    has_both = options["source"] is not None and options["target"] is not None
    has_output = any(options[name] is not None for name in ("out", "save", "lexicon_out"))
    if not has_side and options["pairs"] is None and not has_output:
        raise click.UsageError(f"give a corpus and a name for its links, {_FIRST_STEP}")
    if (has_side and options["pairs"] is not None) or (has_both == (options["pairs"] is not None)):
        raise click.UsageError(f"give the corpus either as -s FILE and -t FILE or as --pairs FILE, {_FIRST_STEP}")
    if not has_output:
        raise click.UsageError(f"-o (--out) is missing: the name of the file for the links, or '-', {_FIRST_STEP}")


def _check_pairs_format(options: dict[str, Any]) -> None:
    if options["pairs"] is None:
        return
    if options["pairs_format"] == "tmx":
        if options["languages"] is None:
            raise click.UsageError("--pairs-format tmx needs --languages, as in 'en,fr'")
        two(options["languages"], "--languages")
    elif options["pairs_format"] == "tsv":
        columns(options["columns"])
    elif options["pairs_format"] == "jsonl":
        two(options["keys"], "--keys")


def without_effect(options: dict[str, Any], config: AlignConfig) -> list[str]:
    """Return a warning for each option that was given and does nothing with the others."""
    is_hmm = config.model == "hmm"
    inference = f"--inference {config.inference}"
    if is_hmm:
        inference = f"--model hmm --inference {config.inference}" if config.inference == "gibbs" else "--model hmm"
    has_classes = config.classes or any(options[f"{side}_classes"] is not None for side in ("source", "target"))
    pairs_format = f"--pairs-format {options['pairs_format']}" if options["pairs"] is not None else "-s and -t"
    is_sampling, is_em = config.inference == "gibbs", config.inference == "em"
    # The sampler of the HMM starts from EM, which has options of its own.
    is_sampled_hmm = is_hmm and is_sampling
    idle = [
        (("iterations",), is_sampling and not is_hmm, f"{inference}; the sampler has --burn-in, --samples and --lag"),
        (("warm_up",), is_sampling and not is_hmm, inference),
        (("burn_in", "samples", "lag", "initial", "sampler", "seed"), not is_sampling, inference),
        (("initial", "theta", "phi"), is_sampled_hmm, inference),
        (_OF_THE_SAMPLED_HMM, not is_sampled_hmm, f"--model {config.model} --inference {config.inference}"),
        (("phi",), is_em, inference),
        # Unseen words have the probability of a word pair without counts.
        (("theta",), is_em and (is_hmm or not options["test_unseen"]), inference),
        (("tail", "phi", "warm_up"), config.model == "ibm1", "--model ibm1"),
        (("prior_weight",), options["prior"] is None, "no --prior"),
        (("lexicon_format", "lexicon_threshold"), options["lexicon_out"] is None, "no --lexicon-out"),
        (("tail",), is_hmm, "--model hmm"),
        (
            ("classes",),
            all(options[f"{side}_classes"] is not None for side in ("source", "target")),
            "classes of both sides",
        ),
        (("class_tau",), is_hmm and not has_classes, "no classes"),
        (_OF_THE_HMM, not is_hmm, f"--model {config.model}"),
        (
            ("decoding",),
            config.symmetrize == "soft" and not any(options[name] for name in ("forward_out", "reverse_out")),
            "--symmetrize soft, but for --forward-out and --reverse-out",
        ),
        (("threshold",), config.symmetrize != "soft", f"--symmetrize {config.symmetrize}"),
        (("probabilities",), options["format_"] != "pharaoh", f"--format {options['format_']}"),
        (("max_memory",), options["model"] not in (None, "ibm1", "ibm2", "hmm"), "a saved model"),
        (("pairs_format",), options["pairs"] is None, pairs_format),
        (("columns",), options["pairs"] is None or options["pairs_format"] != "tsv", pairs_format),
        (("keys",), options["pairs"] is None or options["pairs_format"] != "jsonl", pairs_format),
        (("languages",), options["pairs"] is None or options["pairs_format"] != "tmx", pairs_format),
    ]
    context = click.get_current_context()
    notes: dict[str, str] = {}
    for names, is_idle, reason in idle:
        for name in names:
            is_given = context.get_parameter_source(name) is ParameterSource.COMMANDLINE
            if is_idle and is_given:
                spelled = "independent" if (name, options[name]) == ("agreement", False) else name.replace("_", "-")
                notes.setdefault(name, f"--{spelled} has no effect with {reason}")
    return list(notes.values())


def two(text: str, name: str) -> tuple[str, str]:
    """Return both values of an option like ``--languages en,fr``.

    Raises
    ------
    click.UsageError
        There are not two.
    """
    parts = [part.strip() for part in text.split(",")]
    if len(parts) != 2 or not all(parts):
        raise click.UsageError(f"{name} needs two values with a comma between them; found {text!r}")
    return parts[0], parts[1]


def columns(text: str) -> tuple[int, int]:
    """Return both numbers of ``--columns``.

    Raises
    ------
    click.UsageError
        They are not two different numbers from 1.
    """
    numbers = [int(part) if part.isascii() and part.isdigit() else 0 for part in two(text, "--columns")]
    if min(numbers) < 1:
        raise click.UsageError(f"--columns needs two column numbers from 1, as in 1,2; found {text!r}")
    return numbers[0], numbers[1]
