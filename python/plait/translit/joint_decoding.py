"""What a joint source-channel model is asked: the best targets of words, and probabilities."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, overload

import numpy as np
import numpy.typing as npt

from plait._core import JointModel
from plait.errors import ConfigError, DataError
from plait.progress import Callback
from plait.threads import resolve_threads
from plait.translit.alignment import whole
from plait.translit.candidates import Candidate, CandidateLists
from plait.translit.decoded import covering
from plait.translit.fitting import Options, trained
from plait.translit.joint_parts import Parts

__all__ = ["JointDecoding"]

# The search for one word ends after so many steps; 10 targets take some hundred.
MAX_STEPS = 1_000_000


class JointDecoding(Options):
    """Decoding with a trained core; `plait.translit.JointSourceChannel` trains it."""

    candidates: int
    unknown: Literal["skip", "copy"]
    threads: int | None
    _parts: Parts | None
    _core: JointModel | None

    @property
    def core(self) -> JointModel:
        """What the compiled core works on.

        Raises
        ------
        ConfigError
            The model is not trained.
        """
        return trained(self._core, self)

    @property
    def parts(self) -> Parts:
        """Units, names and training sequences.

        Raises
        ------
        ConfigError
            The model is not trained.
        """
        return trained(self._parts, self)

    def transliterate(self, words: Iterable[str], *, progress: Callback | None = None) -> list[str]:
        """Return the most probable target of each word.

        A source symbol that no unit covers alone becomes nothing, or itself (``unknown``): every word has a target.
        """
        return [found[0].target for found in self.nbest(words, 1, progress=progress)]

    def nbest(
        self,
        words: Iterable[str],
        n: int = 10,
        *,
        mass: float | None = None,
        normalize: Literal["exact", "list"] = "exact",
        progress: Callback | None = None,
    ) -> CandidateLists:
        """Return the most probable targets of each word, the best first, distinct, at least one.

        Parameters
        ----------
        words
            Source words.
        n
            The most targets of a word.
        mass
            Lists end as soon as their probabilities sum to this share, above 0 and at most 1.
        normalize
            "exact": probabilities given the source word, P(S, T) / P(S), where P(S) is the sum over all targets.
            "list": P(S, T) over the sum of the list (eq. 6 of Yang, Dixon and Furui, over n best).
        progress
            Called with stage, done and total.

        Raises
        ------
        plait.errors.ConfigError
            n, mass or normalize is out of range, or the model is not trained.

        Notes
        -----
        Probabilities are sums over all ways to cut the word. The targets that are looked at are those with the best
        single ways, ``candidates`` times n of them, found exactly.
        """
        words = words if isinstance(words, str) else list(words)
        count = whole("n", n)
        if mass is not None and not 0 < mass <= 1:
            raise ConfigError(name="mass", expected="above 0 and at most 1", found=mass)
        if normalize not in ("exact", "list"):
            raise ConfigError(name="normalize", expected="'exact' or 'list'", found=repr(normalize))
        parts = self.parts
        symbols, starts, ids = parts.encode_sources(words)
        counts, (target_starts, targets), joint, sums, _ = self.core.nbest(
            (starts, ids),
            n=count,
            candidates=max(count, whole("candidates", self.candidates) * count),
            steps=MAX_STEPS,
            unknown=self.unknown,
            threads=resolve_threads(self.threads),
            progress=progress,
        )
        probabilities = np.exp(np.minimum(joint - np.repeat(sums, counts), 0.0)).tolist()
        texts = parts.decode_targets(symbols, counts, target_starts, targets)
        lists, at = [], 0
        for length in counts:
            found = _merge(texts[at : at + length], probabilities[at : at + length])
            lists.append(covering(_over_list(found) if normalize == "list" else found, mass))
            at += length
        return CandidateLists(words, lists)

    def score(self, words: Iterable[str], references: Iterable[str | Sequence[str]]) -> float:
        """Return the share of words whose first candidate is one of their references (ACC).

        Raises
        ------
        plait.errors.DataError
            There are no words, or not as many references.
        """
        sources = list(words)
        accepted = [{text} if isinstance(text, str) else set(text) for text in references]
        if len(sources) != len(accepted) or not sources:
            raise DataError(
                f"there are {len(sources)} words and {len(accepted)} references; give a reference, or a list of "
                "references, for each word"
            )
        found = self.transliterate(sources)
        return sum(text in texts for text, texts in zip(found, accepted, strict=True)) / len(sources)

    @overload
    def log_probability(  # type: ignore[overload-overlap]
        self, source: str, target: str, *, joint: bool = False
    ) -> float: ...
    @overload
    def log_probability(
        self, source: Sequence[str], target: Sequence[str], *, joint: bool = False
    ) -> npt.NDArray[np.float64]: ...
    def log_probability(
        self, source: str | Sequence[str], target: str | Sequence[str], *, joint: bool = False
    ) -> float | npt.NDArray[np.float64]:
        """Return the natural logarithm of P(T | S), or of P(S, T), by sums over all ways to cut the pair.

        Parameters
        ----------
        source, target
            A word and a target, or as many words as targets.
        joint
            P(S, T) rather than P(T | S).

        Returns
        -------
        float or float64[n]
            Minus infinity for a target that no units make, for instance one with a symbol never seen.
        """
        if isinstance(source, str) != isinstance(target, str):
            raise DataError("give a word and a target, or a list of words and a list of targets")
        sources = [source] if isinstance(source, str) else list(source)
        targets = [target] if isinstance(target, str) else list(target)
        if len(sources) != len(targets):
            raise DataError(f"there are {len(sources)} words and {len(targets)} targets; give a target for each word")
        symbols, starts, ids = self.parts.encode_sources(sources)
        logs, sums = self.core.score(
            (starts, ids),
            self.parts.encode_targets(targets, symbols, copies=self.unknown == "copy"),
            unknown=self.unknown,
            threads=resolve_threads(self.threads),
        )
        found = logs if joint else np.minimum(logs - sums, 0.0)
        return float(found[0]) if isinstance(source, str) else found


def _merge(texts: list[str], probabilities: list[float]) -> list[Candidate]:
    """Return candidates; runs of symbols that give the same text become one."""
    if len(set(texts)) == len(texts):
        return [Candidate(text, value) for text, value in zip(texts, probabilities, strict=True)]
    sums: dict[str, float] = {}
    for text, value in zip(texts, probabilities, strict=True):
        sums[text] = sums.get(text, 0.0) + value
    return [Candidate(text, min(value, 1.0)) for text, value in sorted(sums.items(), key=lambda item: -item[1])]


def _over_list(found: list[Candidate]) -> list[Candidate]:
    total = sum(candidate.probability for candidate in found)
    # Probabilities that are all too small for a float are as good as each other.
    return [
        candidate._replace(probability=candidate.probability / total if total > 0 else 1 / len(found))
        for candidate in found
    ]
