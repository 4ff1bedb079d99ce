# ruff: noqa: E501 - one verb a line, in columns
"""Verbs by frame: ``english | german | spanish | subjects > objects``, the more frequent first.

English
    base form; past and participle where irregular (one form serves both); ``+up`` a particle, ``for+`` a preposition.
German
    infinitive with ``|`` behind a separable prefix and ``sich`` before a reflexive; where strong or irregular: third
    person (may be left out), past, participle; ``sein`` where that is the auxiliary; ``auf+A`` a preposition with its
    case, ``+D`` a dative object.
Spanish
    infinitive (``-se``: reflexive), the vowel change of its stem (``ie``, ``ue``, ``i``, ``í``, ``ú``) and ``a+`` a
    preposition. The irregular verbs are in `plait.demo.spanish_verbs`.
Subjects, objects
    classes of `plait.demo.words.nouns`, sets of `SETS`, or single nouns (``=front_door``). Flags behind ``!``: ``go`` has
    a progressive form, ``be`` a state (Spanish imperfect for the past), ``by`` a natural passive, ``to`` only the order
    "explain something to someone", ``that`` and ``whether`` the conjunction of the clause that follows.
"""

SETS = {
    "human": "person",
    "printed": "=book =newspaper =magazine =novel =postcard =dictionary =birthday_card =travel_guide =cookbook =textbook",
    "goods": "thing clothing vehicle printed",
    "far": "=city =village =beach =lake =forest =airport =castle =farm =harbor",
    "meal": "food drink",
    "opens": "=door =window =box =letter =bottle =suitcase =shop =front_door =garage_door =gate =library",
    "built": "=house =bridge =wall =tower =church =school =hospital =castle =museum =boat =factory =garden_fence",
    "broken": "=window =glass =chair =cup =plate =lamp =mirror =clock =bottle =ladder =camera =toy =bowl =screen",
    "cleaned": "=kitchen =house =window =table =car =office =bathroom =classroom =living_room =shoe =bedroom",
    "painted": "=house =door =picture =wall =table =chair =flower =boat =castle =garden_fence =church =roof",
    "repaired": "vehicle =clock =roof =computer =door =washing_machine =bridge =lamp =camera =refrigerator =cell_phone",
    "switched": "=lamp =computer =washing_machine =desk_lamp =alarm_clock =cell_phone =camera =screen",
    "picked": "=apple =flower =strawberry =cherry =tomato =pear =mushroom =lemon",
    "cooked": "=soup =potato =rice =meat =egg =tomato_soup =vegetable_soup =sausage",
    "baked": "=bread =cake =apple_pie =cookie",
    "washed": "=shirt =car =cup =plate =dress =glass =dog =coat =sweater =apple =blanket",
    "carried": "=suitcase =box =bag =backpack =basket =chair =umbrella =table =tent =ladder =bottle",
    "driven": "=car =truck =sports_car",
    "heard": "=question =answer =bird =story =concert =message =dog =guitar",
    "discussed": "idea =report =contract =novel =article =movie =exam =trip",
    "visited": "person =museum =castle =exhibition =church =school =farm =hospital",
    "attended": "=meeting =concert =wedding =conference =lecture =party =birthday_party =language_course",
    "watched": "show =game =bird =football_game",
    "invented": "=game =story =experiment =washing_machine =toy",
    "writable": "=letter =book =report =story =article =poem =message =novel =postcard =love_letter =cookbook =recipe",
}

# subject acts on a direct object
TRANSITIVE = """
buy bought                     | kaufen                        | comprar           | human > goods meal =house !go by
see saw seen                   | sehen sieht sah gesehen       | ver               | human > person animal goods place
read read                      | lesen liest las gelesen       | leer              | human > text !go by
find found                     | finden fand gefunden          | encontrar ue      | human animal > goods =solution =mushroom !by
write wrote written            | schreiben schrieb geschrieben | escribir          | human > writable !go by
eat ate eaten                  | essen isst aß gegessen        | comer             | human > food !go by
know knew known                | kennen kannte gekannt         | conocer           | human > person place =story =book =answer =secret =rule !be
sell sold                      | verkaufen                     | vender            | human > goods food =house !go by
love                           | lieben                        | amar              | human > person !be
have had                       | haben hat hatte gehabt        | tener             | human > goods animal =idea =problem =question =house =dream !be
visit                          | besuchen                      | visitar           | human > visited !go by
open                           | öffnen                        | abrir             | human > opens !by
help                           | helfen hilft half geholfen +D | ayudar            | human > person !go
need                           | brauchen                      | necesitar         | human > goods =house =plan =answer =solution !be
drink drank drunk              | trinken trank getrunken       | beber             | human > drink !go
understand understood          | verstehen verstand verstanden | entender ie       | human > person idea =story =poem =contract !be
lose lost                      | verlieren verlor verloren     | perder ie         | human > thing clothing =game =letter =ticket
close                          | schließen schloss geschlossen | cerrar ie         | human > opens !by
call                           | an|rufen rief gerufen         | llamar            | human > person
build built                    | bauen                         | construir         | human > built !go by
cook                           | kochen                        | cocinar           | human > cooked !go by
hear heard                     | hören                         | oír               | human animal > heard
forget forgot forgotten        | vergessen vergisst vergaß vergessen | olvidar     | human > thing clothing =answer =message =birthday_card =rule
repair                         | reparieren                    | reparar           | human > repaired !go by
explain                        | erklären                      | explicar          | human > idea !by
discuss                        | besprechen bespricht besprach besprochen | discutir | human > discussed !go by
watch                          | an|sehen sieht sah gesehen    | ver               | human > watched !go
carry                          | tragen trägt trug getragen    | llevar            | human > carried !go by
wash                           | waschen wäscht wusch gewaschen | lavar            | human > washed !go by
wear wore worn                 | tragen trägt trug getragen    | llevar            | human > clothing !go
choose chose chosen            | wählen                        | elegir i          | human > goods =plan =hotel =restaurant !by
answer                         | beantworten                   | contestar         | human > =question =letter =message !by
clean +up                      | auf|räumen                    | ordenar           | human > =kitchen =house =office =classroom =living_room =bedroom =desk !go
clean                          | putzen                        | limpiar           | human > cleaned !go by
paint                          | malen                         | pintar            | human > painted !go by
solve                          | lösen                         | resolver ue       | human > =problem !by
pick +up                       | ab|holen                      | recoger           | human > person =letter =suitcase =car =ticket =cake
invite                         | ein|laden lädt lud geladen    | invitar           | human > person !by
use                            | benutzen                      | usar              | human > thing vehicle =dictionary =map !by
accept                         | an|nehmen nimmt nahm genommen | aceptar           | human > =offer =invitation =plan =proposal =decision =gift !by
sign                           | unterschreiben unterschrieb unterschrieben | firmar | human > =contract =letter =document =report =postcard !by
hide hid hidden                | verstecken                    | esconder          | human animal > thing =letter =gift =egg =diary
break broke broken             | zerbrechen zerbricht zerbrach zerbrochen | romper | human > broken !by
bake                           | backen bäckt backte gebacken  | hornear           | human > baked !go by
drive drove driven             | fahren fährt fuhr gefahren    | conducir          | human > driven !go
switch +on                     | ein|schalten                  | encender ie       | human > switched
switch +off                    | aus|schalten                  | apagar            | human > switched
protect                        | beschützen                    | proteger          | human animal > person animal !by
feed fed                       | füttern                       | alimentar         | human > animal !go by
describe                       | beschreiben beschrieb beschrieben | describir     | human > person place idea thing !by
translate                      | übersetzen                    | traducir          | human > text !go by
steal stole stolen             | stehlen stiehlt stahl gestohlen | robar           | human > goods !by
greet                          | begrüßen                      | saludar           | human > person
organize                       | organisieren                  | organizar         | human > event !go by
criticize                      | kritisieren                   | criticar          | human > idea person =report =movie =book !by
follow                         | folgen +D sein                | seguir i          | human animal > person animal =car =rule =map
interrupt                      | unterbrechen unterbricht unterbrach unterbrochen | interrumpir | human > person =meeting =lesson =concert =game !by
surprise                       | überraschen                   | sorprender        | human =question =answer =result =letter =story > person !by
destroy                        | zerstören                     | destruir          | human > built thing !by
discover                       | entdecken                     | descubrir         | human > =mistake =secret =castle =solution =lake =letter !by
chase                          | jagen                         | perseguir i       | animal > animal !go
bite bit bitten                | beißen biss gebissen          | morder ue         | animal > person animal !by
try +on                        | an|probieren                  | probarse ue       | human > clothing
fill +out                      | aus|füllen                    | rellenar          | human > =document
give gave given +up            | auf|geben gibt gab gegeben    | abandonar         | human > =plan =project =dream =trip !by
put put +on                    | an|ziehen zog gezogen         | ponerse           | human > clothing
take took taken +off           | aus|ziehen zog gezogen        | quitarse          | human > clothing
throw threw thrown +away       | weg|werfen wirft warf geworfen | tirar            | human > text thing
wake woke woken +up            | auf|wecken                    | despertar ie      | human animal =alarm_clock > person
invent                         | erfinden erfand erfunden      | inventar          | human > invented !by
correct                        | korrigieren                   | corregir i        | human > =mistake =exam =report text =article !go by
prepare                        | vor|bereiten                  | preparar          | human > event =report =experiment !go by
reject                         | ab|lehnen                     | rechazar          | human > =offer =proposal =plan =invitation =law =project !by
pack                           | packen                        | hacer             | human > =suitcase
rent                           | mieten                        | alquilar          | human > =house =car =boat =office =bicycle
admire                         | bewundern                     | admirar           | human > person =castle =picture =novel !by
decorate                       | schmücken                     | decorar           | human > =house =classroom =church =cake =table
print                          | drucken                       | imprimir          | human > =book =document =newspaper =invitation =message !by
examine                        | untersuchen                   | examinar          | human > person animal =document !by
share                          | teilen                        | compartir         | human > food =secret =idea =office
sweep swept                    | fegen                         | barrer            | human > =kitchen =classroom =bakery =balcony
"""

# the object stands behind a preposition in at least one of the languages
PREPOSITIONAL = """
look for+                      | suchen                        | buscar            | human animal > goods person =solution =house !go
meet met                       | treffen trifft traf getroffen | encontrarse ue con+ | human > person
wait for+                      | warten auf+A                  | esperar           | human > person =letter =answer =result =decision !go
attend                         | besuchen                      | asistir a+        | human > attended
listen to+                     | zu|hören +D                   | escuchar          | human > person !go
think thought about+           | denken dachte gedacht an+A    | pensar ie en+     | human > person idea event !go
talk about+                    | sprechen spricht sprach gesprochen über+A | hablar de+ | human > person idea event show place !go
look at+                       | an|schauen                    | mirar             | human > person text =picture =map =clock =flower !go
remember                       | sich erinnern an+A            | recordar ue       | human > person idea event =story !be
dream of+                      | träumen von+D                 | soñar ue con+     | human > person =trip !go
ask for+                       | bitten bat gebeten um+A       | pedir i           | human > =answer =water =coffee =bread =invitation =contract
work on+                       | arbeiten an+D                 | trabajar en+      | human > text idea !go
belong to+                     | gehören +D                    | pertenecer a+     | goods =house > person !be
pay paid for+                  | bezahlen                      | pagar             | human > meal goods
laugh at+                      | lachen über+A                 | reírse í de+      | human > =story =mistake =movie =answer =question !go
take took taken +part in+       | teil|nehmen nimmt nahm genommen an+D | participar en+ | human > =meeting =conference =game =experiment =project =language_course
depend on+                     | ab|hängen hing gehangen von+D | depender de+      | =decision =plan =result =solution =project =trip > person =answer =decision =result =offer =law !be
take took taken +care of+       | sich kümmern um+A             | cuidar            | human > person animal =garden !go
apologize to+                  | sich entschuldigen bei+D      | disculparse con+  | human > person
complain about+                | sich beschweren über+A        | quejarse de+      | human > person idea food =hotel =restaurant !go
play with+                     | spielen mit+D                 | jugar ue con+     | =child =boy =girl =dog =cat =son =daughter =niece =nephew > person animal =ball =toy !go
dance with+                    | tanzen mit+D                  | bailar con+       | human > person !go
fall fell fallen +in +love with+ | sich verlieben in+A           | enamorarse de+    | human > person
believe in+                    | glauben an+A                  | creer en+         | human > idea
search for+                    | suchen nach+D                 | buscar            | human animal > person =key =solution =answer =ring =wallet !go
congratulate                   | gratulieren +D                | felicitar         | human > person
trust                          | vertrauen +D                  | confiar í en+     | human > person !be
"""

# recipient in the dative, thing in the accusative
DITRANSITIVE = """
give gave given                | geben gibt gab gegeben        | dar               | human > goods food
show showed shown              | zeigen                        | mostrar ue        | human > goods =house =garden =city =mistake
send sent                      | schicken                      | enviar í          | human > text =gift =flower =invitation =suitcase
explain                        | erklären                      | explicar          | human > idea =story =contract !to
bring brought                  | bringen brachte gebracht      | traer             | human > goods meal
sell sold                      | verkaufen                     | vender            | human > goods =house
lend lent                      | leihen lieh geliehen          | prestar           | human > thing text vehicle clothing
tell told                      | erzählen                      | contar ue         | human > =story =secret =dream =fairy_tale
offer                          | an|bieten bot geboten         | ofrecer           | human > meal =solution =gift =ticket =contract
promise                        | versprechen verspricht versprach versprochen | prometer | human > =gift =trip =solution =answer =bicycle
write wrote written            | schreiben schrieb geschrieben | escribir          | human > =letter =poem =message =postcard =love_letter
recommend                      | empfehlen empfiehlt empfahl empfohlen | recomendar ie | human > =book =restaurant =movie =hotel =novel =museum =soup =wine !to
return                         | zurück|geben gibt gab gegeben | devolver ue       | human > thing text vehicle !to
"""

INTRANSITIVE = """
sleep slept                    | schlafen schläft schlief geschlafen | dormir ue   | human animal !go
work                           | arbeiten                      | trabajar          | human !go
live                           | wohnen                        | vivir             | human !be
wait                           | warten                        | esperar           | human animal !go
laugh                          | lachen                        | reír í            | human !go
play                           | spielen                       | jugar ue          | =child =boy =girl =dog =cat =son =daughter =bear =nephew =niece =fox !go
sing sang sung                 | singen sang gesungen          | cantar            | human =bird !go
eat ate eaten                  | essen isst aß gegessen        | comer             | human animal !go
read read                      | lesen liest las gelesen       | leer              | human !go
study                          | lernen                        | estudiar          | =student =son =daughter =girl =boy =nephew =niece !go
cry                            | weinen                        | llorar            | =child =girl =boy =woman =man =princess !go
swim swam swum                 | schwimmen schwamm geschwommen sein | nadar        | human =dog =duck =bear =frog =turtle !go
dance                          | tanzen                        | bailar            | human !go
stay                           | bleiben blieb geblieben sein  | quedarse          | human animal
die                            | sterben stirbt starb gestorben sein | morir ue    | =king =queen =grandfather animal
cook                           | kochen                        | cocinar           | human !go
smoke                          | rauchen                       | fumar             | human !go
sit sat +down                  | sich setzen                   | sentarse ie       | human
get got gotten +up             | auf|stehen stand gestanden sein | levantarse      | human
fall fell fallen +asleep       | ein|schlafen schläft schlief geschlafen sein | dormirse ue | human animal
disappear                      | verschwinden verschwand verschwunden sein | desaparecer | human animal goods =problem
wake woke woken +up            | auf|wachen sein               | despertarse ie    | human animal
start                          | beginnen begann begonnen      | empezar ie        | event show
rest                           | sich aus|ruhen                | descansar         | human animal !go
fly flew flown                 | fliegen flog geflogen sein    | volar ue          | =bird =eagle =duck =owl =butterfly =parrot !go
smile                          | lächeln                       | sonreír í         | human
arrive                         | an|kommen kam gekommen sein   | llegar            | human vehicle =letter =guest
get got gotten +married        | heiraten                      | casarse           | human
"""

# to a place or a city; the objects are the places, if not all fit
MOTION = """
go went gone                   | gehen ging gegangen sein      | ir                | human !go
travel                         | reisen sein                   | viajar            | human > far !go
run ran run                    | laufen läuft lief gelaufen sein | correr          | human animal !go
drive drove driven             | fahren fährt fuhr gefahren sein | conducir        | human > far !go
come came come                 | kommen kam gekommen sein      | venir             | human
return                         | zurück|kehren sein            | volver ue         | human
walk                           | laufen läuft lief gelaufen sein | caminar         | human !go
move                           | ziehen zog gezogen sein       | mudarse           | human > far
hurry                          | eilen sein                    | apresurarse       | human
"""

# reported or asked clauses
SAYING = """
say said                       | sagen                         | decir             | human !that
think thought                  | denken dachte gedacht         | pensar ie         | human !that be
know knew known                | wissen weiß wusste gewusst    | saber             | human !that be
believe                        | glauben                       | creer             | human !that be be
hear heard                     | hören                         | oír               | human !that
ask                            | fragen                        | preguntar         | human !whether
write wrote written            | schreiben schrieb geschrieben | escribir          | human !that
notice                         | bemerken                      | notar             | human !that
explain                        | erklären                      | explicar          | human !that
forget forgot forgotten        | vergessen vergisst vergaß vergessen | olvidar     | human !that
claim                          | behaupten                     | afirmar           | human !that
discover                       | entdecken                     | descubrir         | human !that
wonder                         | sich fragen                   | preguntarse       | human !whether be
"""

# an infinitive with to / zu / (nothing or a preposition)
INFINITIVE = """
try                            | versuchen                     | intentar          | human
begin began begun              | beginnen begann begonnen      | empezar ie a+     | human
forget forgot forgotten        | vergessen vergisst vergaß vergessen | olvidar     | human
promise                        | versprechen verspricht versprach versprochen | prometer | human
decide                         | beschließen beschloss beschlossen | decidir       | human
plan                           | planen                        | planear           | human
hope                           | hoffen                        | esperar           | human
learn                          | lernen                        | aprender a+       | human
refuse                         | sich weigern                  | negarse ie a+     | human
offer                          | an|bieten bot geboten         | ofrecerse a+      | human
"""

# the thing that pleases is the subject in German and Spanish
PLEASING = """
like                           | gefallen gefällt gefiel gefallen | gustar         | human > text show thing clothing place idea vehicle
"""

# no one does it
WEATHER = """
rain                           | regnen                        | llover ue         | !go
snow                           | schneien                      | nevar ie          | !go
"""

FRAMES = {
    "transitive": TRANSITIVE,
    "prepositional": PREPOSITIONAL,
    "ditransitive": DITRANSITIVE,
    "intransitive": INTRANSITIVE,
    "motion": MOTION,
    "saying": SAYING,
    "infinitive": INFINITIVE,
    "pleasing": PLEASING,
    "weather": WEATHER,
}
