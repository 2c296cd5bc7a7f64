"""``[media]``: where files are stored, and the address at which platforms can fetch them."""

from pathlib import Path
from typing import Annotated, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from app.contract.base import HttpUrl


def _require_origin(value: str) -> str:
    parts = urlsplit(value.rstrip("/"))
    if parts.scheme != "https" or parts.path or parts.query or parts.fragment or "@" in parts.netloc:
        raise ValueError("must be https://HOST or https://HOST:PORT and nothing more")
    return value.rstrip("/")


HttpsOrigin = Annotated[HttpUrl, AfterValidator(_require_origin)]
"""Such as ``https://plan.example``, without a trailing slash."""


def _require_endpoint(value: str) -> str:
    parts = urlsplit(value.rstrip("/"))
    if parts.path or parts.query or parts.fragment or "@" in parts.netloc:
        raise ValueError("must be https://HOST or https://HOST:PORT and nothing more, without credentials")
    return value.rstrip("/")


def _require_prefix(value: str) -> str:
    folders = value.strip("/").split("/")
    if any(folder in {"", ".", ".."} for folder in folders):
        raise ValueError("must be a folder in the bucket used only by Kalends, such as kalends/")
    return "/".join(folders) + "/"


class S3Settings(BaseModel):
    """A bucket of S3 or a compatible storage. Credentials are never stored here.

    Attributes:
        region: The provider's name for it.
        endpoint: URL of the storage; None for Amazon's.
        prefix: The folder in the bucket that only Kalends uses: any other object in it may be deleted.
        path_style: Whether the bucket is in the path instead of the host name, as MinIO needs.
        credentials_file: A file like ``~/.aws/credentials``; None for boto3's default search.
        profile: The section in that file.
        ca_file: A PEM file of additional certificate authorities for the storage.
        public: Whether platforms can fetch signed links to the bucket; None if they can when it uses https.
    """

    model_config = ConfigDict(extra="forbid")

    bucket: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$")]
    region: Annotated[str, Field(pattern=r"^[a-z0-9-]{1,40}$")] = "us-east-1"
    endpoint: Annotated[HttpUrl, AfterValidator(_require_endpoint)] | None = None
    prefix: Annotated[str, Field(max_length=200), AfterValidator(_require_prefix)] = "kalends/"
    path_style: bool = False
    credentials_file: Path | None = None
    profile: str | None = None
    ca_file: Path | None = None
    public: bool | None = None

    @property
    def is_secure(self) -> bool:
        """Whether links to the bucket start with https."""
        return self.endpoint is None or self.endpoint.startswith("https://")

    @property
    def is_public(self) -> bool:
        return self.is_secure if self.public is None else self.public

    @model_validator(mode="after")
    def _check_public(self) -> Self:
        if self.public and not self.is_secure:
            raise ValueError("public = true needs an endpoint that starts with https")
        return self


class MediaSettings(BaseModel):
    """Where files are stored.

    Attributes:
        public_origin: Public origin of the service's signed links to files (``/media/v1/``), such as
            ``https://files.example``, where platforms fetch files. Nothing else needs to be reachable there.
        s3: The bucket for files; None for the data folder.
    """

    model_config = ConfigDict(extra="forbid")

    public_origin: HttpsOrigin | None = None
    s3: S3Settings | None = None

    @property
    def is_reachable(self) -> bool:
        """Whether platforms can fetch files."""
        return self.public_origin is not None or (self.s3 is not None and self.s3.is_public)
