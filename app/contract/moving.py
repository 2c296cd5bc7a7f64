"""Moving an account to another service, or away from it, by the companion API."""

from typing import Annotated
from uuid import UUID

from pydantic import AfterValidator, Field

from app.contract.base import Count, Few, RequestModel, ResponseModel, Sentence, Word
from app.contract.enums import OpenEnum
from app.contract.limits import EXPORT_MANIFEST_MAX, EXPORT_PASSPHRASE_MAX, EXPORT_PASSPHRASE_MIN

Passphrase = Annotated[str, Field(min_length=EXPORT_PASSPHRASE_MIN, max_length=EXPORT_PASSPHRASE_MAX)]
Share = Annotated[float, AfterValidator(lambda value: min(1.0, max(0.0, value)))]
"""From 0 to 1; also if a service says something else, or NaN."""


class ArrivalState(OpenEnum):
    """How far an account is on its way to a service.

    ``receiving``: the service waits for files, or for the import to begin. ``importing``: it has all of them.
    ``arrived``: the service has the account. ``cancelled``: it refuses this export from now on.
    """

    RECEIVING = "receiving"
    IMPORTING = "importing"
    ARRIVED = "arrived"
    CANCELLED = "cancelled"


class OfferExport(RequestModel):
    """An export to send. ``manifest`` is the content of its ``manifest.json``."""

    manifest: Annotated[str, Field(max_length=EXPORT_MANIFEST_MAX)]


class BeginImport(RequestModel):
    """The passphrase that decrypts the secrets of an export; null if it has none."""

    passphrase: Passphrase | None = None


class CancelArrival(RequestModel):
    """The export to refuse, and its account."""

    account_id: UUID
    export_id: UUID


class Arrival(ResponseModel):
    """An account on its way to this service.

    Attributes:
        problem: Why the last import failed; null if it didn't.
        done: Share of the import that is complete, from 0 to 1.
        missing: Names of files to send, at most 1,000 at a time.
    """

    account_id: UUID
    export_id: UUID
    state: ArrivalState
    problem: Sentence | None
    done: Share
    missing: Few[Word]


class DepartureState(OpenEnum):
    """How far an account is on its way from a service.

    ``here``: the service has the account. ``writing``: it writes the export, and publishes nothing of the
    account any more. ``written``: the export is complete. ``stopped``: the export was interrupted.
    """

    HERE = "here"
    WRITING = "writing"
    WRITTEN = "written"
    STOPPED = "stopped"


class BeginDeparture(RequestModel):
    """The passphrase that encrypts the secrets of the export."""

    passphrase: Passphrase


class Departure(ResponseModel):
    """An account on its way from this service.

    Attributes:
        export_id: Null until the export is written.
        problem: Why the export stopped; null if it didn't.
        has_secrets: Whether the export contains the access to connected accounts.
        size_bytes: Size of all media files of the export.
    """

    account_id: UUID
    export_id: UUID | None
    state: DepartureState
    problem: Sentence | None
    has_secrets: bool
    size_bytes: Count


class ExportFileQuery(RequestModel):
    """Which files to list: those after a name."""

    after: Annotated[str, Field(max_length=100)] = ""


class ExportFile(ResponseModel):
    """A file of an export."""

    name: Word
    size_bytes: Count


class ExportFileList(ResponseModel):
    """Files of an export in the order of their names, at most 1,000 at a time."""

    data: Few[ExportFile]
