# SPDX-License-Identifier: Apache-2.0
"""Words in the names of columns that say what is in them, in several languages: data.

Phrases of one kind are separated by semicolons; case and accents do not count.
"""
# ruff: noqa: E501, RUF001 (letters of other scripts are the point, and wide ones count twice)

from __future__ import annotations

STRONG, FAIR, WEAK = 0.85, 0.7, 0.45
"""How sure a word makes of its kind, by itself."""

NEUTRAL = "something else"
"""The kind of words that speak of things, not of persons."""

TABLE: tuple[tuple[str, float, str], ...] = (
    (
        "email",
        STRONG,
        "email; e mail; mail; mail address; email address; correo; correo electronico; courriel; "
        "adresse mail; posta elettronica; e post; epost; sahkoposti; eposta; e posta; emailadresse;"
        " почта; электронная почта; 邮箱; 电子邮件; メール; メールアドレス; 이메일",
    ),
    (
        "phone",
        STRONG,
        "phone; telephone; tel; mobile; cell; cellphone; fax; msisdn; phone number; mobile number; "
        "telefon; telefonnummer; handy; handynummer; mobil; mobilnummer; rufnummer; telefono; movil"
        "; celular; portable; numero de telephone; cellulare; telefone; telemovel; telefoon; "
        "telefoonnummer; puhelin; puhelinnumero; matkapuhelin; cep telefonu; komorka; numer "
        "telefonu; телефон; мобильный; 电话; 手机; 手机号; 電話; 電話番号; 전화; 전화번호",
    ),
    (
        "card",
        STRONG,
        "card; card number; card no; cc number; ccnum; credit card; creditcard; debit card; pan; "
        "kreditkarte; kartennummer; kreditkartennummer; tarjeta; numero de tarjeta; carte bancaire;"
        " numero de carte; carta di credito; cartao; kaart; kaartnummer; kortnummer; karta; "
        "numer karty; kart numarasi; карта; номер карты; 卡号; 카드번호; カード番号",
    ),
    (
        "iban",
        STRONG,
        "iban; iban number; bank account; bankverbindung; bankkonto; kontonummer; cuenta bancaria; "
        "compte bancaire; conto corrente; rekeningnummer; bankgiro; tilinumero; konto bankowe",
    ),
    ("imei", STRONG, "imei; imei number; device imei"),
    (
        "ssn",
        STRONG,
        "ssn; social security; social security number; soc sec; soc sec id; ss number",
    ),
    (
        "national id",
        STRONG,
        "national id; national identifier; national number; citizen id; identity number; personal "
        "number; personal id; cpf; cnpj; dni; nie; nif; pesel; bsn; nir; numero de securite sociale"
        "; insee; codice fiscale; codicefiscale; steuer id; steueridnr; idnr; steuernummer; "
        "steuerid; personnummer; hetu; henkilotunnus; oib; aadhaar; aadhar; tckimlik; tc kimlik no;"
        " nhs number; nhs no; nhs; tfn; tax file number; sin; social insurance number; ahv; "
        "ahv nummer; avs; id number; burgerservicenummer; documento; 身份证; 身份证号; マイナンバー; "
        "주민등록번호",
    ),
    (
        "ip",
        STRONG,
        "ip; ip address; ipaddress; ipv4; ipv6; client ip; remote addr; remote ip; source ip; "
        "ip adresse; direccion ip; adresse ip; indirizzo ip",
    ),
    ("mac", STRONG, "mac; mac address; hardware address; wifi mac; bssid"),
    (
        "uuid",
        FAIR,
        "user id; customer id; client id; person id; patient id; device id; account id; member id; "
        "subscriber id; employee id; visitor id; session id; user uuid; customer uuid; user guid; "
        "advertising id; idfa; gaid",
    ),
    (
        "birth",
        STRONG,
        "birth; birthday; birthdate; birth date; date of birth; dob; born; day of birth; "
        "geburtsdatum; geburtstag; geb datum; gebdat; fecha de nacimiento; fecha nacimiento; "
        "nacimiento; date de naissance; naissance; data di nascita; nascita; data de nascimento; nascimento; "
        "geboortedatum; fodelsedatum; fodselsdato; syntymaaika; data urodzenia; urodzenia; dogum "
        "tarihi; death date; date of death; дата рождения; 出生日期; 生日; 生年月日; 생년월일",
    ),
    (
        "given name",
        STRONG,
        "given name; first name; forename; fname; firstname; givenname; middle name; christian name"
        "; vorname; rufname; nombre; nombre de pila; prenom; nome proprio; voornaam; fornamn; "
        "fornavn; etunimi; imie; имя; отчество; 名; 名字",
    ),
    (
        "surname",
        STRONG,
        "surname; last name; family name; lname; lastname; familyname; maiden name; nachname; "
        "familienname; zuname; geburtsname; apellido; apellidos; primer apellido; nom de famille; "
        "cognome; sobrenome; apelido; achternaam; familienaam; efternamn; etternavn; efternavn; "
        "sukunimi; nazwisko; soyad; soyadi; soyisim; фамилия; 姓; 苗字",
    ),
    (
        "person name",
        STRONG,
        "full name; fullname; person name; customer name; client name; patient name; employee name;"
        " contact name; cardholder; cardholder name; account holder; holder; beneficiary; payee; "
        "kundenname; inhaber; kontoinhaber; nombre completo; nom complet; nom et prenom; nome "
        "completo; volledige naam; imie i nazwisko; ad soyad; ф и о; фио; 姓名; 氏名; 名前; 이름; 성명; "
        "father name; mother name; spouse; next of kin; contact person; ansprechpartner",
    ),
    ("person name", WEAK, "name; naam; navn; namn; nom; nome; nimi; isim; contact; author; owner"),
    (
        "address",
        STRONG,
        "address; addr; street; street address; home address; postal address; mailing address; "
        "shipping address; billing address; address line; adresse; anschrift; strasse; strasze; "
        "str; wohnort; hausnummer; direccion; calle; domicilio; rue; voie; indirizzo; via; "
        "endereco; morada; rua; adres; straat; straatnaam; adress; gata; gatuadress; osoite; "
        "katuosoite; ulica; адрес; улица; 地址; 住所; 주소",
    ),
    (
        "city",
        FAIR,
        "city; town; suburb; place of birth; birthplace; municipality; locality; ort; stadt; "
        "geburtsort; wohnort; ciudad; poblacion; municipio; ville; commune; citta; comune; "
        "cidade; localidade; stad; woonplaats; plaats; kaupunki; kommun; miasto; miejscowosc; "
        "sehir; город; 城市; 市区町村",
    ),
    (
        "postcode",
        STRONG,
        "postcode; post code; postal code; zip; zip code; zipcode; plz; postleitzahl; "
        "codigo postal; cp; code postal; cap; cep; codice postale; codigo de endereco postal; "
        "postnummer; postnr; postinumero; kod pocztowy; posta kodu; eircode; pincode; pin code; "
        "индекс; почтовый индекс; 邮编; 郵便番号; 우편번호",
    ),
    (
        "plate",
        STRONG,
        "plate; plate number; license plate; licence plate; number plate; registration plate; "
        "vehicle registration; kennzeichen; kfz kennzeichen; matricula; immatriculation; "
        "plaque; targa; kenteken; rekisterinumero; registreringsnummer; tablica rejestracyjna; "
        "plaka; госномер; 车牌; 车牌号",
    ),
    (
        "identifier",
        STRONG,
        "passport; passport number; passport no; driver license; drivers license; driving licence; "
        "licence number; license number; tax id; taxpayer id; vat id; account number; account no; "
        "acct no; customer number; customer no; client number; patient number; "
        "medical record number; mrn; member number; employee number; staff number; policy number; "
        "insurance number; kundennummer; kundennr; personalnummer; mitgliedsnummer; "
        "versicherungsnummer; patientennummer; ausweisnummer; reisepass; reisepassnummer; pasaporte"
        "; numero de cliente; passeport; numero client; passaporto; codice cliente; klantnummer; "
        "paspoort; paspoortnummer; kundnummer; asiakasnumero; numer klienta; paszport; "
        "numer dowodu; pasaport; паспорт; 护照; 护照号; パスポート",
    ),
    (
        "identifier",
        FAIR,
        "user id; customer id; client id; person id; patient id; account id; member id; "
        "subscriber id; employee id; staff id; student id; visitor id; device id; serial number; "
        "imsi; iccid; vin; customer key; cust id; client code; user key; account; kunde",
    ),
    (
        "username",
        STRONG,
        "username; user name; login; login name; user login; nickname; nick; screen name; handle; "
        "benutzername; benutzer; anmeldename; usuario; nombre de usuario; nom d utilisateur; "
        "identifiant; utilisateur; nome utente; utente; gebruikersnaam; anvandarnamn; "
        "kayttajatunnus; nazwa uzytkownika; kullanici adi; логин; 用户名",
    ),
    (
        "secret",
        STRONG,
        "password; passwd; pwd; passphrase; secret; pin; cvv; cvc; cvv2; api key; apikey; token; "
        "access token; auth token; private key; security answer; passwort; kennwort; contrasena; "
        "clave; mot de passe; senha; wachtwoord; losenord; salasana; haslo; sifre; пароль; 密码",
    ),
    (
        "money",
        FAIR,
        "salary; wage; wages; income; annual income; net worth; balance; account balance; credit "
        "limit; gehalt; lohn; einkommen; kontostand; salario; sueldo; ingresos; saldo; salaire; "
        "revenu; solde; stipendio; reddito; salaris; inkomen; lon; inkomst; palkka; tulot; "
        "wynagrodzenie; pensja; maas; gelir; зарплата; доход; 工资; 收入; 給与; 연봉",
    ),
    ("age", FAIR, "age; alter; edad; idade; leeftijd; ika; wiek; yas; возраст; 年龄; 年齢; 나이"),
    (
        "category",
        FAIR,
        "gender; sex; religion; ethnicity; race; nationality; marital status; diagnosis; diagnoses;"
        " icd; icd10; blood type; blood group; disability; disease; medication; allergy; "
        "sexual orientation; political party; union member; geschlecht; religion; familienstand; "
        "staatsangehorigkeit; nationalitat; diagnose; blutgruppe; sexo; genero; estado civil; "
        "nacionalidad; diagnostico; sexe; etat civil; nationalite; diagnostic; sesso; stato civile;"
        " geslacht; burgerlijke staat; kon; sukupuoli; plec; cinsiyet; пол; 性别; 性別; 성별",
    ),
    (
        "free text",
        STRONG,
        "comment; comments; note; notes; remark; remarks; description; message; body; free text; "
        "feedback; review; complaint; bemerkung; bemerkungen; kommentar; notiz; notizen; "
        "beschreibung; nachricht; comentario; comentarios; observaciones; nota; notas; mensaje; "
        "commentaire; remarque; message; commento; osservazioni; messaggio; opmerking; opmerkingen;"
        " anteckning; huomautus; uwagi; opis; aciklama; комментарий; примечание; 备注; 備考; 비고",
    ),
    (
        NEUTRAL,
        STRONG,
        "product name; company name; company; firm; firma; file name; filename; product; item; "
        "item name; brand; brand name; category; category name; event; event name; event id; "
        "order date; created; created at; created on; updated; updated at; modified; timestamp; "
        "order id; product id; item id; transaction id; record id; rec id; row id; isbn; ean; gtin;"
        " sku; upc; version; build; host; hostname; server; url; price; quantity; qty; count; total"
        "; status; state; country; country name; country code; currency; language; department; "
        "department name; job title; title; type; code; color; colour; size; weight; height; "
        "temperature; score; rating; year; month; day; hour; expiry; expires; start date; end date;"
        " due date; delivery date; store; store name; branch; branch name; bank name; hotel; "
        "school; school name; app name; display type; unit; model; make; street number; "
        "house number; region; lat; lon; latitude; longitude; checksum; hash; sha256; md5; "
        "produkt; artikel; bestelldatum; erstellt; menge; preis; anzahl; land; wahrung; abteilung;"
        " producto; empresa; fecha; cantidad; precio; pais; moneda; produit; entreprise; quantite; "
        "prix; pays; prodotto; azienda; quantita; prezzo; paese; bedrijf; aantal; prijs",
    ),
)
"""Kind, how sure its phrases make, and the phrases."""
