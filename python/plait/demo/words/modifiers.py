# ruff: noqa: E501 - one adjective a line, in columns
"""Adjectives, adverbs, times and the small closed classes: ``english | german | spanish``, the more frequent first.

Numbers behind ``:`` name the English words (from 1) that a German or Spanish word expresses, ``:0`` none; without them
words go one to one where both sides have equally many, and otherwise each expresses the whole.
"""

# english (``+er``: compared with -er; ``=better``: irregular) | german (``=besser``) | spanish (``=mejor``) | nouns.
# Flags: ``be`` Spanish estar; ``pre`` may stand before the Spanish noun; ``in`` stands next to the noun (colour, origin);
# ``no`` is not compared.
ADJECTIVES = """
new +er       | neu                  | nuevo           | goods =house =idea =plan place !pre
old +er       | alt =älter           | viejo           | person animal goods place building !pre
big +er       | groß =größer         | grande          | thing clothing vehicle animal place building =book =dictionary =problem =party =mistake
small +er     | klein                | pequeño         | thing clothing vehicle animal place building =book =dictionary !pre
good =better  | gut =besser          | bueno =mejor    | =book =idea =plan =doctor =teacher =friend =hotel =restaurant =wine =story =answer !pre
beautiful     | schön                | hermoso         | =woman =picture place clothing =flower =girl =bird =poem =horse =princess !pre
young +er     | jung =jünger         | joven/jóvenes   | person animal
important     | wichtig              | importante      | idea =book =meeting =document =letter =exam =conference
long +er      | lang =länger         | largo           | text event =bridge =dress =skirt =ladder
expensive     | teuer:teur           | caro            | goods meal =hotel =house =restaurant
red +er       | rot                  | rojo            | goods =apple =house =flower !in no
difficult     | schwierig            | difícil         | idea =exam =book text =game =lesson
famous        | berühmt              | famoso          | person =picture =castle =novel =museum =story
tired         | müde:müd              | cansado         | person animal !be
short +er     | kurz =kürzer         | corto           | text =trip =meeting =dress =skirt =movie =lesson
black +er     | schwarz              | negro           | clothing thing vehicle =cat =dog =horse !in no
rich +er      | reich                | rico            | person
happy +er     | glücklich            | feliz           | person
white +er     | weiß                 | blanco          | clothing thing =house =horse =flower =wall !in no
cheap +er     | billig               | barato          | goods meal =hotel
interesting   | interessant          | interesante     | text show idea event =museum =city
strong +er    | stark =stärker       | fuerte          | person =coffee =horse =bear =wall
German        | deutsch              | alemán          | person =beer =car =book =newspaper =cheese =castle !in no
sick +er      | krank =kränker       | enfermo         | person animal !be
poor +er      | arm =ärmer           | pobre           | person =village
green +er     | grün                 | verde           | clothing thing =door =apple =forest !in no
cold +er      | kalt =kälter         | frío            | drink =soup =meat !be
quiet +er     | ruhig                | tranquilo       | person place
blue +er      | blau                 | azul            | clothing thing vehicle =door =lake !in no
bad =worse    | schlecht =schlechter | malo =peor      | =idea =plan =hotel =restaurant =movie =result !pre
open          | offen                | abierto         | =door =window =gate =shop =front_door !be no
closed        | geschlossen          | cerrado         | =door =window =gate =shop =museum =library =bakery !be no
friendly =friendlier | freundlich    | amable          | person
full          | voll                 | lleno           | =glass =bottle =suitcase =basket =bag =box =cup =bus_stop !be no
hot +er       | heiß                 | caliente        | drink =soup =potato !be
heavy +er     | schwer               | pesado          | =suitcase =box =bag =table =backpack =book =basket
empty         | leer                 | vacío           | =glass =bottle =suitcase =house =box =church =beach =theater !be no
modern        | modern               | moderno         | =house =hotel =kitchen =hospital =museum =office =city =school =train_station
Spanish       | spanisch             | español         | person =wine =guitar =restaurant =book =cheese =newspaper !in no
easy +er      | leicht               | fácil           | =question =exam =book =game =recipe =lesson =solution
dangerous     | gefährlich           | peligroso       | animal =trip =experiment =plan =man =river =game
clean +er     | sauber               | limpio          | clothing =kitchen =glass =plate =hotel =beach =cup !be
dark +er      | dunkel:dunkl         | oscuro          | =house =cellar =forest =church
French        | französisch          | francés         | person =wine =cheese =novel =restaurant =book =car !in no
famous        | bekannt              | conocido        | =singer =actress =writer =painter =architect =poem =museum
intelligent   | intelligent          | inteligente     | person =dog =question =answer =parrot
yellow +er    | gelb                 | amarillo        | clothing =flower =house =umbrella =car =bird !in no
broken        | kaputt               | roto            | =chair =window =lamp =glass =clock =cup =toy =camera =washing_machine !be no
round +er     | rund                 | redondo         | =table =mirror =window =tower =carpet =box =ball !in no
nervous       | nervös               | nervioso        | person =horse =dog !be
fast +er      | schnell              | rápido          | =car =horse =sports_car =boat =motorcycle =computer
wooden        | hölzern              | de_madera       | =table =chair =box =bridge =spoon =house =ladder =door !in no
boring        | langweilig           | aburrido        | text show event
warm +er      | warm =wärmer         | caliente        | =coat =soup =blanket =milk =bread =bathroom !be
brave +er     | mutig                | valiente        | person =dog
fresh +er     | frisch               | fresco          | =bread =milk =egg =apple =salad =cheese =butter =tomato
narrow +er    | schmal               | estrecho        | =bridge =door =bed =window =river =balcony
wet +er       | nass =nasser         | mojado          | clothing =dog =carpet =blanket =tent !be
brown         | braun                | marrón          | =dog =horse =coat =bag =shoe =bear =jacket =boot !in no
hungry =hungrier | hungrig           | hambriento      | =child =dog =wolf =lion =bear =cat =boy =tourist =soldier !be
generous      | großzügig            | generoso        | person =offer
deep +er      | tief                 | profundo        | =lake =river =forest =cellar =swimming_pool
Italian       | italienisch          | italiano        | person =wine =car =restaurant =recipe =shoe =opera =dictionary !in no
sad +er       | traurig              | triste          | person =story =poem =novel =movie =princess
wise +er      | weise:weis           | sabio           | =king =queen =woman =man =decision =judge =grandmother =owl
sweet +er     | süß                  | dulce           | =apple =cake =wine =orange_juice =pear =cherry =tea =lemonade
lazy =lazier  | faul                 | perezoso        | =student =cat =son =donkey =waiter =dog =brother
polite        | höflich              | educado         | person
clever        | klug =klüger         | listo           | =girl =fox =boy =idea =plan =student =lawyer =dog =parrot
strange +er   | seltsam              | extraño         | =man =woman =dream =story =message =answer =bird =picture
comfortable   | bequem               | cómodo          | =chair =bed =shoe =hotel =car =pillow =bicycle =living_room
dirty =dirtier | schmutzig           | sucio           | clothing =plate =kitchen =window =shoe =cup =car =glass !be
English       | englisch             | inglés          | person =newspaper =book =tea =garden =dictionary =novel !in no
loud +er      | laut                 | ruidoso         | =party =concert =city =neighbor =restaurant =washing_machine =child
useful        | nützlich             | útil            | =dictionary =book =idea =map =knife =answer =rule
fat =fatter   | dick                 | gordo           | =cat =man =cook =pig =dog =mouse
secret        | geheim               | secreto         | =message =plan =meeting =letter =document =recipe !in no
thirsty =thirstier | durstig         | sediento        | =horse =dog =child =tourist =hunter =cow =donkey =elephant !be
ripe +er      | reif                 | maduro          | =apple =pear =tomato =banana =cherry =strawberry =orange !be
careful       | vorsichtig           | prudente        | =bus_driver =pilot =man =woman =taxi_driver
jealous       | eifersüchtig         | celoso          | =man =woman =husband =wife =singer =king !be
gray          | grau                 | gris            | =cat =mouse =coat =horse =donkey =wolf =house =sweater !in no
curious       | neugierig            | curioso         | =child =neighbor =cat =journalist =girl =boy =tourist =squirrel
stubborn      | stur                 | terco           | =donkey =boss =child =father =uncle =goat =minister
silver        | silbern              | de_plata        | =ring =spoon =coin =cup =knife =fork !in no
honest        | ehrlich              | honesto         | =man =judge =answer =lawyer =mayor =thief =friend =minister
bitter        | bitter               | amargo          | =coffee =tea =beer =chocolate =lemon
"""

# at which place of the clause: always before the verb in English
FREQUENCY = """
often    | oft     | a menudo
always   | immer   | siempre
already  | schon   | ya
never    | nie     | nunca
also     | auch    | también
sometimes | manchmal | a veces
still    | noch    | todavía
usually  | gewöhnlich | normalmente
probably | wahrscheinlich | probablemente
rarely   | selten  | raramente
"""

MANNER = """
quickly    | schnell     | rápidamente
slowly     | langsam     | lentamente
carefully  | vorsichtig  | con cuidado
immediately | sofort     | inmediatamente
secretly   | heimlich    | en secreto
quietly    | leise       | en silencio
patiently  | geduldig    | con paciencia
"""

# verb is in the past, the present or the future
TIMES = {
    "past": """
yesterday            | gestern                   | ayer
last week            | letzte Woche              | la:0 semana:2 pasada:1
in the morning       | am:1,2 Morgen:3           | por la mañana
last year            | letztes Jahr              | el:0 año:2 pasado:1
last night           | gestern:1 Nacht:2         | anoche
on Monday            | am Montag                 | el lunes
two years ago        | vor:3 zwei:1 Jahren:2     | hace:3 dos:1 años:2
in the summer        | im:1,2 Sommer:3           | en:1 verano:3
this morning         | heute:1 Morgen:2          | esta mañana
on Friday            | am Freitag                | el viernes
after the meeting    | nach der Besprechung      | después:1 de:1 la:2 reunión:3
the day before yesterday | vorgestern            | anteayer
at night             | in:1 der:0 Nacht:2        | por:1 la:0 noche:2
on Wednesday         | am Mittwoch               | el miércoles
three days ago       | vor:3 drei:1 Tagen:2      | hace:3 tres:1 días:2
before the exam      | vor der Prüfung           | antes:1 del:1,2 examen:3
on Saturday          | am Samstag                | el sábado
at eight o'clock     | um acht Uhr               | a:1 las:3 ocho:2
a month ago          | vor:3 einem:1 Monat:2     | hace:3 un:1 mes:2
on Sunday            | am Sonntag                | el domingo
during the war       | während des Krieges       | durante la guerra
last winter          | letzten Winter            | el:0 invierno:2 pasado:1
at noon              | um:1 zwölf:2 Uhr:2        | al:1 mediodía:2
in the spring        | im:1,2 Frühling:3         | en:1 primavera:3
after dinner         | nach:1 dem:0 Abendessen:2 | después:1 de:1 la:0 cena:2
on Thursday          | am Donnerstag             | el jueves
in the fall          | im:1,2 Herbst:3           | en:1 otoño:3
at midnight          | um:1 Mitternacht:2        | a:1 medianoche:2
""",
    "present": """
today                | heute                     | hoy
every day            | jeden Tag                 | todos:1 los:0 días:2
in the evening       | am:1,2 Abend:3            | por la tarde
now                  | jetzt                     | ahora
on Sundays           | sonntags                  | los domingos
every week           | jede Woche                | cada semana
at the weekend       | am:1,2 Wochenende:3       | el:2 fin:3 de:3 semana:3
every year           | jedes Jahr                | todos:1 los:0 años:2
in the afternoon     | am:1,2 Nachmittag:3       | por la tarde
in the winter        | im:1,2 Winter:3           | en:1 invierno:3
twice a week         | zweimal:1 pro:2 Woche:3   | dos:1 veces:1 por:2 semana:3
after work           | nach:1 der:0 Arbeit:2     | después:1 del:0 trabajo:2
every morning        | jeden Morgen              | todas:1 las:0 mañanas:2
""",
    "future": """
tomorrow             | morgen                    | mañana
next week            | nächste Woche             | la:0 semana:2 próxima:1
soon                 | bald                      | pronto
next year            | nächstes Jahr             | el:0 año:2 próximo:1
on Tuesday           | am Dienstag               | el martes
in two weeks         | in zwei Wochen            | dentro:1 de:1 dos:2 semanas:3
tonight              | heute Abend               | esta noche
the day after tomorrow | übermorgen              | pasado mañana
in an hour           | in einer Stunde           | dentro:1 de:1 una:2 hora:3
tomorrow morning     | morgen:1 früh:2           | mañana:1 por:2 la:2 mañana:2
next month           | nächsten Monat            | el:0 mes:2 próximo:1
next spring          | nächsten Frühling         | la:0 primavera:2 próxima:1
""",
}

# two .. twelve, then the rarer ones
NUMBERS = """
two | zwei | dos
three | drei | tres
four | vier | cuatro
five | fünf | cinco
six | sechs | seis
ten | zehn | diez
seven | sieben | siete
eight | acht | ocho
twelve | zwölf | doce
nine | neun | nueve
twenty | zwanzig | veinte
eleven | elf | once
fifteen | fünfzehn | quince
thirty | dreißig | treinta
fifty | fünfzig | cincuenta
"""

# name sex
PEOPLE = """
Anna f, Peter m, Maria f, Paul m, Laura f, David m, Julia f, Martin m, Sophia f, Daniel m, Eva f, Robert m, Clara f,
Simon m, Elena f, Philip m, Irene f, Oliver m, Nora f, Victor m, Rosa f, Albert m, Helena f, Leo m, Carmen f, Adam m,
Olivia f, Felipe m, Diana f, Bruno m, Monica f, Hugo m, Teresa f, Otto m, Valeria f, Karl m, Emilia f, Rafael m,
Isabel f, Anton m, Camila f, Samuel m, Ingrid f, Gustav m, Amelia f, Hector m, Matilda f, Benjamin m, Ursula f, Pablo m,
Greta f, Fernando m, Astrid f, Konrad m, Silvia f, Edgar m, Bianca f, Manuel m, Renata f, Erwin m, Ramona f, Walter m
"""

CITIES = """
Berlin | Berlin | Berlín
Madrid | Madrid | Madrid
London | London | Londres
Paris | Paris | París
Vienna | Wien | Viena
Barcelona | Barcelona | Barcelona
Munich | München | Múnich
Rome | Rom | Roma
Hamburg | Hamburg | Hamburgo
Seville | Sevilla | Sevilla
New York | New York | Nueva York
Prague | Prag | Praga
Lisbon | Lissabon | Lisboa
Cologne | Köln | Colonia
Zurich | Zürich | Zúrich
Athens | Athen | Atenas
Geneva | Genf | Ginebra
Moscow | Moskau | Moscú
Brussels | Brüssel | Bruselas
Buenos Aires | Buenos Aires | Buenos Aires
Warsaw | Warschau | Varsovia
Granada | Granada | Granada
Milan | Mailand | Milán
Dresden | Dresden | Dresde
Copenhagen | Kopenhagen | Copenhague
Venice | Venedig | Venecia
Naples | Neapel | Nápoles
Budapest | Budapest | Budapest
Lima | Lima | Lima
Florence | Florenz | Florencia
Basel | Basel | Basilea
Bogota | Bogotá | Bogotá
Stockholm | Stockholm | Estocolmo
Frankfurt | Frankfurt | Fráncfort
Havana | Havanna | La Habana
Nuremberg | Nürnberg | Núremberg
"""
