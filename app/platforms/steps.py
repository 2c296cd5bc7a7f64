"""Small models that adapters store in a publication's steps."""

from datetime import datetime, timedelta
from typing import Final, TypeVar

from pydantic import BaseModel, ValidationError

from app.platforms.base import Cause, Clock, FailureKind, Media, PlatformError, Publication

KEPT: Final = timedelta(hours=20)
"""How long an uploaded file is relied on: most platforms keep it for a day."""

M = TypeVar("M", bound=BaseModel)


async def recall(publication: Publication, name: str, model: type[M]) -> M | None:
    """Return a stored value; None if there is none, or it has another format."""
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
    """Whether a platform still keeps a file uploaded at this time."""
    return clock() - at < KEPT


def file_of(publication: Publication) -> Media:
    """Return the publication's file. Raises PlatformError (INVALID) if it is gone."""
    if publication.media is None:
        raise PlatformError(FailureKind.INVALID, "no_file", "The file of the post is missing.")
    return publication.media


async def address_of(publication: Publication) -> str:
    """Return the file's public address. Raises PlatformError (INVALID) if there is none."""
    address = await file_of(publication).address()
    if address is None:
        message = "The service no longer has a public address for the file."
        raise PlatformError(FailureKind.INVALID, "no_public_address", message, cause=Cause.FILE_ADDRESS)
    return address
