"""The German grammar: the finite verb second or last, the bracket of the verb, four cases.

A main clause is ``front field, finite verb, middle field, right bracket, after-field``; a subordinate clause
has all of its verbs in the right bracket. Particles, participles and infinitives stand there, far from the finite verb.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from plait.demo import german_forms as forms
from plait.demo.engine import COMMA, Word, finish
from plait.demo.german_forms import GermanVerb
from plait.demo.german_phrases import adverb, noun_phrase, predicate, prepositional, say_place
from plait.demo.meaning import Clause, NounPhrase, Sentence

__all__ = ["say"]

_SEIN = forms.read_verb("sein ist war gewesen sein")
_HABEN = forms.read_verb("haben hat hatte gehabt")
_WERDEN = forms.read_verb("werden wird wurde geworden sein")
_GEBEN = forms.read_verb("geben gibt gab gegeben")
_CONJUNCTIONS = {
    "because": "weil",
    "although": "obwohl",
    "if": "wenn",
    "while": "während",
    "that": "dass",
    "whether": "ob",
}
_JOINTS = {"and": "und", "but": "aber"}
_QUESTION_WORDS = {"when": "wann", "where": "wo", "why": "warum"}


def say(sentence: Sentence) -> list[Word]:
    """Say a meaning in German."""
    first, second = sentence.first, sentence.second
    if second is None:
        words = _question(first) if first.question else _main(first)
        return finish(words, Word("?" if first.question else ".", (sentence.end,)))
    if sentence.joint == "before":
        words = _main(second, front=[*_subordinate(first), Word(",", (sentence.end + 3,))])
    elif sentence.joint == "after":
        words = [*_main(first), COMMA, *_subordinate(second)]
    else:
        pause = [Word(",", (sentence.end + 3,))] if sentence.joint == "but" else []
        joint = Word(_JOINTS[sentence.joint], (sentence.end + 2,))
        words = [*_main(first), *pause, joint, *_main(second)]
    return finish(words, Word(".", (sentence.end,)))


@dataclass(slots=True)
class _Fields:
    """The parts of a clause before they are put in order.

    Parameters
    ----------
    subject, pronouns, early, recipient, object, late
        The middle field in its usual order: pronouns come first, times before objects, *nicht* before what the verb
        belongs with most closely.
    finite, prefix
        The finite verb and its separable prefix, if any; `joined` is both in one word.
    bracket, after
        The other verbs; the clauses behind them.
    """

    subject: list[Word]
    pronouns: list[Word]
    early: list[Word]
    recipient: list[Word]
    object: list[Word]
    late: list[Word]
    finite: Word
    prefix: list[Word]
    joined: Word
    bracket: list[Word]
    after: list[Word]
    is_reflexive: bool

    def middle(self) -> list[Word]:
        """Return the middle field behind subject and pronouns."""
        return [*self.early, *self.recipient, *self.object, *self.late]

    def inverted(self) -> list[Word]:
        """Return subject and pronouns behind the finite verb."""
        if self.is_reflexive and len(self.subject) > 1:
            return [*self.pronouns, *self.subject]
        return [*self.subject, *self.pronouns]


def _main(clause: Clause, *, front: list[Word] | None = None) -> list[Word]:
    """Return a main clause, with the finite verb second."""
    parts = _fields(clause)
    if front is None and clause.gap != "subject" and not clause.question:
        if clause.time is not None and (clause.is_time_first or clause.variant % 4 == 0):
            time = adverb(clause.time)
            front, parts.early = time, parts.early[len(time) :]
        elif clause.variant % 7 == 1 and parts.object and parts.object[0].form == "den" and not clause.is_negative:
            front, parts.object = parts.object, []
    tail = [*parts.middle(), *parts.bracket, *parts.prefix, *parts.after]
    if front is None:
        return [*parts.subject, parts.finite, *parts.pronouns, *tail]
    return [*front, parts.finite, *parts.inverted(), *tail]


def _question(clause: Clause) -> list[Word]:
    kind = clause.question
    if kind == "who":
        return _main(clause)
    parts = _fields(clause)
    front: list[Word] = []
    if kind in _QUESTION_WORDS:
        front = [Word(_QUESTION_WORDS[kind], (clause.adverbs,))]
    elif kind == "what" and clause.object is not None:
        front = [Word("wem" if _object_case(clause) == "D" else "was", (clause.object.head,))]
    elif kind == "which":
        front, parts.object = parts.object, []
    tail = [*parts.middle(), *parts.bracket, *parts.prefix, *parts.after]
    return [*front, parts.finite, *parts.inverted(), *tail]


def _subordinate(clause: Clause) -> list[Word]:
    """Return a subordinate clause, with all verbs last."""
    conjunction = _CONJUNCTIONS.get(clause.conjunction)
    if conjunction is None:
        conjunction = "als" if clause.tense in {"past", "background", "pluperfect"} else "wenn"
    return [Word(conjunction, (clause.links,)), *_verb_last(clause)]


def _verb_last(clause: Clause) -> list[Word]:
    parts = _fields(clause)
    start = [*parts.subject, *parts.pronouns]
    return [*start, *parts.middle(), *parts.bracket, parts.joined, *parts.after]


def _relative(phrase: NounPhrase, clause: Clause) -> list[Word]:
    assert phrase.noun is not None
    case = "N" if clause.gap == "subject" else "A"
    pronoun = forms.RELATIVE[case][phrase.noun.german.key(is_plural=phrase.is_plural)]
    return [COMMA, Word(pronoun, (clause.links,)), *_verb_last(clause), COMMA]


def _with_relative(phrase: NounPhrase, case: str) -> list[Word]:
    return [*noun_phrase(phrase, case), *_trailing_relative(phrase)]


def _trailing_relative(phrase: NounPhrase) -> list[Word]:
    return _relative(phrase, phrase.relative) if phrase.relative is not None else []


def _infinitive(clause: Clause) -> list[Word]:
    """Return ``, das Fenster zu öffnen``."""
    assert clause.verb is not None
    parts = _fields(clause)
    verb = clause.verb.german
    anchors = _all_anchors(clause)
    to = clause.links + 1
    if verb.prefix:
        last = [Word(f"{verb.prefix}zu{verb.infinitive}", (*anchors, to))]
    else:
        last = [Word("zu", (to,), anchors), Word(verb.infinitive, anchors)]
    return [COMMA, *parts.pronouns, *parts.middle(), *last, *parts.after]


def _fields(clause: Clause) -> _Fields:
    verb = _verb(clause)
    person, is_plural = _agreement(clause)
    steps = _steps(clause, person)
    finite, joined, prefix = _finite(clause, steps[0], person, is_plural=is_plural)
    nominative = clause.object if clause.is_passive or clause.frame == "pleasing" else clause.subject
    parts = _Fields(
        subject=_subject(clause, nominative),
        pronouns=[],
        early=[*adverb(clause.time), *adverb(clause.frequency)],
        recipient=[],
        object=[],
        late=[],
        finite=finite,
        prefix=prefix,
        joined=joined,
        bracket=_non_finite(clause, steps),
        after=[],
        is_reflexive=verb.is_reflexive,
    )
    if verb.is_reflexive:
        form = forms.REFLEXIVE.get((person, is_plural), "sich")
        parts.pronouns.append(Word(form, (), (clause.verb_anchor,)))
    _add_objects(clause, parts)
    _add_late(clause, parts)
    inner = clause.complement
    if inner is not None:
        parts.after += _infinitive(inner) if inner.conjunction == "inf" else [COMMA, *_subordinate(inner)]
    return parts


def _subject(clause: Clause, nominative: NounPhrase | None) -> list[Word]:
    if clause.gap == "subject" and not clause.is_passive:
        return []
    if clause.conjunction == "inf":
        return []
    if clause.frame in {"weather", "existence"}:
        return [Word("es", (clause.links,), (clause.verb_anchor,))]
    if clause.question == "who" and nominative is not None:
        return [Word("wer", (nominative.head,))]
    return _with_relative(nominative, "N") if nominative is not None else []


def _add_objects(clause: Clause, parts: _Fields) -> None:
    """Put objects among the pronouns or into the middle field; a relative clause stands behind the right bracket."""
    verb = _verb(clause)
    recipient = clause.subject if clause.frame == "pleasing" else clause.recipient
    phrase = clause.object
    is_said = clause.gap != "object" and clause.question != "what" and not clause.is_passive
    if phrase is not None and is_said and clause.frame not in {"pleasing", "comparison", "identity"}:
        case = _object_case(clause)
        is_negated = clause.is_negative and _takes_kein(clause)
        if verb.preposition:
            parts.late += prepositional(verb.preposition, phrase, case, clause.links + 2, (clause.verb_anchor,))
        elif phrase.is_pronoun:
            parts.pronouns += noun_phrase(phrase, case)
        else:
            parts.object += noun_phrase(phrase, case, negation=clause.group + 3 if is_negated else 0)
        if phrase.relative is not None:
            parts.after += _relative(phrase, phrase.relative)
    if recipient is not None:
        words = _with_relative(recipient, "D")
        # *gefällt den Kindern schon*: the one who is pleased stands before the adverbs, like a pronoun
        stands_early = recipient.is_pronoun or clause.frame == "pleasing"
        (parts.pronouns if stands_early else parts.recipient).extend(words)


def _add_late(clause: Clause, parts: _Fields) -> None:
    """Add *nicht* and what stands behind it, in front of what is there."""
    late: list[Word] = []
    if clause.is_negative and not _takes_kein(clause):
        late.append(Word("nicht", (clause.group + 3,)))
    if clause.is_passive and clause.subject is not None:
        late += prepositional("von", clause.subject, "D", clause.links + 3)
        late += _trailing_relative(clause.subject)
    late += adverb(clause.manner)
    if clause.company is not None:
        late += prepositional("mit", clause.company, "D", clause.adverbs + 1)
    late += parts.late
    if clause.place is not None:
        late += say_place(clause.place)
    if clause.description is not None:
        late += predicate(clause.description, is_compared=clause.frame == "comparison")
    if clause.frame == "comparison" and clause.object is not None:
        late += [Word("als", (clause.links + 3,)), *noun_phrase(clause.object, "N")]
    if clause.frame == "identity" and clause.object is not None:
        negation = clause.group + 3 if clause.is_negative else 0
        drops_article = not clause.object.descriptions and not negation
        late += noun_phrase(clause.object, "N", negation=negation, drops_article=drops_article)
    parts.late = late


def _takes_kein(clause: Clause) -> bool:
    """Return whether the negation merges with an indefinite object: *kein Buch*."""
    phrase = clause.object
    if phrase is None or clause.is_passive or clause.gap == "object" or phrase.is_pronoun:
        return False
    if clause.verb is not None and clause.verb.german.preposition:
        return False
    return phrase.determiner in {"a", "bare"} and clause.frame not in {"pleasing", "comparison"}


# --- verbs


@dataclass(frozen=True, slots=True)
class _Step:
    """A verb of the group; `governs` is the form that it asks of the next one."""

    verb: GermanVerb | str
    sure: tuple[int, ...]
    tense: str = "present"
    governs: str = ""
    leans_on: tuple[int, ...] = ()


def _verb(clause: Clause) -> GermanVerb:
    if clause.frame == "existence":
        return _GEBEN
    return _SEIN if clause.verb is None else clause.verb.german


def _agreement(clause: Clause) -> tuple[int, bool]:
    if clause.question == "who" or clause.frame in {"weather", "existence"}:
        return 3, False
    phrase = clause.object if clause.is_passive or clause.frame == "pleasing" else clause.subject
    return (phrase.person, phrase.agrees_as_plural) if phrase else (3, False)


def _steps(clause: Clause, person: int) -> list[_Step]:
    verb = _verb(clause)
    group = clause.group
    leans_on = (clause.verb_anchor,)
    is_past = clause.tense in {"past", "background"}
    steps: list[_Step] = []
    if clause.modal:
        tense = "past" if clause.modal == "should" or is_past else "present"
        steps.append(_Step(clause.modal, (group + 2,), tense, "infinitive", leans_on))
    elif clause.tense == "future":
        steps.append(_Step(_WERDEN, (group,), "present", "infinitive", leans_on))
    elif clause.tense in {"perfect", "pluperfect"} or _speaks_in_perfect(clause, person):
        auxiliary = _SEIN if clause.is_passive or verb.uses_sein else _HABEN
        tense = "past" if clause.tense == "pluperfect" else "present"
        steps.append(_Step(auxiliary, (group,), tense, "participle", leans_on))
    tense = "past" if is_past else "present"
    if clause.is_passive:
        steps.append(_Step(_WERDEN, (group + 1,), tense, "participle", leans_on))
    steps.append(_Step(verb, _all_anchors(clause), tense))
    return steps


def _speaks_in_perfect(clause: Clause, person: int) -> bool:
    """Return whether *he bought* becomes *er hat gekauft* instead of *er kaufte*."""
    if clause.tense != "past" or clause.is_passive or clause.verb is None or clause.verb.german.infinitive == "haben":
        return False
    if person == 2:
        return True
    return "be" not in clause.verb.flags and clause.variant % 5 < 2


def _all_anchors(clause: Clause) -> tuple[int, ...]:
    particles = len(clause.verb.english.particles) if clause.verb else 0
    return tuple(clause.verb_anchor + place for place in range(particles + 1))


def _finite(clause: Clause, step: _Step, person: int, *, is_plural: bool) -> tuple[Word, Word, list[Word]]:
    """Return the finite verb without its prefix, joined with it, and the prefix."""
    if isinstance(step.verb, str):
        word = Word(forms.modal(step.verb, step.tense, person, is_plural=is_plural), step.sure, step.leans_on)
        return word, word, []
    form = step.verb.finite(step.tense, person, is_plural=is_plural)
    word = Word(form, step.sure, step.leans_on)
    if not step.verb.prefix:
        return word, word, []
    has_particle = len(step.sure) > 1
    stem = word._replace(sure=step.sure[:1])
    prefix = Word(step.verb.prefix, step.sure[1:] if has_particle else step.sure)
    return stem, word._replace(form=step.verb.prefix + form), [prefix]


def _non_finite(clause: Clause, steps: list[_Step]) -> list[Word]:
    """Return the other verbs, the main verb first: *gekauft worden*, *gekauft werden*."""
    words: list[Word] = []
    for governing, step in pairwise(steps):
        assert isinstance(step.verb, GermanVerb)
        if governing.governs == "infinitive":
            form = step.verb.prefix + step.verb.infinitive
        elif step.verb is _WERDEN:
            form = "worden"
        else:
            form = step.verb.prefix + step.verb.participle
        words.append(Word(form, step.sure, step.leans_on))
    return words[::-1]


def _object_case(clause: Clause) -> str:
    return _verb(clause).case
