"""Draws meanings: who does what to whom, when, where, and how the sentence is put."""

from __future__ import annotations

from plait.demo.engine import Draw
from plait.demo.lexicon import Lexicon, Verb
from plait.demo.meaning import Clause, NounPhrase, Sentence
from plait.demo.phrases import Weights
from plait.demo.states import StateSampler

__all__ = ["Sampler"]

_FRAMES: Weights = (
    ("transitive", 35),
    ("prepositional", 9),
    ("ditransitive", 8),
    ("intransitive", 10),
    ("motion", 8),
    ("copula", 7),
    ("saying", 6),
    ("infinitive", 6),
    ("located", 3),
    ("comparison", 2),
    ("pleasing", 2),
    ("identity", 2),
    ("existence", 1),
    ("weather", 1),
)
# frames that also stand in clauses of longer sentences
_SIMPLE: Weights = tuple(
    (frame, weight)
    for frame, weight in _FRAMES
    if frame not in {"saying", "infinitive", "comparison", "identity", "weather"}
)
_STATES = frozenset({"copula", "comparison", "identity", "located", "existence", "weather"})
_TENSES: Weights = (("past", 42), ("present", 27), ("perfect", 13), ("future", 9), ("progressive", 9))
_MODALS: Weights = (("can", 32), ("must", 26), ("want", 24), ("should", 18))
_SUBORDINATE: Weights = (("because", 34), ("when", 26), ("although", 16), ("if", 12), ("while", 12))
_QUESTIONS: Weights = (("yes", 44), ("what", 14), ("who", 12), ("when", 10), ("where", 8), ("why", 8), ("which", 4))


class Sampler(StateSampler):
    """Draws the meaning of one sentence pair.

    Parameters
    ----------
    lexicon
        The words.
    draw
        The random draws of this pair.
    """

    def __init__(self, lexicon: Lexicon, draw: Draw) -> None:
        super().__init__(lexicon, draw)
        self._depth = 0

    def sentence(self) -> Sentence:
        """Return the meaning of a sentence: asked, with a subordinate clause, coordinated, or single."""
        end = self.anchors.fresh()
        kind = self.draw.below(100)
        if kind < 14:
            return Sentence(self._question(), end)
        if kind < 28:
            return self._with_subordinate(end)
        if kind < 36:
            return self._coordinated(end)
        clause = self._clause(self.weighted(_FRAMES))
        clause.is_time_first = clause.time is not None and self.draw.chance(30)
        return Sentence(clause, end)

    # --- sentences of two clauses, and questions

    def _with_subordinate(self, end: int) -> Sentence:
        main = self._clause(self.weighted(_SIMPLE))
        conjunction = self.weighted(_SUBORDINATE)
        if main.tense == "perfect":
            main.tense, main.frequency = "past", None
        is_past = main.tense == "past"
        main.time = None
        if (conjunction == "if" and is_past) or (conjunction == "when" and (main.modal or main.tense == "future")):
            conjunction = "because"
        if conjunction == "while":
            sub = self._action(self._activity(), tense="background" if is_past else "progressive", is_plain=True)
        else:
            subject = self.referring_to(main.subject)
            sub = self._clause(self.weighted(_SIMPLE), tense="past" if is_past else "present", subject=subject)
        sub.conjunction = conjunction
        if conjunction == "when":
            sub.is_negative, sub.time, sub.frequency = False, None, None
        if self.draw.chance(35):
            return Sentence(sub, end, main, "before")
        return Sentence(main, end, sub, "after")

    def _coordinated(self, end: int) -> Sentence:
        first = self._clause(self.weighted(_SIMPLE))
        first.time = None
        is_past = first.tense in {"past", "perfect"}
        tense = "past" if is_past else "present"
        is_action = first.verb is not None and first.frame != "pleasing" and "be" not in first.verb.flags
        is_plain = not first.is_passive and not first.modal and not first.is_negative
        can_share = first.subject is not None and first.subject.is_human
        if can_share and is_action and is_plain and self.draw.chance(60):
            first.tense, first.frequency, first.place = tense, None, first.place if first.frame == "motion" else None
            second = self._action(self._human_action(), tense=tense, subject=first.subject, is_plain=True)
            second.gap = "subject"
            return Sentence(first, end, second, "and")
        second = self._clause(self.weighted(_SIMPLE), tense=tense, subject=self.referring_to(first.subject))
        second.time = None
        return Sentence(first, end, second, self.weighted((("and", 60), ("but", 40))))

    def _question(self) -> Clause:
        kind = self.weighted(_QUESTIONS)
        if kind == "yes":
            clause = self._clause(self.weighted(_SIMPLE), may_ask_you=True)
        elif kind in {"when", "why"}:
            clause = self._clause(self.draw.pick(("transitive", "motion", "ditransitive")), may_ask_you=True)
        else:
            is_plain = kind != "where"
            clause = self._action(self._human_action(), may_ask_you=kind != "who", is_plain=is_plain)
        if kind in {"what", "which"} and (clause.object is None or clause.object.is_human):
            kind = "yes"
        clause.question = kind
        if kind in {"when", "where", "why"}:
            self._make_adverbial(clause)
        if kind == "which" and clause.object is not None:
            clause.object.determiner, clause.object.is_pronoun = "which", False
            _strip(clause.object)
            clause.object.descriptions = []
        if kind == "who":
            clause.subject = self.someone()
            clause.subject.sex = "m"
        return clause

    def _make_adverbial(self, clause: Clause) -> None:
        """Make a question for a time, a place or a reason of this clause."""
        kind = clause.question
        clause.manner = clause.frequency = None
        clause.is_negative = clause.is_negative and kind == "why"
        if clause.tense == "perfect":
            clause.tense = "past"
        if kind == "when":
            clause.time = None
        if kind == "where":
            clause.place = None

    # --- clauses

    def _clause(
        self, frame: str, *, tense: str = "", subject: NounPhrase | None = None, may_ask_you: bool = False
    ) -> Clause:
        if frame in _STATES:
            return self.state(frame, tense=tense, subject=subject)
        verb = self.lexicon.verbs[frame].draw(self.draw)
        if subject is not None and verb.subjects[0].kind != "person":
            subject = None
        clause = self._action(verb, tense=tense, subject=subject, may_ask_you=may_ask_you)
        if frame == "saying":
            self._add_reported(clause)
        if frame == "infinitive":
            self._add_infinitive(clause)
        return clause

    def _human_action(self) -> Verb:
        """Draw a transitive verb of human action."""
        while True:
            verb = self.lexicon.verbs["transitive"].draw(self.draw)
            if verb.subjects[0].kind == "person" and "be" not in verb.flags:
                return verb

    def _activity(self) -> Verb:
        """Draw a verb that has a progressive form."""
        while True:
            verb = self.lexicon.verbs[self.draw.pick(("transitive", "intransitive"))].draw(self.draw)
            if "go" in verb.flags:
                return verb

    def _action(
        self,
        verb: Verb,
        *,
        tense: str = "",
        subject: NounPhrase | None = None,
        may_ask_you: bool = False,
        is_plain: bool = False,
    ) -> Clause:
        """Draw a clause with this verb; a plain one has no adverbs, modal, negation or passive."""
        clause = self.fresh(verb.frame)
        clause.verb = verb
        clause.subject = subject or self.subject(verb.subjects, may_ask_you=may_ask_you)
        clause.tense = tense or self._tense(verb)
        if verb.objects is not None and verb.frame != "motion":
            clause.object = self.object(verb, clause.subject)
        if verb.frame == "ditransitive":
            clause.recipient = self._recipient(clause.subject)
        if verb.frame == "motion":
            clause.place = self.place("from" if self.draw.chance(12) else "to", nouns=verb.objects)
        if subject is None:
            self._decorate(clause.subject, clause)
        self._decorate(clause.object, clause)
        if clause.recipient is not None and clause.object is not None:
            clause.object.relative = None
        if not is_plain:
            self._add_passive(clause, may_change_tense=not tense and subject is None)
            self._add_modal(clause)
            self.add_negation(clause)
            self._add_adverbs(clause)
        if clause.place is not None:
            for phrase in (clause.subject, clause.object):
                if phrase is not None:
                    phrase.place = None
        return clause

    def _decorate(self, phrase: NounPhrase | None, clause: Clause) -> None:
        """Add to a noun phrase; a relative clause only where it is not within another."""
        if self.decorate(phrase) == "relative" and self._depth == 0 and phrase is not None:
            self._depth += 1
            phrase.relative = self._relative(phrase)
            self._depth -= 1

    def _relative(self, phrase: NounPhrase) -> Clause | None:
        """Draw a relative clause whose subject (people) or object (things) this phrase is."""
        noun = phrase.noun
        assert noun is not None
        if noun.kind == "person":
            clause = self._action(self._human_action(), tense="past", subject=phrase, is_plain=True)
            clause.gap = "subject"
            _strip(clause.object)
            return clause
        for _ in range(12):
            verb = self._human_action()
            if verb.objects is not None and noun in verb.objects and verb.german.case == "A":
                clause = self._action(verb, tense="past", is_plain=True)
                clause.object, clause.gap = phrase, "object"
                _strip(clause.subject)
                return clause
        return None

    def _recipient(self, subject: NounPhrase) -> NounPhrase:
        if self.draw.chance(40):
            return self.other_than(subject)
        return self.another_person(subject, self.weighted((("the", 80), ("a", 20))))

    # --- clauses within clauses

    def _add_reported(self, clause: Clause) -> None:
        """Add ``that ..`` or ``whether ..``, in a tense that follows from that of the main verb."""
        assert clause.verb is not None
        is_past = clause.tense in {"past", "perfect"}
        clause.tense = "past" if is_past else "present"
        clause.is_passive = clause.is_negative = False
        clause.modal, clause.manner, clause.place, clause.frequency = "", None, None, None
        clause.time = clause.time if is_past and self.draw.chance(40) else None
        if is_past and self.draw.chance(33):
            inner = self.state(self.draw.pick(("copula", "located")), tense="past", subject=None)
        else:
            tense = (
                self.draw.pick(("past", "pluperfect"))
                if is_past
                else self.draw.pick(("present", "past", "perfect", "future"))
            )
            inner = self._clause(self.weighted(_SIMPLE), tense=tense)
            if tense in {"pluperfect", "perfect", "future"} and (inner.verb is None or "be" in inner.verb.flags):
                inner.tense = "past" if is_past else "present"
        inner.conjunction = "whether" if "whether" in clause.verb.flags else "that"
        inner.manner = None
        if is_past:
            inner.time = None
        if inner.conjunction == "whether":
            inner.frequency, inner.is_negative = None, False
        clause.complement = inner

    def _add_infinitive(self, clause: Clause) -> None:
        """Add ``to ..`` with the same subject."""
        clause.modal, clause.manner, clause.place, clause.time, clause.frequency = "", None, None, None, None
        while True:
            frame = self.weighted((("transitive", 62), ("prepositional", 14), ("motion", 16), ("ditransitive", 8)))
            verb = self.lexicon.verbs[frame].draw(self.draw)
            if verb.subjects[0].kind == "person" and "be" not in verb.flags:
                break
        inner = self._action(verb, tense="present", subject=clause.subject, is_plain=True)
        inner.conjunction = "inf"
        clause.complement = inner

    # --- what is added to a clause

    def _tense(self, verb: Verb) -> str:
        tense = self.weighted(_TENSES)
        if tense == "progressive" and "go" not in verb.flags:
            return "past"
        if tense in {"perfect", "future"} and "be" in verb.flags:
            return "present"
        return tense

    def _add_passive(self, clause: Clause, *, may_change_tense: bool) -> None:
        """Make a clause about its object, sometimes."""
        assert clause.verb is not None
        phrase = clause.object
        fits = "by" in clause.verb.flags and phrase is not None and phrase.noun is not None and not phrase.is_human
        if phrase is None or not fits or clause.tense in {"progressive", "background"} or not self.draw.chance(24):
            return
        if clause.tense == "present" and not may_change_tense:
            return
        clause.is_passive = True
        clause.tense = "past" if clause.tense == "present" else clause.tense
        phrase.is_pronoun = False
        if phrase.determiner in {"a", "bare", "my"}:
            phrase.determiner = "the"
        agent = clause.subject
        if agent is None or agent.is_pronoun or self.draw.chance(40):
            clause.subject = None

    def _add_modal(self, clause: Clause) -> None:
        assert clause.verb is not None
        fits = clause.tense in {"present", "future"} and "be" not in clause.verb.flags
        fits = fits and (clause.subject is None or clause.subject.is_human)
        if fits and clause.frame not in {"pleasing", "saying", "infinitive"} and self.draw.chance(40):
            clause.modal = self.weighted(_MODALS)
            clause.tense = "present"
            if clause.is_passive and clause.modal == "want":
                clause.modal = "must"

    def _add_adverbs(self, clause: Clause) -> None:
        assert clause.verb is not None
        flags = clause.verb.flags
        is_human = clause.subject is not None and clause.subject.is_human
        is_state = "be" in flags
        if not is_state and clause.frame != "pleasing" and self.draw.chance(28):
            self.add_time(clause)
        if not clause.is_negative and not clause.modal and self.draw.chance(16):
            is_dated = clause.time is not None and clause.tense == "past"
            clause.frequency = self.frequency("lasting" if is_state else "dated" if is_dated else clause.tense)
        acts = clause.frame in {"transitive", "ditransitive", "motion"}
        if acts and "go" in flags and is_human and self.draw.chance(10):
            clause.manner = self.adverb(self.lexicon.manner)
        if clause.verb.english.base == "live":
            clause.place, clause.frequency = self.place("at"), None
        elif clause.frame in {"transitive", "intransitive", "prepositional"} and not is_state and self.draw.chance(20):
            clause.place = self.place("at", may_be_city=is_human)
        if clause.object is not None and clause.object.relative is not None:
            clause.place = clause.manner = clause.time = None  # they would seem to belong to the relative clause
        if clause.frame in {"intransitive", "motion"} and is_human and "go" in flags and self.draw.chance(16):
            self._add_company(clause)

    def _add_company(self, clause: Clause) -> None:
        subject = clause.subject
        if subject is not None and subject.name is None and self.draw.chance(50):
            clause.company = self.someone()
        else:
            clause.company = self.another_person(subject, "the")


def _strip(phrase: NounPhrase | None) -> None:
    """Take away what would make a clause within a clause heavy."""
    if phrase is not None:
        phrase.relative = phrase.possessor = phrase.place = None
