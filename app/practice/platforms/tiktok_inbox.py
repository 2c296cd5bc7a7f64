"""TikTok's inbox: files sent by apps wait there until the user publishes or deletes them, here on a page."""

import json
from collections.abc import Mapping
from typing import Any

from fastapi import HTTPException, Request
from fastapi.responses import RedirectResponse, Response

from app.practice.consent import page, read_form
from app.practice.desk import Desk
from app.practice.ledger import Draft
from app.practice.platforms.tiktok_photos import POSTS, labels_of
from app.practice.uploads import Upload

PATH = "/tiktok/inbox"
MOST_PENDING = 5
_DAY_S = 86_400
_KEY = "inbox"


def is_for_inbox(upload: Upload) -> bool:
    """Whether an announced file goes to the inbox instead of being published."""
    return bool(json.loads(upload.details or "{}").get(_KEY))


def inbox_details(details: Mapping[str, Any]) -> str:
    """Return the details of a file that goes to the inbox."""
    return json.dumps({**details, _KEY: True})


class Inbox:
    """The files that wait for their users."""

    def __init__(self, desk: Desk, name: str) -> None:
        self._desk = desk
        self._name = name

    def is_full(self, account: str) -> bool:
        """Whether as many files wait for a user as TikTok allows in 24 hours."""
        waiting = (one for one in self.waiting() if one.account == account)
        return sum(self._desk.uploads.age_s(one) < _DAY_S for one in waiting) >= MOST_PENDING

    def waiting(self) -> list[Upload]:
        """Return the files that wait, oldest first."""
        found = self._desk.uploads.used(self._name)
        return [one for one in found if is_for_inbox(one) and not _is_over(one)]

    def state(self, upload: Upload) -> dict[str, Any]:
        """Return TikTok's status of a file that was received and can be used."""
        details = json.loads(upload.details)
        if details.get("failed"):
            return {"status": "FAILED", "fail_reason": details["failed"]}
        if "id" not in details:
            return {"status": "SEND_TO_USER_INBOX"}
        ids = [int(details["id"])] if details["id"] else []
        return {"status": "PUBLISH_COMPLETE", "publicaly_available_post_id": ids}

    def show(self, request: Request) -> Response:
        """Show what waits, with a form for each file."""
        shown = [
            {
                "upload": one,
                "person": self._desk.grants.account_of(self._name, one.account),
                "file": self._desk.files.find(one.sha256) if one.sha256 else None,
                "caption": json.loads(one.details).get("caption", ""),
            }
            for one in self.waiting()
        ]
        return page(self._desk, request, "inbox.html", {"shown": shown, "path": PATH})

    async def decide(self, request: Request, number: str) -> Response:
        """Publish or delete a file that waits."""
        form = await read_form(request)
        found = next((one for one in self.waiting() if str(one.id) == number), None)
        if found is None:
            raise HTTPException(404)
        if form.get("action") == "delete":
            self._note(found, failed="publish_cancelled")
        else:
            self._publish(found, form.get("caption", ""), form.get("privacy", "PUBLIC_TO_EVERYONE"))
        return RedirectResponse(PATH, 303)

    def _publish(self, upload: Upload, caption: str, privacy: str) -> None:
        draft = Draft(
            self._name,
            upload.account,
            caption,
            media_sha256=upload.sha256,
            labels=labels_of({"privacy_level": privacy}),
        )
        published = self._desk.ledger.accept(draft, str, repeatable=True)
        self._desk.quotas.count(POSTS, upload.account)
        self._note(upload, id=published.content_id if privacy == "PUBLIC_TO_EVERYONE" else None)

    def _note(self, upload: Upload, **more: str | None) -> None:
        self._desk.uploads.note(upload, json.dumps({**json.loads(upload.details), **more}))


def _is_over(upload: Upload) -> bool:
    details = json.loads(upload.details)
    return "id" in details or "failed" in details
