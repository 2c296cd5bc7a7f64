"""The calendar: a month, a week, a day or an agenda of cards that can be dragged.

Arithmetic without a window: `days`, `geometry`, `placement`, `moves` and, for the parts of a card,
`looks`. The posts: `model`, `filters` and `planner`, the calendar's view of the workspace.

`page` is the base of all views of days; `pages` and `agenda` implement them, with `cards`, `pictures`
and `slots` on them; `tiles` caches what was painted. `page_view` shows a part of a page; `view` paints it and
passes events on. `paint`, `pills` and `drag` paint what lies over the days; `buttons` make it accessible.

`controller` and `keys` handle the mouse and the keyboard. `grid` combines header, ruler and view;
`pane` combines the grid and its controls; `commands` are those of the palette, shortcuts and menus.
"""

from app.desktop.calendar.pane import CalendarPane

__all__ = ["CalendarPane"]
