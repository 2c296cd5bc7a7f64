"""A bucket on this computer: moto's stand-in for S3, over real HTTP."""

import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import boto3

from app.service.media.settings import S3Settings
from tests.ports import free_port

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
    """Runs the storage as a program of its own, with a file of keys in the folder."""
    with _storage() as endpoint:
        keys = folder / "keys"
        keys.write_text(
            f"[default]\naws_access_key_id = AKIATEST\naws_secret_access_key = {SECRET}\n", "utf-8"
        )
        s3 = boto3.client(
            "s3",
            endpoint_url=endpoint,
            region_name="us-east-1",
            aws_access_key_id="AKIATEST",
            aws_secret_access_key=SECRET,
        )
        s3.create_bucket(Bucket=NAME)
        settings = S3Settings(bucket=NAME, endpoint=endpoint, path_style=True, credentials_file=keys)
        yield Bucket(settings, s3)
        s3.close()


@contextmanager
def cutting(endpoint: str, request: bytes, times: int) -> Iterator[str]:
    """An address before the storage; connections break that many times on requests that begin so."""
    host, _, port = endpoint.removeprefix("http://").rpartition(":")
    left = iter(range(times))

    def pass_on(source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while piece := source.recv(65536):
                if piece.startswith(request) and next(left, None) is not None:
                    break
                target.sendall(piece)
        for end in (source, target):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def connect(client: socket.socket) -> None:
        with client, socket.create_connection((host, int(port))) as storage:
            answers = threading.Thread(target=pass_on, args=(storage, client))
            answers.start()
            pass_on(client, storage)
            answers.join()

    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            with ThreadPoolExecutor() as threads, suppress(OSError):
                while True:
                    threads.submit(connect, server.accept()[0])

        serving = threading.Thread(target=serve)
        serving.start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}"
        server.shutdown(socket.SHUT_RDWR)
    serving.join()


@contextmanager
def _storage() -> Iterator[str]:
    port = free_port()
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    nothing = subprocess.DEVNULL
    with subprocess.Popen(command, stdin=nothing, stdout=nothing, stderr=nothing) as process:
        try:
            _wait_for(port)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.kill()


def _wait_for(port: int) -> None:
    end = time.monotonic() + 60
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            assert time.monotonic() < end, "the storage does not start"
            time.sleep(0.1)
        else:
            return
