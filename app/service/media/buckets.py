"""Access to an S3 bucket: credentials, signed links, and the client for its objects.

The only module that imports boto3, which finds credentials, signs, and aborts uploads; obstore transfers
the data. Desktop installs have neither, so this module is only imported if the settings name a bucket.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final, Protocol

import boto3
import botocore.session
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError
from obstore.auth.boto3 import Boto3CredentialProvider
from obstore.exceptions import BaseError
from obstore.store import S3Store

from app.service.media.settings import S3Settings
from app.service.problems import CommandProblem

if TYPE_CHECKING:
    from obstore.store import ClientConfig, S3Config

_CONNECT: Final = timedelta(seconds=10)
_READ: Final = timedelta(seconds=60)
_TOTAL: Final = timedelta(hours=12)
"""Limit for a whole request, generous because the other end of a forwarded file may be slow."""


class StorageError(OSError):
    """The storage couldn't be reached or refused. Omits its message, which contains keys and hosts."""

    def __init__(self, reason: str) -> None:
        super().__init__(None, f"the bucket could not be used ({reason})")


class _Client(Protocol):
    """The part of boto3's untyped client that we use."""

    def generate_presigned_url(self, ClientMethod: str, Params: dict[str, Any], ExpiresIn: int) -> str:  # noqa: N803
        """Return a signed URL, without a request."""

    def list_multipart_uploads(self, *, Bucket: str, Prefix: str) -> dict[str, Any]:  # noqa: N803
        """Return up to 1,000 uploads in parts that were neither completed nor aborted."""

    def abort_multipart_upload(self, *, Bucket: str, Key: str, UploadId: str) -> object:  # noqa: N803
        """Delete the parts of an upload."""


# At level DEBUG, they log signatures.
for _name in ("boto3", "botocore", "urllib3"):
    logging.getLogger(_name).setLevel(logging.WARNING)


@dataclass(frozen=True)
class Bucket:
    """A folder of a bucket.

    Attributes:
        objects: The folder's objects, by keys without the folder's name.
        client: Signs links, and aborts what the transfer of an object left behind.
        name: The bucket's name.
        prefix: The folder, ending in a slash.
    """

    objects: S3Store
    client: _Client
    name: str
    prefix: str

    def link(self, key: str, content_type: str, disposition: str, lifetime: timedelta) -> str:
        """Return a signed URL for an object, in ASCII. It expires early if the credentials do."""
        wanted = {
            "Bucket": self.name,
            "Key": self.prefix + key,
            "ResponseContentType": content_type,
            "ResponseContentDisposition": disposition,
        }
        with storage_errors():
            return self.client.generate_presigned_url("get_object", wanted, int(lifetime.total_seconds()))

    def abort_parts(self, key: str) -> None:
        """Delete the parts of an object's unfinished uploads. Blocking. Raises OSError."""
        whole = self.prefix + key
        with storage_errors():
            listed = self.client.list_multipart_uploads(Bucket=self.name, Prefix=whole)
            for upload in listed.get("Uploads", ()):
                self.client.abort_multipart_upload(Bucket=self.name, Key=whole, UploadId=upload["UploadId"])


def open_bucket(settings: S3Settings) -> Bucket:
    """Open the bucket in the settings, without a request to it. Blocking.

    Raises CommandProblem if there are no credentials.
    """
    session = _session(settings)
    config = Config(
        signature_version="s3v4",
        s3={"addressing_style": "path" if settings.path_style else "virtual"},
        connect_timeout=_CONNECT.total_seconds(),
        retries={"mode": "standard", "total_max_attempts": 3},
    )
    client: _Client = session.client(
        "s3", region_name=settings.region, endpoint_url=settings.endpoint, config=config
    )
    try:
        objects = _objects(settings, Boto3CredentialProvider(session))
    except OSError as error:
        raise CommandProblem(f"The file {settings.ca_file} under [media.s3] can't be read.") from error
    return Bucket(objects, client, settings.bucket, settings.prefix)


@contextmanager
def storage_errors() -> Iterator[None]:
    """Convert the libraries' errors to OSError, keeping FileNotFoundError."""
    try:
        yield
    except (BaseError, BotoCoreError, ClientError) as error:
        raise StorageError(type(error).__name__) from None


def _session(settings: S3Settings) -> boto3.Session:
    core = botocore.session.Session(profile=settings.profile)
    if settings.credentials_file is not None:
        core.set_config_variable("credentials_file", str(settings.credentials_file.expanduser()))
    session = boto3.Session(botocore_session=core)
    try:
        found = session.get_credentials()
    except BotoCoreError:
        found = None
    if found is None:
        where = settings.credentials_file or "boto3's default locations"
        words = f"There are no credentials for the bucket {settings.bucket} in {where}."
        raise CommandProblem(f"{words} Name a credentials_file under [media.s3].")
    return session


def _objects(settings: S3Settings, credentials: Boto3CredentialProvider) -> S3Store:
    client: ClientConfig = {
        "allow_http": not settings.is_secure,
        "connect_timeout": _CONNECT,
        "read_timeout": _READ,
        "timeout": _TOTAL,
    }
    if settings.ca_file is not None:
        client["root_certificate"] = settings.ca_file.expanduser().read_bytes()
    where: S3Config = {"endpoint": settings.endpoint} if settings.endpoint else {}
    return S3Store(
        settings.bucket,
        config=where,
        prefix=settings.prefix.rstrip("/"),
        region=settings.region,
        virtual_hosted_style_request=not settings.path_style,
        credential_provider=credentials,
        client_options=client,
        retry_config={"max_retries": 3, "retry_timeout": _READ},
    )
