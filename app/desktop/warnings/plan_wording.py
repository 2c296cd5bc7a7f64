"""What is wrong with a plan as a whole, or with many of its posts for one reason, in words."""

from collections.abc import Callable, Sequence

from app.workspace.sizes import data_size
from app.workspace.warnings.warning import PlanWarning, WarningKind

When = Callable[[int], str]
"""Day and time of an instant in words."""

Say = Callable[[Sequence[PlanWarning], When], str]

NO_ROOM = "Not enough storage"
_GRACE = "What it misses goes out when it wakes, unless that is more than 12 hours late."


def _asleep(together: Sequence[PlanWarning], when: When) -> str:
    return (
        "Posts go out from this computer, so it has to be on, online and awake at their times. The next "
        f"one is on {when(together[0].at)}. {_GRACE}"
    )


def _usually_off(together: Sequence[PlanWarning], _when: When) -> str:
    habits = {one.message for one in together}
    habit = habits.pop() if len(habits) == 1 else "Kalends did not run at these times in the weeks before."
    come = "1 post goes" if len(together) == 1 else f"{len(together)} posts go"
    return f"{come} out from this computer then. {habit} {_GRACE}"


def _no_room(together: Sequence[PlanWarning], when: When) -> str:
    [one] = together
    free = f"{data_size(one.free)} are left" if one.free else "nothing is left"
    need = f"Files that wait to be uploaded need {data_size(one.needs)}, and {free} at the service."
    return f"{need} The first post without its file is for {when(one.at)}." if one.at else need


def _subscription(together: Sequence[PlanWarning], _when: When) -> str:
    come = "1 post comes" if len(together) == 1 else f"{len(together)} posts come"
    return f"The subscription of this service is not paid. {come} after its end and may not go out."


def _too_late(together: Sequence[PlanWarning], _when: When) -> str:
    which = "1 of them gets there" if len(together) == 1 else f"{len(together)} of them get there"
    return (
        "More posts wait to be sent to the service than it takes in the time that is left. "
        f"{which} after the time at which it should go out."
    )


PLAN_TEXTS: dict[WarningKind, tuple[str, Say]] = {
    WarningKind.ASLEEP: ("This computer has to be awake", _asleep),
    WarningKind.USUALLY_OFF: ("Kalends usually does not run then", _usually_off),
    WarningKind.NO_ROOM: (NO_ROOM, _no_room),
    WarningKind.SUBSCRIPTION: ("The subscription may end before", _subscription),
    WarningKind.TOO_LATE: ("Sent too late", _too_late),
}
"""By the kind of warning: a title, and what says the rest."""
