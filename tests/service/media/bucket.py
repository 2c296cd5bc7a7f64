"""A bucket on this computer: moto's stand-in for S3, over real HTTP."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import boto3
from moto.server import ThreadedMotoServer

from app.service.media.settings import S3Settings

NAME = "our-files"
SECRET = "the-secret-of-the-bucket"


@dataclass(frozen=True)
class Bucket:
    """The bucket, and a client that sees all of it."""

    settings: S3Settings
    s3: Any

    def held(self, prefix: str = "") -> list[str]:
        """What lies below ``kalends/``."""
        found = self.s3.list_objects_v2(Bucket=NAME, Prefix=f"kalends/{prefix}").get("Contents", [])
        return sorted(one["Key"].removeprefix("kalends/") for one in found)

    def content(self, key: str) -> bytes:
        content: bytes = self.s3.get_object(Bucket=NAME, Key=f"kalends/{key}")["Body"].read()
        return content

    def put(self, key: str, content: bytes) -> None:
        self.s3.put_object(Bucket=NAME, Key=f"kalends/{key}", Body=content)

    def delete(self, key: str) -> None:
        self.s3.delete_object(Bucket=NAME, Key=f"kalends/{key}")

    def unfinished(self) -> int:
        """Uploads in parts that were neither ended nor given up."""
        return len(self.s3.list_multipart_uploads(Bucket=NAME).get("Uploads", []))


@contextmanager
def running_bucket(folder: Path) -> Iterator[Bucket]:
    """Runs the storage, with a file of keys in the folder."""
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    endpoint = f"http://{host}:{port}"
    keys = folder / "keys"
    keys.write_text(f"[default]\naws_access_key_id = AKIATEST\naws_secret_access_key = {SECRET}\n", "utf-8")
    s3 = boto3.client(
        "s3",
        endpoint_url=endpoint,
        region_name="us-east-1",
        aws_access_key_id="AKIATEST",
        aws_secret_access_key=SECRET,
    )
    s3.create_bucket(Bucket=NAME)
    try:
        yield Bucket(S3Settings(bucket=NAME, endpoint=endpoint, path_style=True, credentials_file=keys), s3)
    finally:
        s3.close()
        server.stop()
