"""The window around the panes: sidebar, status line, messages, and the main controller."""
