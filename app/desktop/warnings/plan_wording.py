"""What is wrong with a plan as a whole, or with many of its posts for one reason, in words."""

from collections.abc import Callable, Sequence

from app.language import tr, trn
from app.workspace.sizes import data_size
from app.workspace.warnings.warning import PlanWarning, WarningKind

When = Callable[[int], str]
"""Day and time of an instant in words."""

Say = Callable[[Sequence[PlanWarning], When], str]

NO_ROOM = tr("Not enough storage")
_GRACE = tr("What it misses goes out when it wakes, unless that is more than 12 hours late.")


def _asleep(together: Sequence[PlanWarning], when: When) -> str:
    told = tr(
        "Posts go out from this computer, so it has to be on, online and awake at their times. "
        "The next one is on {when}.",
        when=when(together[0].at),
    )
    return f"{told} {_GRACE}"


def _usually_off(together: Sequence[PlanWarning], _when: When) -> str:
    habits = {one.message for one in together}
    several = tr("Kalends did not run at these times in the weeks before.")
    habit = habits.pop() if len(habits) == 1 else several
    come = trn(
        "{n} post goes out from this computer then.",
        "{n} posts go out from this computer then.",
        len(together),
    )
    return f"{come} {habit} {_GRACE}"


def _no_room(together: Sequence[PlanWarning], when: When) -> str:
    [one] = together
    needed = data_size(one.needs)
    need = tr("Files that wait to be uploaded need {size}, and nothing is left at the service.", size=needed)
    if one.free:
        need = tr(
            "Files that wait to be uploaded need {size}, and {free} are left at the service.",
            size=needed,
            free=data_size(one.free),
        )
    first = tr("The first post without its file is for {when}.", when=when(one.at)) if one.at else ""
    return f"{need} {first}".rstrip()


def _subscription(together: Sequence[PlanWarning], _when: When) -> str:
    return trn(
        "The subscription of this service is not paid. {n} post comes after its end and may not go out.",
        "The subscription of this service is not paid. {n} posts come after its end and may not go out.",
        len(together),
    )


def _too_late(together: Sequence[PlanWarning], _when: When) -> str:
    many = tr("More posts wait to be sent to the service than it takes in the time that is left.")
    late = trn(
        "{n} of them gets there after the time at which it should go out.",
        "{n} of them get there after the time at which it should go out.",
        len(together),
    )
    return f"{many} {late}"


PLAN_TEXTS: dict[WarningKind, tuple[str, Say]] = {
    WarningKind.ASLEEP: (tr("This computer has to be awake"), _asleep),
    WarningKind.USUALLY_OFF: (tr("Kalends usually does not run then"), _usually_off),
    WarningKind.NO_ROOM: (NO_ROOM, _no_room),
    WarningKind.SUBSCRIPTION: (tr("The subscription may end before"), _subscription),
    WarningKind.TOO_LATE: (tr("Sent too late"), _too_late),
}
"""By the kind of warning: a title, and what says the rest."""
