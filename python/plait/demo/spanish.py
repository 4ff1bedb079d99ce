"""The Spanish grammar: dropped subjects, clitics, adjectives behind the noun, *ser* and *estar*, personal *a*."""

from __future__ import annotations

from dataclasses import dataclass

from plait.demo import spanish_forms as forms
from plait.demo.engine import Word, finish
from plait.demo.meaning import Clause, NounPhrase, Sentence
from plait.demo.spanish_phrases import adverb, agreement_of, gender_of, noun_phrase, predicate, say_place
from plait.demo.spanish_verbs import SpanishVerb, read_verb

__all__ = ["say"]

_SER = read_verb("ser")
_ESTAR = read_verb("estar")
_HABER = read_verb("haber")
_TENER = read_verb("tener")
_PODER = read_verb("poder ue")
_DEBER = read_verb("deber")
_QUERER = read_verb("querer ie")
_IR = read_verb("ir")
_CONJUNCTIONS = {
    "because": ("porque",),
    "although": ("aunque",),
    "if": ("si",),
    "while": ("mientras",),
    "when": ("cuando",),
    "that": ("que",),
    "whether": ("si",),
}
_JOINTS = {"and": "y", "but": "pero"}
_QUESTION_WORDS = {"when": ("cuándo",), "where": ("dónde",), "why": ("por", "qué")}
_SHOULD = {
    (1, False): "debería",
    (2, False): "deberías",
    (3, False): "debería",
    (1, True): "deberíamos",
    (3, True): "deberían",
}
# verbs whose subject readily stands behind them
_PRESENTING = {"llegar", "desaparecer", "empezar", "morir"}


def say(sentence: Sentence) -> list[Word]:
    """Say a meaning in Spanish."""
    first, second = sentence.first, sentence.second
    if second is None and first.question:
        opening = Word("¿", (), (sentence.end,))
        return finish(_spell([opening, *_question(first)]), Word("?", (sentence.end,)))
    if second is None:
        words = _clause(first)
    elif sentence.joint == "before":
        words = [*_subordinate(first, is_first=True), Word(",", (sentence.end + 3,)), *_clause(second)]
    elif sentence.joint == "after":
        words = [*_clause(first), *_subordinate(second)]
    else:
        pause = [Word(",", (sentence.end + 3,))] if sentence.joint == "but" else []
        words = [*_clause(first), *pause, Word(_JOINTS[sentence.joint], (sentence.end + 2,)), *_clause(second)]
    return finish(_spell(words), Word(".", (sentence.end,)))


def _spell(words: list[Word]) -> list[Word]:
    """Merge *de el*, *a el*; write *e* for *y* before i."""
    spelled: list[Word] = []
    for word in words:
        before = spelled[-1] if spelled else None
        if before is not None and word.form == "el" and before.form in {"de", "a"}:
            sure = (*before.sure, *word.sure)
            possible = before.possible if before.sure or not word.sure else ()
            spelled[-1] = Word("del" if before.form == "de" else "al", sure, possible or word.possible)
            continue
        if before is not None and before.form == "y" and _sounds_like_i(word.form.lower()):
            spelled[-1] = before._replace(form="e")
        spelled.append(word)
    return spelled


def _sounds_like_i(word: str) -> bool:
    return word.startswith(("i", "hi")) and not word.startswith("hie")


def _subordinate(clause: Clause, *, is_first: bool = False) -> list[Word]:
    words = ("como",) if is_first and clause.conjunction == "because" else _CONJUNCTIONS[clause.conjunction]
    return [*(Word(word, (clause.links,)) for word in words), *_clause(clause)]


def _clause(clause: Clause) -> list[Word]:
    subject = _subject(clause)
    group = _verb_group(clause)
    if clause.time is not None and (clause.is_time_first or clause.variant % 8 == 3):
        return [*adverb(clause.time), *subject, *group, *_rest(clause, without_time=True)]
    presents = clause.verb is not None and clause.verb.spanish.infinitive in _PRESENTING
    if clause.frame == "pleasing":
        experiencer = [] if clause.subject is None or clause.subject.is_pronoun else _to(clause.subject)
        return [*experiencer, *group, *subject, *_rest(clause)]
    if (presents and clause.variant < 60) or (clause.gap == "object" and clause.variant < 70):
        return [*group, *subject, *_rest(clause)]
    return [*subject, *group, *_rest(clause)]


def _question(clause: Clause) -> list[Word]:
    """Return a question: the subject behind the verb."""
    kind = clause.question
    front: list[Word] = []
    if kind == "who" and clause.subject is not None:
        front = [Word("quién", (clause.subject.head,))]
    elif kind in _QUESTION_WORDS:
        front = [Word(word, (clause.adverbs,)) for word in _QUESTION_WORDS[kind]]
    elif kind == "what" and clause.object is not None:
        front = [Word("qué", (clause.object.head,))]
    elif kind == "which" and clause.object is not None:
        front = _with_relative(clause.object)
    subject = [] if kind == "who" else _subject(clause)
    if clause.frame == "pleasing":
        experiencer = [] if clause.subject is None or clause.subject.is_pronoun else _to(clause.subject)
        return [*front, *_verb_group(clause), *subject, *experiencer, *_rest(clause)]
    if kind == "yes" and clause.variant < 25:
        return [*subject, *_verb_group(clause), *_rest(clause)]
    return [*front, *_verb_group(clause), *subject, *_rest(clause)]


def _with_relative(phrase: NounPhrase, *, is_generic: bool = False, drops_article: bool = False) -> list[Word]:
    words = noun_phrase(phrase, is_generic=is_generic, drops_article=drops_article)
    if phrase.relative is not None:
        words += [Word("que", (phrase.relative.links,)), *_clause(phrase.relative)]
    return words


def _nominative(clause: Clause) -> NounPhrase | None:
    """Return the phrase with which the finite verb agrees."""
    return clause.object if clause.is_passive or clause.frame == "pleasing" else clause.subject


def _subject(clause: Clause) -> list[Word]:
    phrase = _nominative(clause)
    if phrase is None or clause.frame in {"weather", "existence"} or clause.conjunction == "inf":
        return []
    if clause.gap == "subject" and not clause.is_passive:
        return []
    if phrase.is_pronoun:
        is_dropped = clause.variant % 10 < 8 or (phrase.noun is not None and phrase.noun.kind != "person")
        if is_dropped:
            return []
        return [Word(forms.SUBJECT[agreement_of(phrase)], (phrase.head,))]
    return _with_relative(phrase, is_generic=phrase.determiner == "bare")


# --- verbs


@dataclass(frozen=True, slots=True)
class _Step:
    """A verb of the group; `governs` is the form that it asks of the next one, `link` a word between them."""

    verb: SpanishVerb
    sure: tuple[int, ...]
    governs: str = ""
    link: str = ""


def _verb(clause: Clause) -> SpanishVerb:
    if clause.verb is not None:
        return clause.verb.spanish
    is_state = clause.frame == "located" or (clause.description and "be" in clause.description.adjective.flags)
    return _ESTAR if is_state and clause.frame != "comparison" else _SER


def _steps(clause: Clause) -> list[_Step]:
    group = clause.group
    steps: list[_Step] = []
    if clause.modal == "must":
        steps.append(_Step(_TENER, (group + 2,), "infinitive", "que"))
    elif clause.modal:
        verb = {"want": _QUERER, "should": _DEBER}.get(clause.modal, _PODER)
        steps.append(_Step(verb, (group + 2,), "infinitive"))
    elif clause.tense == "future" and _goes_to(clause):
        steps.append(_Step(_IR, (group,), "infinitive", "a"))
    if clause.tense in {"perfect", "pluperfect"}:
        steps.append(_Step(_HABER, (group,), "participle"))
    if clause.tense == "progressive":
        steps.append(_Step(_ESTAR, (group,), "gerund"))
    if clause.is_passive:
        steps.append(_Step(_SER, (group + 1,) if steps else (group, group + 1), "agreement"))
    particles = len(clause.verb.english.particles) if clause.verb else 0
    steps.append(_Step(_verb(clause), tuple(clause.verb_anchor + place for place in range(particles + 1))))
    return steps


def _goes_to(clause: Clause) -> bool:
    """Return whether the future is *va a comprar* rather than *comprará*."""
    return clause.variant % 2 == 0


def _tense(clause: Clause, step: _Step) -> str:
    """Return the tense of the finite verb."""
    if clause.tense in {"background", "pluperfect"}:
        return "imperfect"
    if clause.tense == "past":
        is_state = clause.verb is None or "be" in clause.verb.flags or step.verb is _QUERER
        return "imperfect" if is_state and not clause.is_passive else "past"
    return "future" if clause.tense == "future" and step.verb is not _IR else "present"


def _agreement(clause: Clause) -> tuple[int, bool]:
    phrase = _nominative(clause)
    if clause.question == "who" or clause.frame == "weather" or phrase is None:
        return 3, False
    return phrase.person, phrase.agrees_as_plural


def _verb_group(clause: Clause) -> list[Word]:
    """Return adverb of frequency, *no*, clitics and verbs."""
    if clause.frame == "existence":
        form = "hay" if clause.tense == "present" else "había"
        return [*adverb(clause.frequency), Word(form, (clause.links, clause.verb_anchor))]
    person, is_plural = _agreement(clause)
    steps = _steps(clause)
    words = [_finite(clause, steps[0], person, is_plural=is_plural)]
    for place, step in enumerate(steps[1:]):
        governing = steps[place]
        if governing.link:
            words.append(Word(governing.link, governing.sure, (clause.verb_anchor,)))
        words.append(Word(_non_finite(clause, governing.governs, step.verb), step.sure, _leans_on(clause, step)))
    before = [*adverb(clause.frequency)]
    if clause.is_negative:
        before.append(Word("no", (clause.group + 3,)))
    clitics = _clitics(clause, person, is_plural=is_plural)
    if steps[0].governs == "infinitive" and not clause.is_passive and clause.variant % 3:
        return [*before, *words[:-1], _attach(words[-1], clitics)]
    return [*before, *clitics, *words]


def _finite(clause: Clause, step: _Step, person: int, *, is_plural: bool) -> Word:
    if step.verb is _DEBER:
        form = _SHOULD[person, is_plural]
    else:
        form = step.verb.finite(_tense(clause, step), person, is_plural=is_plural)
    return Word(form, step.sure, _leans_on(clause, step))


def _leans_on(clause: Clause, step: _Step) -> tuple[int, ...]:
    return () if step.sure[0] == clause.verb_anchor else (clause.verb_anchor,)


def _non_finite(clause: Clause, governed: str, verb: SpanishVerb) -> str:
    if governed == "infinitive":
        return verb.infinitive
    if governed == "gerund":
        return verb.gerund
    if governed == "participle":
        return verb.participle
    assert clause.object is not None
    stem = verb.participle[:-1]
    vowel = "a" if gender_of(clause.object) == "f" else "o"
    return stem + vowel + ("s" if clause.object.agrees_as_plural else "")


def _clitics(clause: Clause, person: int, *, is_plural: bool) -> list[Word]:
    """Return the unstressed pronouns in their order: reflexive or dative, then accusative."""
    verb = _verb(clause)
    clitics: list[Word] = []
    if verb.is_reflexive:
        clitics.append(Word(forms.CLITIC[person, is_plural], (), (clause.verb_anchor,)))
    phrase = clause.object
    is_said = clause.gap != "object" and not clause.is_passive and clause.frame not in {"pleasing", "comparison"}
    accusative: list[Word] = []
    if phrase is not None and phrase.is_pronoun and is_said and not verb.preposition and clause.question != "what":
        accusative = [Word(forms.ACCUSATIVE[agreement_of(phrase)], (phrase.head,))]
    recipient = clause.subject if clause.frame == "pleasing" else clause.recipient
    if recipient is not None:
        form = forms.DATIVE[agreement_of(recipient)]
        form = "se" if accusative and form in {"le", "les"} else form
        anchors = ((recipient.head,), ()) if recipient.is_pronoun else ((), (recipient.head,))
        clitics.append(Word(form, *anchors))
    return [*clitics, *accusative]


def _attach(infinitive: Word, clitics: list[Word]) -> Word:
    """Join clitics to an infinitive: *verlo*, and with the accent of *dárselo*."""
    form = infinitive.form
    if len(clitics) > 1:
        form = form[:-2] + {"a": "á", "e": "é", "i": "í"}.get(form[-2], form[-2]) + form[-1]
    sure, possible = infinitive.sure, infinitive.possible
    for clitic in clitics:
        form += clitic.form
        sure += clitic.sure
    return Word(form, sure, possible)


# --- what follows the verb


def _rest(clause: Clause, *, without_time: bool = False) -> list[Word]:
    words = [*_object(clause)]
    if clause.recipient is not None and not clause.recipient.is_pronoun:
        words += _to(clause.recipient, clause.links + 2)
    if clause.is_passive and clause.subject is not None:
        words += [Word("por", (clause.links + 3,)), *_with_relative(clause.subject)]
    if clause.description is not None and clause.subject is not None:
        words += predicate(clause.description, clause.subject, is_compared=clause.frame == "comparison")
    if clause.frame == "comparison" and clause.object is not None:
        words += [Word("que", (clause.links + 3,)), *_with_relative(clause.object)]
    words += adverb(clause.manner)
    if clause.company is not None:
        words += [Word("con", (clause.adverbs + 1,)), *_with_relative(clause.company)]
    if clause.place is not None:
        words += say_place(clause.place)
    if clause.time is not None and not without_time:
        words += adverb(clause.time)
    inner = clause.complement
    if inner is None:
        return words
    if inner.conjunction != "inf":
        return [*words, *_subordinate(inner)]
    return [*words, *_infinitive(clause, inner)]


def _infinitive(clause: Clause, inner: Clause) -> list[Word]:
    """Return ``abrirla``, after a preposition where the governing verb has one: ``a abrirla``."""
    preposition = _verb(clause).preposition
    start = [Word(preposition, (inner.links + 1,), (inner.verb_anchor,))] if preposition else []
    person, is_plural = _agreement(inner)
    verb = Word(_verb(inner).infinitive, _steps(inner)[-1].sure)
    return [*start, _attach(verb, _clitics(inner, person, is_plural=is_plural)), *_rest(inner)]


def _object(clause: Clause) -> list[Word]:
    phrase = clause.object
    if phrase is None or clause.is_passive or clause.gap == "object" or clause.question in {"what", "which"}:
        return []
    if clause.frame in {"pleasing", "comparison"}:
        return []
    if clause.frame == "identity":
        return _with_relative(phrase, drops_article=not phrase.descriptions)
    preposition = _verb(clause).preposition
    if preposition:
        if phrase.is_pronoun:
            return _stressed(preposition, phrase, clause)
        return [Word(preposition, (clause.links + 2,), (clause.verb_anchor,)), *_with_relative(phrase)]
    if phrase.is_pronoun:
        return []
    takes_a = phrase.is_human and phrase.determiner != "bare" and clause.frame != "existence"
    personal = [Word("a", (), (clause.links + 2,))] if takes_a else []
    return [*personal, *_with_relative(phrase)]


def _stressed(preposition: str, phrase: NounPhrase, clause: Clause) -> list[Word]:
    """Return a preposition with a pronoun: *en ella*, *conmigo*."""
    form = forms.STRESSED[agreement_of(phrase)]
    if preposition == "con" and form in {"mí", "ti"}:
        merged = {"mí": "conmigo", "ti": "contigo"}[form]
        return [Word(merged, (clause.links + 2, phrase.head))]
    return [Word(preposition, (clause.links + 2,), (clause.verb_anchor,)), Word(form, (phrase.head,))]


def _to(phrase: NounPhrase, anchor: int = 0) -> list[Word]:
    return [Word("a", (anchor,) if anchor else ()), *_with_relative(phrase)]
