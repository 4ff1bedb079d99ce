"""What a two-step random field is asked: the best targets of words, and probabilities."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from plait._core import TwoStepModel
from plait.errors import ConfigError, DataError
from plait.metrics.transliteration import evaluate
from plait.progress import Callback
from plait.threads import resolve_threads
from plait.translit.candidates import Candidate, CandidateLists
from plait.translit.decoded import Decoded, covering
from plait.translit.fitting import Options, trained
from plait.translit.symbols import ChosenUnits, join, split

__all__ = ["Stop", "TwoStepDecoding", "count"]

Stop = Literal["never", "truncated", "exact"]

# An id that no symbol has.
_UNKNOWN = 2**32 - 2


class TwoStepDecoding(Options):
    """Decoding with a trained core; `plait.translit.TwoStepCRF` trains it."""

    segmentations: int
    conversions: int
    stop: Stop
    labels: Literal["seen", "all"]
    threads: int | None
    rivals_: Literal["all", "seen"]
    source_units_: ChosenUnits
    target_units_: ChosenUnits
    _core: TwoStepModel | None

    @property
    def core(self) -> TwoStepModel:
        """What the compiled core works on.

        Raises
        ------
        ConfigError
            The model is not trained.
        """
        return trained(self._core, self)

    def transliterate(self, words: Sequence[str]) -> list[str]:
        """Return the most probable target of each word, found with early stopping; of an empty word, nothing."""
        found = self.decode(words, n=1, stop=self.stop)
        return [candidates[0].target if candidates else "" for candidates in found.candidates]

    def nbest(self, words: Sequence[str], n: int = 10, *, mass: float | None = None) -> CandidateLists:
        """Return up to n targets of each word, the most probable first.

        Parameters
        ----------
        words
            Source words.
        n
            The most candidates of a word.
        mass
            Of these, only as many as are needed for this sum of probabilities.

        Notes
        -----
        All segmentations are converted: probabilities are those of the system, not bounds. Targets are distinct.

        Raises
        ------
        plait.errors.ConfigError
            n is below 1, or ``mass`` not above 0 and at most 1.
        """
        if mass is not None and not 0 < mass <= 1:
            raise ConfigError(name="mass", expected="above 0 and at most 1", found=mass)
        lists = self.decode(words, n=n, stop="never").candidates
        return CandidateLists(words, (covering(candidates, mass) for candidates in lists))

    def decode(
        self,
        words: Sequence[str],
        *,
        n: int = 1,
        stop: Stop | None = None,
        certain: int = 1,
        progress: Callback | None = None,
    ) -> Decoded:
        """Return candidates, and what it took to find them. An empty word has none.

        Parameters
        ----------
        words
            Source words.
        n
            The most candidates of a word.
        stop
            As for the model, which is the default.
        certain
            With "truncated": how many of the first candidates, in their order, must not change. Their probabilities
            are lower bounds when the rule ended the search.
        progress
            Called with stage, done, total and figures.

        Raises
        ------
        plait.errors.ConfigError
            An option is out of range.
        """
        stop = self.stop if stop is None else stop
        if stop not in get_args(Stop):
            raise ConfigError(name="stop", expected=f"one of {', '.join(get_args(Stop))}", found=repr(stop))
        arrays = self.core.decode(
            *self.encode_sources(words),
            segmentations=count("segmentations", self.segmentations),
            conversions=count("conversions", self.conversions),
            stop=stop,
            certain=count("certain", certain),
            all_labels=self.wants_all(),
            first=count("n", n),
            threads=resolve_threads(self.threads),
            progress=progress,
        )
        by_word, by_candidate, symbols, probabilities, conversions, masses, certain_words = arrays
        candidates = self._candidates(by_word, by_candidate, symbols, probabilities)
        return Decoded(candidates, conversions, masses, certain_words)

    def probabilities(
        self, words: Sequence[str], targets: Sequence[str], *, tolerance: float = 1e-3, segmentations: int = 1000
    ) -> npt.NDArray[np.float64]:
        """Return P(T | S) of given targets, summed over segmentations and over all labels that give the target.

        Parameters
        ----------
        words, targets
            A target for each word.
        tolerance
            Segmentations are taken, the most probable first, until the others have less probability than this: the
            exact value is between the result and this much more.
        segmentations
            The most segmentations.

        Returns
        -------
        float64[words]

        Notes
        -----
        The sum over segmentations does not fold into one dynamic program, for the converter is normalised for each
        segmentation by itself. Given a segmentation the sum is exact.
        """
        if len(words) != len(targets):
            raise DataError(f"there are {len(words)} words but {len(targets)} targets; give one target for each word")
        source_starts, sources = self._encode(words, self._source_ids, self.source_units_)
        target_starts, ids = self._encode(targets, self._target_ids, self.target_units_)
        found, _ = self.core.probabilities(
            source_starts,
            sources,
            target_starts,
            ids,
            tolerance=tolerance,
            segmentations=count("segmentations", segmentations),
            all_labels=self.wants_all(),
            threads=resolve_threads(self.threads),
        )
        return found

    def score(self, words: Sequence[str], references: Sequence[str] | Sequence[Sequence[str]]) -> float:
        """Return the share of words whose most probable target is a reference (ACC)."""
        lists = [[reference] if isinstance(reference, str) else list(reference) for reference in references]
        return evaluate([[target] for target in self.transliterate(words)], lists).acc

    def unknown_symbols(self, words: Iterable[str]) -> Counter[str]:
        """Return the source symbols that training did not have, and how often they stand in the words."""
        return Counter(
            symbol for word in words for symbol in split(word, self.source_units_) if symbol not in self._source_ids
        )

    @property
    def target_names(self) -> list[str]:
        """The target symbols by number."""
        return self._targets

    def encode_sources(self, words: Sequence[str]) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint32]]:
        """Return where the symbols of words start, and their numbers; all that training did not have have the same."""
        return self._encode(words, self._source_ids, self.source_units_)

    def wants_all(self) -> bool:
        """Return whether a chunk may become everything that training had.

        Raises
        ------
        plait.errors.ConfigError
            It may, but the converter was trained to tell the labels of each chunk apart only.
        """
        if self.labels not in ("seen", "all"):
            raise ConfigError(name="labels", expected="'seen' or 'all'", found=repr(self.labels))
        if self.labels == "all" and self._core is not None and self.rivals_ == "seen":
            raise ConfigError(
                "labels='all' needs a converter that was trained to tell all labels apart; train it with rivals='all'"
            )
        return self.labels == "all"

    def _set_symbols(self, sources: Sequence[str], targets: Sequence[str]) -> None:
        self._sources, self._targets = list(sources), list(targets)
        self._source_ids = {symbol: number for number, symbol in enumerate(sources)}
        self._target_ids = {symbol: number for number, symbol in enumerate(targets)}

    def _encode(
        self, texts: Sequence[str], ids: Mapping[str, int], units: ChosenUnits
    ) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint32]]:
        trained(self._core, self)
        if isinstance(texts, str):
            raise ConfigError(name="words", expected="a list of texts", found=f"the text {texts!r}")
        symbols = [split(text, units) for text in texts]
        starts = np.zeros(len(symbols) + 1, dtype=np.uint64)
        np.cumsum([len(word) for word in symbols], out=starts[1:])
        flat = [ids.get(symbol, _UNKNOWN) for word in symbols for symbol in word]
        return starts, np.asarray(flat, dtype=np.uint32)

    def _candidates(
        self,
        by_word: npt.NDArray[np.uint64],
        by_candidate: npt.NDArray[np.uint64],
        symbols: npt.NDArray[np.uint32],
        probabilities: npt.NDArray[np.float64],
    ) -> list[list[Candidate]]:
        names = [self._targets[number] for number in symbols.tolist()]
        ends = by_candidate.tolist()
        units = self.target_units_
        made = [
            Candidate(join(names[ends[number] : ends[number + 1]], units), probability)
            for number, probability in enumerate(probabilities.tolist())
        ]
        bounds = by_word.tolist()
        return [made[bounds[number] : bounds[number + 1]] for number in range(len(bounds) - 1)]


def count(name: str, value: int, least: int = 1) -> int:
    """Return a whole number from ``least`` on.

    Raises
    ------
    plait.errors.ConfigError
        It is something else.
    """
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise ConfigError(name=name, expected=f"a whole number from {least}", found=repr(value))
    return value
