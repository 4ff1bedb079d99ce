# ruff: noqa: E501 - a paradigm a line
"""Inflection in the demo grammars, against forms written down by hand."""

import pytest

from plait.demo import english_forms, german_forms, lexicon, spanish_forms, spanish_verbs


@pytest.mark.parametrize(
    ("entry", "forms"),
    [
        ("buy bought", "buy buys bought bought buying"),
        ("give gave given +up", "give gives gave given giving"),
        ("try", "try tries tried tried trying"),
        ("play", "play plays played played playing"),
        ("wash", "wash washes washed washed washing"),
        ("die", "die dies died died dying"),
        ("plan", "plan plans planned planned planning"),
        ("visit", "visit visits visited visited visiting"),
        ("run ran run", "run runs ran run running"),
        ("have had", "have has had had having"),
        ("go went gone", "go goes went gone going"),
    ],
)
def test_english_verbs(entry, forms):
    verb = english_forms.read_verb(entry)
    assert [verb.base, verb.third, verb.past, verb.participle, verb.gerund] == forms.split()


def test_english_verbs_with_particles_and_prepositions():
    verb = english_forms.read_verb("fall fell fallen +in +love with+")
    assert (verb.particles, verb.preposition) == (("in", "love"), "with")
    with pytest.raises(ValueError, match="take took taken part"):
        english_forms.read_verb("take took taken part in+")


@pytest.mark.parametrize(
    ("word", "article"),
    [
        ("apple", "an"),
        ("honest", "an"),
        ("university", "a"),
        ("European", "a"),
        ("old", "an"),
        ("useful", "a"),
        ("dog", "a"),
    ],
)
def test_english_articles(word, article):
    assert english_forms.indefinite_article(word) == article


@pytest.mark.parametrize(
    ("word", "more"), [("old", "older"), ("big", "bigger"), ("easy", "easier"), ("wise", "wiser"), ("hot", "hotter")]
)
def test_english_comparatives(word, more):
    assert english_forms.comparative(word) == more


# infinitive entry; present of ich, du, er, wir; past of ich, wir; participle
GERMAN_VERBS = {
    "kaufen": "kaufe kaufst kauft kaufen kaufte kauften gekauft",
    "arbeiten": "arbeite arbeitest arbeitet arbeiten arbeitete arbeiteten gearbeitet",
    "öffnen": "öffne öffnest öffnet öffnen öffnete öffneten geöffnet",
    "lernen": "lerne lernst lernt lernen lernte lernten gelernt",
    "wohnen": "wohne wohnst wohnt wohnen wohnte wohnten gewohnt",
    "lächeln": "lächle lächelst lächelt lächeln lächelte lächelten gelächelt",
    "füttern": "füttere fütterst füttert füttern fütterte fütterten gefüttert",
    "spielen": "spiele spielst spielt spielen spielte spielten gespielt",
    "tanzen": "tanze tanzt tanzt tanzen tanzte tanzten getanzt",
    "verkaufen": "verkaufe verkaufst verkauft verkaufen verkaufte verkauften verkauft",
    "reparieren": "repariere reparierst repariert reparieren reparierte reparierten repariert",
    "lesen liest las gelesen": "lese liest liest lesen las lasen gelesen",
    "essen isst aß gegessen": "esse isst isst essen aß aßen gegessen",
    "helfen hilft half geholfen +D": "helfe hilfst hilft helfen half halfen geholfen",
    "finden fand gefunden": "finde findest findet finden fand fanden gefunden",
    "ein|laden lädt lud geladen": "lade lädst lädt laden lud luden geladen",
    "bringen brachte gebracht": "bringe bringst bringt bringen brachte brachten gebracht",
    "wissen weiß wusste gewusst": "weiß weißt weiß wissen wusste wussten gewusst",
    "haben hat hatte gehabt": "habe hast hat haben hatte hatten gehabt",
    "sein ist war gewesen sein": "bin bist ist sind war waren gewesen",
    "werden wird wurde geworden sein": "werde wirst wird werden wurde wurden geworden",
}


@pytest.mark.parametrize("entry", GERMAN_VERBS)
def test_german_verbs(entry):
    verb = german_forms.read_verb(entry)
    present = [verb.finite("present", person, is_plural=False) for person in (1, 2, 3)]
    present.append(verb.finite("present", 1, is_plural=True))
    past = [verb.finite("past", 1, is_plural=plural) for plural in (False, True)]
    assert [*present, *past, verb.participle] == GERMAN_VERBS[entry].split()


def test_german_verbs_govern():
    verb = german_forms.read_verb("sich erinnern an+A")
    assert (verb.is_reflexive, verb.infinitive, verb.preposition, verb.case) == (True, "erinnern", "an", "A")
    verb = german_forms.read_verb("auf|stehen stand gestanden sein")
    assert (verb.prefix, verb.infinitive, verb.uses_sein, verb.past) == ("auf", "stehen", True, "stand")


@pytest.mark.parametrize(
    ("entry", "singular", "plural"),
    [
        ("Hund m es Hunde", "Hund Hund Hund Hundes", "Hunde Hunde Hunden Hunde"),
        ("Katze f Katzen", "Katze Katze Katze Katze", "Katzen Katzen Katzen Katzen"),
        ("Auto n s Autos", "Auto Auto Auto Autos", "Autos Autos Autos Autos"),
        ("Lehrer m s =", "Lehrer Lehrer Lehrer Lehrers", "Lehrer Lehrer Lehrern Lehrer"),
        ("Junge m* Jungen", "Junge Jungen Jungen Jungen", "Jungen Jungen Jungen Jungen"),
        ("Haus n es Häuser", "Haus Haus Haus Hauses", "Häuser Häuser Häusern Häuser"),
    ],
)
def test_german_nouns(entry, singular, plural):
    noun = german_forms.read_noun(entry)
    assert [noun.form(case, is_plural=False) for case in "NADG"] == singular.split()
    assert [noun.form(case, is_plural=True) for case in "NADG"] == plural.split()


# what stands before "alt-" and "Mann / Frau / Kind / Leute"
@pytest.mark.parametrize(
    ("case", "weak", "mixed", "strong"),
    [
        ("N", "der alte, die alte, das alte, die alten", "ein alter, eine alte, ein altes, keine alten", "er e es e"),
        (
            "A",
            "den alten, die alte, das alte, die alten",
            "einen alten, eine alte, ein altes, keine alten",
            "en e es e",
        ),
        (
            "D",
            "dem alten, der alten, dem alten, den alten",
            "einem alten, einer alten, einem alten, keinen alten",
            "em er em en",
        ),
        (
            "G",
            "des alten, der alten, des alten, der alten",
            "eines alten, einer alten, eines alten, keiner alten",
            "en er en er",
        ),
    ],
)
def test_german_articles_and_adjectives(case, weak, mixed, strong):
    found = [
        f"{german_forms.definite(case, key)} alt{german_forms.adjective_ending('weak', case, key)}" for key in "mfnp"
    ]
    assert ", ".join(found) == weak
    found = []
    for key in "mfnp":
        article = german_forms.determiner("kein" if key == "p" else "ein", case, key)
        found.append(f"{article} alt{german_forms.adjective_ending('mixed', case, key)}")
    assert ", ".join(found) == mixed
    assert [german_forms.adjective_ending("strong", case, key) for key in "mfnp"] == strong.split()


# infinitive entry; present, past, future of yo, tú, él, nosotros, ellos; participle, gerund
SPANISH_VERBS = {
    "comprar": "compro compras compra compramos compran | compré compraste compró compramos compraron | comprado comprando",
    "comer": "como comes come comemos comen | comí comiste comió comimos comieron | comido comiendo",
    "vivir": "vivo vives vive vivimos viven | viví viviste vivió vivimos vivieron | vivido viviendo",
    "pensar ie en+": "pienso piensas piensa pensamos piensan | pensé pensaste pensó pensamos pensaron | pensado pensando",
    "volver ue": "vuelvo vuelves vuelve volvemos vuelven | volví volviste volvió volvimos volvieron | vuelto volviendo",
    "pedir i": "pido pides pide pedimos piden | pedí pediste pidió pedimos pidieron | pedido pidiendo",
    "dormir ue": "duermo duermes duerme dormimos duermen | dormí dormiste durmió dormimos durmieron | dormido durmiendo",
    "seguir i": "sigo sigues sigue seguimos siguen | seguí seguiste siguió seguimos siguieron | seguido siguiendo",
    "elegir i": "elijo eliges elige elegimos eligen | elegí elegiste eligió elegimos eligieron | elegido eligiendo",
    "construir": "construyo construyes construye construimos construyen | "
    "construí construiste construyó construimos construyeron | construido construyendo",
    "leer": "leo lees lee leemos leen | leí leíste leyó leímos leyeron | leído leyendo",
    "conocer": "conozco conoces conoce conocemos conocen | conocí conociste conoció conocimos conocieron | conocido conociendo",
    "conducir": "conduzco conduces conduce conducimos conducen | "
    "conduje condujiste condujo condujimos condujeron | conducido conduciendo",
    "empezar ie": "empiezo empiezas empieza empezamos empiezan | empecé empezaste empezó empezamos empezaron | empezado empezando",
    "buscar": "busco buscas busca buscamos buscan | busqué buscaste buscó buscamos buscaron | buscado buscando",
    "jugar ue": "juego juegas juega jugamos juegan | jugué jugaste jugó jugamos jugaron | jugado jugando",
    "enviar í": "envío envías envía enviamos envían | envié enviaste envió enviamos enviaron | enviado enviando",
    "reír í": "río ríes ríe reímos ríen | reí reíste rio reímos rieron | reído riendo",
    "oír": "oigo oyes oye oímos oyen | oí oíste oyó oímos oyeron | oído oyendo",
    "hacer": "hago haces hace hacemos hacen | hice hiciste hizo hicimos hicieron | hecho haciendo",
    "tener": "tengo tienes tiene tenemos tienen | tuve tuviste tuvo tuvimos tuvieron | tenido teniendo",
    "decir": "digo dices dice decimos dicen | dije dijiste dijo dijimos dijeron | dicho diciendo",
    "traer": "traigo traes trae traemos traen | traje trajiste trajo trajimos trajeron | traído trayendo",
    "ir": "voy vas va vamos van | fui fuiste fue fuimos fueron | ido yendo",
    "ser": "soy eres es somos son | fui fuiste fue fuimos fueron | sido siendo",
    "estar": "estoy estás está estamos están | estuve estuviste estuvo estuvimos estuvieron | estado estando",
    "poder ue": "puedo puedes puede podemos pueden | pude pudiste pudo pudimos pudieron | podido pudiendo",
}
SLOTS = ((1, False), (2, False), (3, False), (1, True), (3, True))


@pytest.mark.parametrize("entry", SPANISH_VERBS)
def test_spanish_verbs(entry):
    verb = spanish_verbs.read_verb(entry)
    present, past, others = (part.split() for part in SPANISH_VERBS[entry].split(" | "))
    assert [verb.finite("present", person, is_plural=plural) for person, plural in SLOTS] == present
    assert [verb.finite("past", person, is_plural=plural) for person, plural in SLOTS] == past
    assert [verb.participle, verb.gerund] == others


@pytest.mark.parametrize(
    ("entry", "imperfect", "future"),
    [
        ("comprar", "compraba compraba comprábamos", "compraré comprará comprarán"),
        ("vivir", "vivía vivía vivíamos", "viviré vivirá vivirán"),
        ("ser", "era era éramos", "seré será serán"),
        ("ver", "veía veía veíamos", "veré verá verán"),
        ("tener", "tenía tenía teníamos", "tendré tendrá tendrán"),
        ("decir", "decía decía decíamos", "diré dirá dirán"),
        ("oír", "oía oía oíamos", "oiré oirá oirán"),
    ],
)
def test_spanish_imperfect_and_future(entry, imperfect, future):
    verb = spanish_verbs.read_verb(entry)
    found = [verb.finite("imperfect", *slot[:1], is_plural=slot[1]) for slot in ((1, False), (3, False), (1, True))]
    assert found == imperfect.split()
    found = [verb.finite("future", *slot[:1], is_plural=slot[1]) for slot in ((1, False), (3, False), (3, True))]
    assert found == future.split()


@pytest.mark.parametrize(
    ("entry", "forms"),
    [
        ("nuevo", "nuevo nueva nuevos nuevas"),
        ("alemán", "alemán alemana alemanes alemanas"),
        ("francés", "francés francesa franceses francesas"),
        ("español", "español española españoles españolas"),
        ("feliz", "feliz feliz felices felices"),
        ("marrón", "marrón marrón marrones marrones"),
        ("joven/jóvenes", "joven joven jóvenes jóvenes"),
        ("fácil", "fácil fácil fáciles fáciles"),
    ],
)
def test_spanish_adjectives(entry, forms):
    adjective = spanish_forms.read_adjective(entry)
    found = [adjective.form(gender, is_plural=plural) for plural in (False, True) for gender in "mf"]
    assert [" ".join(words) for words in found] == forms.split()


def test_spanish_adjectives_are_short_before_the_noun():
    good, big = spanish_forms.read_adjective("bueno"), spanish_forms.read_adjective("grande")
    assert good.form("m", is_plural=False, before_noun=True) == ("buen",)
    assert good.form("f", is_plural=False, before_noun=True) == ("buena",)
    assert good.form("m", is_plural=True, before_noun=True) == ("buenos",)
    assert big.form("f", is_plural=False, before_noun=True) == ("gran",)


@pytest.mark.parametrize(
    ("word", "plural"),
    [
        ("casa", "casas"),
        ("flor", "flores"),
        ("lápiz", "lápices"),
        ("estación", "estaciones"),
        ("autobús", "autobuses"),
        ("rey", "reyes"),
        ("examen/exámenes", "exámenes"),
        ("puerta principal+", "puertas principales"),
        ("zumo de naranja", "zumos de naranja"),
    ],
)
def test_spanish_plurals(word, plural):
    assert " ".join(spanish_forms.read_noun(tuple(word.split()), "m").plural) == plural


def test_the_tables_are_large_and_read_in_full():
    words = lexicon.load()
    nouns = sum(1 for kind in words.nouns.values() for _ in kind)
    verbs = sum(1 for frame in words.verbs.values() for _ in frame)
    adjectives = {adjective.english for described in words.adjectives.values() for adjective in described}
    assert nouns > 300
    assert verbs > 150
    assert len(adjectives) > 75
    for kind in words.nouns.values():
        for noun in kind:
            assert len(noun.spanish_expresses) == len(noun.spanish.singular) == len(noun.spanish.plural)
            assert len(noun.english[0]) == len(noun.english[1])
            assert noun.german.gender in "mfn"
            assert (noun.kind == "place") == bool(noun.preposition) == bool(noun.german.preposition)


def test_a_table_that_names_an_unknown_noun_or_word_is_an_error():
    with pytest.raises(KeyError, match="=no_such_noun"):
        lexicon._Chooser(dict(lexicon.load().nouns)).select("person =no_such_noun")
    with pytest.raises(ValueError, match="the English expression has 2 words"):
        lexicon._read_expresses(["puerta:3"], 2)
