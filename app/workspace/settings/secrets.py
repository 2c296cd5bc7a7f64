"""Removes secrets from texts before the user shares them."""

import re
from typing import Final

_HIDDEN: Final = "[hidden]"
_FORMS: Final = (
    (re.compile(r"stp_rest_[0-9A-Za-z]+"), _HIDDEN),
    (re.compile(r"whsec_[A-Za-z0-9+/=_-]+"), _HIDDEN),
    (re.compile(r"(?i)\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]{8,}"), rf"\1 {_HIDDEN}"),
    (re.compile(r"(?<=://)[^/\s@\"']+@"), f"{_HIDDEN}@"),
    (
        re.compile(
            r"(?i)([?&](?:[a-z_-]*token|signature|sig|code|state|secret|password|key|x-amz-[a-z-]+)=)[^&\s\"'<>]+"
        ),
        rf"\1{_HIDDEN}",
    ),
    (
        re.compile(
            r"(?i)([\"']?\b(?:[a-z_-]*token|[a-z_-]*secret|password|passwd|api[_-]?key|authorization|cookie)\b"
            r"[\"']?\s*[:=]\s*)(\"[^\"]*\"|'[^']*'|[^\s,;}\"']+)"
        ),
        rf"\1{_HIDDEN}",
    ),
    (re.compile(r"\beyJ[\w-]{8,}\.[\w-]+(?:\.[\w-]+)?"), _HIDDEN),
    (re.compile(r"(?a)(?=[\w-]*\d)(?=[\w-]*[A-Za-z])(?![0-9a-f]{8}-[0-9a-f]{4}-)[\w-]{40,}"), _HIDDEN),
)
"""Keys, webhook secrets, secrets in headers, URLs and settings, and anything that looks like a token."""


def without_secrets(text: str) -> str:
    """Return the text with every recognizable secret replaced by ``[hidden]``."""
    for form, instead in _FORMS:
        text = form.sub(instead, text)
    return text
