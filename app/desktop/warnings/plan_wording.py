"""What is wrong with a plan as a whole, or with many of its posts for one reason, in words."""

from collections.abc import Callable, Sequence

from app.language import data_size, tr, trn
from app.workspace.warnings.warning import PlanWarning, WarningKind

When = Callable[[int], str]
"""Day and time of an instant in words."""

Say = Callable[[Sequence[PlanWarning], When], str]

NO_ROOM = tr("Not enough storage")
_GRACE = tr("Missed posts are published when it wakes, up to 12 hours late.")


def _asleep(_together: Sequence[PlanWarning], _when: When) -> str:
    return _GRACE


def _usually_off(together: Sequence[PlanWarning], _when: When) -> str:
    habits = {one.message for one in together}
    several = tr("Kalends wasn't running at these times in recent weeks.")
    return habits.pop() if len(habits) == 1 else several


def _no_room(together: Sequence[PlanWarning], when: When) -> str:
    [one] = together
    needed = data_size(one.needs)
    need = tr("Pending uploads need {size}, but storage is full.", size=needed)
    if one.free:
        need = tr(
            "Pending uploads need {size}, but only {free} of storage is left.",
            size=needed,
            free=data_size(one.free),
        )
    first = (
        tr("The first post without its file is scheduled for {when}.", when=when(one.at)) if one.at else ""
    )
    return f"{need} {first}".rstrip()


def _subscription(together: Sequence[PlanWarning], _when: When) -> str:
    return trn(
        "The subscription isn't paid. {n} post is scheduled after it ends and may not be published.",
        "The subscription isn't paid. {n} posts are scheduled after it ends and may not be published.",
        len(together),
    )


def _too_late(together: Sequence[PlanWarning], _when: When) -> str:
    many = tr("More posts are waiting to be sent than the service accepts in the time left.")
    late = trn(
        "{n} of them will be late.",
        "{n} of them will be late.",
        len(together),
    )
    return f"{many} {late}"


PLAN_TEXTS: dict[WarningKind, tuple[str, Say]] = {
    WarningKind.ASLEEP: (tr("This computer must be on when posts are due."), _asleep),
    WarningKind.USUALLY_OFF: (tr("Kalends usually isn't running then"), _usually_off),
    WarningKind.NO_ROOM: (NO_ROOM, _no_room),
    WarningKind.SUBSCRIPTION: (tr("The subscription may end before"), _subscription),
    WarningKind.TOO_LATE: (tr("Posts may be late"), _too_late),
}
"""By the kind of warning: a title, and what says the rest."""
