"""System-specific calls are limited to a few modules, with a branch for other systems."""

import ast
from collections.abc import Iterator

import pytest

from tests.architecture.sources import sources

_OS = {
    *("chmod", "chown", "fchmod", "fchown", "lchown", "umask", "chroot", "mkfifo", "mknod"),
    *("fork", "forkpty", "kill", "killpg", "nice", "getpriority", "setpriority", "setsid", "wait", "waitpid"),
    *("getuid", "geteuid", "getgid", "getegid", "getgroups", "setuid", "setgid", "getlogin", "getpgid"),
    *("openpty", "sync", "statvfs", "uname", "sched_getaffinity", "sched_setaffinity", "getloadavg"),
    *("O_DIRECTORY", "O_NOFOLLOW", "O_NONBLOCK", "O_SYNC", "pread", "pwrite", "sendfile", "WNOHANG"),
    *("link", "symlink", "readlink", "getxattr", "setxattr", "startfile", "O_BINARY"),
}
_SIGNALS = {
    *("SIGKILL", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGCHLD", "SIGALRM", "SIGPIPE", "SIGSTOP"),
    *("SIGCONT", "SIGTSTP", "SIGWINCH", "alarm", "setitimer", "pause", "sigwait", "pthread_kill"),
}
_SOCKETS = {
    "AF_UNIX",
    "AF_VSOCK",
    "SO_REUSEADDR",
    "SO_REUSEPORT",
    "SCM_RIGHTS",
    "TCP_KEEPIDLE",
    "TCP_USER_TIMEOUT",
}
_METHODS = {
    *("add_signal_handler", "create_unix_server", "create_unix_connection", "open_unix_connection"),
    *("send_signal", "tzset", "symlink_to", "hardlink_to", "num_fds"),
}
"""Methods of event loops, processes and paths, matched only by name."""
_MODULES = {
    "fcntl",
    "resource",
    "pwd",
    "grp",
    "termios",
    "tty",
    "pty",
    "syslog",
    "uvloop",
    "winreg",
    "msvcrt",
}
_OPTIONS = {"preexec_fn", "start_new_session", "process_group", "pass_fds", "creationflags", "startupinfo"}

ALLOWED = {
    "app/children/lean.py": {"nice", "setitimer"},
    "app/children/memory_limit.py": {"resource"},
    "app/desktop/main.py": {"umask"},
    "app/service/backups.py": {"chmod"},
    "app/service/cli.py": {"umask"},
    "app/service/gate.py": {"resource"},
    "app/service/installation.py": {"fcntl"},
    "app/service/http_server.py": {"SO_REUSEADDR"},
    "app/service/lifetime.py": {"uvloop"},
    "app/service/media/files.py": {"O_BINARY"},
    "app/service/reloading.py": {"SIGHUP"},
    "app/practice/server.py": {"SO_REUSEADDR"},
    "app/updates/shelf.py": {"chmod", "creationflags", "start_new_session"},
    "app/workspace/login.py": {"winreg"},
}
"""Calls that each module may use. Each checks the system first, or does no harm elsewhere.

Windows has no umask, and "read-only" as its only mode: a data folder outside of the profile is as accessible
as its parent folder.
"""


def used(tree: ast.Module) -> Iterator[str]:
    """Yield the names from the lists above that are used."""
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                yield from (name for alias in names if (name := alias.name.partition(".")[0]) in _MODULES)
            case ast.ImportFrom(module=str(module), names=names):
                if module in _MODULES:
                    yield module
                wanted = {"os": _OS, "signal": _SIGNALS, "socket": _SOCKETS}.get(module, set())
                yield from (alias.name for alias in names if alias.name in wanted)
            case ast.Call(
                func=ast.Name(id="import_module") | ast.Attribute(attr="import_module"), args=[name]
            ):
                if isinstance(name, ast.Constant) and name.value in _MODULES:
                    yield str(name.value)
            case ast.Call(
                func=ast.Name(id="getattr"), args=[ast.Name(id=owner), ast.Constant(value=str(name)), *_]
            ):
                if _is_listed(owner, name):
                    yield name
            case ast.Attribute(value=ast.Name(id=owner), attr=name) if _is_listed(owner, name):
                yield name
            case ast.Attribute(attr=name) if name in _METHODS | {"chmod"}:
                yield name
            case ast.keyword(arg=str(name)) if name in _OPTIONS:
                yield name


def _is_listed(owner: str, name: str) -> bool:
    return name in {"os": _OS, "signal": _SIGNALS, "socket": _SOCKETS}.get(owner, set())


def test_only_named_modules_call_what_not_every_system_has() -> None:
    found: dict[str, set[str]] = {}
    for source in sources("app"):
        for name in used(source.tree):
            found.setdefault(source.name, set()).add(name)
    assert found == ALLOWED


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("os.getuid()", "getuid"),
        ("import fcntl", "fcntl"),
        ("from fcntl import flock", "fcntl"),
        ("from os import sync", "sync"),
        ("os.kill(pid, signal.SIGKILL)", "SIGKILL"),
        ("process.send_signal(2)", "send_signal"),
        ("socket.socket(socket.AF_UNIX)", "AF_UNIX"),
        ("path.chmod(0o600)", "chmod"),
        ("subprocess.Popen(a, start_new_session=True)", "start_new_session"),
        ("getattr(os, 'O_NOFOLLOW', 0)", "O_NOFOLLOW"),
        ("import_module('winreg')", "winreg"),
        ("loop.add_signal_handler(2, stop)", "add_signal_handler"),
    ],
)
def test_such_a_call_is_seen(text: str, name: str) -> None:
    assert name in set(used(ast.parse(text)))


def moved(tree: ast.Module) -> list[int]:
    """Return lines that rename a file or folder with Path or the standard library."""
    return [
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and not node.keywords
        and (
            (node.func.attr in {"rename", "replace"} and len(node.args) == 1)
            or (
                node.func.attr in {"rename", "renames", "replace", "move"}
                and _owner(node.func) in {"os", "shutil"}
            )
            or (node.func.attr == "to_thread" and _renames(node.args[0]))
        )
    ]


def _renames(called: ast.expr) -> bool:
    return isinstance(called, ast.Attribute) and called.attr in {"rename", "replace"}


def _owner(called: ast.Attribute) -> str:
    return getattr(called.value, "id", "")


@pytest.mark.parametrize(
    "room", ["workspace", "service", "database", "client", "platforms", "network", "updates"]
)
def test_what_others_may_have_open_is_moved_patiently(room: str) -> None:
    """`app.disk` retries if Windows refuses briefly. Start at login has one implementation per system."""
    found = [source.name for source in sources(f"app/{room}") if moved(source.tree)]
    assert [name for name in found if name != "app/workspace/login.py"] == []


@pytest.mark.parametrize(
    "text", ["part.replace(target)", "os.rename(a, b)", "await asyncio.to_thread(part.replace, target)"]
)
def test_such_a_move_is_seen(text: str) -> None:
    assert moved(ast.parse(text)) == [1]
