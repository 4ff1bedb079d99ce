"""The lexicon of the HMM that backs off to shorter forms: its estimates, and the counts they are made of.

Ours: no paper has all of it. Level 0 has the words, level k their lower-cased prefixes of the k-th length. With c the
expected links of two forms, n their tokens, e' and f' the next shorter forms,

    t(f | e) = (c(e, f) + K(e) t(f' | e') n(f) / n(f')) / (c(e) + K(e)),
    K(e) = strength + variety sum_f min(c(e, f), 1)

and below the shortest forms stands n(f) / N. With variety = 0 it is the mean of Dirichlet priors in a hierarchy (MacKay
and Peto 1995); the sum is the expected number of different translations, which Witten and Bell (1991) have as K. NULL
has the mixture of its relative frequencies with those of all words.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import cached_property

SMALLEST_LINK = 1e-5
"""Expected links below this are not counted."""

Counts = dict[tuple[str, str], float]
"""Expected links by source and target word, or form."""


@dataclass(frozen=True)
class Settings:
    """How the lexicon is estimated; `strength` has one number a level, words first."""

    prefixes: tuple[int, ...] = ()
    strength: tuple[float, ...] = (0.0,)
    variety: float = 0.0
    leave_out: float = 0.0
    null_mixture: float = 0.0
    agree: bool = False
    warm_up_p0: float | None = None
    smallest_link: float = SMALLEST_LINK

    @property
    def levels(self) -> range:
        """Levels, words first."""
        return range(len(self.prefixes) + 1)

    def form(self, word: str, level: int) -> str:
        """The form of a word at a level."""
        return word if level == 0 else word.lower()[: self.prefixes[level - 1]]


@dataclass(frozen=True)
class Frequencies:
    """n(form) at each level of one side, and N, of the pairs that are trained on."""

    settings: Settings
    words: Counter[str]

    @cached_property
    def _tokens(self) -> list[Counter[str]]:
        result: list[Counter[str]] = [Counter() for _ in self.settings.levels]
        for level in self.settings.levels:
            for word, n in self.words.items():
                result[level][self.settings.form(word, level)] += n
        return result

    def tokens(self, word: str, level: int) -> int:
        """n of the form of a word."""
        return self._tokens[level][self.settings.form(word, level)]

    def share(self, word: str, level: int) -> float:
        """n(f) / n(f'), and n(f) / N at the last level.

        A form that training never saw counts as one token more of its shorter form, or of all words at the last level;
        it is all of a shorter form that was not seen either.
        """
        is_last = level == len(self.settings.prefixes)
        whole = self.words.total() if is_last else self.tokens(word, level + 1)
        if self.tokens(word, level):
            return self.tokens(word, level) / whole
        return 1 / whole if is_last else 1 / (whole + 1)

    def relative(self, word: str) -> float:
        """n(word) / N."""
        return self.words[word] / self.words.total()


@dataclass(frozen=True)
class Estimates:
    """The lexicons of both directions: counts of pairs of words of each, and t(. | NULL) of each."""

    settings: Settings
    frequencies: tuple[Frequencies, Frequencies]
    counts: tuple[Counts, Counts]
    nulls: tuple[dict[str, float], dict[str, float]]

    @cached_property
    def _by_level(self) -> list[list[Counts]]:
        return [[self._of_forms(counts, level) for level in self.settings.levels] for counts in self.counts]

    def _of_forms(self, counts: Counts, level: int) -> Counts:
        result: Counts = defaultdict(float)
        for (source, target), c in counts.items():
            result[self.settings.form(source, level), self.settings.form(target, level)] += c
        return result

    def count(self, direction: int, source: str, target: str, level: int) -> float:
        """c(e, f)."""
        pair = self.settings.form(source, level), self.settings.form(target, level)
        return self._by_level[direction][level].get(pair, 0.0)

    def translations(self, direction: int, given: str, level: int) -> list[float]:
        """c(e, f) of all f; of all e for an f that is given in the reverse direction."""
        wanted = self.settings.form(given, level)
        return [c for pair, c in self._by_level[direction][level].items() if pair[direction] == wanted]

    def strength(self, direction: int, given: str, level: int) -> float:
        """K(e)."""
        kinds = sum(min(c, 1.0) for c in self.translations(direction, given, level))
        return self.settings.strength[level] + self.settings.variety * kinds

    def fraction(
        self, direction: int, source: str, target: str, level: int = 0, removed: float = 0.0, *, is_new: bool = False
    ) -> tuple[float, float]:
        """Numerator and denominator of t(target | source) or t(source | target), so much taken out of all counts c.

        In new text a given form without counts and without K has what its shorter form has, in training nothing.
        """
        if level not in self.settings.levels:
            return 1.0, 1.0
        pair = source, target
        given, emitted = pair[direction], pair[1 - direction]
        prior = self.probability(direction, source, target, level + 1, removed, is_new=is_new)
        prior *= self.frequencies[1 - direction].share(emitted, level)
        k = self.strength(direction, given, level)
        count = max(self.count(direction, source, target, level) - removed, 0.0)
        total = max(sum(self.translations(direction, given, level)) - removed, 0.0)
        if is_new and (total + k == 0 or not self.frequencies[direction].tokens(given, level)):
            return prior, 1.0
        return count + k * prior, total + k

    def probability(
        self, direction: int, source: str, target: str, level: int = 0, removed: float = 0.0, *, is_new: bool = False
    ) -> float:
        """t(target | source) or t(source | target) of the forms of a level."""
        numerator, denominator = self.fraction(direction, source, target, level, removed, is_new=is_new)
        return numerator / denominator if denominator > 0 else 0.0
