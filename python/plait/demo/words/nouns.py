"""Nouns by class: ``english | german | spanish``, the more frequent first.

English
    singular, and after ``/`` the plural where it is not regular; ``~`` marks a person without natural gender,
    ``mass`` a noun without plural; ``in``, ``at``, ``on`` the preposition of a place.
German
    noun, gender, then for masculine and neuter the genitive ending, then the plural (``=`` same as singular);
    ``*`` after the gender marks the weak declension (-n outside the nominative; no genitive ending is given);
    the preposition of a place comes last.
Spanish
    noun, gender (``f!``: feminine with *el*, as *el agua*); a plural after ``/`` where it is not regular. Words behind
    the head do not change, unless marked ``+`` (*puerta principal*, *puertas principales*). ``:2`` names the English
    word (from 1) that a word expresses, ``:0`` none; without it a word expresses the whole English expression.
"""

PERSON = """
man/men             | Mann m es Männer               | hombre m
woman/women         | Frau f Frauen                  | mujer f
child/children ~    | Kind n es Kinder               | niño m
teacher             | Lehrer m s =                   | profesor m
friend              | Freund m es Freunde            | amigo m
mother              | Mutter f Mütter                | madre f
doctor              | Arzt m es Ärzte                | médico m
girl                | Mädchen n s =                  | chica f
boy                 | Junge m* Jungen                | chico m
father              | Vater m s Väter                | padre m
student             | Student m* Studenten           | estudiante m
teacher             | Lehrerin f Lehrerinnen         | profesora f
neighbor            | Nachbar m* Nachbarn            | vecino m
sister              | Schwester f Schwestern         | hermana f
brother             | Bruder m s Brüder              | hermano m
boss                | Chef m s Chefs                 | jefe m
daughter            | Tochter f Töchter              | hija f
son                 | Sohn m es Söhne                | hijo m
doctor              | Ärztin f Ärztinnen             | médica f
journalist          | Journalist m* Journalisten     | periodista m
neighbor            | Nachbarin f Nachbarinnen       | vecina f
colleague           | Kollege m* Kollegen            | compañero m
customer            | Kunde m* Kunden                | cliente m
police officer      | Polizist m* Polizisten         | policía m
lawyer              | Anwalt m s Anwälte             | abogado m
colleague           | Kollegin f Kolleginnen         | compañera f
nurse               | Krankenschwester f Krankenschwestern | enfermera f
writer              | Schriftsteller m s =           | escritor m
grandmother         | Großmutter f Großmütter        | abuela f
farmer              | Bauer m* Bauern                | agricultor m
minister            | Minister m s =                 | ministro m
judge               | Richter m s =                  | juez m
baker               | Bäcker m s =                   | panadero m
bus driver          | Busfahrer m s =                | conductor:2 de:0 autobús:1 m
engineer            | Ingenieur m s Ingenieure       | ingeniero m
actress             | Schauspielerin f Schauspielerinnen | actriz f
king                | König m s Könige               | rey m
waiter              | Kellner m s =                  | camarero m
uncle               | Onkel m s =                    | tío m
aunt                | Tante f Tanten                 | tía f
lawyer              | Anwältin f Anwältinnen         | abogada f
soldier             | Soldat m* Soldaten             | soldado m
student             | Studentin f Studentinnen       | estudiante f
dentist             | Zahnarzt m es Zahnärzte        | dentista m
grandfather         | Großvater m s Großväter        | abuelo m
scientist           | Wissenschaftlerin f Wissenschaftlerinnen | científica f
queen               | Königin f Königinnen           | reina f
cook                | Koch m s Köche                 | cocinero m
singer              | Sängerin f Sängerinnen         | cantante f
mayor               | Bürgermeister m s =            | alcalde m
architect           | Architekt m* Architekten       | arquitecto m
guest ~             | Gast m es Gäste                | invitado m
husband             | Ehemann m es Ehemänner         | marido m
painter             | Maler m s =                    | pintor m
tourist             | Tourist m* Touristen           | turista m
waitress            | Kellnerin f Kellnerinnen       | camarera f
football player     | Fußballspieler m s =           | jugador:2 de:0 fútbol:1 m
wife/wives          | Ehefrau f Ehefrauen            | esposa f
translator          | Übersetzerin f Übersetzerinnen | traductora f
taxi driver         | Taxifahrer m s =               | taxista m
thief/thieves       | Dieb m es Diebe                | ladrón m
cousin              | Cousin m s Cousins             | primo m
pilot               | Pilot m* Piloten               | piloto m
gardener            | Gärtner m s =                  | jardinero m
musician            | Musiker m s =                  | músico m
nephew              | Neffe m* Neffen                | sobrino m
niece               | Nichte f Nichten               | sobrina f
saleswoman/saleswomen | Verkäuferin f Verkäuferinnen | vendedora f
director            | Direktor m s Direktoren        | director m
librarian           | Bibliothekarin f Bibliothekarinnen | bibliotecaria f
fisherman/fishermen | Fischer m s =                  | pescador m
carpenter           | Tischler m s =                 | carpintero m
tailor              | Schneider m s =                | sastre m
flight attendant    | Flugbegleiterin f Flugbegleiterinnen | azafata f
hunter              | Jäger m s =                    | cazador m
princess            | Prinzessin f Prinzessinnen     | princesa f
shoemaker           | Schuster m s =                 | zapatero m
watchmaker          | Uhrmacher m s =                | relojero m
"""

ANIMAL = """
dog           | Hund m es Hunde           | perro m
cat           | Katze f Katzen            | gato m
horse         | Pferd n es Pferde         | caballo m
bird          | Vogel m s Vögel           | pájaro m
cow           | Kuh f Kühe                | vaca f
mouse/mice    | Maus f Mäuse              | ratón m
sheep/sheep   | Schaf n es Schafe         | oveja f
pig           | Schwein n s Schweine      | cerdo m
bear          | Bär m* Bären              | oso m
wolf/wolves   | Wolf m es Wölfe           | lobo m
duck          | Ente f Enten              | pato m
goat          | Ziege f Ziegen            | cabra f
lion          | Löwe m* Löwen             | león m
rabbit        | Kaninchen n s =           | conejo m
fox           | Fuchs m es Füchse         | zorro m
elephant      | Elefant m* Elefanten      | elefante m
snake         | Schlange f Schlangen      | serpiente f
eagle         | Adler m s =               | águila f!
donkey        | Esel m s =                | burro m
frog          | Frosch m es Frösche       | rana f
spider        | Spinne f Spinnen          | araña f
squirrel      | Eichhörnchen n s =        | ardilla f
butterfly     | Schmetterling m s Schmetterlinge | mariposa f
owl           | Eule f Eulen              | búho m
parrot        | Papagei m s Papageien     | loro m
hedgehog      | Igel m s =                | erizo m
turtle        | Schildkröte f Schildkröten | tortuga f
"""

FOOD = """
bread mass    | Brot n es -               | pan m
apple         | Apfel m s Äpfel           | manzana f
cake          | Kuchen m s =              | pastel m
cheese mass   | Käse m s -                | queso m
egg           | Ei n s Eier               | huevo m
soup          | Suppe f Suppen            | sopa f
meat mass     | Fleisch n es -            | carne f
potato/potatoes | Kartoffel f Kartoffeln    | patata f
rice mass     | Reis m es -               | arroz m
salad         | Salat m es Salate         | ensalada f
tomato/tomatoes | Tomate f Tomaten          | tomate m
orange        | Orange f Orangen          | naranja f
chocolate mass | Schokolade f -           | chocolate m
sausage       | Wurst f Würste            | salchicha f
butter mass   | Butter f -                | mantequilla f
banana        | Banane f Bananen          | plátano m
ice cream mass | Eis n es -               | helado m
onion         | Zwiebel f Zwiebeln        | cebolla f
apple pie     | Apfelkuchen m s =         | tarta:2 de:0 manzana:1 f
pear          | Birne f Birnen            | pera f
honey mass    | Honig m s -               | miel f
strawberry    | Erdbeere f Erdbeeren      | fresa f
carrot        | Karotte f Karotten        | zanahoria f
tomato soup   | Tomatensuppe f Tomatensuppen | sopa:2 de:0 tomate:1 f
cookie        | Keks m es Kekse           | galleta f
lemon         | Zitrone f Zitronen        | limón m
mushroom      | Pilz m es Pilze           | seta f
cherry        | Kirsche f Kirschen        | cereza f
jam mass      | Marmelade f -             | mermelada f
vegetable soup | Gemüsesuppe f Gemüsesuppen | sopa:2 de:0 verduras:1 f
"""

DRINK = """
water mass        | Wasser n s -          | agua f!
coffee mass       | Kaffee m s -          | café m
milk mass         | Milch f -             | leche f
tea mass          | Tee m s -             | té m
wine mass         | Wein m es -           | vino m
beer mass         | Bier n es -           | cerveza f
orange juice mass | Orangensaft m es -    | zumo:2 de:0 naranja:1 m
red wine mass     | Rotwein m s -         | vino:2 tinto+:1 m
apple juice mass  | Apfelsaft m es -      | zumo:2 de:0 manzana:1 m
lemonade mass     | Limonade f -          | limonada f
mineral water mass | Mineralwasser n s -  | agua:2 mineral+:1 f!
"""

TEXT = """
book            | Buch n es Bücher           | libro m
letter          | Brief m es Briefe          | carta f
newspaper       | Zeitung f Zeitungen        | periódico m
report          | Bericht m es Berichte      | informe m
story           | Geschichte f Geschichten   | historia f
article         | Artikel m s =              | artículo m
message         | Nachricht f Nachrichten    | mensaje m
poem            | Gedicht n es Gedichte      | poema m
novel           | Roman m s Romane           | novela f
contract        | Vertrag m s Verträge       | contrato m
magazine        | Zeitschrift f Zeitschriften | revista f
postcard        | Postkarte f Postkarten     | postal f
shopping list   | Einkaufsliste f Einkaufslisten | lista:2 de:0 la:0 compra:1 f
dictionary      | Wörterbuch n es Wörterbücher | diccionario m
diary           | Tagebuch n s  Tagebücher   | diario m
recipe          | Rezept n es Rezepte        | receta f
birthday card   | Geburtstagskarte f Geburtstagskarten | tarjeta:2 de:0 cumpleaños:1 f
love letter     | Liebesbrief m es Liebesbriefe | carta:2 de:0 amor:1 f
invitation      | Einladung f Einladungen    | invitación f
travel guide    | Reiseführer m s =          | guía:2 de:0 viajes:1 f
document        | Dokument n es Dokumente    | documento m
textbook        | Lehrbuch n es Lehrbücher   | libro de:0 texto m
fairy tale      | Märchen n s =              | cuento de:0 hadas m
user manual     | Bedienungsanleitung f Bedienungsanleitungen | manual:2 de:0 usuario:1 m
cookbook        | Kochbuch n es Kochbücher   | libro de:0 cocina m
"""

THING = """
key             | Schlüssel m s =            | llave f
table           | Tisch m es Tische          | mesa f
bag             | Tasche f Taschen           | bolsa f
chair           | Stuhl m s Stühle           | silla f
picture         | Bild n es Bilder           | cuadro m
flower          | Blume f Blumen             | flor f
computer        | Computer m s =             | ordenador m
lamp            | Lampe f Lampen             | lámpara f
bottle          | Flasche f Flaschen         | botella f
box             | Kiste f Kisten             | caja f
gift            | Geschenk n s Geschenke     | regalo m
glass           | Glas n es Gläser           | vaso m
suitcase        | Koffer m s =               | maleta f
cup             | Tasse f Tassen             | taza f
ball            | Ball m s Bälle             | pelota f
clock           | Uhr f Uhren                | reloj m
camera          | Kamera f Kameras           | cámara f
knife/knives    | Messer n s =               | cuchillo m
bed             | Bett n es Betten           | cama f
ring            | Ring m es Ringe            | anillo m
umbrella        | Regenschirm m s Regenschirme | paraguas/paraguas m
cell phone      | Handy n s Handys           | teléfono:2 móvil+:1 m
map             | Landkarte f Landkarten     | mapa m
plate           | Teller m s =               | plato m
mirror          | Spiegel m s =              | espejo m
kitchen table   | Küchentisch m es Küchentische | mesa:2 de:0 cocina:1 f
guitar          | Gitarre f Gitarren         | guitarra f
ticket          | Fahrkarte f Fahrkarten     | billete m
coffee cup      | Kaffeetasse f Kaffeetassen | taza:2 de:0 café:1 f
wallet          | Brieftasche f Brieftaschen | cartera f
candle          | Kerze f Kerzen             | vela f
toy             | Spielzeug n s Spielzeuge   | juguete m
spoon           | Löffel m s =               | cuchara f
carpet          | Teppich m s Teppiche       | alfombra f
desk            | Schreibtisch m es Schreibtische | escritorio m
wine glass         | Weinglas n es Weingläser | copa:2 de:0 vino:1 f
coin            | Münze f Münzen             | moneda f
blanket         | Decke f Decken             | manta f
backpack        | Rucksack m s Rucksäcke     | mochila f
refrigerator    | Kühlschrank m s Kühlschränke | frigorífico m
washing machine | Waschmaschine f Waschmaschinen | lavadora f
toothbrush              | Zahnbürste f Zahnbürsten | cepillo de:0 dientes m
pencil          | Bleistift m es Bleistifte  | lápiz m
violin          | Geige f Geigen             | violín m
alarm clock     | Wecker m s =               | despertador m
credit card     | Kreditkarte f Kreditkarten | tarjeta:2 de:0 crédito:1 f
basket          | Korb m es Körbe            | cesta f
pillow          | Kissen n s =               | almohada f
desk lamp       | Schreibtischlampe f Schreibtischlampen | lámpara:2 de:0 escritorio:1 f
hammer          | Hammer m s Hämmer          | martillo m
bookshelf/bookshelves | Bücherregal n s Bücherregale | estantería f
tent            | Zelt n es Zelte            | tienda de:0 campaña f
fork            | Gabel f Gabeln             | tenedor m
ladder          | Leiter f Leitern           | escalera f
tennis racket   | Tennisschläger m s =       | raqueta:2 de:0 tenis:1 f
screen          | Bildschirm m s Bildschirme | pantalla f
bowl            | Schüssel f Schüsseln       | cuenco m
flower pot      | Blumentopf m s Blumentöpfe | maceta f
drum            | Trommel f Trommeln         | tambor m
"""

CLOTHING = """
shirt         | Hemd n es Hemden          | camisa f
dress         | Kleid n es Kleider        | vestido m
coat          | Mantel m s Mäntel         | abrigo m
shoe          | Schuh m s Schuhe          | zapato m
hat           | Hut m es Hüte             | sombrero m
jacket        | Jacke f Jacken            | chaqueta f
skirt         | Rock m s Röcke            | falda f
glove         | Handschuh m s Handschuhe  | guante m
sweater       | Pullover m s =            | jersey/jerséis m
scarf/scarves | Schal m s Schals          | bufanda f
raincoat      | Regenmantel m s Regenmäntel | impermeable m
boot          | Stiefel m s =             | bota f
tie           | Krawatte f Krawatten      | corbata f
bathing suit  | Badeanzug m s Badeanzüge  | traje:2 de:0 baño:1 m
wedding dress         | Hochzeitskleid n es Hochzeitskleider | vestido:2 de:0 novia:1 m
belt          | Gürtel m s =              | cinturón m
"""

VEHICLE = """
car           | Auto n s Autos            | coche m
bicycle       | Fahrrad n es Fahrräder    | bicicleta f
boat          | Boot n es Boote           | barco m
motorcycle    | Motorrad n es Motorräder  | moto/motos f
truck         | Lastwagen m s =           | camión m
sports car    | Sportwagen m s =          | coche:2 deportivo+:1 m
"""

PLACE = """
school in        | Schule f Schulen in            | escuela f
city in          | Stadt f Städte in              | ciudad f
garden in        | Garten m s Gärten in           | jardín m
kitchen in       | Küche f Küchen in              | cocina f
office in        | Büro n s Büros in              | oficina f
train station at | Bahnhof m s Bahnhöfe an        | estación:2 de:0 tren:1 f
park in          | Park m s Parks in              | parque m
hospital in      | Krankenhaus n es Krankenhäuser in | hospital m
village in       | Dorf n es Dörfer in            | pueblo m
library in       | Bibliothek f Bibliotheken in   | biblioteca f
restaurant in    | Restaurant n s Restaurants in  | restaurante m
museum in        | Museum n s Museen in           | museo m
house in         | Haus n es Häuser in            | casa f
church in        | Kirche f Kirchen in          | iglesia f
hotel in         | Hotel n s Hotels in            | hotel m
market at        | Markt m es Märkte auf          | mercado m
living room in   | Wohnzimmer n s = in            | sala de:0 estar f
beach on         | Strand m s Strände an          | playa f
airport at       | Flughafen m s Flughäfen an     | aeropuerto m
university at    | Universität f Universitäten an | universidad f
bank in          | Bank f Banken in               | banco m
forest in        | Wald m es Wälder in            | bosque m
theater in       | Theater n s = in               | teatro m
bedroom in       | Schlafzimmer n s = in          | dormitorio m
shop in          | Laden m s Läden in             | tienda f
bus stop at      | Bushaltestelle f Bushaltestellen an | parada:2 de:0 autobús:1 f
lake at          | See m s Seen an                | lago m
supermarket in   | Supermarkt m s Supermärkte in  | supermercado m
square in        | Platz m es Plätze auf          | plaza f
farm on          | Bauernhof m s Bauernhöfe auf   | granja f
river at         | Fluss m es Flüsse an           | río m
town hall in     | Rathaus n es Rathäuser in      | ayuntamiento m
cinema in        | Kino n s Kinos in              | cine m
bakery in        | Bäckerei f Bäckereien in       | panadería f
balcony on       | Balkon m s Balkone auf         | balcón m
post office in   | Postamt n es Postämter in      | oficina:2 de:0 correos:1 f
factory in       | Fabrik f Fabriken in           | fábrica f
pharmacy in      | Apotheke f Apotheken in        | farmacia f
castle in        | Schloss n es Schlösser in      | castillo m
swimming pool in | Schwimmbad n es Schwimmbäder in | piscina f
bathroom in      | Badezimmer n s = in            | cuarto de:0 baño m
classroom in     | Klassenzimmer n s = in         | aula f!
gas station at   | Tankstelle f Tankstellen an    | gasolinera f
waiting room in  | Wartezimmer n s = in           | sala:2 de:0 espera:1 f
police station in | Polizeiwache f Polizeiwachen in | comisaría f
playground at    | Spielplatz m es Spielplätze auf | parque infantil+ m
parking lot in   | Parkplatz m es Parkplätze auf  | aparcamiento m
football stadium in | Fußballstadion n s Fußballstadien in | estadio:2 de:0 fútbol:1 m
laboratory in    | Labor n s Labore in            | laboratorio m
cellar in        | Keller m s = in                | sótano m
cemetery in      | Friedhof m s Friedhöfe auf     | cementerio m
harbor in        | Hafen m s Häfen in             | puerto m
"""

BUILDING = """
door          | Tür f Türen               | puerta f
window        | Fenster n s =             | ventana f
bridge        | Brücke f Brücken          | puente m
front door    | Haustür f Haustüren       | puerta:2 principal+:1 f
wall          | Mauer f Mauern            | muro m
tower         | Turm m s Türme            | torre f
roof          | Dach n es Dächer          | tejado m
garage door   | Garagentür f Garagentüren | puerta:2 del:0 garaje:1 f
gate          | Tor n es Tore             | verja f
garden fence  | Gartenzaun m s Gartenzäune | valla:2 del:0 jardín:1 f
"""

SHOW = """
movie         | Film m s Filme            | película f
play          | Theaterstück n s Theaterstücke | obra:1 de:0 teatro:1 f
documentary   | Dokumentarfilm m s Dokumentarfilme | documental m
opera         | Oper f Opern              | ópera f
"""

EVENT = """
game            | Spiel n es Spiele          | partido m
party           | Party f Partys             | fiesta f
lesson          | Unterrichtsstunde f Unterrichtsstunden | clase f
meeting         | Besprechung f Besprechungen | reunión f
concert         | Konzert n es Konzerte      | concierto m
exam            | Prüfung f Prüfungen        | examen/exámenes m
trip            | Reise f Reisen             | viaje m
wedding         | Hochzeit f Hochzeiten      | boda f
conference      | Konferenz f Konferenzen    | conferencia f
birthday party  | Geburtstagsfeier f Geburtstagsfeiern | fiesta:2 de:0 cumpleaños:1 f
exhibition      | Ausstellung f Ausstellungen | exposición f
lecture         | Vorlesung f Vorlesungen    | conferencia f
job interview   | Vorstellungsgespräch n s Vorstellungsgespräche | entrevista:2 de:0 trabajo:1 f
football game   | Fußballspiel n es Fußballspiele | partido:2 de:0 fútbol:1 m
language course | Sprachkurs m es Sprachkurse | curso:2 de:0 idiomas:1 m
summer camp     | Sommerlager n s =          | campamento:2 de:0 verano:1 m
"""

IDEA = """
question          | Frage f Fragen             | pregunta f
problem           | Problem n s Probleme       | problema m
idea              | Idee f Ideen               | idea f
answer            | Antwort f Antworten        | respuesta f
plan              | Plan m s Pläne             | plan m
decision          | Entscheidung f Entscheidungen | decisión f
mistake           | Fehler m s =               | error m
project           | Projekt n es Projekte      | proyecto m
secret            | Geheimnis n ses Geheimnisse | secreto m
offer             | Angebot n s Angebote       | oferta f
solution          | Lösung f Lösungen          | solución f
proposal          | Vorschlag m s Vorschläge   | propuesta f
rule              | Regel f Regeln             | regla f
result            | Ergebnis n ses Ergebnisse  | resultado m
dream             | Traum m s Träume           | sueño m
law               | Gesetz n es Gesetze        | ley f
opinion           | Meinung f Meinungen        | opinión f
weather forecast  | Wettervorhersage f Wettervorhersagen | previsión del:0 tiempo f
experiment        | Experiment n s Experimente | experimento m
difference        | Unterschied m s Unterschiede | diferencia f
"""

CLASSES = {
    "person": PERSON,
    "animal": ANIMAL,
    "food": FOOD,
    "drink": DRINK,
    "text": TEXT,
    "thing": THING,
    "clothing": CLOTHING,
    "vehicle": VEHICLE,
    "place": PLACE,
    "building": BUILDING,
    "show": SHOW,
    "event": EVENT,
    "idea": IDEA,
}
