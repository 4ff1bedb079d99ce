"""Settings of the HMM on the command line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from plait.classes import MAX_CLASSES
from plait.cli.groups import option, together
from plait.cli.number_lists import numbers, whole_numbers

F = TypeVar("F", bound=Callable[..., Any])


def hmm_options(group: str) -> Callable[[F], F]:
    """Declare the fields of `plait.presets.AlignConfig` that are the HMM's, and its classes, under a heading."""
    return together(
        option(
            group,
            "--agreement/--independent",
            default=None,
            show_default=False,
            help="hmm: both directions are trained together, to agree on links, or each for itself.",
        ),
        option(
            group,
            "--tau",
            metavar="X",
            type=click.FloatRange(min=0),
            help="hmm: pseudo-count of the jumps of all words in those of each word; inf: the same jumps for all.",
        ),
        option(
            group,
            "--classes",
            metavar="N",
            type=click.IntRange(0, MAX_CLASSES),
            help="hmm: classes found for the words of each side, whose jumps stand between those of a word and of all "
            "words.",
        ),
        option(
            group,
            "--source-classes",
            metavar="FILE",
            help="hmm: classes of source words instead, as plait classes writes them.",
        ),
        option(group, "--target-classes", metavar="FILE", help="hmm: classes of target words instead."),
        option(
            group,
            "--class-tau",
            metavar="X",
            type=click.FloatRange(min=0),
            help="hmm: pseudo-count of the jumps of all words in those of each class.",
        ),
        option(
            group,
            "--smoothing",
            metavar="P",
            type=click.FloatRange(0, 1),
            help="hmm: share of the uniform jump in all jumps.",
        ),
        option(
            group,
            "--initial-decay",
            metavar="X",
            type=click.FloatRange(min=0),
            help="hmm: how fast jumps get less likely with each position away from the next word, as training starts.",
        ),
        option(
            group,
            "--prefixes",
            metavar="N,N,..",
            type=whole_numbers,
            help="hmm: lengths of the prefixes that translation probabilities back off to, the longest first; or none.",
        ),
        option(
            group,
            "--strength",
            metavar="X,X,..",
            type=numbers,
            help="hmm: pseudo-count of the next shorter form: one number for all forms, or one for words, one for each "
            "prefix.",
        ),
        option(
            group,
            "--variety",
            metavar="X",
            type=click.FloatRange(min=0),
            help="hmm: pseudo-count of the next shorter form for each different translation, besides --strength.",
        ),
        option(
            group,
            "--leave-out",
            metavar="P",
            type=click.FloatRange(0, 1),
            help="hmm: share of a word's own expected links that is taken out when its sentence is looked at again.",
        ),
        option(
            group,
            "--null-mixture",
            metavar="P",
            type=click.FloatRange(0, 1),
            help="hmm: share of relative word frequencies in the words that NULL yields.",
        ),
        option(
            group,
            "--beams",
            metavar="P,P",
            type=numbers,
            help="hmm: links below this share of a word's best one, and alignments below this share of the sum, are "
            "dropped.",
        ),
        option(
            group,
            "--decoding",
            metavar="NAME",
            type=click.Choice(["posterior", "viterbi"]),
            help="hmm: links of one direction are the best of each word, or those of the best alignment.",
        ),
        option(
            group,
            "--fertility",
            metavar="X",
            type=click.FloatRange(min=0),
            help="hmm, gibbs: pseudo-count of the fertilities of all words in those of each word; 0: they do not "
            "matter.",
        ),
        option(
            group,
            "--em-share",
            metavar="P",
            type=click.FloatRange(0, 1),
            help="hmm, gibbs: share of the posteriors of EM in those of the samples.",
        ),
    )
