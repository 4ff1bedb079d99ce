"""Draws noun phrases, places and adverbs; `plait.demo.sampler` puts them into clauses."""

from __future__ import annotations

from itertools import islice

from plait.demo.engine import Anchors, Draw, Ranked
from plait.demo.lexicon import Adjective, Lexicon, Noun, Phrase, Verb
from plait.demo.meaning import Adverb, Description, NounPhrase, Place

__all__ = ["INDEFINITE", "PhraseSampler", "Weights"]

Weights = tuple[tuple[str, int], ...]

INDEFINITE = frozenset({"a", "bare", "many", "some", "number", "all", "each"})

_SUBJECT_DETERMINERS = (
    ("the", 72),
    ("a", 9),
    ("my", 7),
    ("this", 5),
    ("many", 2),
    ("number", 2),
    ("some", 2),
    ("all", 1),
)
_OBJECT_DETERMINERS = (
    ("the", 50),
    ("a", 25),
    ("my", 9),
    ("bare", 3),
    ("this", 4),
    ("number", 4),
    ("many", 2),
    ("some", 2),
    ("all", 1),
)
_OWNABLE = frozenset(
    {"thing", "clothing", "vehicle", "text", "food", "drink", "animal", "idea", "event", "show", "building"}
)
_HOLDS_PEOPLE = frozenset({"house", "garden", "office", "kitchen"})
# people that others have
_KIN = frozenset(
    "mother friend father neighbor sister brother boss daughter son colleague grandmother uncle aunt dentist "
    "grandfather husband wife cousin nephew niece lawyer doctor teacher gardener".split()
)
_SPEAKERS = ((1, "s"), (1, "p"), (3, "m"), (3, "f"))
# adverbs of frequency that go with a tense, with a state, with a lasting action, with a date
_FITTING = {
    "perfect": {"already", "never", "often", "also", "probably"},
    "pluperfect": {"already", "never", "often", "also", "probably"},
    "progressive": {"still", "also", "probably", "already"},
    "future": {"also", "probably", "never", "always"},
    "state": {"also", "probably"},
    "lasting": {"still", "also", "probably", "always"},
    "dated": {"also", "probably"},
    "past": {"often", "always", "never", "also", "sometimes", "usually", "probably", "rarely"},
    "present": {"often", "always", "never", "also", "sometimes", "usually", "probably", "rarely"},
}


class PhraseSampler:
    """Draws the parts of clauses.

    Parameters
    ----------
    lexicon
        The words.
    draw
        The random draws of this sentence pair.
    """

    def __init__(self, lexicon: Lexicon, draw: Draw) -> None:
        self.lexicon = lexicon
        self.draw = draw
        self.anchors = Anchors()

    def weighted(self, choices: Weights) -> str:
        """Return one of the choices with the probability of its weight."""
        point = self.draw.below(sum(weight for _, weight in choices))
        for choice, weight in choices:
            point -= weight
            if point < 0:
                return choice
        raise AssertionError("weights are positive")

    # --- adverbs and places

    def adverb(self, phrases: Ranked[Phrase]) -> Adverb:
        """Draw an adverb from a list."""
        return Adverb(phrases.draw(self.draw), self.anchors.fresh())

    def frequency(self, kind: str) -> Adverb | None:
        """Draw an adverb of frequency that goes with a tense, or with a ``state`` and the like; or none."""
        fitting = _FITTING[kind]
        for _ in range(6):
            phrase = self.lexicon.frequency.draw(self.draw)
            if phrase.english[0] in fitting:
                return Adverb(phrase, self.anchors.fresh())
        return None

    def place(self, direction: str, *, may_be_city: bool = True, nouns: Ranked[Noun] | None = None) -> Place:
        """Draw a place, a city or one of these nouns: ``at``, ``to`` or ``from`` it."""
        anchor = self.anchors.fresh()
        if may_be_city and self.draw.chance(30 if nouns is None else 65):
            city = self.lexicon.cities.draw(self.draw)
            return Place(anchor, direction, NounPhrase(self.anchors.fresh(), self.anchors.fresh(), city=city))
        noun = (nouns or self.lexicon.nouns["place"]).draw(self.draw)
        phrase = self.noun_phrase(noun, "the", is_plural=False)
        if self.draw.chance(14):
            self.describe(phrase)
        return Place(anchor, direction, phrase)

    # --- people and pronouns

    def someone(self) -> NounPhrase:
        """Draw a person by name."""
        name = self.lexicon.people.draw(self.draw)
        return NounPhrase(self.anchors.fresh(), self.anchors.fresh(), name=name, sex=name.sex)

    def pronoun(self, *, may_ask_you: bool = False) -> NounPhrase:
        """Draw a personal pronoun; *you* in questions only."""
        fresh = self.anchors.fresh
        kind = self.draw.below(100)
        phrase = NounPhrase(fresh(), fresh(), is_pronoun=True, sex=self.draw.pick("mf"))
        if may_ask_you and kind < 55:
            phrase.person = 2
        elif kind < 30:
            phrase.person = 1
        elif kind < 46:
            phrase.person, phrase.is_plural = 1, True
        elif kind < 60:
            phrase.is_plural = True
        return phrase

    def referring_to(self, phrase: NounPhrase | None) -> NounPhrase | None:
        """Return, mostly, a pronoun that refers back to these people; None where that cannot be."""
        if phrase is None or not phrase.is_human or self.draw.chance(25):
            return None
        if not phrase.agrees_as_plural and not phrase.sex:
            return None
        return NounPhrase(
            self.anchors.fresh(),
            self.anchors.fresh(),
            is_pronoun=True,
            person=phrase.person,
            is_plural=phrase.agrees_as_plural,
            sex="m" if phrase.other else phrase.sex or "m",
        )

    def other_than(self, subject: NounPhrase) -> NounPhrase:
        """Draw a person other than the subject, by name or as a pronoun."""
        if self.draw.chance(55):
            name = self.someone()
            while subject.name and (name.name is subject.name or (subject.other and name.name is subject.other.name)):
                name = self.someone()
            return name
        pronoun = self.pronoun()
        if pronoun.person == 1 and subject.person == 1:
            pronoun.person, pronoun.is_plural = 3, False
        return pronoun

    def another_person(self, subject: NounPhrase | None, determiner: str) -> NounPhrase:
        """Draw a person other than the subject, by a noun."""
        noun = self.lexicon.nouns["person"].draw(self.draw)
        while subject is not None and noun is subject.noun:
            noun = self.lexicon.nouns["person"].draw(self.draw)
        return self.noun_phrase(noun, determiner)

    # --- noun phrases

    def noun_phrase(self, noun: Noun, determiner: str, *, is_plural: bool | None = None) -> NounPhrase:
        """Return a phrase with this noun, in a number that goes with the determiner."""
        fresh = self.anchors.fresh
        phrase = NounPhrase(fresh(), fresh(), noun=noun, sex=noun.sex)
        if noun.is_mass:
            determiner = determiner if determiner == "bare" else "the"
            is_plural = False
        elif determiner in {"many", "some", "all", "number", "bare"}:
            is_plural = True
        elif determiner in {"a", "each"}:
            is_plural = False
        elif is_plural is None:
            is_plural = self.draw.chance(26)
        if determiner == "number":
            phrase.number = self.adverb(self.lexicon.numbers)
        phrase.determiner, phrase.is_plural = determiner, is_plural
        return phrase

    def subject(self, nouns: Ranked[Noun], *, may_ask_you: bool = False) -> NounPhrase:
        """Draw a subject: a pronoun, one or two names, a noun."""
        noun = nouns.draw(self.draw)
        if noun.kind == "person":
            kind = self.draw.below(100)
            if kind < (45 if may_ask_you else 24):
                return self.pronoun(may_ask_you=may_ask_you)
            if kind < (60 if may_ask_you else 44):
                return self._maybe_joined(self.someone())
        determiner = self.weighted(_SUBJECT_DETERMINERS)
        if determiner == "my" and noun.kind == "person" and noun.english[0][-1] not in _KIN:
            determiner = "the"
        phrase = self.noun_phrase(noun, determiner)
        phrase.owner = self.draw.pick(_SPEAKERS)
        return self._maybe_joined(phrase) if noun.kind == "person" else phrase

    def object(self, verb: Verb, subject: NounPhrase) -> NounPhrase:
        """Draw an object of the verb."""
        assert verb.objects is not None
        noun = verb.objects.draw(self.draw)
        while noun is subject.noun:
            noun = verb.objects.draw(self.draw)
        if noun.kind == "person" and self.draw.chance(34):
            return self.other_than(subject)
        if self.draw.chance(9) and verb.frame != "ditransitive":
            phrase = self.noun_phrase(noun, "the")
            phrase.is_pronoun = bool(noun.sex) or noun.kind != "person" or phrase.is_plural
            return phrase
        phrase = self.noun_phrase(noun, self._determiner_of_object(noun, subject))
        phrase.owner = subject.features
        return phrase

    def _maybe_joined(self, phrase: NounPhrase) -> NounPhrase:
        """Join a second person with *and*, now and then."""
        if phrase.is_plural or phrase.determiner not in {"", "the"} or not self.draw.chance(9):
            return phrase
        other = self.someone() if self.draw.chance(50) else self.another_person(phrase, "the")
        is_another = other.name is not phrase.name or other.noun is not phrase.noun
        if is_another and not other.is_plural:
            phrase.other = other
        return phrase

    def _determiner_of_object(self, noun: Noun, subject: NounPhrase) -> str:
        if noun.is_mass:
            return self.weighted((("bare", 55), ("the", 45)))
        determiner = self.weighted(_OBJECT_DETERMINERS)
        if determiner == "bare" and noun.kind == "person":
            return "a"
        knows_owner = subject.is_human and (subject.sex or subject.agrees_as_plural or subject.person != 3)
        can_own = noun.kind in _OWNABLE or noun.english[0][-1] in _HOLDS_PEOPLE | _KIN
        return "the" if determiner == "my" and not (knows_owner and can_own) else determiner

    # --- what is added to a noun

    def decorate(self, phrase: NounPhrase | None) -> str:
        """Add adjectives, a possessor or a place; return ``relative`` where a relative clause is wanted."""
        noun = phrase.noun if phrase is not None else None
        if phrase is None or noun is None or phrase.is_pronoun or phrase.other is not None:
            return ""
        kind = self.draw.below(100)
        if kind < 26:
            self.describe(phrase)
        elif kind < 34 and phrase.determiner == "the" and noun.kind in _OWNABLE - {"food", "drink"}:
            phrase.possessor = self._possessor(noun)
        elif kind < 37 and phrase.determiner in {"the", "a"} and noun.kind in {"person", "thing", "animal"}:
            phrase.place = self.place("at", may_be_city=noun.kind == "person")
        elif kind < 43 and phrase.determiner in {"the", "a"} and not noun.is_mass:
            return "relative"
        return ""

    def describe(self, phrase: NounPhrase) -> None:
        """Add an adjective, or two: one that may stand first in Spanish and one that stands next to the noun."""
        assert phrase.noun is not None
        adjectives = self.lexicon.adjectives.get(phrase.noun)
        if adjectives is None:
            return
        first = adjectives.draw(self.draw)
        phrase.descriptions.append(Description(first, self.anchors.fresh()))
        if "pre" in first.flags and self.draw.chance(25):
            second = adjectives.draw(self.draw)
            if "in" in second.flags:
                phrase.descriptions.append(Description(second, self.anchors.fresh()))

    def adjective_for(self, phrase: NounPhrase, *, is_compared: bool) -> Description | None:
        """Draw an adjective that can be said of this phrase, or none."""
        people = self.lexicon.nouns["person"]
        adjectives = self.lexicon.adjectives.get(phrase.noun or people[0])
        for _ in range(12 if adjectives is not None else 0):
            assert adjectives is not None
            adjective = adjectives.draw(self.draw)
            if is_compared and "no" in adjective.flags:
                continue
            if phrase.noun or all(adjective in self.lexicon.adjectives[noun] for noun in islice(people, 6)):
                return Description(adjective, self.anchors.fresh())
        return None

    def comparable_to(self, subject: NounPhrase, adjective: Adjective) -> NounPhrase:
        """Draw something of the same kind of which the adjective can be said; a person by name if there is none."""
        nouns = self.lexicon.nouns[subject.noun.kind if subject.noun else "person"]
        for _ in range(20):
            noun = nouns.draw(self.draw)
            if noun is not subject.noun and adjective in self.lexicon.adjectives.get(noun, ()):
                return self.noun_phrase(noun, "the", is_plural=subject.is_plural)
        return self.someone()

    def _possessor(self, noun: Noun) -> NounPhrase:
        if noun.kind == "building":
            return self.noun_phrase(self.lexicon.nouns["place"].draw(self.draw), "the", is_plural=False)
        if self.draw.chance(40):
            return self.someone()
        owner = self.lexicon.nouns["person"].draw(self.draw)
        return self.noun_phrase(owner, "the", is_plural=self.draw.chance(15))
