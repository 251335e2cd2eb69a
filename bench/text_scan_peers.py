# SPDX-License-Identifier: Apache-2.0
"""What Presidio's pattern recognizers and detect-secrets find in lines, as JSON.

It runs in the environment of `requirements/text-scan.txt`, without the package of this project.
"""

import json
import sys
import tempfile
from importlib import import_module
from pathlib import Path
from typing import Any

LEAST_SCORE = 0.4
"""Presidio's recognizers give weak patterns less, and expect words around them to add to it."""

PRESIDIO = {
    "CreditCardRecognizer": "card",
    "IbanRecognizer": "iban",
    "AuTfnRecognizer": "national_id au.tfn",
    "CaSinRecognizer": "national_id ca.sin",
    "DeTaxIdRecognizer": "national_id de.idnr",
    "EsNifRecognizer": "national_id es.dni",
    "EsNieRecognizer": "national_id es.nie",
    "FiPersonalIdentityCodeRecognizer": "national_id fi.hetu",
    "NhsRecognizer": "national_id gb.nhs",
    "InAadhaarRecognizer": "national_id in_.aadhaar",
    "ItFiscalCodeRecognizer": "national_id it.codicefiscale",
    "PlPeselRecognizer": "national_id pl.pesel",
    "SePersonnummerRecognizer": "national_id se.personnummer",
    "TrNationalIdRecognizer": "national_id tr.tckimlik",
    "UsSsnRecognizer": "national_id us.ssn",
    "ZaIdNumberRecognizer": "national_id za.idnr",
    "EmailRecognizer": "email",
    "PhoneRecognizer": "phone",
    "IpRecognizer": "ip",
    "MacAddressRecognizer": "mac",
    "UuidRecognizer": "uuid",
}

SECRETS = {
    "AWS Access Key": "key",
    "Azure Storage Account access key": "key",
    "GitHub Token": "key",
    "GitLab Token": "key",
    "NPM tokens": "key",
    "OpenAI Token": "key",
    "PyPI Token": "key",
    "SendGrid API Key": "key",
    "Slack Token": "key",
    "Square OAuth Secret": "key",
    "Stripe Access Key": "key",
    "Twilio API Key": "key",
    "Public IP (ipv4)": "ip",
    "JSON Web Token": "jwt",
    "Private Key": "pem",
    "Basic Auth Credentials": "url",
    "Base64 High Entropy String": "entropy",
    "Hex High Entropy String": "entropy",
    "Secret Keyword": "entropy",
}


def presidio(texts: list[str]) -> list[list[tuple[str, int, int]]]:
    """Return the kinds and places that Presidio finds in each line."""
    package = import_module("presidio_analyzer.predefined_recognizers")
    recognizers = [(getattr(package, name)(), kind) for name, kind in PRESIDIO.items()]
    return [
        [
            (kind, found.start, found.end)
            for recognizer, kind in recognizers
            for found in recognizer.analyze(text, recognizer.supported_entities, None) or ()
            if found.score >= LEAST_SCORE
        ]
        for text in texts
    ]


def secrets(texts: list[str]) -> list[list[tuple[str, int, int]]]:
    """Return the kinds and places that detect-secrets finds in files of a line each.

    In one file it reports equal texts once.
    """
    make: Any = import_module("detect_secrets.core.secrets_collection").SecretsCollection
    result: list[list[tuple[str, int, int]]] = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "line.txt"
        with import_module("detect_secrets.settings").default_settings():
            for text in texts:
                path.write_text(text + "\n", "utf-8")
                collection, found = make(), []
                collection.scan_file(str(path))
                for _, one in collection:
                    start = max(text.find(one.secret_value or ""), 0)
                    end = start + len(one.secret_value or "")
                    found.append((SECRETS.get(one.type, one.type), start, end))
                result.append(found)
    return result


if __name__ == "__main__":
    lines = json.load(sys.stdin)
    json.dump({"Presidio": presidio(lines), "detect-secrets": secrets(lines)}, sys.stdout)
