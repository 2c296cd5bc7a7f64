"""The examples that check a delivery are run: what they accept is genuine, and nothing else is."""

import hashlib
import hmac
import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from app.workspace.webhooks.snippets import SNIPPETS

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
RAW = '{"event_type":"post.published","data":{"text":"Café 🧵 \\"quoted\\""}}'.encode()
GOOD = "sha256=" + hmac.new(SECRET.encode(), RAW, hashlib.sha256).hexdigest()

Check = Callable[[bytes, str, str], bool]


def python(_folder: Path) -> Check:
    names: dict[str, Check] = {}
    exec(SNIPPETS["python"][1], names)  # noqa: S102  what people are to copy is what is tried
    return names["verify"]


def node(folder: Path) -> Check:
    more = (
        "\nconst given = JSON.parse(require('node:fs').readFileSync(0, 'utf8'));"
        "\nconst raw = Buffer.from(given.raw, 'hex');"
        "\nconsole.log(verify(raw, given.header, given.secret) ? 'yes' : 'no');\n"
    )
    script = folder / "verify.js"
    script.write_text(SNIPPETS["node"][1] + more, "utf-8")
    return _asking("node", str(script))


def php(folder: Path) -> Check:
    more = (
        "\n$given = json_decode(file_get_contents('php://stdin'), true);"
        "\necho verify(hex2bin($given['raw']), $given['header'], $given['secret']) ? 'yes' : 'no';\n"
    )
    script = folder / "verify.php"
    script.write_text("<?php\n" + SNIPPETS["php"][1] + more, "utf-8")
    return _asking("php", str(script))


def go(folder: Path) -> Check:
    head = 'package main\n\nimport (\n\t"encoding/json"\n\t"fmt"\n\t"os"\n)\n'
    more = (
        "\nfunc main() {\n\tvar given struct{ Raw, Header, Secret string }\n"
        "\tif json.NewDecoder(os.Stdin).Decode(&given) != nil {\n\t\tos.Exit(1)\n\t}\n"
        "\traw, _ := hex.DecodeString(given.Raw)\n"
        '\tif Verify(raw, given.Header, given.Secret) {\n\t\tfmt.Print("yes")\n\t} else {\n'
        '\t\tfmt.Print("no")\n\t}\n}\n'
    )
    script = folder / "verify.go"
    script.write_text(head + SNIPPETS["go"][1] + more, "utf-8")
    return _asking("go", "run", str(script))


def _asking(program: str, *arguments: str) -> Check:
    found = shutil.which(program)
    if found is None:
        pytest.skip(f"{program} is not installed here")

    def check(raw: bytes, header: str, secret: str) -> bool:
        given = json.dumps({"raw": raw.hex(), "header": header, "secret": secret})
        done = subprocess.run(
            [found, *arguments], input=given, capture_output=True, text=True, check=True, timeout=120
        )
        return {"yes": True, "no": False}[done.stdout.strip()]

    return check


@pytest.mark.parametrize("language", [python, node, php, go])
def test_only_what_is_genuine_is_accepted(language: Callable[[Path], Check], tmp_path: Path) -> None:
    check = language(tmp_path)
    assert check(RAW, GOOD, SECRET)
    assert not check(RAW + b" ", GOOD, SECRET)
    assert not check(RAW, GOOD[:-1] + ("0" if GOOD[-1] != "0" else "1"), SECRET)
    assert not check(RAW, GOOD, SECRET + "x")
    assert not check(RAW, "", SECRET)


def test_there_is_an_example_in_each_of_the_four_languages() -> None:
    assert [name for name, _code in SNIPPETS.values()] == ["Python", "Node", "PHP", "Go"]
