"""The English grammar: subject, verb, object; *do*-support, phrasal verbs, progressive forms."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from plait.demo.engine import COMMA, Word, finish
from plait.demo.english_forms import EnglishVerb, indefinite_article
from plait.demo.meaning import Adverb, Clause, Description, NounPhrase, Place, Sentence

__all__ = ["say"]

_BE = EnglishVerb("be", "is", "was", "been", "being")
_HAVE = EnglishVerb("have", "has", "had", "had", "having")
_DO = EnglishVerb("do", "does", "did", "done", "doing")
_WANT = EnglishVerb("want", "wants", "wanted", "wanted", "wanting")
_SUBJECT = {
    (1, "s"): "I",
    (2, "s"): "you",
    (3, "m"): "he",
    (3, "f"): "she",
    (3, "n"): "it",
    (1, "p"): "we",
    (3, "p"): "they",
}
_OBJECT = {
    (1, "s"): "me",
    (2, "s"): "you",
    (3, "m"): "him",
    (3, "f"): "her",
    (3, "n"): "it",
    (1, "p"): "us",
    (3, "p"): "them",
}
_POSSESSIVE = {
    (1, "s"): "my",
    (2, "s"): "your",
    (3, "m"): "his",
    (3, "f"): "her",
    (3, "n"): "its",
    (1, "p"): "our",
    (3, "p"): "their",
}
_DETERMINERS = {"the": "the", "each": "every", "many": "many", "some": "some", "all": "all", "which": "which"}
_QUESTION_WORDS = {"when", "where", "why"}


def say(sentence: Sentence) -> list[Word]:
    """Say a meaning in English."""
    first, second = sentence.first, sentence.second
    if second is None:
        words = _question(first) if first.question else _clause(first)
        return finish(words, Word("?" if first.question else ".", (sentence.end,)))
    if sentence.joint == "before":
        words = [*_subordinate(first), Word(",", (sentence.end + 3,)), *_clause(second)]
    elif sentence.joint == "after":
        words = [*_clause(first), *_subordinate(second)]
    else:
        pause = [] if second.gap else [Word(",", (sentence.end + 3,))]
        words = [*_clause(first), *pause, Word(sentence.joint, (sentence.end + 2,)), *_clause(second)]
    return finish(words, Word(".", (sentence.end,)))


def _subordinate(clause: Clause) -> list[Word]:
    return [Word(clause.conjunction, (clause.links,)), *_clause(clause)]


def _clause(clause: Clause) -> list[Word]:
    front = [*_adverb(clause.time), COMMA] if clause.is_time_first else []
    return [*front, *_subject(clause), *_verb_group(clause), *_rest(clause)]


def _question(clause: Clause) -> list[Word]:
    kind = clause.question
    subject = _subject(clause)
    group = _verb_group(clause)
    if kind == "who":
        return [*subject, *group, *_rest(clause)]
    front: list[Word] = []
    if kind in _QUESTION_WORDS:
        front = [Word(kind, (clause.adverbs,))]
    elif clause.object is not None and kind == "what":
        front = [Word("what", (clause.object.head,))]
    elif clause.object is not None and kind == "which":
        front = _noun_phrase(clause.object)
    return [*front, group[0], *subject, *group[1:], *_rest(clause)]


def _subject(clause: Clause) -> list[Word]:
    """Return the words before the verb; the logical object in the passive."""
    if clause.gap == "subject" and clause.subject is not None:
        return []
    if clause.frame == "weather":
        return [Word("it", (clause.links,), (clause.verb_anchor,))]
    if clause.frame == "existence":
        return [Word("there", (clause.links,), (clause.verb_anchor,))]
    if clause.question == "who" and clause.subject is not None:
        return [Word("who", (clause.subject.head,))]
    phrase = clause.object if clause.is_passive else clause.subject
    return _noun_phrase(phrase, is_subject=True, leans_on=_finite_anchor(clause)) if phrase else []


def _finite_anchor(clause: Clause) -> int:
    """Return the anchor of the finite verb, whose ending says the person where no pronoun does."""
    if clause.modal:
        return clause.group + 2
    is_compound = clause.tense in {"perfect", "pluperfect", "progressive"}
    return clause.group if is_compound else clause.group + 1 if clause.is_passive else clause.verb_anchor


def _agreement(clause: Clause) -> tuple[int, bool]:
    """Return person and plural of the finite verb."""
    if clause.question == "who" or clause.frame == "weather":
        return 3, False
    phrase = clause.object if clause.is_passive or clause.frame == "existence" else clause.subject
    return (phrase.person, phrase.agrees_as_plural) if phrase else (3, False)


@dataclass(frozen=True, slots=True)
class _Step:
    """A verb of the group; `governs` is the form that it asks of the next one."""

    verb: EnglishVerb | str
    sure: tuple[int, ...]
    governs: str = ""


def _verb_group(clause: Clause) -> list[Word]:
    """Return the verb with its auxiliaries, *not* and the adverb of frequency, the finite form first."""
    steps = _steps(clause)
    asks = bool(clause.question) and clause.question != "who"
    is_bare = len(steps) == 1 and steps[0].verb is not _BE
    if (is_bare or steps[0].verb is _WANT) and (clause.is_negative or asks):
        steps.insert(0, _Step(_DO, (clause.group,), "base"))
        is_bare = False
    words = [_finite(clause, steps[0])]
    if clause.is_negative and words[0].form == "can" and not asks:
        words = [Word("cannot", (*words[0].sure, clause.group + 3), words[0].possible)]
    elif clause.is_negative:
        words.append(Word("not", (clause.group + 3,)))
    frequency = _adverb(clause.frequency)
    if is_bare:
        return [*frequency, *words]
    return [*words, *frequency, *_non_finite(clause, steps)]


def _steps(clause: Clause) -> list[_Step]:
    group = clause.group
    steps: list[_Step] = []
    if clause.modal == "want":
        steps.append(_Step(_WANT, (group + 2,), "to"))
    elif clause.modal:
        steps.append(_Step(clause.modal, (group + 2,), "base"))
    elif clause.tense == "future":
        steps.append(_Step("will", (group,), "base"))
    if clause.tense in {"perfect", "pluperfect"}:
        steps.append(_Step(_HAVE, (group,), "participle"))
    if clause.tense in {"progressive", "background"}:
        steps.append(_Step(_BE, (group,), "gerund"))
    if clause.is_passive:
        steps.append(_Step(_BE, (group + 1,), "participle"))
    steps.append(_Step(clause.verb.english if clause.verb else _BE, (clause.verb_anchor,)))
    return steps


def _finite(clause: Clause, step: _Step) -> Word:
    leans_on = () if step.sure == (clause.verb_anchor,) else (clause.verb_anchor,)
    if isinstance(step.verb, str):
        return Word(step.verb, step.sure, leans_on)
    person, is_plural = _agreement(clause)
    is_past = clause.tense in {"past", "pluperfect", "background"}
    if step.verb is _BE:
        form = _be(is_past, person, is_plural)
    else:
        form = step.verb.past if is_past else step.verb.present(person, is_plural=is_plural)
    return Word(form, step.sure, leans_on)


def _be(is_past: bool, person: int, is_plural: bool) -> str:
    if is_plural or person == 2:
        return "were" if is_past else "are"
    return "was" if is_past else "am" if person == 1 else "is"


def _non_finite(clause: Clause, steps: list[_Step]) -> list[Word]:
    words: list[Word] = []
    for governing, step in pairwise(steps):
        assert isinstance(step.verb, EnglishVerb)
        form = governing.governs
        if form == "to":
            words.append(Word("to", (clause.links + 1,), (clause.verb_anchor,)))
        leans_on = () if step.sure == (clause.verb_anchor,) else (clause.verb_anchor,)
        spelled = {"participle": step.verb.participle, "gerund": step.verb.gerund}.get(form, step.verb.base)
        words.append(Word(spelled, step.sure, leans_on))
    return words


def _rest(clause: Clause) -> list[Word]:
    """Return what follows the verb."""
    words = [*_complements(clause)]
    if clause.is_passive and clause.subject is not None:
        words += [Word("by", (clause.links + 3,)), *_noun_phrase(clause.subject)]
    if clause.description is not None:
        words += _description(clause.description, is_compared=clause.frame == "comparison")
    if clause.frame == "comparison" and clause.object is not None:
        words += [Word("than", (clause.links + 3,)), *_noun_phrase(clause.object, is_subject=True)]
    words += _adverb(clause.manner)
    if clause.place is not None:
        words += _place(clause.place)
    if clause.company is not None:
        words += [Word("with", (clause.adverbs + 1,)), *_noun_phrase(clause.company)]
    if clause.time is not None and not clause.is_time_first:
        words += _adverb(clause.time)
    inner = clause.complement
    if inner is None:
        return words
    if inner.conjunction == "inf":
        assert inner.verb is not None
        base = Word(inner.verb.english.base, (inner.verb_anchor,))
        return [*words, Word("to", (inner.links + 1,), (inner.verb_anchor,)), base, *_rest(inner)]
    if inner.conjunction == "that" and clause.variant < 30:
        return [*words, *_clause(inner)]
    return [*words, *_subordinate(inner)]


def _complements(clause: Clause) -> list[Word]:
    """Return particles, objects and the recipient."""
    verb = clause.verb.english if clause.verb else _BE
    particles = [Word(form, (clause.verb_anchor + 1 + place,)) for place, form in enumerate(verb.particles)]
    if verb.preposition and clause.object is not None:
        particles.append(Word(verb.preposition, (clause.links + 2,), (clause.verb_anchor,)))
    is_said = clause.gap != "object" and clause.question not in {"what", "which"}
    if clause.is_passive or clause.object is None or not is_said or clause.frame == "comparison":
        recipient = _to_recipient(clause.recipient, clause) if clause.recipient else []
        return [*particles, *recipient]
    # *le gusta*: what pleases is the subject in Spanish, and may be left out
    words = _noun_phrase(clause.object, leans_on=clause.verb_anchor if clause.frame == "pleasing" else 0)
    if clause.recipient is not None:
        assert clause.verb is not None
        if clause.variant < 50 or "to" in clause.verb.flags or clause.object.is_pronoun or clause.object.relative:
            return [*particles, *words, *_to_recipient(clause.recipient, clause)]
        return [*_noun_phrase(clause.recipient), *particles, *words]
    if clause.object.is_pronoun and verb.particles and not verb.preposition:
        return [*words, *particles]
    return [*particles, *words]


def _to_recipient(recipient: NounPhrase, clause: Clause) -> list[Word]:
    leans_on = recipient.extra if recipient.determiner else recipient.head
    return [Word("to", (clause.links + 2,), (leans_on,)), *_noun_phrase(recipient)]


def _adverb(adverb: Adverb | None) -> list[Word]:
    if adverb is None:
        return []
    return [Word(form, (adverb.anchor + place,)) for place, form in enumerate(adverb.phrase.english)]


def _place(place: Place) -> list[Word]:
    preposition = {"to": "to", "from": "from"}.get(place.direction, "in")
    if place.direction == "at" and place.where.noun is not None:
        preposition = place.where.noun.preposition
    return [Word(preposition, (place.anchor,)), *_noun_phrase(place.where)]


def _description(description: Description, *, is_compared: bool = False) -> list[Word]:
    adjective, anchor = description.adjective, description.anchor
    if not is_compared:
        return [Word(adjective.english, (anchor,))]
    if len(adjective.english_comparative) == 1:
        return [Word(adjective.english_comparative[0], (anchor, anchor + 1))]
    more, word = adjective.english_comparative
    return [Word(more, (anchor + 1,), (anchor,)), Word(word, (anchor,))]


def _noun_phrase(phrase: NounPhrase, *, is_subject: bool = False, leans_on: int = 0) -> list[Word]:
    """Return a noun phrase; a pronoun that another language leaves out leans on the verb."""
    head = phrase.head
    if phrase.is_pronoun:
        key = _pronoun_key(phrase)
        form = (_SUBJECT if is_subject else _OBJECT)[key]
        return [Word(form, (head,), (leans_on,) if leans_on else ())]
    if phrase.city is not None:
        return [Word(form, (head + place,)) for place, form in enumerate(phrase.city.english)]
    if phrase.name is not None:
        words = [Word(phrase.name.name, (head,))]
    else:
        words = _with_noun(phrase)
    if phrase.other is not None:
        words += [Word("and", (phrase.extra + 3,)), *_noun_phrase(phrase.other, is_subject=is_subject)]
    return words


def _pronoun_key(phrase: NounPhrase) -> tuple[int, str]:
    if phrase.noun is not None and phrase.noun.kind != "person" and not phrase.is_plural:
        return 3, "n"
    return phrase.features


def _with_noun(phrase: NounPhrase) -> list[Word]:
    assert phrase.noun is not None
    nouns = phrase.noun.english[phrase.is_plural]
    words = [word for item in phrase.descriptions for word in _description(item)]
    words += [Word(form, (phrase.head + place,)) for place, form in enumerate(nouns)]
    owner = phrase.possessor
    takes_s = owner is not None and (owner.name is not None or owner.is_human)
    if owner is not None and takes_s:
        mark = "'" if owner.is_plural and owner.noun and owner.noun.english[1][-1].endswith("s") else "'s"
        leans_on = owner.extra if owner.determiner else owner.head
        words = [*_noun_phrase(owner), Word(mark, (phrase.extra + 2,), (leans_on,)), *words]
    else:
        words = [*_determiner(phrase, words[0].form), *words]
    if owner is not None and not takes_s:
        words += [Word("of", (phrase.extra + 2,), (owner.extra,)), *_noun_phrase(owner)]
    if phrase.place is not None:
        words += _place(phrase.place)
    if phrase.relative is not None:
        words += _relative(phrase, phrase.relative)
    return words


def _determiner(phrase: NounPhrase, following: str) -> list[Word]:
    determiner = phrase.determiner
    anchors = (phrase.extra,)
    leans_on = (phrase.head,)
    if determiner == "a":
        return [Word(indefinite_article(following), anchors, leans_on)]
    if determiner == "my":
        return [Word(_POSSESSIVE[phrase.owner], anchors, leans_on)]
    if determiner == "this":
        return [Word("these" if phrase.is_plural else "this", anchors, leans_on)]
    if determiner == "number":
        return _adverb(phrase.number)
    if determiner == "bare":
        return []
    return [Word(_DETERMINERS[determiner], anchors, leans_on)]


def _relative(phrase: NounPhrase, clause: Clause) -> list[Word]:
    pronoun = Word("who" if phrase.is_human else "that", (clause.links,))
    return [pronoun, *_clause(clause)]
