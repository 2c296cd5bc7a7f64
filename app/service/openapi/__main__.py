"""``python -m app.service.openapi FOLDER``: write the API descriptions and references."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from app.contract.limits import API_PREFIX, COMPANION_PREFIX
from app.service.api.app import api_routes
from app.service.openapi.reference import Reference
from app.service.openapi.routes import description

_GUIDE: Final = Path(__file__).with_name("guide.md").read_text(encoding="utf-8")
"""Introduction of the API's page; a test runs its commands."""


def files() -> Iterator[tuple[str, str]]:
    """Yield name and content of each file."""
    routes = api_routes()
    for prefix, name, guide in ((API_PREFIX, "api", _GUIDE), (COMPANION_PREFIX, "companion-api", "")):
        document = description(routes, prefix)
        yield f"{name}.json", json.dumps(document, indent=1, ensure_ascii=False) + "\n"
        yield f"{name}.md", Reference(document, f"{name}.json", guide).write()


def main() -> None:
    folder = Path(sys.argv[1])
    for name, text in files():
        (folder / name).write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
