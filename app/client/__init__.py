"""Typed client of the contract: a method per endpoint, an exception per kind of failure. No Qt."""

from app.client.answers import ACCOUNTS_MAX, ITEMS_MAX, Course
from app.client.client import ServiceClient
from app.client.errors import (
    AccessEnded,
    AnswerNotUnderstood,
    CertificateRejected,
    ClientError,
    EnvelopeMissing,
    Forbidden,
    ListTooLong,
    NotConnected,
    NotFound,
    ProxyFailed,
    RateLimited,
    RetryPolicy,
    ServerFailed,
    ServiceAnswered,
    ServiceUnreachable,
    TimedOut,
    Unauthorized,
    ValidationRefused,
)
from app.client.events import ServiceEvent, is_event_id
from app.client.publishing import FinishingCalls, PublishingCalls
from app.client.transfers import Clocks

__all__ = [
    "ACCOUNTS_MAX",
    "ITEMS_MAX",
    "AccessEnded",
    "AnswerNotUnderstood",
    "CertificateRejected",
    "ClientError",
    "Clocks",
    "Course",
    "EnvelopeMissing",
    "FinishingCalls",
    "Forbidden",
    "ListTooLong",
    "NotConnected",
    "NotFound",
    "ProxyFailed",
    "PublishingCalls",
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
    "is_event_id",
]
