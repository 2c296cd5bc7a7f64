"""The typed client of the contract: a method per endpoint, an exception per kind of failure. Knows no Qt."""

from app.client.client import ServiceClient
from app.client.errors import (
    AccessEnded,
    AnswerNotUnderstood,
    CertificateRejected,
    ClientError,
    Forbidden,
    NotFound,
    ProxyFailed,
    RateLimited,
    ServerFailed,
    ServiceAnswered,
    ServiceUnreachable,
    TimedOut,
    Unauthorized,
    ValidationRefused,
)
from app.client.events import ServiceEvent
from app.client.movement import Clocks
from app.client.pages import Course
from app.client.retries import RetryPolicy

__all__ = [
    "AccessEnded",
    "AnswerNotUnderstood",
    "CertificateRejected",
    "ClientError",
    "Clocks",
    "Course",
    "Forbidden",
    "NotFound",
    "ProxyFailed",
    "RateLimited",
    "RetryPolicy",
    "ServerFailed",
    "ServiceAnswered",
    "ServiceClient",
    "ServiceEvent",
    "ServiceUnreachable",
    "TimedOut",
    "Unauthorized",
    "ValidationRefused",
]
