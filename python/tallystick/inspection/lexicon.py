# SPDX-License-Identifier: Apache-2.0
"""Words that names and addresses often have, in several languages: data."""

from __future__ import annotations

_GIVEN_NAMES = """
adam agnieszka ahmed aino alejandro alessandro alexander alexandra ali alice amelia amy ana
anders andrea andreas andrew angela anita anna anne anni antonio antti anton ashley barbara
benjamin bernd bianca birgit bjorn brian bruno camille carla carlos carmen caroline catherine
charles charlotte chiara chloe christian christina christine christopher claire claudia
courtney daniel daniela david deborah dennis diego dimitri dominik dorothy edward elena elias
elisabeth elizabeth ella ellen emilia emily emma eric erik ethan eva fatima felix fernando
florian francesca francesco francisco frank franziska gabriel george georgia gerhard giorgio
giulia grace grzegorz gustav hannah hans harry heather heike heinz helen helena helga henri
henrik hiroshi hugo ibrahim ingrid irina isabel isabella ivan jack jacob jakob james jan jana
jane jason javier jean jennifer jens jessica jim joao joe johan johanna john jonas jorge jose
joseph joshua juan juha julia julian julie karen karin karl katarzyna katharina kathleen katja
kevin klaus krzysztof lara lars laura lauren lea lena leon leonie liam linda lisa louis louise
luca lucas lucia lucy luis lukas maja manuel marco marek margaret maria marie mario mark markus
marta martin martina mary mateusz matilda matthew maximilian mehmet mia michael michaela michal
michel michelle miguel mika mikael mikko mohamed mohammed monika mustafa nadia natalie nathan
nicholas nicola nicole niklas nina noah nora olaf oliver olivia olga oscar pablo patricia
patrick paul paula paulo pedro pekka peter petra philip philippe pierre piotr rachel rafael
ralf rebecca
renate ricardo richard robert roberto roger roland rosa ruth ryan sabine sabrina samuel sandra
sara sarah sebastian sergio silke silvia simon simone sofia sofie sophia sophie stefan steffi
stephanie stephen steven susan susanne sven sylvia tanja tatiana teresa thomas tiago tim timo
tobias tom tomasz uwe valentina valerie vanessa vera victoria viktor vincent virginia vladimir
walter wei wendy werner will william wolfgang xavier yasmin yuki yusuf yvonne zoe
"""

_STREET_WORDS = """
street st road rd avenue ave lane ln drive dr court ct place pl boulevard blvd crescent cres
terrace tce close circuit highway hwy parade way square sq strasse str weg platz allee gasse
ring ufer calle avenida plaza paseo rue chemin impasse quai via viale piazza corso vicolo rua
travessa straat laan plein weg gatan vagen vej gade gate katu tie ulica ul aleja os sokak cadde
"""

STREET_ENDS = ("straße", "strasse", "str.", "weg", "gasse", "platz", "straat", "laan", "gatan",
               "vägen", "katu", "tie", "gata", "vej")  # fmt: skip

GIVEN_NAMES = frozenset(_GIVEN_NAMES.split())
STREET_WORDS = frozenset(_STREET_WORDS.split())
