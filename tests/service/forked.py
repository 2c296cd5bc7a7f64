"""Commands of the service, in processes forked from one that has already imported it.

Importing takes nearly a second of processor time, and the tests run more than a hundred commands.
`programs.serving` starts the service as users do.
"""

import multiprocessing
import os
import subprocess
import sys
from functools import cache
from multiprocessing.context import ForkServerContext
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[2]
_PATIENCE_S = 180
_IMPORTED = ("app.service.cli", "app.service.assembly", "app.service.serve")


def run(*arguments: str) -> "subprocess.CompletedProcess[str]":
    """Run a command of the service to its end.

    Raises TimeoutExpired.
    """
    with TemporaryDirectory() as folder:
        output, errors = Path(folder, "output"), Path(folder, "errors")
        process = _context().Process(target=_command, args=(arguments, output, errors))
        process.start()
        process.join(_PATIENCE_S)
        if process.exitcode is None:
            process.kill()
            process.join()
            raise subprocess.TimeoutExpired(arguments, _PATIENCE_S)
        code = process.exitcode
        process.close()
        said, refused = (file.read_text("utf-8") for file in (output, errors))
        return subprocess.CompletedProcess(arguments, code, said, refused)


@cache
def _context() -> ForkServerContext:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(list(_IMPORTED))
    return context


def _command(arguments: tuple[str, ...], output: Path, errors: Path) -> None:
    for stream, file in ((1, output), (2, errors)):
        os.dup2(os.open(file, os.O_CREAT | os.O_WRONLY, 0o600), stream)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.chdir(ROOT)
    from app.service.cli import main

    sys.exit(main(arguments))
