"""Files that are on an account's server, as records name them."""

from datetime import timedelta
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

KEPT: Final = timedelta(minutes=50)
"""How long an uploaded file is counted on. Servers keep one that no post uses for an hour at least."""


class _Ref(BaseModel):
    model_config = ConfigDict(validate_by_name=True)

    link: Annotated[str, Field(alias="$link", pattern=r"^[a-z0-9]{8,128}$")]


class Blob(BaseModel):
    """A file as a record names it."""

    model_config = ConfigDict(validate_by_name=True)

    type: Annotated[Literal["blob"], Field(alias="$type")]
    ref: _Ref
    mime_type: Annotated[str, Field(alias="mimeType", max_length=100)]
    size: Annotated[int, Field(ge=0)]
