"""Draws clauses about how things are: descriptions, comparisons, professions, places, weather."""

from __future__ import annotations

from plait.demo.meaning import Clause, NounPhrase
from plait.demo.phrases import INDEFINITE, PhraseSampler

__all__ = ["StateSampler"]

_QUANTIFIED = frozenset({"many", "some", "all", "each", "number"})
_PROFESSIONS = frozenset(
    "teacher doctor student journalist lawyer nurse writer judge baker engineer actress waiter soldier dentist "
    "scientist cook singer architect painter waitress translator pilot gardener musician librarian carpenter "
    "tailor".split()
)


class StateSampler(PhraseSampler):
    """Draws clauses with *be*, *there is* and the weather, and what all clauses share: time and negation."""

    def fresh(self, frame: str) -> Clause:
        """Return a clause with anchors of its own and nothing in it."""
        fresh = self.anchors.fresh
        return Clause(frame, fresh(), fresh(), fresh(), fresh(), self.draw.below(100))

    def state(self, frame: str, *, tense: str, subject: NounPhrase | None) -> Clause:
        """Draw a clause of this frame; without a tense or a subject, draw these too."""
        clause = self.fresh(frame)
        clause.tense = tense or self.weighted((("present", 55), ("past", 45)))
        if frame == "weather":
            return self._weather(clause)
        if frame == "existence":
            return self._existence(clause)
        if frame == "identity":
            return self._identity(clause)
        clause.subject = subject or self._describable(frame)
        if frame != "located":
            clause.description = self.adjective_for(clause.subject, is_compared=frame == "comparison")
        if clause.description is None:
            clause.frame = "located"
            clause.place = self.place("at", may_be_city=clause.subject.is_human)
        elif frame == "comparison":
            clause.object = self.comparable_to(clause.subject, clause.description.adjective)
            return clause
        self.add_negation(clause)
        if not clause.is_negative and self.draw.chance(20):
            passes = clause.description is None or "be" in clause.description.adjective.flags
            clause.frequency = self.frequency("lasting" if passes else "state")
        if clause.tense == "past" and (clause.description is None or "be" in clause.description.adjective.flags):
            self.add_time(clause)
        return clause

    def _describable(self, frame: str) -> NounPhrase:
        """Draw a subject for *is*."""
        kind = self.draw.pick(
            ("person", "person", "person", "thing", "animal", "text", "idea", "vehicle", "food", "clothing")
        )
        if frame == "located" and kind in {"idea", "food"}:
            kind = "person"
        if frame != "located" and self.draw.chance(8):
            kind = "place"
        return self.subject(self.lexicon.nouns[kind])

    def _weather(self, clause: Clause) -> Clause:
        clause.verb = self.lexicon.verbs["weather"].draw(self.draw)
        clause.tense = "progressive" if clause.tense == "present" else "past"
        if self.draw.chance(40):
            place = self.place("at")
            clause.place = place if place.where.city else None
        self.add_time(clause)
        return clause

    def _existence(self, clause: Clause) -> Clause:
        noun = self.lexicon.nouns[self.draw.pick(("thing", "animal", "person"))].draw(self.draw)
        clause.object = self.noun_phrase(noun, self.draw.pick(("a", "number", "many", "some")))
        clause.place = self.place("at", may_be_city=noun.kind == "person")
        return clause

    def _identity(self, clause: Clause) -> Clause:
        clause.subject = self.someone() if self.draw.chance(60) else self.pronoun()
        clause.subject.is_plural = False
        while True:
            noun = self.lexicon.nouns["person"].draw(self.draw)
            if noun.sex == clause.subject.sex and noun.english[0][0] in _PROFESSIONS:
                break
        clause.object = self.noun_phrase(noun, "a")
        if self.draw.chance(40):
            self.describe(clause.object)
        return clause

    def add_negation(self, clause: Clause) -> None:
        """Negate, sometimes, where the scope of *not* is the same in all languages."""
        phrases = (clause.subject, clause.object)
        if any(phrase is not None and phrase.determiner in _QUANTIFIED for phrase in phrases):
            return
        if clause.subject is not None and clause.subject.determiner in INDEFINITE:
            return
        if clause.modal != "must" and clause.frame != "infinitive" and self.draw.chance(14):
            clause.is_negative = True

    def add_time(self, clause: Clause) -> None:
        """Add a time that goes with the tense, if there is one."""
        if clause.tense in {"past", "present", "future"} and clause.modal != "want":
            clause.time = self.adverb(self.lexicon.times["future" if clause.modal else clause.tense])
