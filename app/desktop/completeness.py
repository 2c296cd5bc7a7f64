"""Whether all of the program is there: what a bundle can lack while its window still opens.

Each check does a small piece of real work and raises what went wrong. All of them block, for seconds
altogether.
"""

import gettext
import importlib
import importlib.metadata
import json
import pkgutil
import subprocess
import sys
import zoneinfo
from collections.abc import Callable, Mapping
from typing import Final

import app
from app import resources
from app.children import SOURCE, child_command, helper_environment
from app.media.helper import Helper
from app.media.protocol import PROGRAM, Answer, Line

_OF_SERVERS: Final = frozenset({"boto3", "botocore", "obstore", "psycopg"})
"""Packages that only a server install has."""
_FILM: Final = "sample.mp4"
_SAMPLES: Final = {"sample.jpg": "image", "sample.heic": "image", "sample.avif": "image", _FILM: "video"}
_SIDE: Final = 64
_PATIENCE_S: Final = 60


def modules() -> None:
    """Every module of ours can be imported, but for what only servers need."""
    loaded: dict[str, object] = dict(sys.modules)
    for name in [name for name, module in loaded.items() if module is None]:
        del sys.modules[name]  # what the app leaves out, and the service uses
    # The record lists a bundle's modules, `pkgutil` those of a checkout.
    for name in sorted(
        {*_recorded(), *(found.name for found in pkgutil.walk_packages(app.__path__, "app."))}
    ):
        if name.endswith(".__main__"):
            continue  # a program, which its children's checks start
        try:
            importlib.import_module(name)
        except ModuleNotFoundError as error:
            if (error.name or "").partition(".")[0] not in _OF_SERVERS:
                raise


def _recorded() -> set[str]:
    """The modules that the installed wheel had, also those that nobody put into the bundle."""
    try:
        files = [file.parts for file in importlib.metadata.files("kalends") or ()]
    except importlib.metadata.PackageNotFoundError:
        return set()  # a checkout
    packages = {parts[:-1] for parts in files if parts[-1] == "__init__.py" and parts[0] == "app"}
    inside = [parts for parts in files if parts[:-1] in packages and parts[-1].endswith(".py")]
    return {".".join(parts).removesuffix(".py").removesuffix(".__init__") for parts in inside}


def time_zones() -> None:
    """Zones are known on a system that has no files of them."""
    zoneinfo.reset_tzpath([])
    try:
        for name in ("UTC", "Europe/Berlin", "Pacific/Auckland"):
            zoneinfo.ZoneInfo.no_cache(name)
    finally:
        zoneinfo.reset_tzpath()


def notifications() -> None:
    """The system's notifications can be asked for, whether or not anybody shows them here."""
    from app.desktop.notices import load

    load()()


def keyring() -> None:
    """The stores of passwords are registered, of which each system has one."""
    stores = importlib.metadata.entry_points(group="keyring.backends")
    if not stores:
        raise LookupError("no store of passwords is registered")
    for store in stores:
        store.load()


def german() -> None:
    """There is a German sentence for an English one."""
    said = gettext.translation("kalends", str(resources.root() / "locale"), ["de"]).gettext("Cancel")
    if said == "Cancel":
        raise LookupError("the German catalogue has no words")


def notices() -> None:
    """Licence and third-party notices can be shown."""
    from app.workspace.settings import about

    if not about.notices() or not about.licence():
        raise LookupError("the licence or the third-party notices are missing")


def media() -> None:
    """The program that reads files of strangers reads images and videos."""
    for name, kind in _SAMPLES.items():
        file = {"path": str(resources.path(f"samples/{name}")), "post_type": kind}
        told, _ = _answer({"do": "probe", "whole": True, **file})
        found = told.get("done") or {}
        if (found.get("width"), found.get("height")) != (_SIDE, _SIDE):
            raise ValueError(f"{name} was taken for {told}")
        _, small = _answer({"do": "thumbnail", "edge": _SIDE, "cover_ms": None, **file})
        if not small:
            raise ValueError(f"no small picture of {name} could be made")
    film = resources.path(f"samples/{_FILM}")
    opened, _ = _answer({"do": "open", "path": str(film)})
    if (opened.get("done") or {}).get("width") != _SIDE:
        raise ValueError(f"{_FILM} was opened as {opened}")
    if not _cover(film.read_bytes()):
        raise ValueError(f"no picture of {_FILM} could be made")


def _answer(asked: Line) -> Answer:
    """What the program answers to a line. Raises RuntimeError with its own words when it doesn't."""
    done = subprocess.run(  # noqa: S603  our own program
        child_command(PROGRAM),
        cwd=SOURCE,
        env=helper_environment(),
        input=json.dumps(asked).encode() + b"\n",
        capture_output=True,
        timeout=_PATIENCE_S,
        check=False,
    )
    if done.returncode or not done.stdout:
        raise RuntimeError(
            f"{PROGRAM} ended with {done.returncode}: {done.stderr.decode(errors='replace')[-500:]}"
        )
    line, _, data = done.stdout.partition(b"\n")
    return json.loads(line), data


def _cover(film: bytes) -> bytes:
    """The picture that the service would take as a video's cover. Raises HelperError."""
    helper = Helper(child_command(PROGRAM), _PATIENCE_S)
    try:
        asked = {"do": "cover", "size": len(film), "ms": 0}
        return helper.ask(asked, read=lambda first, size: film[first : first + size])[1]
    finally:
        helper.close()


CHECKS: Final[Mapping[str, Callable[[], None]]] = {
    "modules": modules,
    "time zones": time_zones,
    "notifications": notifications,
    "keyring": keyring,
    "German": german,
    "notices": notices,
    "media": media,
}
"""By what the self-test calls the step."""
