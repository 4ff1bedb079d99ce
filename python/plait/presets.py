"""Named settings of the aligner, and everything that can be set."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import Literal

from plait.errors import ConfigError
from plait.option_ranges import check_ranges
from plait.symmetrize import METHODS, Method

__all__ = ["PRESETS", "AlignConfig", "preset"]

Model = Literal["ibm1", "ibm2", "hmm"]
Inference = Literal["em", "vb", "gibbs"]


@dataclass(frozen=True, kw_only=True)
class AlignConfig:
    """Everything that decides a result, besides the text.

    Attributes
    ----------
    model
        "ibm1", "ibm2" (relative distortion in 11 classes) or "hmm" (jumps from the last aligned word, which may
        depend on it).
    tail
        Model 2: whether positions at a distance of 5 or more from the diagonal share the probability of their class
        ("shared") or have all of it each ("each", the literal reading of the paper's eq. 10).
    inference
        "em", "vb" (variational Bayes) or "gibbs" (collapsed Gibbs sampling). The HMM has "em", and "gibbs" after it.
    iterations
        Iterations of EM or variational Bayes.
    warm_up
        Iterations of Model 1 before Model 2 or the HMM, with EM or variational Bayes.
    burn_in, samples, lag
        B, M and L of the sampler: B + M L sweeps, a sample every L sweeps after the first B.
    initial
        Where the sampler of Models 1 and 2 starts: "uniform", "cooccurrence" or "em-N" (best links after N iterations
        of EM for Model 1). That of the HMM starts from the HMM trained by EM.
    sampler
        "exact" (every draw sees all other links), "parallel" (``blocks`` parts of a sweep side by side, each with the
        totals of the other parts from the sweep before) or "auto": exact up to half a million tokens a side.
    blocks
        Number of parts for "parallel".
    theta, phi
        Pseudo-counts of word pairs and of relative distortions.
    fertility
        Sampler of the HMM: pseudo-count of the fertilities of all words (to how many words one is linked) in those of
        each word; 0: fertilities do not matter.
    em_share
        Sampler of the HMM: share of the posteriors of EM in those that are read out.
    p0
        Probability that a word comes from NULL. None: 1 / (I + 1) in Model 1, 0.2 in Model 2 and the HMM.
    agreement
        HMM: both directions are trained together, and the product of their posteriors counts for both lexicons.
    tau
        HMM: weight of the jumps of all words in those of each word, as a pseudo-count; infinity for the same jumps
        for all words.
    classes
        HMM: number of classes that are found for the words of each side, whose jumps stand between those of a word
        and those of all words; 0 for none.
    class_tau
        HMM: weight of the jumps of all words in those of each class, as a pseudo-count.
    smoothing
        HMM: share of the uniform distribution in all jumps.
    initial_decay
        HMM: how fast jumps are less likely the further they are from +1 when training starts, as a natural
        logarithm for each position; 0: all equally likely.
    prefixes
        HMM: lengths of the lower-cased prefixes that the lexicon backs off to, falling. Empty: it does not.
    strength
        HMM: pseudo-count of the next shorter form, for all levels, or for each one from whole words to relative
        frequencies. 0 without prefixes is maximum likelihood.
    variety
        HMM: pseudo-count of the next shorter form for each different translation of a form, besides ``strength``.
    leave_out
        HMM: share of a word's own expected links that is taken out when its sentence is looked at again.
    null_mixture
        HMM: share of the relative word frequencies in the lexicon of NULL.
    beams
        HMM: share of the best translation probability below which a link is not considered, and of the forward
        probability below which a state is dropped; 0 for nothing. With ``agreement``, ten times as much (up to 0.01)
        in the first iteration of the HMM.
    decoding
        HMM: "posterior" (best link of each word) or "viterbi" (best alignment of the sentence) for the links of
        one direction.
    symmetrize, threshold
        How the two directions become one set of links; the threshold is that of "soft".
    seed
        Seed of the sampler, 0 to 2^64 - 1.
    """

    model: Model = "ibm2"
    tail: Literal["shared", "each"] = "shared"
    inference: Inference = "gibbs"
    iterations: int = 5
    warm_up: int = 5
    burn_in: int = 1000
    samples: int = 100
    lag: int = 1
    initial: str = "em-5"
    sampler: Literal["auto", "exact", "parallel"] = "auto"
    blocks: int = 8
    theta: float = 0.0001
    phi: float = 1.0
    fertility: float = 1.0
    em_share: float = 0.5
    p0: float | None = None
    agreement: bool = True
    tau: float = 30.0
    classes: int = 0
    class_tau: float = 0.0
    smoothing: float = 0.05
    initial_decay: float = 0.0
    prefixes: tuple[int, ...] = ()
    strength: tuple[float, ...] = (10.0,)
    variety: float = 0.0
    leave_out: float = 0.0
    null_mixture: float = 0.5
    beams: tuple[float, float] = (0.0, 0.0)
    decoding: Literal["posterior", "viterbi"] = "posterior"
    symmetrize: Method = "grow-diag-final-and"
    threshold: float = 0.5
    seed: int = 1

    def __post_init__(self) -> None:
        """Check what the core does not."""
        _one_of("model", self.model, ("ibm1", "ibm2", "hmm"))
        _one_of("inference", self.inference, ("em", "vb", "gibbs"))
        _one_of("decoding", self.decoding, ("posterior", "viterbi"))
        if self.model == "hmm" and self.inference == "vb":
            raise ConfigError(name="inference", expected="em or gibbs for the HMM", found=repr(self.inference))
        for name in ("prefixes", "strength", "beams"):
            # JSON and the command line have lists.
            object.__setattr__(self, name, tuple(getattr(self, name)))
        # JSON has no infinity: reports say "inf".
        object.__setattr__(self, "tau", math.inf if str(self.tau) == "inf" else self.tau)
        _one_of("symmetrize", self.symmetrize, METHODS)
        _one_of("tail", self.tail, ("shared", "each"))
        _one_of("sampler", self.sampler, ("auto", "exact", "parallel"))
        check_ranges(self)
        self.start()
        if self.model == "hmm" and self.inference == "gibbs":
            self._check_sampled_hmm()

    def _check_sampled_hmm(self) -> None:
        """Refuse an HMM whose samples would have no start or no prior."""
        needs = {
            "iterations": (self.iterations > 0, "at least 1 for the sampler, which starts from EM"),
            "tau": (self.tau > 0, "above 0 for the sampler"),
            "strength": (not self.strength or self.strength[0] > 0, "above 0 for whole words, for the sampler"),
            "classes": (self.classes == 0, "0 for the sampler"),
            "decoding": (self.decoding == "posterior", "posterior for the sampler"),
            "samples": (self.burn_in + self.samples * self.lag < 2**32, "fewer than 2^32 sweeps in all"),
        }
        for name, (is_good, expected) in needs.items():
            if not is_good:
                raise ConfigError(name=name, expected=expected, found=repr(getattr(self, name)))

    def start(self) -> tuple[str, int]:
        """Return how the sampler starts: the kind, and the iterations of EM."""
        if self.initial in ("uniform", "cooccurrence"):
            return self.initial, 0
        kind, _, count = str(self.initial).partition("-")
        if kind != "em" or not (count.isascii() and count.isdigit() and 0 < int(count) < 2**32):
            raise ConfigError(
                name="initial",
                expected="uniform, cooccurrence or em-N with N above 0",
                found=repr(self.initial),
            )
        return "em", int(count)

    def replace(self, **changes: object) -> AlignConfig:
        """Return a copy with these settings changed; an unknown name is an error that lists the known ones."""
        known = [field.name for field in dataclasses.fields(self)]
        for name in changes:
            if name not in known:
                raise ConfigError(name="option", expected=f"one of {', '.join(known)}", found=repr(name))
        return dataclasses.replace(self, **changes)  # type: ignore[arg-type]


def _one_of(name: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise ConfigError(name=name, expected=f"one of {', '.join(allowed)}", found=repr(value))


def _em(inference: Inference, iterations: int) -> AlignConfig:
    return AlignConfig(model="ibm1", inference=inference, iterations=iterations)


def _hmm(tau: float, **changes: object) -> AlignConfig:
    """He 2007: five iterations of Model 1, five of the HMM, each direction for itself, no smoothing of the lexicon."""
    return AlignConfig(
        model="hmm",
        inference="em",
        agreement=False,
        tau=tau,
        p0=0.2,
        strength=(0.0,),
        null_mixture=0.0,
        beams=(1e-6, 1e-6),
        decoding="viterbi",
    ).replace(**changes)


_AGREEING = AlignConfig(
    model="hmm",
    inference="em",
    warm_up=2,
    iterations=5,
    burn_in=5,
    samples=20,
    p0=0.2,
    initial_decay=0.15,
    prefixes=(7, 5, 4, 3, 2, 1),
    strength=(4.0,),
    variety=2.0,
    leave_out=0.9,
    beams=(1e-3, 1e-3),
    symmetrize="soft",
)
_SAMPLED = _AGREEING.replace(inference="gibbs", tau=10.0, smoothing=0.1, threshold=0.45)

PRESETS: dict[str, AlignConfig] = {
    "default": _AGREEING,
    "fast": _AGREEING.replace(iterations=2, initial_decay=0.6, prefixes=(4, 1), beams=(5e-2, 2e-2)),
    "best": _SAMPLED.replace(burn_in=10, samples=50),
    "bayes-hmm": _SAMPLED,
    "hmm": _hmm(math.inf),
    "wdhmm-100": _hmm(100.0),
    "wdhmm-1000": _hmm(1000.0),
    "gibbs": AlignConfig(
        model="ibm2", inference="gibbs", initial="em-5", burn_in=20, samples=20, p0=0.1, symmetrize="soft"
    ),
    "EM-5": _em("em", 5),
    "EM-20": _em("em", 20),
    "EM-80": _em("em", 80),
    "VB-5": _em("vb", 5),
    "VB-20": _em("vb", 20),
    "VB-80": _em("vb", 80),
    "GS-5": AlignConfig(model="ibm1", initial="em-5"),
    "GS-20": AlignConfig(model="ibm1", initial="em-20"),
    "GS-80": AlignConfig(model="ibm1", initial="em-80"),
    "GS-N": AlignConfig(model="ibm1", initial="cooccurrence"),
}
"""Settings by name.

``default`` and ``fast`` are agreeing word-dependent HMMs with a lexicon that backs off, chosen on several language
pairs; ``bayes-hmm`` goes on from there with collapsed Gibbs sampling and fertilities, ``best`` with more samples.
``hmm`` and ``wdhmm-TAU`` are those of He (2007), ``gibbs`` is Model 2 by sampling. EM, VB and GS carry the names of
Mermer et al. (2013): Model 1, (B, M, L) = (1000, 100, 1) for the sampler, grow-diag-final-and.
"""


def preset(name: str) -> AlignConfig:
    """Return the settings of this name; upper and lower case do not matter.

    Raises
    ------
    ConfigError
        There is no preset of that name; the message lists them.
    """
    for known, config in PRESETS.items():
        if known.lower() == name.lower():
            return config
    raise ConfigError(name="preset", expected=f"one of {', '.join(PRESETS)}", found=repr(name))
