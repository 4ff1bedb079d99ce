"""Classes of words whose jumps are alike, as the HMM takes them: given ones, or found in the text."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from plait.bitext import Bitext
from plait.classes import WordClasses, cluster
from plait.presets import AlignConfig
from plait.progress import Callback

__all__ = ["JumpClasses", "jump_classes", "strange_classes"]

_NO_CLASS = 2**16 - 1
# Perplexity is within 1% of its end by then, and links are no better with more.
_ITERATIONS = 5


class JumpClasses(NamedTuple):
    """The class of each word of both vocabularies, 65,535 for none: uint16[words], or None without classes."""

    source: npt.NDArray[np.uint16] | None
    target: npt.NDArray[np.uint16] | None


def jump_classes(
    bitext: Bitext,
    config: AlignConfig,
    given: tuple[WordClasses | None, WordClasses | None],
    *,
    threads: int,
    progress: Callback | None,
) -> JumpClasses:
    """Return the classes of a text's words.

    Parameters
    ----------
    bitext
        The text.
    config
        Its ``classes`` is how many are found for a side that none are given for; 0 for none.
    given
        Classes of source and target words, folded as the text was; None where there are none.
    threads, progress
        As in `plait.align.fit`.

    Notes
    -----
    One run of `plait.classes.cluster` with at most 5 iterations for each side; no random number is drawn.
    """

    def of_side(
        side: Literal["source", "target"], words: WordClasses | None, vocabulary: tuple[str, ...]
    ) -> npt.NDArray[np.uint16] | None:
        if words is None and not config.classes:
            return None
        if words is None:
            words = cluster(
                bitext,
                config.classes,
                side=side,
                iterations=_ITERATIONS,
                runs=1,
                threads=threads,
                progress=progress,
            )
        classes = words.array(vocabulary)
        classes[classes == words.count] = _NO_CLASS
        return classes

    return JumpClasses(
        of_side("source", given[0], bitext.source_vocabulary), of_side("target", given[1], bitext.target_vocabulary)
    )


def strange_classes(bitext: Bitext, given: tuple[WordClasses | None, WordClasses | None]) -> str | None:
    """Return a warning about given classes that most of the text's tokens do not have; None when they do."""
    sides = (
        ("source", given[0], bitext.source_vocabulary, bitext.source_frequencies),
        ("target", given[1], bitext.target_vocabulary, bitext.target_frequencies),
    )
    for side, words, vocabulary, frequencies in sides:
        if words is None:
            continue
        have_one = words.array(vocabulary) != words.count
        known, total = int(frequencies[have_one].sum()), int(frequencies.sum())
        if 2 * known < total:
            return (
                f"only {known:,} of {total:,} {side} tokens have a class in {side}_classes; they must be classes of "
                "this language, and of words folded as the text is (lower-casing, stems)"
            )
    return None
