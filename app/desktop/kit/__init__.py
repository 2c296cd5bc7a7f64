"""Components shared by several panes: larger than a widget, but not a feature."""
