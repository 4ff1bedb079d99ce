"""Spanish noun phrases, places, adjectives and adverbs."""

from __future__ import annotations

from plait.demo import spanish_forms as forms
from plait.demo.engine import Word
from plait.demo.meaning import Adverb, Description, NounPhrase, Place

__all__ = ["adverb", "agreement_of", "gender_of", "noun_phrase", "predicate", "say_place"]


def noun_phrase(phrase: NounPhrase, *, is_generic: bool = False, drops_article: bool = False) -> list[Word]:
    """Return a noun phrase without its relative clause; a generic one takes an article where English has none."""
    head = phrase.head
    if phrase.is_pronoun:
        return [Word(forms.SUBJECT[agreement_of(phrase)], (head,))]
    if phrase.city is not None:
        return phrase.city.spanish.say(head)
    if phrase.name is not None:
        words = [Word(phrase.name.name, (head,))]
    else:
        words = _with_noun(phrase, is_generic=is_generic, drops_article=drops_article)
    if phrase.other is not None:
        words += [Word("y", (phrase.extra + 3,)), *noun_phrase(phrase.other)]
    return words


def _with_noun(phrase: NounPhrase, *, is_generic: bool, drops_article: bool) -> list[Word]:
    assert phrase.noun is not None
    noun = phrase.noun.spanish
    forms_of_noun = noun.plural if phrase.is_plural else noun.singular
    before = [item for item in phrase.descriptions if _stands_first(item, phrase)]
    after = [item for item in phrase.descriptions if item not in before]
    takes_el = noun.takes_el and not phrase.is_plural and not before
    words = [] if drops_article else _determiner(phrase, noun.gender, takes_el=takes_el, is_generic=is_generic)
    words += _adjectives(before, phrase, before_noun=True)
    everything = tuple(phrase.head + place for place in range(len(phrase.noun.english[0])))
    for form, expresses in zip(forms_of_noun, phrase.noun.spanish_expresses, strict=True):
        sure = tuple(phrase.head + place for place in expresses)
        words.append(Word(form, sure, () if sure else everything))
    words += _adjectives(after, phrase, before_noun=False)
    if phrase.possessor is not None:
        words += [Word("de", (phrase.extra + 2,)), *noun_phrase(phrase.possessor)]
    if phrase.place is not None:
        words += say_place(phrase.place)
    return words


def _stands_first(description: Description, phrase: NounPhrase) -> bool:
    """Return whether an adjective precedes the noun: always *buen*, *mal*; others when a second one follows it."""
    adjective = description.adjective
    if adjective.english in {"good", "bad"}:
        return True
    return "pre" in adjective.flags and len(phrase.descriptions) > 1


def _adjectives(items: list[Description], phrase: NounPhrase, *, before_noun: bool) -> list[Word]:
    words: list[Word] = []
    for item in items:
        gender = phrase.noun.spanish.gender if phrase.noun else "m"
        spelled = item.adjective.spanish.form(gender, is_plural=phrase.is_plural, before_noun=before_noun)
        last = len(spelled) - 1
        words += [
            Word(form, (item.anchor,) if place == last else (), (item.anchor,)) for place, form in enumerate(spelled)
        ]
    return words


def _determiner(phrase: NounPhrase, gender: str, *, takes_el: bool, is_generic: bool) -> list[Word]:
    determiner, is_plural = phrase.determiner, phrase.is_plural
    sure, leans_on = (phrase.extra,), (phrase.head,)
    article = "el" if takes_el else forms.DEFINITE[gender, is_plural]
    ending = ("a" if gender == "f" else "o") + ("s" if is_plural else "")
    if determiner == "bare":
        return [Word(article, (), leans_on)] if is_generic else []
    if determiner == "number":
        return adverb(phrase.number)
    if determiner == "all":
        return [Word("tod" + ending, sure), Word(article, (), sure)]
    form = {
        "the": article,
        "a": "un" if takes_el else forms.INDEFINITE[gender, is_plural],
        "each": "cada",
        "many": "much" + ending,
        "some": "algun" + ending,
        "which": "qué",
        "this": ("est" + ending) if is_plural or gender == "f" else "este",
        "my": _possessive(phrase.owner, ending, is_plural=is_plural),
    }[determiner]
    return [Word(form, sure, leans_on)]


def _possessive(owner: tuple[int, str], ending: str, *, is_plural: bool) -> str:
    stem = forms.POSSESSIVE.get(owner, "su")
    if stem == "nuestro":
        return "nuestr" + ending
    return stem + ("s" if is_plural else "")


def say_place(place: Place) -> list[Word]:
    """Return where something happens, where it goes or comes from."""
    preposition = {"at": "en", "to": "a", "from": "de"}[place.direction]
    return [Word(preposition, (place.anchor,)), *noun_phrase(place.where)]


def predicate(description: Description, subject: NounPhrase, *, is_compared: bool) -> list[Word]:
    """Return an adjective that is said of the subject and agrees with it."""
    adjective, anchor = description.adjective, description.anchor
    is_plural = subject.agrees_as_plural
    words = [Word(form, (anchor,)) for form in adjective.spanish.form(gender_of(subject), is_plural=is_plural)]
    if not is_compared:
        return words
    if adjective.spanish_comparative:
        return [Word(adjective.spanish_comparative + ("es" if is_plural else ""), (anchor, anchor + 1))]
    return [Word("más", (anchor + 1,), (anchor,)), *words]


def agreement_of(phrase: NounPhrase) -> tuple[int, bool, str]:
    """Return person, plural and gender."""
    return phrase.person, phrase.agrees_as_plural, gender_of(phrase)


def gender_of(phrase: NounPhrase) -> str:
    """Return the gender with which adjectives agree; two who are not both feminine are masculine."""
    if phrase.noun is not None:
        gender = phrase.noun.spanish.gender
    else:
        gender = phrase.sex or "m"
    if phrase.other is not None and gender_of(phrase.other) == "m":
        return "m"
    return gender


def adverb(item: Adverb | None) -> list[Word]:
    """Return the words of an adverb, or none."""
    return item.phrase.spanish.say(item.anchor) if item is not None else []
