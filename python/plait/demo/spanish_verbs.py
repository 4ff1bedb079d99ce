"""Spanish verbs: regular conjugations, vowel changes, spelling changes, irregular verbs."""

from __future__ import annotations

from dataclasses import dataclass, field

__all__ = ["SpanishVerb", "read_verb"]

# slots of the paradigms
_SLOTS = {(1, False): 0, (2, False): 1, (3, False): 2, (1, True): 3, (3, True): 4}

_PRESENT = {
    "ar": ("o", "as", "a", "amos", "an"),
    "er": ("o", "es", "e", "emos", "en"),
    "ir": ("o", "es", "e", "imos", "en"),
}
_PAST = {
    "ar": ("é", "aste", "ó", "amos", "aron"),
    "er": ("í", "iste", "ió", "imos", "ieron"),
    "ir": ("í", "iste", "ió", "imos", "ieron"),
}
_IMPERFECT = {
    "ar": ("aba", "abas", "aba", "ábamos", "aban"),
    "er": ("ía", "ías", "ía", "íamos", "ían"),
    "ir": ("ía", "ías", "ía", "íamos", "ían"),
}
_FUTURE = ("é", "ás", "á", "emos", "án")
_STRONG_PAST = ("e", "iste", "o", "imos", "ieron")

# whole paradigms
_FORMS = {
    "ser": {
        "present": "soy eres es somos son",
        "past": "fui fuiste fue fuimos fueron",
        "imperfect": "era eras era éramos eran",
    },
    "estar": {"present": "estoy estás está estamos están"},
    "ir": {
        "present": "voy vas va vamos van",
        "past": "fui fuiste fue fuimos fueron",
        "imperfect": "iba ibas iba íbamos iban",
    },
    "haber": {"present": "he has ha hemos han"},
    "dar": {"present": "doy das da damos dan", "past": "di diste dio dimos dieron"},
    "ver": {
        "present": "veo ves ve vemos ven",
        "past": "vi viste vio vimos vieron",
        "imperfect": "veía veías veía veíamos veían",
    },
    "oír": {"present": "oigo oyes oye oímos oyen", "past": "oí oíste oyó oímos oyeron"},
    "reír": {"present": "río ríes ríe reímos ríen", "past": "reí reíste rio reímos rieron"},
    "sonreír": {
        "present": "sonrío sonríes sonríe sonreímos sonríen",
        "past": "sonreí sonreíste sonrió sonreímos sonrieron",
    },
    "venir": {"present": "vengo vienes viene venimos vienen"},
    "tener": {"present": "tengo tienes tiene tenemos tienen"},
    "decir": {"present": "digo dices dice decimos dicen"},
}
_FIRST = {"hacer": "hago", "poner": "pongo", "salir": "salgo", "traer": "traigo", "caer": "caigo", "saber": "sé"}
_PAST_STEM = {
    "estar": "estuv",
    "tener": "tuv",
    "haber": "hub",
    "poder": "pud",
    "poner": "pus",
    "saber": "sup",
    "hacer": "hic",
    "querer": "quis",
    "venir": "vin",
    "decir": "dij",
    "traer": "traj",
}
_FUTURE_STEM = {
    "haber": "habr",
    "tener": "tendr",
    "poder": "podr",
    "poner": "pondr",
    "salir": "saldr",
    "venir": "vendr",
    "hacer": "har",
    "decir": "dir",
    "querer": "querr",
    "saber": "sabr",
    "oír": "oir",
    "reír": "reir",
    "sonreír": "sonreir",
}
_PARTICIPLE = {
    "abrir": "abierto",
    "escribir": "escrito",
    "describir": "descrito",
    "descubrir": "descubierto",
    "ver": "visto",
    "hacer": "hecho",
    "poner": "puesto",
    "decir": "dicho",
    "volver": "vuelto",
    "devolver": "devuelto",
    "resolver": "resuelto",
    "romper": "roto",
    "morir": "muerto",
    "imprimir": "impreso",
    "oír": "oído",
    "reír": "reído",
    "sonreír": "sonreído",
}
_GERUND = {
    "decir": "diciendo",
    "poder": "pudiendo",
    "venir": "viniendo",
    "ir": "yendo",
    "oír": "oyendo",
    "reír": "riendo",
    "sonreír": "sonriendo",
}
_CHANGES = {"ie": ("e", "ie"), "ue": ("o", "ue"), "i": ("e", "i"), "í": ("i", "í"), "ú": ("u", "ú")}


@dataclass(frozen=True)
class SpanishVerb:
    """A verb; its paradigms are made when they are first asked for.

    Parameters
    ----------
    infinitive
        Without *-se*.
    change
        Vowel change of the stressed stem: ``ie``, ``ue``, ``i``, ``í``, ``ú`` or nothing.
    is_reflexive
        *levantarse*.
    preposition
        Before the object, or the empty string.
    """

    infinitive: str
    change: str = ""
    is_reflexive: bool = False
    preposition: str = ""
    _paradigms: dict[str, tuple[str, ...]] = field(default_factory=dict, compare=False, repr=False)

    def finite(self, tense: str, person: int, *, is_plural: bool) -> str:
        """Return the form in ``present``, ``past``, ``imperfect`` or ``future``."""
        if tense not in self._paradigms:
            self._paradigms[tense] = self._paradigm(tense)
        return self._paradigms[tense][_SLOTS[person, is_plural]]

    @property
    def participle(self) -> str:
        """The past participle, masculine singular."""
        verb = self.infinitive
        if verb in _PARTICIPLE:
            return _PARTICIPLE[verb]
        stem, ending = verb[:-2], verb[-2:]
        if ending == "ar":
            return stem + "ado"
        return stem + ("ído" if stem.endswith(("a", "e", "o")) else "ido")

    @property
    def gerund(self) -> str:
        """The present participle."""
        verb = self.infinitive
        if verb in _GERUND:
            return _GERUND[verb]
        stem, ending = verb[:-2], verb[-2:]
        if ending == "ar":
            return stem + "ando"
        if ending == "ir":
            stem = self._raised(stem)
        return stem + ("yendo" if _ends_in_vowel(stem) else "iendo")

    def _paradigm(self, tense: str) -> tuple[str, ...]:
        verb = self.infinitive
        if tense in _FORMS.get(verb, {}):
            return tuple(_FORMS[verb][tense].split())
        stem, ending = verb[:-2], verb[-2:].replace("í", "i")
        if tense == "future":
            return tuple(_FUTURE_STEM.get(verb, verb) + tail for tail in _FUTURE)
        if tense == "imperfect":
            return tuple(stem + tail for tail in _IMPERFECT[ending])
        return self._present(stem, ending) if tense == "present" else self._past(stem, ending)

    def _present(self, stem: str, ending: str) -> tuple[str, ...]:
        strong = self._stressed(stem)
        if ending == "ir" and _ends_in_vowel(stem):
            strong = stem + "y"  # construyo, construimos
        stems = (strong, strong, strong, stem, strong)
        forms = [root + tail for root, tail in zip(stems, _PRESENT[ending], strict=True)]
        forms[0] = _FIRST.get(self.infinitive) or _first_person(strong, ending)
        return tuple(forms)

    def _past(self, stem: str, ending: str) -> tuple[str, ...]:
        verb = self.infinitive
        strong = stem[:-1] + "j" if verb.endswith("ducir") else _PAST_STEM.get(verb, "")
        if strong:
            forms = [strong + tail for tail in _STRONG_PAST]
            if verb == "hacer":
                forms[2] = "hizo"
            if strong.endswith("j"):
                forms[4] = strong + "eron"
            return tuple(forms)
        forms = [stem + tail for tail in _PAST[ending]]
        if ending == "ar":
            forms[0] = _before_e(stem) + "é"
        elif _ends_in_vowel(stem):
            forms[2], forms[4] = stem + "yó", stem + "yeron"
            if not stem.endswith("u"):
                forms[1], forms[3] = stem + "íste", stem + "ímos"
        elif ending == "ir":
            forms[2], forms[4] = self._raised(stem) + "ió", self._raised(stem) + "ieron"
        return tuple(forms)

    def _stressed(self, stem: str) -> str:
        """Return the stem with its vowel changed under stress: *piens-*, *vuelv-*, *envi-* to *enví-*."""
        if not self.change:
            return stem
        if self.infinitive == "jugar":
            return "jueg"
        vowel, changed = _CHANGES[self.change]
        place = stem.rindex(vowel)
        return stem[:place] + changed + stem[place + 1 :]

    def _raised(self, stem: str) -> str:
        """Return the stem of the third persons of the past and of the gerund of -ir verbs: *pid-*, *durm-*."""
        raised = {"ie": ("e", "i"), "i": ("e", "i"), "ue": ("o", "u")}.get(self.change)
        if raised is None:
            return stem
        place = stem.rindex(raised[0])
        return stem[:place] + raised[1] + stem[place + 1 :]


def read_verb(text: str) -> SpanishVerb:
    """Read a table entry such as ``pensar ie en+`` or ``levantarse``."""
    infinitive, *rest = text.split()
    is_reflexive = infinitive.endswith("se")
    preposition = "".join(word[:-1] for word in rest if word.endswith("+"))
    change = "".join(word for word in rest if not word.endswith("+"))
    return SpanishVerb(infinitive[:-2] if is_reflexive else infinitive, change, is_reflexive, preposition)


def _ends_in_vowel(stem: str) -> bool:
    """Return whether the stem ends in a vowel that sounds: *constru-*, but not *segu-*."""
    return stem.endswith(("a", "e", "o")) or (stem.endswith("u") and not stem.endswith(("gu", "qu")))


def _first_person(stem: str, ending: str) -> str:
    """Return the first person singular of the present, spelled so that the sound of the stem stays."""
    if ending == "ar":
        return stem + "o"
    if stem.endswith("gu"):
        return stem[:-1] + "o"  # sigo
    if stem.endswith("g"):
        return stem[:-1] + "jo"  # elijo
    if stem.endswith("c"):
        return stem[:-1] + ("zo" if stem[-2] in "nr" else "zco")  # convenzo, conozco
    return stem + "o"


def _before_e(stem: str) -> str:
    """Return the stem spelled so that its sound stays before e: *busqué*, *llegué*, *empecé*."""
    if stem.endswith("c"):
        return stem[:-1] + "qu"
    if stem.endswith("g"):
        return stem + "u"
    return stem[:-1] + "c" if stem.endswith("z") else stem
