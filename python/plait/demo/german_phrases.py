"""German noun phrases, prepositional phrases, adjectives and adverbs."""

from __future__ import annotations

from plait.demo import german_forms as forms
from plait.demo.engine import Word
from plait.demo.meaning import Adverb, Description, NounPhrase, Place

__all__ = ["adverb", "noun_phrase", "predicate", "prepositional", "say_place"]

_STEMS = {"a": "ein", "this": "dies", "each": "jed", "many": "viel", "some": "einig", "all": "all", "which": "welch"}
_DECLENSIONS = {"a": "mixed", "my": "mixed", "many": "strong", "some": "strong", "number": "strong", "bare": "strong"}


def noun_phrase(phrase: NounPhrase, case: str, *, negation: int = 0, drops_article: bool = False) -> list[Word]:
    """Return a noun phrase without its relative clause; `negation` turns *ein* into *kein*."""
    head = phrase.head
    if phrase.is_pronoun:
        return [Word(forms.PERSONAL[_pronoun_key(phrase)][case], (head,))]
    if phrase.city is not None:
        return phrase.city.german.say(head)
    if phrase.name is not None:
        words = [Word(phrase.name.name, (head,))]
    else:
        words = _with_noun(phrase, case, negation, drops_article=drops_article)
    if phrase.other is not None:
        words += [Word("und", (phrase.extra + 3,)), *noun_phrase(phrase.other, case)]
    return words


def _pronoun_key(phrase: NounPhrase) -> tuple[int, str]:
    """Return the key of the pronoun: the sex of people, the grammatical gender of things."""
    if phrase.person == 3 and not phrase.is_plural and phrase.noun is not None and not phrase.sex:
        return 3, phrase.noun.german.gender
    return phrase.features


def _with_noun(phrase: NounPhrase, case: str, negation: int, *, drops_article: bool) -> list[Word]:
    assert phrase.noun is not None
    noun = phrase.noun
    key = noun.german.key(is_plural=phrase.is_plural)
    owner = phrase.possessor
    words: list[Word] = []
    declension = "mixed" if negation else _DECLENSIONS.get(phrase.determiner, "weak")
    if owner is not None and owner.name is not None:
        words.append(Word(owner.name.name + "s", (owner.head,)))
        declension = "strong"
    elif not drops_article:
        words += _determiner(phrase, case, key, negation)
    for item in phrase.descriptions:
        ending = forms.adjective_ending(declension, case, key)
        words.append(Word(item.adjective.german_stem + ending, (item.anchor,)))
    anchors = tuple(phrase.head + place for place in range(len(noun.english[0])))
    words.append(Word(noun.german.form(case, is_plural=phrase.is_plural), anchors))
    if owner is not None and owner.name is None:
        words += noun_phrase(owner, "G")
    if phrase.place is not None:
        words += say_place(phrase.place)
    return words


def _determiner(phrase: NounPhrase, case: str, key: str, negation: int) -> list[Word]:
    determiner = phrase.determiner
    leans_on = (phrase.head,)
    if negation:
        sure = (phrase.extra, negation) if determiner == "a" else (negation,)
        return [Word(forms.determiner("kein", case, key), sure, leans_on)]
    if determiner == "the":
        return [Word(forms.definite(case, key), (phrase.extra,), leans_on)]
    if determiner == "number":
        return adverb(phrase.number)
    if determiner == "bare":
        return []
    stem = forms.POSSESSIVE_STEM[phrase.owner] if determiner == "my" else _STEMS[determiner]
    return [Word(forms.determiner(stem, case, key), (phrase.extra,), leans_on)]


def prepositional(
    preposition: str, phrase: NounPhrase, case: str, anchor: int, leans_on: tuple[int, ...] = ()
) -> list[Word]:
    """Return a prepositional phrase: *im* for *in dem*, *daran* for *an* and a thing."""
    if phrase.is_pronoun and not phrase.is_human:
        linking = "r" if preposition[0] in "aeiouäöü" else ""
        return [Word(f"da{linking}{preposition}", (anchor, phrase.head))]
    words = noun_phrase(phrase, case)
    article = words[0]
    merged = forms.CONTRACTIONS.get((preposition, article.form)) if phrase.determiner == "the" else None
    if merged is not None:
        return [Word(merged, (anchor, *article.sure), article.possible), *words[1:]]
    return [Word(preposition, (anchor,), leans_on), *words]


def say_place(place: Place) -> list[Word]:
    """Return where something happens, where it goes (*nach Berlin*, *ins Museum*, *zum Bahnhof*) or comes from."""
    where = place.where
    if where.city is not None:
        preposition = {"at": "in", "to": "nach", "from": "aus"}[place.direction]
        return prepositional(preposition, where, "D", place.anchor)
    assert where.noun is not None
    inside = where.noun.german.preposition == "in"
    if place.direction == "at":
        return prepositional(where.noun.german.preposition, where, "D", place.anchor)
    if place.direction == "to":
        return prepositional("in" if inside else "zu", where, "A" if inside else "D", place.anchor)
    return prepositional("aus" if inside else "von", where, "D", place.anchor)


def predicate(description: Description, *, is_compared: bool) -> list[Word]:
    """Return an adjective that is said of the subject, without ending."""
    adjective, anchor = description.adjective, description.anchor
    if is_compared:
        return [Word(adjective.german_comparative, (anchor, anchor + 1))]
    return [Word(adjective.german, (anchor,))]


def adverb(item: Adverb | None) -> list[Word]:
    """Return the words of an adverb, or none."""
    return item.phrase.german.say(item.anchor) if item is not None else []
