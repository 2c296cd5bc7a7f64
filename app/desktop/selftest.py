"""``--selftest``: the main workflow from end to end, on practice accounts, without user input.

It first checks that the program is complete. Then it opens the window, starts the embedded service, connects
a practice account, schedules, moves and publishes a post, and opens every pane. It prints one line of JSON;
the exit code is 0 only if every step succeeded.
"""

import asyncio
import gettext
import importlib
import importlib.metadata
import json
import pkgutil
import subprocess
import sys
import time
import zoneinfo
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

import app
from app import resources
from app.children import SOURCE, child_command, helper_environment
from app.contract.enums import PostingPlatform, PostStatus, PostType
from app.desktop.application import Application
from app.desktop.binding import make_room_for_types
from app.media.helper import Helper
from app.media.protocol import PROGRAM, Answer, Line

if TYPE_CHECKING:
    from app.workspace.accounts.account import Account
    from app.workspace.workspace import Workspace

# Each check does a small piece of real work and raises any error. All of them block, for seconds in total.
_OF_SERVERS: Final = frozenset({"boto3", "botocore", "obstore", "prometheus_client", "psycopg"})
"""Packages that only a server install has."""
_FILM: Final = "sample.mp4"
_SAMPLES: Final = {"sample.jpg": "image", "sample.heic": "image", "sample.avif": "image", _FILM: "video"}
_SIDE: Final = 64
_HELPER_PATIENCE_S: Final = 60


def modules() -> None:
    """Check that all our modules can be imported, except those that only servers need.

    Modules of endpoints must have their docstrings, which describe the API. A bundle has few others.
    """
    loaded: dict[str, object] = dict(sys.modules)
    for name in [name for name, module in loaded.items() if module is None]:
        del sys.modules[name]  # left out by the app, but used by the service
    # The record lists a bundle's modules, `pkgutil` those of a checkout.
    for name in sorted(
        {*_recorded(), *(found.name for found in pkgutil.walk_packages(app.__path__, "app."))}
    ):
        if name.endswith(".__main__"):
            continue  # a program; the checks of child processes start it
        try:
            module = importlib.import_module(name)
        except ModuleNotFoundError as error:
            if (error.name or "").partition(".")[0] not in _OF_SERVERS:
                raise
            continue
        if name.endswith(".routes") and not module.__doc__:
            raise LookupError(f"{name} has no docstrings")


def _recorded() -> set[str]:
    """Return the modules of the installed wheel, including those missing in the bundle."""
    try:
        files = [file.parts for file in importlib.metadata.files("kalends") or ()]
    except importlib.metadata.PackageNotFoundError:
        return set()  # a checkout
    packages = {parts[:-1] for parts in files if parts[-1] == "__init__.py" and parts[0] == "app"}
    inside = [parts for parts in files if parts[:-1] in packages and parts[-1].endswith(".py")]
    return {".".join(parts).removesuffix(".py").removesuffix(".__init__") for parts in inside}


def time_zones() -> None:
    """Check that time zones are known on a system without time zone files."""
    zoneinfo.reset_tzpath([])
    try:
        for name in ("UTC", "Europe/Berlin", "Pacific/Auckland"):
            zoneinfo.ZoneInfo.no_cache(name)
    finally:
        zoneinfo.reset_tzpath()


def notifications() -> None:
    """Check that the system's notification service can be loaded, even if none is running."""
    from app.desktop.notices import load

    load()()


def jump_list() -> None:
    """Check that the libraries for the jump list of Windows can be loaded."""
    if sys.platform == "win32":
        import pythoncom  # noqa: F401
        from win32com.propsys import propsys, pscon  # noqa: F401
        from win32com.shell import shell  # noqa: F401


def keyring() -> None:
    """Check that the password stores are registered, one for each system."""
    stores = importlib.metadata.entry_points(group="keyring.backends")
    if not stores:
        raise LookupError("no store of passwords is registered")
    for store in stores:
        store.load()


def german() -> None:
    """Check that an English text has a German translation."""
    said = gettext.translation("kalends", str(resources.root() / "locale"), ["de"]).gettext("Cancel")
    if said == "Cancel":
        raise LookupError("the German catalogue has no words")


def notices() -> None:
    """Check that the licence and third-party notices can be shown."""
    from app.workspace.settings import about

    if not about.notices() or not about.licence():
        raise LookupError("the license or the third-party notices are missing")


def media() -> None:
    """Check that the program for untrusted files reads images and videos."""
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
    """Return the program's response to a line. Raises RuntimeError with its error output if it fails."""
    done = subprocess.run(  # noqa: S603  our own program
        child_command(PROGRAM),
        cwd=SOURCE,
        env=helper_environment(),
        input=json.dumps(asked).encode() + b"\n",
        capture_output=True,
        timeout=_HELPER_PATIENCE_S,
        check=False,
    )
    if done.returncode or not done.stdout:
        raise RuntimeError(
            f"{PROGRAM} ended with {done.returncode}: {done.stderr.decode(errors='replace')[-500:]}"
        )
    line, _, data = done.stdout.partition(b"\n")
    return json.loads(line), data


def _cover(film: bytes) -> bytes:
    """Return the picture that the service would use as a video's cover. Raises HelperError."""
    helper = Helper(child_command(PROGRAM), _HELPER_PATIENCE_S)
    try:
        asked = {"do": "cover", "size": len(film), "ms": 0}
        return helper.ask(asked, read=lambda first, size: film[first : first + size])[1]
    finally:
        helper.close()


CHECKS: Final[Mapping[str, Callable[[], None]]] = {
    "modules": modules,
    "time zones": time_zones,
    "notifications": notifications,
    "jump list": jump_list,
    "keyring": keyring,
    "German": german,
    "notices": notices,
    "media": media,
}
"""The checks, by the name of their step."""


_PATIENCE_S = 180.0
_LOOK_S = 0.1
"""Time for a pane to be painted, in seconds."""
_LATER_MS = 3_600_000
_SOON_MS = 2_000


class SelfTest:
    """Runs the steps and stores the name of the current one."""

    def __init__(self, application: Application) -> None:
        self._application = application
        self.step = "window"

    async def walk(self) -> None:
        """Run all steps; return when every pane was opened. Raises any error of a step."""
        self._application.window.show()
        make_room_for_types()
        for self.step, check in CHECKS.items():
            await asyncio.to_thread(check)
        self.step = "embedded service"
        await self._application.begin_here(practice=True)
        if self._application.visit is None:
            raise RuntimeError("the service on this computer did not start")
        workspace = self._application.visit.workspace
        self.step = "connect a practice account"
        account = await self._connect(workspace)
        self.step = "plan"
        key = await self._plan(workspace, account)
        self.step = "move"
        workspace.move({key: _now_ms() + _SOON_MS})
        self.step = "publish"
        await _until(workspace, lambda: _status(workspace, key) is PostStatus.POSTED)
        self.step = "panes"
        await self._open_panes()
        self.step = "done"

    async def _open_panes(self) -> None:
        controller = self._application.controller
        if controller is None:
            raise RuntimeError("the window has no panes")
        controller.complete()
        for name in ("analytics", "history", "media", "settings", "calendar"):
            self._application.window.go(name)
            await asyncio.sleep(_LOOK_S)

    async def _connect(self, workspace: "Workspace") -> "Account":
        from app.workspace.homes import consent

        flow = await workspace.flows.begin(PostingPlatform.LINKEDIN)
        await asyncio.to_thread(consent.allow, flow.url)
        return await flow.account()

    async def _plan(self, workspace: "Workspace", account: "Account") -> str:
        from app.workspace.posts.new import NewPost

        post = NewPost(
            account_key=account.key,
            platform=PostingPlatform.LINKEDIN,
            post_type=PostType.TEXT,
            text="The self-test of Kalends published this.",
            at=_now_ms() + _LATER_MS,
        )
        key = workspace.plan([post])[0]
        await _until(
            workspace, lambda: _status(workspace, key) is PostStatus.SCHEDULED and workspace.sync.waiting == 0
        )
        return key


async def selftest(application: Application, stop: asyncio.Event) -> int:
    """Run the self-test, print its line, and return the exit code."""
    started = time.monotonic()
    test = SelfTest(application)
    reason = ""
    walking = asyncio.ensure_future(asyncio.wait_for(test.walk(), _PATIENCE_S))
    stopping = asyncio.ensure_future(stop.wait())
    await asyncio.wait({walking, stopping}, return_when=asyncio.FIRST_COMPLETED)
    stopping.cancel()
    if walking.done():
        error = walking.exception()
        reason = "" if error is None else f"{type(error).__name__}: {error}"
    else:
        walking.cancel()
        reason = "stopped"
    await application.close()
    line = {
        "event": "selftest",
        "ok": not reason,
        "step": test.step,
        "reason": reason,
        "seconds": round(time.monotonic() - started, 2),
    }
    sys.stdout.write(json.dumps(line) + "\n")
    return 1 if reason else 0


def _now_ms() -> int:
    return int(time.time() * 1_000)


def _status(workspace: "Workspace", key: str) -> PostStatus | None:
    post = workspace.posts.get(key)
    return post.status if post else None


async def _until(workspace: "Workspace", condition: Callable[[], bool]) -> None:
    changed = asyncio.Event()
    stop_listening = workspace.listen(lambda _changes: changed.set())
    try:
        while not condition():
            await changed.wait()
            changed.clear()
    finally:
        stop_listening()
