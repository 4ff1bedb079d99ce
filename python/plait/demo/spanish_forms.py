"""Spanish inflection: nouns, adjectives, pronouns, articles."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = [
    "ACCUSATIVE",
    "CLITIC",
    "DATIVE",
    "DEFINITE",
    "INDEFINITE",
    "POSSESSIVE",
    "STRESSED",
    "SUBJECT",
    "SpanishAdjective",
    "SpanishNoun",
    "read_adjective",
    "read_noun",
]

# gender, plural
DEFINITE = {("m", False): "el", ("f", False): "la", ("m", True): "los", ("f", True): "las"}
INDEFINITE = {("m", False): "un", ("f", False): "una", ("m", True): "unos", ("f", True): "unas"}
CLITIC = {(1, False): "me", (2, False): "te", (3, False): "se", (1, True): "nos", (3, True): "se"}
# person, plural, gender
SUBJECT = {
    (1, False, "m"): "yo",
    (1, False, "f"): "yo",
    (2, False, "m"): "tú",
    (2, False, "f"): "tú",
    (3, False, "m"): "él",
    (3, False, "f"): "ella",
    (1, True, "m"): "nosotros",
    (1, True, "f"): "nosotros",
    (3, True, "m"): "ellos",
    (3, True, "f"): "ellas",
}
STRESSED = {**SUBJECT, (1, False, "m"): "mí", (1, False, "f"): "mí", (2, False, "m"): "ti", (2, False, "f"): "ti"}
_SPEAKERS = {
    (1, False, "m"): "me",
    (1, False, "f"): "me",
    (2, False, "m"): "te",
    (2, False, "f"): "te",
    (1, True, "m"): "nos",
    (1, True, "f"): "nos",
}
ACCUSATIVE = {
    **_SPEAKERS,
    (3, False, "m"): "lo",
    (3, False, "f"): "la",
    (3, True, "m"): "los",
    (3, True, "f"): "las",
}
DATIVE = {
    **_SPEAKERS,
    (3, False, "m"): "le",
    (3, False, "f"): "le",
    (3, True, "m"): "les",
    (3, True, "f"): "les",
}
POSSESSIVE = {(1, "s"): "mi", (2, "s"): "tu", (1, "p"): "nuestro"}

_UNACCENTED = str.maketrans("áéíóú", "aeiou")
_APOCOPE = {"bueno": "buen", "malo": "mal", "grande": "gran"}


@dataclass(frozen=True, slots=True)
class SpanishNoun:
    """A noun, possibly with words behind its head.

    Parameters
    ----------
    gender
        ``m`` or ``f``.
    singular, plural
        The words of the expression.
    takes_el
        Feminine with *el* and *un* in the singular.
    """

    gender: str
    singular: tuple[str, ...]
    plural: tuple[str, ...]
    takes_el: bool = False


def read_noun(words: tuple[str, ...], gender: str) -> SpanishNoun:
    """Read the words of a noun (``puerta principal+``, ``examen/exámenes``) and its gender (``m``, ``f``, ``f!``)."""
    singular: list[str] = []
    plural: list[str] = []
    for place, word in enumerate(words):
        form, _, irregular = word.partition("/")
        inflects = place == 0 or form.endswith("+")
        form = form.rstrip("+")
        singular.append(form)
        plural.append(irregular or (_plural(form) if inflects else form))
    return SpanishNoun(gender[0], tuple(singular), tuple(plural), takes_el=gender.endswith("!"))


@dataclass(frozen=True, slots=True)
class SpanishAdjective:
    """An adjective with its four forms, by gender and number, or an unchanging phrase."""

    forms: dict[tuple[str, bool], tuple[str, ...]]
    short: str = ""

    def form(self, gender: str, *, is_plural: bool, before_noun: bool = False) -> tuple[str, ...]:
        """Return the words of the form; the short form (*buen*) before a singular noun."""
        if before_noun and self.short and not is_plural and (gender == "m" or self.short == "gran"):
            return (self.short,)
        return self.forms[gender, is_plural]


def read_adjective(text: str) -> SpanishAdjective:
    """Read a table entry such as ``nuevo``, ``joven/jóvenes`` or ``de_madera``."""
    masculine, _, irregular = text.partition("/")
    if "_" in masculine:
        words = tuple(masculine.split("_"))
        return SpanishAdjective({(gender, is_plural): words for gender in "mf" for is_plural in (False, True)})
    feminine = _feminine(masculine)
    forms: dict[tuple[str, bool], tuple[str, ...]] = {
        ("m", False): (masculine,),
        ("f", False): (feminine,),
        ("m", True): (irregular or _plural(masculine),),
        ("f", True): (irregular or _plural(feminine),),
    }
    return SpanishAdjective(forms, _APOCOPE.get(masculine, ""))


def _feminine(masculine: str) -> str:
    if masculine.endswith("o"):
        return masculine[:-1] + "a"
    if masculine.endswith(("án", "és", "ín", "or")) or masculine in {"español"}:
        return masculine.translate(_UNACCENTED) + "a"
    return masculine


def _plural(word: str) -> str:
    if word.endswith(("a", "e", "i", "o", "u", "é", "á", "ó")):
        return word + "s"
    if word.endswith("z"):
        return word[:-1] + "ces"
    if word.endswith(("án", "én", "ín", "ón", "ún", "és", "ús")):
        return word[:-2] + word[-2:].translate(_UNACCENTED) + "es"
    return word + "es"
