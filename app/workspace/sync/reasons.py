"""Why a post failed, from the attempts that our service tells of."""

from collections.abc import Sequence

from app.contract.companion import Attempt, AttemptOutcome
from app.contract.enums import PostStatus
from app.language import tr

UNTOLD = tr("The service didn't say why.")

_NOBODY_KNOWS = tr(
    "The platform's answer was lost, so this was possibly published. Check there before scheduling it again."
)


def reason(status: PostStatus, attempts: Sequence[Attempt]) -> tuple[str, bool]:
    """The reason in words and whether the post may be live, from attempts newest first."""
    failed = status is PostStatus.FAILED
    last = attempts[0] if attempts else None
    if last is None or last.outcome is AttemptOutcome.PUBLISHED:
        return (UNTOLD if failed else ""), False
    unknown = last.outcome is AttemptOutcome.UNKNOWN or (failed and last.outcome is AttemptOutcome.PENDING)
    if unknown:
        return _joined(last.platform_message, last.advice or _NOBODY_KNOWS), True
    if failed:
        return _joined(last.platform_message, last.advice) or UNTOLD, False
    return "", False


def _joined(*parts: str | None) -> str:
    sentences = [" ".join(part.split()) for part in parts if part and part.strip()]
    return " ".join(text if text[-1] in ".!?…" else f"{text}." for text in sentences)[:600]
