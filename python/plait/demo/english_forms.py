"""English inflection: nouns, verbs, adjectives, and the choice of *a* or *an*."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["EnglishVerb", "comparative", "indefinite_article", "plural", "read_verb"]

_VOWELS = "aeiou"
_SIBILANTS = ("s", "x", "z", "ch", "sh")
# a vowel letter that sounds like a consonant, and the other way round
_CONSONANT_SOUND = ("uni", "use", "euro", "one")
_VOWEL_SOUND = ("hour", "honest")
_DOUBLED_VERBS = {"begin", "forget", "get", "hit", "plan", "put", "run", "sit", "swim", "win"}
_DOUBLED_ADJECTIVES = {"big", "fat", "hot", "red", "sad", "wet"}


@dataclass(frozen=True, slots=True)
class EnglishVerb:
    """The forms of a verb.

    Parameters
    ----------
    base, third, past, participle, gerund
        *give, gives, gave, given, giving*.
    particles
        Words that belong to the verb and follow it (*up*, *in love*).
    preposition
        Before the object (*wait for*), or the empty string.
    """

    base: str
    third: str
    past: str
    participle: str
    gerund: str
    particles: tuple[str, ...] = ()
    preposition: str = ""

    def present(self, person: int, *, is_plural: bool) -> str:
        """Return the present form."""
        return self.third if person == 3 and not is_plural else self.base


def read_verb(text: str) -> EnglishVerb:
    """Read a table entry such as ``give gave given +up``."""
    forms: list[str] = []
    particles: list[str] = []
    preposition = ""
    for word in text.split():
        if word.startswith("+"):
            particles.append(word[1:])
        elif word.endswith("+"):
            preposition = word[:-1]
        else:
            forms.append(word)
    if not 1 <= len(forms) <= 3:
        raise ValueError(f"{text}: expected a base form, a past and a participle")
    base = forms[0]
    past = forms[1] if len(forms) > 1 else _regular_past(base)
    participle = forms[2] if len(forms) > 2 else past
    return EnglishVerb(
        base=base,
        third="has" if base == "have" else _with_s(base),
        past=past,
        participle=participle,
        gerund=_gerund(base),
        particles=tuple(particles),
        preposition=preposition,
    )


def plural(noun: str) -> str:
    """Return the regular plural of a noun, or of the last word of a compound."""
    return _with_s(noun)


def comparative(adjective: str) -> str:
    """Return the regular comparative in -er."""
    if adjective.endswith("e"):
        return adjective + "r"
    if adjective.endswith("y"):
        return adjective[:-1] + "ier"
    return _doubled(adjective, _DOUBLED_ADJECTIVES) + "er"


def indefinite_article(following: str) -> str:
    """Return *a* or *an* before this word."""
    word = following.lower()
    starts_with_vowel = word[0] in _VOWELS and not word.startswith(_CONSONANT_SOUND)
    return "an" if starts_with_vowel or word.startswith(_VOWEL_SOUND) else "a"


def _with_s(word: str) -> str:
    if word.endswith(_SIBILANTS):
        return word + "es"
    if word.endswith("y") and word[-2] not in _VOWELS:
        return word[:-1] + "ies"
    return word + "es" if word in {"go", "do"} else word + "s"


def _regular_past(base: str) -> str:
    if base.endswith("e"):
        return base + "d"
    if base.endswith("y") and base[-2] not in _VOWELS:
        return base[:-1] + "ied"
    return _doubled(base, _DOUBLED_VERBS) + "ed"


def _gerund(base: str) -> str:
    if base.endswith("ie"):
        return base[:-2] + "ying"
    if base.endswith("e") and not base.endswith("ee"):
        return base[:-1] + "ing"
    return _doubled(base, _DOUBLED_VERBS) + "ing"


def _doubled(word: str, doubled: set[str]) -> str:
    return word + word[-1] if word in doubled else word
