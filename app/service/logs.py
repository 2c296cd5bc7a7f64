"""Logs: structured lines on stderr, without secrets."""

import logging
import re
import sys
from typing import Any

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

_SECRETS = re.compile(
    r"(?P<prefix>stp_rest_|whsec_)[^\s\"'&]+"
    r"|(?P<name>\b(?:code|state|code_verifier|access_token|refresh_token|client_secret|cursor|link|token)=)[^\s\"'&]+"
    r"|(?P<scheme>\b[Bb]earer )[^\s\"'&]+"
)


def scrub(text: str) -> str:
    """Mask anything that looks like a key, a token, or a secret in a URL."""
    return _SECRETS.sub(lambda found: f"{found['prefix'] or found['name'] or found['scheme']}***", text)


def configure_logs(level: str = "INFO") -> None:
    """Send our logs and the libraries' to stderr: readable on a terminal, otherwise as JSON lines."""
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
        _scrub_all,
    ]
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *shared,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=False,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, _renderer()],
        )
    )
    logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)
    logging.getLogger("app").setLevel(level)


def _renderer() -> Processor:
    if sys.stderr.isatty():
        return structlog.dev.ConsoleRenderer()
    return structlog.processors.JSONRenderer()


def _scrub_all(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    return {name: _scrub_value(value) for name, value in event.items()}


def _scrub_value(value: Any) -> Any:
    return scrub(value) if isinstance(value, str) else value
