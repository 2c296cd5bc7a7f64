"""The calendar: a month, a week, a day or an agenda of cards that can be dragged.

Arithmetic without a window: `days`, `geometry`, `placement`, `moves` and, for the parts of a card,
`looks`. The posts: `model`, `filters` and, as the workspace is seen from here, `planner`.

What all ways to show days share is in `page`, the ways are in `pages` and `agenda`, with `cards`, `pictures`
and `slots` on them; `tiles` keeps what was painted. `page_view` shows a part of a page, `view` paints it and
hands events on. `paint`, `pills` and `drag` paint what lies over the days; `buttons` make it accessible.

`controller` and `keys` are what the mouse and the keyboard do. `grid` puts header, ruler and view together,
`pane` the grid and all that steers it; `commands` are what the palette, shortcuts and menus offer.
"""

from app.desktop.calendar.pane import CalendarPane

__all__ = ["CalendarPane"]
