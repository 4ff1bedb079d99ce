"""Counts of links that training starts from, whatever they come in."""

from __future__ import annotations

import dataclasses
import math

import numpy as np

from plait import aligner, models
from plait.aligner import Aligner
from plait.bitext import Bitext
from plait.errors import ConfigError, ModelFileError
from plait.io.streams import Path, display_name
from plait.lexicon import KIND as LEXICON
from plait.lexicon import Lexicon
from plait.priors import NULL_WORD, Priors

__all__ = ["Prior", "PriorCounts", "prior_counts", "read_prior", "unused_counts"]

Prior = Priors | Lexicon | Aligner | Path
"""Counts of an eflomal priors file, of a lexicon, of a trained aligner, or the name of a file with one of them."""


@dataclasses.dataclass(frozen=True, eq=False)
class PriorCounts:
    """Counts as the core takes them.

    Attributes
    ----------
    source_words, target_words
        Words by id.
    sources, targets : uint32[n]
        The words of each count.
    counts : float64[n]
        Links, times the weight of the prior.
    """

    source_words: list[str]
    target_words: list[str]
    sources: np.ndarray[tuple[int], np.dtype[np.uint32]]
    targets: np.ndarray[tuple[int], np.dtype[np.uint32]]
    counts: np.ndarray[tuple[int], np.dtype[np.float64]]


def prior_counts(prior: Prior, weight: float, bitext: Bitext) -> PriorCounts | None:
    """Return the counts of a prior for a text; None when they would change nothing.

    Parameters
    ----------
    prior
        Words of a priors *file* are folded as the text was. `Priors` and `Lexicon` must be folded so already, and an
        aligner must have been trained on text that was.
    weight
        What a link of the prior counts, as a number of links of the text.
    bitext
        The text.

    Raises
    ------
    plait.errors.ConfigError
        The weight is negative or not finite; the aligner learned from words that were folded otherwise.
    plait.errors.TextError, plait.errors.ModelFileError
        The file cannot be read.
    """
    if not 0 <= weight < math.inf:
        raise ConfigError(name="prior_weight", expected="a finite number of at least 0", found=weight)
    if not isinstance(prior, Priors | Lexicon | Aligner):
        prior = read_prior(prior, bitext)
    if isinstance(prior, Aligner):
        prior._check_folding(bitext)
        prior = prior.lexicon()
    if isinstance(prior, Lexicon):
        found = _of_lexicon(prior)
    else:
        found = PriorCounts([*prior.source_words], [*prior.target_words], *prior.lexical)
    # Links to NULL are not links, and NULL has a lexicon of its own.
    source_is_null, target_is_null = (
        np.array([word == NULL_WORD for word in words], dtype=np.bool_)
        for words in (found.source_words, found.target_words)
    )
    stays = ~(source_is_null[found.sources] | target_is_null[found.targets]) & (found.counts * weight > 0)
    if not stays.any():
        return None
    return dataclasses.replace(
        found,
        sources=found.sources[stays],
        targets=found.targets[stays],
        counts=found.counts[stays] * weight,
    )


def _of_lexicon(lexicon: Lexicon) -> PriorCounts:
    """Return the counts of a lexicon, those of NULL under its name in priors files."""
    return PriorCounts(
        [*lexicon.source_vocabulary, NULL_WORD],
        [*lexicon.target_vocabulary, NULL_WORD],
        lexicon.sources,
        lexicon.targets,
        lexicon.counts.astype(np.float64),
    )


def unused_counts(prior: Priors, path: Path) -> str | None:
    """Return what of a priors file training does not use, and what it does; None when it uses everything.

    Parameters
    ----------
    prior
        The counts.
    path
        The file they come from.
    """
    nulls = sum(
        int(np.count_nonzero(np.isin(ids, [n for n, word in enumerate(words) if word == NULL_WORD])))
        for words, ids in (
            (prior.source_words, prior.lexical.sources),
            (prior.target_words, prior.lexical.targets),
        )
    )
    counts = {
        "word pairs with NULL": nulls,
        "fertilities (FERF, FERR)": len(prior.source_fertilities.words) + len(prior.target_fertilities.words),
        "jumps (HMMF, HMMR)": len(prior.forward_jumps.jumps) + len(prior.reverse_jumps.jumps),
    }
    unused = [f"{count:,} of {what}" for what, count in counts.items() if count]
    if not unused:
        return None
    return (
        f"{display_name(path)}: {len(prior.lexical.counts) - nulls:,} counts of word pairs (LEX) are used as a prior; "
        f"not used, as they are learned from the text: {', '.join(unused)}"
    )


def read_prior(path: Path, bitext: Bitext) -> Priors | Lexicon | Aligner:
    """Read a prior from a file, which is recognised by content; words of a priors file are folded as the text was.

    Raises
    ------
    plait.errors.TextError, plait.errors.ModelFileError, OSError
        The file cannot be read.
    """
    if not models.is_model(path):
        folding = bitext.folding
        return Priors.read(path) if folding is None else Priors.read(path).folded(**folding._asdict())
    file, name = models.load(path), display_name(path)
    if file.kind == aligner.KIND:
        return aligner.of_file(file, name)
    if file.kind == LEXICON:
        return Lexicon._of_file(file, name)
    raise ModelFileError(
        f"{name}: a prior is a trained aligner, a lexicon or a priors file; found a model of kind {file.kind!r}; "
        "give a model of plait align --save"
    )
