"""The app's examples for verifying a delivery, run as programs."""

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from app.workspace.webhooks.webhooks import SNIPPETS

Check = Callable[[bytes, str, str], bool]
"""Whether raw bytes, header and secret match."""


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
    return _asking(_installed("node"), str(script))


def php(folder: Path) -> Check:
    more = (
        "\n$given = json_decode(file_get_contents('php://stdin'), true);"
        "\necho verify(hex2bin($given['raw']), $given['header'], $given['secret']) ? 'yes' : 'no';\n"
    )
    script = folder / "verify.php"
    script.write_text("<?php\n" + SNIPPETS["php"][1] + more, "utf-8")
    return _asking(_installed("php"), str(script))


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
    program = folder / "verify"
    command = [_installed("go"), "build", "-o", str(program), str(script)]
    subprocess.run(command, check=True, timeout=300)
    return _asking(str(program))


def _installed(program: str) -> str:
    """Return the path of a program; skip the test with a reason if it's missing."""
    found = shutil.which(program)
    if found is None:
        pytest.skip(f"{program} is not installed here")
    return found


def _asking(*command: str) -> Check:
    def check(raw: bytes, header: str, secret: str) -> bool:
        given = json.dumps({"raw": raw.hex(), "header": header, "secret": secret})
        done = subprocess.run(command, input=given, capture_output=True, text=True, check=True, timeout=120)
        return {"yes": True, "no": False}[done.stdout.strip()]

    return check


LANGUAGES: Final = (python, node, php, go)
