"""What a sentence says, before any language says it: noun phrases, clauses, sentences.

A meaning owns the anchors (see `plait.demo.engine`) of all that its words can express; the grammars of the
languages put them on the words they choose.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from plait.demo.lexicon import Adjective, Noun, Person, Phrase, Verb

__all__ = ["Adverb", "Clause", "Description", "NounPhrase", "Place", "Sentence"]


@dataclass(slots=True)
class Adverb:
    """An unchanging phrase (a time, a frequency, a manner, a number) with its anchors."""

    phrase: Phrase
    anchor: int


@dataclass(slots=True)
class Description:
    """An adjective; `anchor` for it and `anchor + 1` for the *more* of its comparative."""

    adjective: Adjective
    anchor: int


@dataclass(slots=True)
class Place:
    """A city or a place: where something happens (``at``), goes (``to``) or comes from (``from``)."""

    anchor: int
    direction: str
    where: NounPhrase


@dataclass(slots=True)
class NounPhrase:
    """Someone or something.

    Parameters
    ----------
    head
        Anchors of the noun, name or pronoun, one for each English word.
    extra
        Anchors: determiner, second word of the determiner, *of*, *and*.
    noun
        The noun; of a pronoun of the third person, the noun it stands for.
    name, city
        Instead of a noun.
    is_pronoun
        Whether a pronoun says it.
    person
        Grammatical person: 1, 2 or 3.
    sex
        ``m``, ``f``, or empty for things and where it is not known.
    determiner
        ``the a bare this my each many some all number which``; ``my`` stands for any possessive.
    owner
        Person, and ``s`` (1st, 2nd), ``m``, ``f`` (3rd) or ``p`` for the plural, of a possessive.
    """

    head: int
    extra: int
    noun: Noun | None = None
    name: Person | None = None
    city: Phrase | None = None
    is_pronoun: bool = False
    person: int = 3
    is_plural: bool = False
    sex: str = ""
    determiner: str = ""
    owner: tuple[int, str] = (3, "p")
    number: Adverb | None = None
    descriptions: list[Description] = field(default_factory=list)
    possessor: NounPhrase | None = None
    place: Place | None = None
    relative: Clause | None = None
    other: NounPhrase | None = None

    @property
    def is_human(self) -> bool:
        """Whether it is one person or several."""
        return self.name is not None or (self.noun.kind == "person" if self.noun else self.is_pronoun)

    @property
    def agrees_as_plural(self) -> bool:
        """Whether a verb with this subject is in the plural."""
        return self.is_plural or self.other is not None

    @property
    def features(self) -> tuple[int, str]:
        """Person and, as `owner`, the key of the pronoun that refers back."""
        if self.agrees_as_plural:
            return self.person, "p"
        return self.person, (self.sex or "n") if self.person == 3 else "s"


@dataclass(slots=True)
class Clause:
    """A state of affairs.

    Parameters
    ----------
    frame
        That of its verb, or ``copula`` (is + adjective), ``comparison``, ``identity`` (is a doctor), ``located``,
        ``existence`` (there is), ``weather``.
    verb_anchor
        Anchors of the verb, one for each English word (*give up*).
    group
        Anchors of the verb group: tense auxiliary, passive auxiliary, modal, negation.
    links
        Anchors: conjunction or relative pronoun, *to* before an infinitive, preposition of the object, *by* or *than*.
    tense
        ``present past perfect pluperfect future progressive background``; the last one is "was sleeping".
    modal
        ``can must should may want`` or empty.
    question
        Empty for a statement, ``yes`` for a yes-no question, else ``who what which when where why``.
    gap
        ``subject`` or ``object`` in a relative clause, ``subject`` where a coordinated clause shares its subject.
    conjunction
        How it is joined to the rest: ``that whether because ..``, ``inf`` for an infinitive, or empty.
    variant
        A number below 100: where a language has a choice, this decides.
    """

    frame: str
    verb_anchor: int
    group: int
    links: int
    adverbs: int
    variant: int
    verb: Verb | None = None
    subject: NounPhrase | None = None
    object: NounPhrase | None = None
    recipient: NounPhrase | None = None
    company: NounPhrase | None = None
    description: Description | None = None
    place: Place | None = None
    time: Adverb | None = None
    frequency: Adverb | None = None
    manner: Adverb | None = None
    complement: Clause | None = None
    tense: str = "present"
    modal: str = ""
    question: str = ""
    gap: str = ""
    conjunction: str = ""
    is_negative: bool = False
    is_passive: bool = False
    is_time_first: bool = False


@dataclass(slots=True)
class Sentence:
    """A clause, or two that are joined.

    Parameters
    ----------
    first, second
        In the order in which they are said.
    joint
        Empty; ``and``, ``but``: two main clauses; ``before``: the first is subordinate; ``after``: the second is.
    end
        Anchor of the final mark; `end + 2` of *and*, *but*; `end + 3` of the comma between two clauses.
    """

    first: Clause
    end: int
    second: Clause | None = None
    joint: str = ""
