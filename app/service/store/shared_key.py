"""One key for all processes: who has another one would take every sealed secret for broken."""

from typing import Final
from uuid import UUID

from sqlalchemy import Connection, select

from app.database.upserts import upsert
from app.service.problems import CommandProblem
from app.service.store.seal import Seal, SealBrokenError
from app.service.store.tables import installation

_ROW: Final = UUID("6b616c65-6e64-4573-8000-000000000001")
_WORDS: Final = "one installation, one key"


def require_shared_key(rows: Connection, seal: Seal) -> None:
    """Makes this process's key the installation's, if it is the first one.

    Raises CommandProblem when the installation has another key.
    """
    sealed = {"id": _ROW, "seal_check": seal.close(_WORDS, _ROW)}
    rows.execute(upsert(rows, installation).values(sealed).on_conflict_do_nothing())
    try:
        seal.open(rows.execute(select(installation.c.seal_check)).scalar_one(), _ROW)
    except SealBrokenError:
        raise CommandProblem(
            "The secrets in the database are sealed with another key than this machine has. Copy the folder "
            "secrets from a machine where the service runs, and start again."
        ) from None
