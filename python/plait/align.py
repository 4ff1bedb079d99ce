"""Word alignment: training on a corpus, its links, and links of new text."""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from plait import _core
from plait.aligner import Aligner, load
from plait.aligner_settings import hmm_settings
from plait.alignments import Alignments
from plait.bitext import Bitext
from plait.classes import WordClasses
from plait.directions import Directions
from plait.errors import AlignmentWarning, ConfigError
from plait.jump_classes import JumpClasses, jump_classes, strange_classes
from plait.pair_scores import Scores
from plait.presets import PRESETS, AlignConfig
from plait.presets import preset as preset_named
from plait.prior_counts import Prior, PriorCounts, prior_counts
from plait.progress import Callback
from plait.threads import resolve_threads

__all__ = [
    "PRESETS",
    "AlignConfig",
    "Aligner",
    "AlignmentModel",
    "Directions",
    "Scores",
    "fit",
    "load",
    "takes_part",
    "unexplained_pairs",
    "unused_pairs",
]


@dataclass(frozen=True)
class AlignmentModel(Aligner):
    """A trained aligner with the links of the text it was trained on. Make one with `fit`.

    Attributes
    ----------
    config, folding
        Those of `Aligner`.
    directions
        Links and posteriors of the training text in both directions.
    alignments
        The symmetrised links of the training text, one entry for each of its pairs.
    history
        For "forward" and "reverse", a figure of each iteration: the log-likelihood (EM) or the bound
        (VB; from the second iteration on), as
        natural logarithms, of the parameters that the iteration started from; with Gibbs sampling the
        share of tokens whose link changed.
    seconds
        Wall time of "train" and "symmetrize".
    """

    directions: Directions
    alignments: Alignments
    history: dict[str, list[float]]
    seconds: dict[str, float]

    @property
    def forward(self) -> Alignments:
        """Links of P(target | source) of the training text."""
        return self.directions.forward

    @property
    def reverse(self) -> Alignments:
        """Links of P(source | target) of the training text."""
        return self.directions.reverse

    @property
    def forward_posteriors(self) -> Alignments | None:
        """Posteriors of P(target | source) of the training text."""
        return self.directions.forward_posteriors

    @property
    def reverse_posteriors(self) -> Alignments | None:
        """Posteriors of P(source | target) of the training text."""
        return self.directions.reverse_posteriors


def fit(
    bitext: Bitext,
    preset: str = "default",
    *,
    posteriors: bool | None = None,
    objective: bool = True,
    prior: Prior | None = None,
    prior_weight: float = 1.0,
    source_classes: WordClasses | None = None,
    target_classes: WordClasses | None = None,
    threads: int | None = None,
    progress: Callback | None = None,
    **options: Any,
) -> AlignmentModel:
    r"""Train an aligner on a corpus and link the words of its pairs.

    Parameters
    ----------
    bitext
        The corpus. Pairs that are not usable get no links and take no part in training.
    preset
        A name in `PRESETS`.
    posteriors
        Keep the posteriors of all likely links (about 12 bytes each, a few for each token); by default
        only when the symmetrisation needs them.
    objective
        Compute the likelihood or bound of every iteration (variational Bayes is about half as fast with it).
    prior
        Counts of links from elsewhere, which count like links of this corpus: `plait.priors.Priors` of eflomal, a
        `plait.lexicon.Lexicon`, an aligner trained before, or the name of a file with one of them. For the HMM.
    prior_weight
        What a link of the prior counts; 0 for nothing.
    source_classes, target_classes
        Classes of words, folded as the text was. The jumps from a word back off to those of all words of its class,
        and words without one to those of all words (Och and Ney 2000). Those of source words are for
        P(target | source). The option ``classes`` makes some for a side that has none. For the HMM.
    threads
        Number of threads; None for all that may be used. The result does not depend on it.
    progress
        Called with ``(stage, done, total, figures)`` from this thread; what it raises ends the work.
    **options
        Fields of `AlignConfig` that differ from the preset.

    Returns
    -------
    AlignmentModel

    Raises
    ------
    ConfigError
        An option is unknown or out of range.
    KeyboardInterrupt
        Ctrl-C, within a second; nothing is left running.

    Warns
    -----
    AlignmentWarning
        Some pairs are not usable, or no alignment explains them; the message says how many and why. Most tokens have
        none of the classes that were given.

    Notes
    -----
    An iteration takes time proportional to the sum over pairs of the product of both lengths.

    References
    ----------
    Vogel, Ney and Tillmann (1996), HMM-Based Word Alignment in Statistical Translation.
    Och and Ney (2003), A Systematic Comparison of Various Statistical Alignment Models: the NULL of the HMM.
    Liang, Taskar and Klein (2006), Alignment by Agreement.
    He (2007), Using Word-Dependent Transition Models in HMM-Based Word Alignment: eq. 1 to 11.
    Östling and Tiedemann (2016), Efficient Word Alignment with Markov Chain Monte Carlo: the sampled HMM.
    Mermer, Saraçlar and Sarikaya (2013), Improving Statistical Machine Translation Using Bayesian Word
    Alignment and Gibbs Sampling: Models 1 and 2.

    Examples
    --------
    >>> import plait
    >>> text = plait.Bitext.from_lists(
    ...     [["the", "house"], ["the", "book"], ["a", "book"]],
    ...     [["das", "Haus"], ["das", "Buch"], ["ein", "Buch"]],
    ... )
    >>> model = plait.align.fit(text, "EM-20", symmetrize="intersection")
    >>> model.alignments.to_pharaoh()
    b'0-0 1-1\n0-0 1-1\n0-0 1-1\n'
    """
    config = preset_named(preset).replace(**options)
    count = resolve_threads(threads)
    unused = unused_pairs(bitext, config)
    if unused is not None:
        warnings.warn(unused, AlignmentWarning, stacklevel=2)
    if prior is not None and config.model != "hmm":
        raise ConfigError(f"prior: a model {config.model!r} takes none; train with a preset of the HMM, as default")
    classes = source_classes, target_classes
    if classes != (None, None) and config.model != "hmm":
        raise ConfigError(f"classes: a model {config.model!r} has none; train with a preset of the HMM, as default")
    strange = strange_classes(bitext, classes)
    if strange is not None:
        warnings.warn(strange, AlignmentWarning, stacklevel=2)
    started = time.perf_counter()
    wants_posteriors = config.symmetrize == "soft" if posteriors is None else posteriors
    if config.model == "hmm":
        counts = None if prior is None else prior_counts(prior, prior_weight, bitext)
        found = jump_classes(bitext, config, classes, threads=count, progress=progress)
        trained: _core.Ibm | _core.Hmm = _train_hmm(bitext, config, counts, found, wants_posteriors, count, progress)
    else:
        trained = _train_ibm(bitext, config, objective, wants_posteriors, count, progress)
    directions = Directions._from_core(trained.take_readout(0), trained.take_readout(1))
    trained_at = time.perf_counter()
    if progress is not None:
        progress("symmetrizing", 0, 1, ())
    alignments = directions.symmetrized(config, threads=count)
    model = AlignmentModel(
        config=config,
        folding=bitext.folding,
        directions=directions,
        alignments=alignments,
        history={"forward": trained.history(0), "reverse": trained.history(1)},
        seconds={"train": trained_at - started, "symmetrize": time.perf_counter() - trained_at},
        _core=trained,
    )
    unexplained = unexplained_pairs(model)
    if unexplained is not None:
        warnings.warn(unexplained, AlignmentWarning, stacklevel=2)
    return model


def _train_ibm(
    bitext: Bitext,
    config: AlignConfig,
    objective: bool,
    wants_posteriors: bool,
    threads: int,
    progress: Callback | None,
) -> _core.Ibm:
    """Train Model 1 or 2."""
    kind, initial_iterations = config.start()
    return _core.train_ibm(
        bitext._core,
        model=1 if config.model == "ibm1" else 2,
        tail=config.tail,
        inference=config.inference,
        iterations=config.iterations,
        warm_up=config.warm_up,
        burn_in=config.burn_in,
        samples=config.samples,
        lag=config.lag,
        initial=kind,
        initial_iterations=initial_iterations,
        sampler=config.sampler,
        blocks=config.blocks,
        theta=config.theta,
        phi=config.phi,
        p0=config.p0,
        seed=config.seed,
        wants_objective=objective,
        wants_posteriors=wants_posteriors,
        threads=threads,
        progress=progress,
    )


def _train_hmm(
    bitext: Bitext,
    config: AlignConfig,
    prior: PriorCounts | None,
    classes: JumpClasses,
    wants_posteriors: bool,
    threads: int,
    progress: Callback | None,
) -> _core.Hmm:
    """Train the HMM."""
    return _core.train_hmm(
        bitext._core,
        hmm_settings(config),
        wants_posteriors=wants_posteriors,
        threads=threads,
        source_classes=classes.source,
        target_classes=classes.target,
        prior=None
        if prior is None
        else (prior.source_words, prior.target_words, prior.sources, prior.targets, prior.counts),
        progress=progress,
    )


def takes_part(bitext: Bitext, config: AlignConfig) -> npt.NDArray[np.bool_]:
    """Return which pairs are trained on: usable ones, and for the HMM, not too long for its table of cells."""
    if config.model != "hmm":
        return bitext.usable
    cells = bitext.source_lengths.astype(np.int64) * bitext.target_lengths.astype(np.int64)
    return bitext.usable & (cells <= _core.MAX_CELLS)


def unused_pairs(bitext: Bitext, config: AlignConfig, *, lack: str = "links") -> str | None:
    """Return how many pairs take no part in training, why, and what they get none of; None when all do."""
    counts = bitext.counts
    used = takes_part(bitext, config)
    unused = {
        "too long": counts.too_long,
        f"of more than {_core.MAX_CELLS:,} cells, source times target words, for the HMM": int(
            np.count_nonzero(bitext.usable & ~used)
        ),
        "empty on one side or both": counts.empty,
        "skipped because they could not be read": counts.skipped,
    }
    total = sum(unused.values())
    if not total:
        return None
    reasons = ", ".join(f"{count:,} {reason}" for reason, count in unused.items() if count)
    first = int(np.argmin(used)) + 1
    return f"no {lack} for {total:,} of {counts.pairs:,} sentence pairs: {reasons}; the first is pair {first:,}"


def unexplained_pairs(model: AlignmentModel) -> str | None:
    """Return how many pairs had probability 0 in the last iteration of the HMM; None when none had."""
    count = model._core.left_out()[1] if isinstance(model._core, _core.Hmm) else 0
    if not count:
        return None
    return (
        f"no alignment of one direction explains {count:,} sentence pair{'' if count == 1 else 's'}, which may get no "
        "links: the estimates give them no probability; smooth them with null_mixture, strength or smoothing"
    )
