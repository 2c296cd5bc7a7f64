"""What adapters remember of a publication: small models under short names."""

from datetime import datetime, timedelta
from typing import Final, TypeVar

from pydantic import BaseModel, ValidationError

from app.platforms.base import Cause, Clock, FailureKind, Media, PlatformError, Publication

KEPT: Final = timedelta(hours=20)
"""How long a file is counted on after it was brought to a platform: most keep it for a day."""

M = TypeVar("M", bound=BaseModel)


async def recall(publication: Publication, name: str, model: type[M]) -> M | None:
    """What was remembered; None when nothing was, or something of another form."""
    value = await publication.steps.get(name)
    if value is None:
        return None
    try:
        return model.model_validate_json(value)
    except ValidationError:
        return None


async def remember(publication: Publication, name: str, value: BaseModel) -> None:
    await publication.steps.put(name, value.model_dump_json())


def usable(at: datetime, clock: Clock) -> bool:
    """Whether a file that was brought to a platform then is still kept there."""
    return clock() - at < KEPT


def file_of(publication: Publication) -> Media:
    """The file; raises PlatformError (INVALID) for a publication that has lost it."""
    if publication.media is None:
        raise PlatformError(FailureKind.INVALID, "no_file", "The file of the post is missing.")
    return publication.media


async def address_of(publication: Publication) -> str:
    """Where the platform can fetch the file; raises PlatformError (INVALID) where it cannot."""
    address = await file_of(publication).address()
    if address is None:
        message = "The service has no public address any more from which the file could be fetched."
        raise PlatformError(FailureKind.INVALID, "no_public_address", message, cause=Cause.FILE_ADDRESS)
    return address
