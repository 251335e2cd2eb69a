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

_CYRILLIC_NAMES = """
александр александра алексей алена алина анастасия андреи анна антон артем борис вадим валентина
валерии варвара василии вера виктор виктория виталии владимир владислав вячеслав галина георгии
григории дарья денис дмитрии евгении евгения екатерина елена елизавета зоя иван игорь илья инна
ирина кирилл константин ксения лариса лев лидия людмила максим маргарита марина мария михаил
надежда наталья никита николаи нина оксана олег ольга павел петр полина роман светлана сергеи
софия станислав татьяна тимур федор юлия юрии яна ярослав
"""

_FAMILY_BEGINNINGS = """
佐藤 鈴木 高橋 田中 伊藤 渡辺 山本 中村 小林 加藤 吉田 山田 佐々木 山口 松本 井上 木村 斎藤
清水 山崎 阿部 池田 橋本
王 李 张 刘 陈 杨 赵 黄 周 吴 徐 孙 朱 马 胡 郭 林 何 高 梁 郑 罗 宋 谢 唐 韩 曹 许 邓 萧
張 劉 陳 楊 趙 吳 鄭
김 이 박 최 정 강 조 윤 장 임 한 오 서 신 권 황 안 송 류 홍
"""

GIVEN_NAMES = frozenset((_GIVEN_NAMES + _CYRILLIC_NAMES).split())
"""As `column_names.folded` gives them: lower case, without accents."""

FAMILY_BEGINNINGS = tuple(_FAMILY_BEGINNINGS.split())
"""Frequent family names of Japan, China and Korea, which come first."""
STREET_WORDS = frozenset(_STREET_WORDS.split())
