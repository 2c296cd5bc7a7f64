"""Colours, type, icons and the style sheet of the desktop app: the only place that names a colour."""
