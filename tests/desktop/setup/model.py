"""The part of a model service that tells how its platforms are set up, and keeps apps."""

import json
from typing import Any

import httpx

_PREFIX = "/companion/v1/platforms"


class SetUps:
    """Answers for ``ModelService.parts``; ``refusal`` is answered in place of everything."""

    def __init__(self, *platforms: dict[str, Any]) -> None:
        self.platforms = {one["platform"]: one for one in platforms}
        self.given: list[dict[str, Any]] = []
        self.account_checks: list[dict[str, Any]] = []
        self.rejects_the_app = True
        self.refusal: httpx.Response | None = None

    def answer(self, request: httpx.Request) -> httpx.Response | None:
        if not request.url.path.startswith(_PREFIX):
            return None
        if self.refusal is not None:
            return self.refusal
        if request.url.path == _PREFIX:
            return httpx.Response(200, json={"data": list(self.platforms.values())})
        found = self.platforms[request.url.path.split("/")[4]]
        if request.url.path.endswith("/self-test"):
            checks = [
                {"name": "credentials", "outcome": "passed", "message": "The app's credentials are set."},
                self._check_of_the_app(found["name"]),
                {
                    "name": "redirect_uri",
                    "outcome": "unknown",
                    "message": "The first consent shows.",
                    "step": "address",
                },
                *self.account_checks,
            ]
            return httpx.Response(
                200, json={"platform": found["platform"], "passed": False, "checks": checks}
            )
        if request.method == "PUT":
            self.given.append(json.loads(request.content))
        found["credentials"] = request.method == "PUT"
        return httpx.Response(200, json=found)

    def _check_of_the_app(self, name: str) -> dict[str, Any]:
        if self.rejects_the_app:
            said = f"{name} rejected the app: invalid_client. Copy its ID and secret again."
            return {"name": "app", "outcome": "failed", "message": said}
        said = f"{name} accepted the app's ID and secret."
        return {"name": "app", "outcome": "passed", "message": said}
