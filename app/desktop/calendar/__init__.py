"""The calendar: months and weeks of cards that can be dragged.

``days``, ``geometry``, ``placement``, ``parts`` and ``moves`` are arithmetic without a window; ``model``
holds the posts; ``page``, ``month`` and ``week`` say what a day looks like; ``view`` shows them;
``gestures``, ``drag`` and ``keys`` are what a person does; ``grid`` and ``pane`` put it together.
"""

from app.desktop.calendar.pane import CalendarPane

__all__ = ["CalendarPane"]
