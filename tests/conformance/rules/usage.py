"""Quotas: the plan, action counters, and storage."""

import re

from tests.conformance.document import rows
from tests.conformance.files import png
from tests.conformance.outcome import expect, same
from tests.conformance.register import rule
from tests.conformance.shapes import check_shape, moment
from tests.conformance.stage import Fields, Stage

USAGE = "Usage"


def usage(stage: Stage) -> Fields:
    found: Fields = stage.api.get("/usage").given()
    return found


@rule(USAGE, *rows(USAGE), also={"Analytics, content history, usage": ["Returns the usage object"]})
def usage_has_the_fields_of_its_table(stage: Stage) -> None:
    found = usage(stage)
    check_shape(USAGE, found)
    for name, kind in (("used_bytes", int), ("cap_bytes", int), ("used_human", str), ("cap_human", str)):
        expect(
            isinstance(found["storage"].get(name), kind), f"storage.{name} is {found['storage'].get(name)!r}"
        )


@rule(USAGE, "Active plan name", "status · active, inactive, past_due", "End of the current billing period")
def the_account_of_a_good_key_is_active(stage: Stage) -> None:
    found = usage(stage)
    same(found["status"], "active", "status")
    expect(found["plan"] is None or found["plan"], "plan is empty")
    end = found["current_period_end"]
    expect(end is None or moment(end), "current_period_end is no time")


@rule(USAGE, "Quota period type, month")
def the_period_is_a_month(stage: Stage) -> None:
    same(usage(stage)["period"], "month", "period")


@rule(USAGE, "Map from action name (form rest.<area>.<action>", alone=True)
def actions_are_counted_by_name(stage: Stage) -> None:
    before = usage(stage)["actions"]
    stage.planned()
    stage.api.post(
        "/media/upload-url", {"filename": "a", "content_type": "image/png", "size_bytes": 1}
    ).given()
    after = usage(stage)["actions"]
    for name, count in after.items():
        expect(re.fullmatch(r"rest(\.[a-z_]+){2}", name), f"an action is called {name!r}")
        expect(isinstance(count, int | float) and count >= 0, f"{name} was counted {count!r} times")
    for name in ("rest.posts.create", "rest.media.upload_url"):
        same(after.get(name, 0) - before.get(name, 0), 1, f"how often {name} was counted for one call")


@rule(
    USAGE,
    "storage · used_bytes, cap_bytes",
    also={"Limits": ["Capped per plan (cap_bytes in usage)"]},
    alone=True,
)
def stored_files_count_as_used_until_they_are_removed(stage: Stage) -> None:
    before = usage(stage)["storage"]
    path = stage.picture()
    stored = usage(stage)["storage"]
    same(stored["used_bytes"] - before["used_bytes"], len(png()), "the bytes that one file added")
    same(stored["cap_bytes"], before["cap_bytes"], "cap_bytes")
    expect(stored["used_human"] and stored["cap_human"], "the sizes for people are empty")
    stage.api.delete(f"/media/{path}").given()
    same(usage(stage)["storage"]["used_bytes"], before["used_bytes"], "used_bytes after the file was removed")
