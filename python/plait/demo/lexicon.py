"""The word tables, read into entries that know their forms in every language.

The tables are read once, when the first corpus is made; a table entry that cannot be read, or that names an unknown
noun, is an error at that moment.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from plait.demo import english_forms, german_forms, spanish_forms, spanish_verbs
from plait.demo.engine import Ranked, Word
from plait.demo.words import modifiers, nouns, verbs

__all__ = [
    "Adjective",
    "Expression",
    "Lexicon",
    "Noun",
    "Person",
    "Phrase",
    "Verb",
    "load",
]


@dataclass(frozen=True, slots=True)
class Expression:
    """Words of German or Spanish with the English words that each expresses.

    Parameters
    ----------
    words
        As they are written.
    expresses
        For each word the places (from 0) in the English expression; empty for a word that leans on the others.
    """

    words: tuple[str, ...]
    expresses: tuple[tuple[int, ...], ...]

    def say(self, anchor: int) -> list[Word]:
        """Return the words with their anchors, counted from that of the first English word."""
        leans_on = tuple(sorted({anchor + place for places in self.expresses for place in places}))
        return [
            Word(form, tuple(anchor + place for place in places), () if places else leans_on)
            for form, places in zip(self.words, self.expresses, strict=True)
        ]


@dataclass(frozen=True, slots=True)
class Phrase:
    """An expression that never changes: an adverb, a time, a number, a city."""

    english: tuple[str, ...]
    german: Expression
    spanish: Expression


@dataclass(frozen=True, slots=True, eq=False)
class Noun:
    """A noun of a class, in three languages; `english` is (singular, plural), each a sequence of words."""

    kind: str
    english: tuple[tuple[str, ...], tuple[str, ...]]
    german: german_forms.GermanNoun
    spanish: spanish_forms.SpanishNoun
    spanish_expresses: tuple[tuple[int, ...], ...]
    sex: str = ""
    is_mass: bool = False
    preposition: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Adjective:
    """An adjective; a comparative is English ("older",) or ("more", "famous")."""

    english: str
    english_comparative: tuple[str, ...]
    german: str
    german_stem: str
    german_comparative: str
    spanish: spanish_forms.SpanishAdjective
    spanish_comparative: str
    flags: frozenset[str]


@dataclass(frozen=True, slots=True, eq=False)
class Verb:
    """A verb of a frame with the nouns that it goes with; `objects` is empty for a verb without."""

    frame: str
    english: english_forms.EnglishVerb
    german: german_forms.GermanVerb
    spanish: spanish_verbs.SpanishVerb
    subjects: Ranked[Noun]
    objects: Ranked[Noun] | None
    flags: frozenset[str]


@dataclass(frozen=True, slots=True)
class Person:
    """A first name."""

    name: str
    sex: str


@dataclass(frozen=True, slots=True)
class Lexicon:
    """All entries, each list in order of frequency."""

    nouns: dict[str, Ranked[Noun]]
    verbs: dict[str, Ranked[Verb]]
    adjectives: dict[Noun, Ranked[Adjective]]
    frequency: Ranked[Phrase]
    manner: Ranked[Phrase]
    times: dict[str, Ranked[Phrase]]
    numbers: Ranked[Phrase]
    people: Ranked[Person]
    cities: Ranked[Phrase]


@cache
def load() -> Lexicon:
    """Read the tables of `plait.demo.words`."""
    by_class = {kind: [_noun(kind, row) for row in _rows(table)] for kind, table in nouns.CLASSES.items()}
    chooser = _Chooser(by_class)
    adjectives: dict[Noun, list[Adjective]] = {noun: [] for kind in by_class.values() for noun in kind}
    for english, german, spanish, described in _rows(modifiers.ADJECTIVES):
        selection, flags = _split_flags(described)
        adjective = _adjective(english, german, spanish, flags)
        for noun in chooser.select(selection):
            adjectives[noun].append(adjective)
    return Lexicon(
        nouns={kind: Ranked(entries) for kind, entries in by_class.items()},
        verbs={
            frame: Ranked(_verb(frame, row, chooser) for row in _rows(table)) for frame, table in verbs.FRAMES.items()
        },
        adjectives={noun: Ranked(entries) for noun, entries in adjectives.items() if entries},
        frequency=_phrases(modifiers.FREQUENCY),
        manner=_phrases(modifiers.MANNER),
        times={tense: _phrases(table) for tense, table in modifiers.TIMES.items()},
        numbers=_phrases(modifiers.NUMBERS),
        people=Ranked(Person(*entry.split()) for entry in modifiers.PEOPLE.split(",")),
        cities=_phrases(modifiers.CITIES),
    )


class _Chooser:
    """Finds the nouns that a table entry names by class, set or English word."""

    def __init__(self, by_class: dict[str, list[Noun]]) -> None:
        self._named: dict[str, list[Noun]] = dict(by_class)
        for noun in (noun for kind in by_class.values() for noun in kind):
            self._named.setdefault("=" + "_".join(noun.english[0]), []).append(noun)
        for name, selection in verbs.SETS.items():
            self._named[name] = self.select(selection)

    def select(self, selection: str) -> list[Noun]:
        """Return the nouns in the order of the selection; KeyError for a name that no table has."""
        chosen = {noun: None for name in selection.split() for noun in self._named[name]}
        return list(chosen)


def _rows(table: str) -> list[list[str]]:
    """Return the cells of a table; a bar without spaces (a separable prefix) does not part cells."""
    return [[cell.strip() for cell in line.split(" | ")] for line in table.strip().splitlines()]


def _split_flags(cell: str) -> tuple[str, frozenset[str]]:
    selection, _, flags = cell.partition("!")
    return selection, frozenset(flags.split())


def _noun(kind: str, row: list[str]) -> Noun:
    english, german, spanish = row
    words, _, plural = english.partition("/")
    marks = [word for word in english.split() if word in {"~", "mass", "in", "at", "on"}]
    plural = " ".join(word for word in plural.split() if word not in marks)
    singular = [word for word in words.split() if word not in marks]
    regular = [*singular[:-1], english_forms.plural(singular[-1])]
    if plural:
        regular = plural.split() if " " in plural else [*singular[:-1], plural]
    *expression, gender = spanish.split()
    bare, expresses = _read_expresses(expression, len(singular))
    return Noun(
        kind=kind,
        english=(tuple(singular), tuple(regular)),
        german=german_forms.read_noun(german),
        spanish=spanish_forms.read_noun(bare, gender),
        spanish_expresses=expresses,
        sex="" if "~" in marks or kind != "person" else gender[0],
        is_mass="mass" in marks,
        preposition=next((mark for mark in marks if mark in {"in", "at", "on"}), ""),
    )


def _adjective(english: str, german: str, spanish: str, flags: frozenset[str]) -> Adjective:
    english, _, how = english.partition(" ")
    if how.startswith("="):
        compared: tuple[str, ...] = (how[1:],)
    else:
        compared = (english_forms.comparative(english),) if how else ("more", english)
    german, _, german_compared = german.partition(" =")
    predicate, _, stem = german.partition(":")
    stem = stem or predicate
    spanish, _, spanish_compared = spanish.partition(" =")
    return Adjective(
        english=english,
        english_comparative=compared,
        german=predicate,
        german_stem=stem,
        german_comparative=german_compared or stem + "er",
        spanish=spanish_forms.read_adjective(spanish),
        spanish_comparative=spanish_compared,
        flags=flags,
    )


def _verb(frame: str, row: list[str], chooser: _Chooser) -> Verb:
    english, german, spanish, selection = row
    selection, flags = _split_flags(selection)
    subjects, _, objects = selection.partition(">")
    return Verb(
        frame=frame,
        english=english_forms.read_verb(english),
        german=german_forms.read_verb(german),
        spanish=spanish_verbs.read_verb(spanish),
        subjects=Ranked(chooser.select(subjects)),
        objects=Ranked(chooser.select(objects)) if objects.strip() else None,
        flags=flags,
    )


def _phrases(table: str) -> Ranked[Phrase]:
    return Ranked(_phrase(row) for row in _rows(table))


def _phrase(row: list[str]) -> Phrase:
    english = tuple(row[0].split())
    german, spanish = (Expression(*_read_expresses(cell.split(), len(english))) for cell in row[1:])
    return Phrase(english, german, spanish)


def _read_expresses(words: list[str], english_words: int) -> tuple[tuple[str, ...], tuple[tuple[int, ...], ...]]:
    """Split ``word:1,2`` into word and places; unmarked words go one to one or express the whole."""
    bare: list[str] = []
    expresses: list[tuple[int, ...]] = []
    is_parallel = len(words) == english_words
    for place, word in enumerate(words):
        form, _, marks = word.partition(":")
        bare.append(form)
        if marks:
            places = tuple(int(mark) - 1 for mark in marks.split(",") if mark != "0")
        else:
            places = (place,) if is_parallel else tuple(range(english_words))
        if any(mark >= english_words for mark in places):
            raise ValueError(f"{word}: the English expression has {english_words} words")
        expresses.append(places)
    return tuple(bare), tuple(expresses)
