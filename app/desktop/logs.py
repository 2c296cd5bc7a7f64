"""The app's log: a rotating file in the data folder, written by a separate thread."""

import logging
import queue
from collections.abc import Iterator
from contextlib import contextmanager
from logging.handlers import QueueHandler, QueueListener, RotatingFileHandler
from pathlib import Path

_BYTES = 1_000_000
_OLD_FILES = 3


@contextmanager
def log_to(folder: Path) -> Iterator[None]:
    """Write the logs of our code and the libraries to ``folder/kalends.log`` while the block runs.

    Logs of structlog are included once `configure` was called. The GUI thread only puts records into a queue.
    """
    folder.mkdir(parents=True, exist_ok=True)
    file = RotatingFileHandler(
        folder / "kalends.log", maxBytes=_BYTES, backupCount=_OLD_FILES, encoding="utf-8", delay=True
    )
    file.setFormatter(_Lines())
    lines: queue.SimpleQueue[logging.LogRecord] = queue.SimpleQueue()
    root = logging.getLogger()
    handler = _PlainQueueHandler(lines)
    root.addHandler(handler)
    root.setLevel(logging.WARNING)
    listener = QueueListener(lines, file)
    listener.start()
    try:
        yield
    finally:
        root.removeHandler(handler)
        listener.stop()
        file.close()


class _PlainQueueHandler(QueueHandler):
    """Passes records on unchanged; the file's thread formats structlog's dictionaries."""

    def prepare(self, record: logging.LogRecord) -> logging.LogRecord:
        return record


class _Lines(logging.Formatter):
    """Formats records as lines of JSON; structlog is imported for the first one, in the file's thread."""

    def __init__(self) -> None:
        super().__init__()
        self._formatter: logging.Formatter | None = None

    def format(self, record: logging.LogRecord) -> str:
        self._formatter = self._formatter or _formatter()
        return self._formatter.format(record)


def _formatter() -> logging.Formatter:
    import structlog

    return structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=[structlog.stdlib.add_log_level],
        processors=[
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            structlog.processors.JSONRenderer(),
        ],
    )


def configure() -> None:
    """Make structlog use the standard library's loggers. Imports it, which takes a moment."""
    import structlog

    structlog.configure(
        processors=[structlog.stdlib.add_log_level, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
    )
