"""German inflection: articles, adjectives, nouns, verbs, pronouns.

A *gender key* is ``m``, ``f``, ``n``, or ``p`` for the plural, which has one gender. Cases: ``N``, ``A``, ``D``, ``G``.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = [
    "CONTRACTIONS",
    "PERSONAL",
    "POSSESSIVE_STEM",
    "REFLEXIVE",
    "RELATIVE",
    "GermanNoun",
    "GermanVerb",
    "adjective_ending",
    "definite",
    "determiner",
    "modal",
    "read_noun",
    "read_verb",
]

_DEFINITE = {
    "N": {"m": "der", "f": "die", "n": "das", "p": "die"},
    "A": {"m": "den", "f": "die", "n": "das", "p": "die"},
    "D": {"m": "dem", "f": "der", "n": "dem", "p": "den"},
    "G": {"m": "des", "f": "der", "n": "des", "p": "der"},
}
# ein, kein, mein: without ending in three places
_MIXED = {
    "N": {"m": "", "f": "e", "n": "", "p": "e"},
    "A": {"m": "en", "f": "e", "n": "", "p": "e"},
    "D": {"m": "em", "f": "er", "n": "em", "p": "en"},
    "G": {"m": "es", "f": "er", "n": "es", "p": "er"},
}
# dieser, jeder, welcher
_STRONG = {**_MIXED, "N": {"m": "er", "f": "e", "n": "es", "p": "e"}, "A": {"m": "en", "f": "e", "n": "es", "p": "e"}}
_ADJECTIVE_WEAK = {
    "N": {"m": "e", "f": "e", "n": "e", "p": "en"},
    "A": {"m": "en", "f": "e", "n": "e", "p": "en"},
    "D": dict.fromkeys("mfnp", "en"),
    "G": dict.fromkeys("mfnp", "en"),
}
_ADJECTIVE_STRONG = {**_STRONG, "G": {"m": "en", "f": "er", "n": "en", "p": "er"}}
_ADJECTIVE_MIXED = {
    **_ADJECTIVE_WEAK,
    "N": {"m": "er", "f": "e", "n": "es", "p": "en"},
    "A": {"m": "en", "f": "e", "n": "es", "p": "en"},
}
_ADJECTIVE = {"weak": _ADJECTIVE_WEAK, "mixed": _ADJECTIVE_MIXED, "strong": _ADJECTIVE_STRONG}

RELATIVE = {**_DEFINITE, "D": {"m": "dem", "f": "der", "n": "dem", "p": "denen"}}
CONTRACTIONS = {
    ("in", "dem"): "im",
    ("an", "dem"): "am",
    ("von", "dem"): "vom",
    ("bei", "dem"): "beim",
    ("zu", "dem"): "zum",
    ("zu", "der"): "zur",
    ("in", "das"): "ins",
    ("an", "das"): "ans",
}

# (person, gender key) -> nominative, accusative, dative; the gender counts in the third person singular only
PERSONAL = {
    (1, "s"): {"N": "ich", "A": "mich", "D": "mir"},
    (2, "s"): {"N": "du", "A": "dich", "D": "dir"},
    (3, "m"): {"N": "er", "A": "ihn", "D": "ihm"},
    (3, "f"): {"N": "sie", "A": "sie", "D": "ihr"},
    (3, "n"): {"N": "es", "A": "es", "D": "ihm"},
    (1, "p"): {"N": "wir", "A": "uns", "D": "uns"},
    (3, "p"): {"N": "sie", "A": "sie", "D": "ihnen"},
}
REFLEXIVE = {(1, False): "mich", (2, False): "dich", (1, True): "uns"}
POSSESSIVE_STEM = {
    (1, "s"): "mein",
    (2, "s"): "dein",
    (3, "m"): "sein",
    (3, "f"): "ihr",
    (1, "p"): "unser",
    (3, "p"): "ihr",
}

_MODALS = {
    "can": ("kann", "kannst", "können", "konnte"),
    "must": ("muss", "musst", "müssen", "musste"),
    "want": ("will", "willst", "wollen", "wollte"),
    "should": ("soll", "sollst", "sollen", "sollte"),
    "may": ("darf", "darfst", "dürfen", "durfte"),
}
# infinitive -> 1st, 2nd, 3rd person singular, plural of the present
_IRREGULAR_PRESENT = {
    "haben": ("habe", "hast", "hat", "haben"),
    "sein": ("bin", "bist", "ist", "sind"),
    "werden": ("werde", "wirst", "wird", "werden"),
    "wissen": ("weiß", "weißt", "weiß", "wissen"),
}
_INSEPARABLE = ("be", "ge", "er", "ver", "ent", "zer", "emp", "über", "unter")


@dataclass(frozen=True, slots=True)
class GermanNoun:
    """A noun with its forms by case, singular and plural."""

    gender: str
    singular: dict[str, str]
    plural: dict[str, str]
    preposition: str = ""

    def form(self, case: str, *, is_plural: bool) -> str:
        """Return the form in this case."""
        return (self.plural if is_plural else self.singular)[case]

    def key(self, *, is_plural: bool) -> str:
        """Return the gender key under which articles and adjectives agree."""
        return "p" if is_plural else self.gender


def read_noun(text: str) -> GermanNoun:
    """Read a table entry such as ``Hund m es Hunde`` or ``Junge m* Jungen``."""
    word, gender, *rest = text.split()
    is_weak = gender.endswith("*")
    gender = gender.rstrip("*")
    genitive = "" if gender == "f" or is_weak else rest.pop(0)
    plural = rest.pop(0)
    plural = word if plural in {"=", "-"} else plural
    if is_weak:
        singular = {"N": word, "A": plural, "D": plural, "G": plural}
    else:
        singular = {"N": word, "A": word, "D": word, "G": word + genitive}
    dative = plural if plural.endswith(("n", "s")) else plural + "n"
    return GermanNoun(gender, singular, {"N": plural, "A": plural, "D": dative, "G": plural}, rest[0] if rest else "")


@dataclass(frozen=True, slots=True)
class GermanVerb:
    """The forms of a verb.

    Parameters
    ----------
    infinitive, prefix
        Without and with the separable prefix: *rufen* and *an*.
    present, past, participle
        Present in the three persons of the singular and in the plural; first person of the past; the bare participle
        (*gerufen*).
    is_reflexive, uses_sein
        *sich erinnern*; perfect with *sein*.
    preposition, case
        Before the object; its case.
    """

    infinitive: str
    prefix: str
    present: tuple[str, str, str, str]
    past: str
    participle: str
    is_reflexive: bool = False
    uses_sein: bool = False
    preposition: str = ""
    case: str = "A"

    def finite(self, tense: str, person: int, *, is_plural: bool) -> str:
        """Return the finite form in ``present`` or ``past``, without the separable prefix."""
        if tense == "present":
            return self.present[3 if is_plural else person - 1]
        if is_plural:
            return self.past + ("n" if self.past.endswith("e") else "en")
        return self.past + ("st" if person == 2 else "")


def read_verb(text: str) -> GermanVerb:
    """Read a table entry such as ``sich erinnern an+A`` or ``an|rufen rief gerufen``."""
    words = text.split()
    uses_sein = words[-1] == "sein" and len(words) > 1
    is_reflexive = words[0] == "sich"
    words = words[is_reflexive : len(words) - uses_sein]
    preposition, case = "", "A"
    governed = [word for word in words if "+" in word]
    words = [word for word in words if "+" not in word]
    for word in governed:
        preposition, case = word.split("+")
    prefix, _, infinitive = words[0].rpartition("|")
    stem = infinitive[:-2] if infinitive.endswith("en") else infinitive[:-1]
    third = words.pop(1) if len(words) == 4 else stem + _e_before_t(stem) + "t"
    past, participle = words[1:] if len(words) == 3 else _weak(infinitive, stem)
    return GermanVerb(
        infinitive,
        prefix,
        _IRREGULAR_PRESENT.get(infinitive) or _present(infinitive, stem, third),
        past,
        participle,
        is_reflexive=is_reflexive,
        uses_sein=uses_sein,
        preposition=preposition,
        case=case,
    )


def definite(case: str, key: str) -> str:
    """Return the definite article."""
    return _DEFINITE[case][key]


def determiner(stem: str, case: str, key: str) -> str:
    """Return an inflected determiner: *ein, kein, mein ..* or *dies-, jed-, welch-, viel-, all-*."""
    if stem in {"dies", "jed", "welch", "viel", "all", "einig"}:
        return stem + _STRONG[case][key]
    return stem + _MIXED[case][key]


def adjective_ending(declension: str, case: str, key: str) -> str:
    """Return the ending after *der* (``weak``), *ein* (``mixed``) or nothing (``strong``)."""
    return _ADJECTIVE[declension][case][key]


def modal(name: str, tense: str, person: int, *, is_plural: bool) -> str:
    """Return the finite form of a modal verb."""
    first, second, plural, past = _MODALS[name]
    if tense == "past":
        return past + ("n" if is_plural else "st" if person == 2 else "")
    return plural if is_plural else second if person == 2 else first


def _e_before_t(stem: str) -> str:
    """Return the linking vowel of *arbeit-e-t*, *öffn-e-t*, which *lern-t* and *wohn-t* lack."""
    if stem.endswith(("t", "d")):
        return "e"
    return "e" if stem[-1] in "mn" and stem[-2] not in "aeiouäöülrhmn" else ""


def _present(infinitive: str, stem: str, third: str) -> tuple[str, str, str, str]:
    """Return the present in the three persons and the plural; the second takes the vowel of the third."""
    first = stem[:-2] + "le" if infinitive.endswith("eln") else stem + "e"
    bare = third[:-1]
    if stem.endswith("t") and third != stem + "et":
        bare = third  # halten, hält, hältst: the t of the stem is the t of the ending
    second = bare + ("t" if bare.endswith(("s", "ß", "z", "x")) else "st")
    return first, second, third, infinitive


def _weak(infinitive: str, stem: str) -> tuple[str, str]:
    """Return past and participle of a weak verb."""
    past = stem + _e_before_t(stem) + "te"
    participle = stem + _e_before_t(stem) + "t"
    has_ge = not (infinitive.startswith(_INSEPARABLE) or infinitive.endswith("ieren"))
    return past, ("ge" if has_ge else "") + participle
