"""Colours, fonts, icons and the style sheet: the only place that names a colour."""
