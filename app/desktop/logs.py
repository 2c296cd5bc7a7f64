"""The app's log: a rotating file in the data folder, written by a thread of its own."""

import logging
import queue
from collections.abc import Iterator
from contextlib import contextmanager
from logging.handlers import QueueHandler, QueueListener, RotatingFileHandler
from pathlib import Path

import structlog

_BYTES = 1_000_000
_OLD_FILES = 3


@contextmanager
def log_to(folder: Path) -> Iterator[None]:
    """Sends what our code and the libraries log to ``folder/kalends.log`` while the block runs.

    The GUI thread only puts lines into a queue; the file is not its business.
    """
    folder.mkdir(parents=True, exist_ok=True)
    file = RotatingFileHandler(
        folder / "kalends.log", maxBytes=_BYTES, backupCount=_OLD_FILES, encoding="utf-8", delay=True
    )
    file.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[structlog.stdlib.add_log_level],
            processors=[
                structlog.processors.TimeStamper(fmt="iso", utc=True),
                structlog.processors.format_exc_info,
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.JSONRenderer(),
            ],
        )
    )
    structlog.configure(
        processors=[structlog.stdlib.add_log_level, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
    )
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
    """Hands records over as they are; the file's thread writes structlog's dictionaries out."""

    def prepare(self, record: logging.LogRecord) -> logging.LogRecord:
        return record
