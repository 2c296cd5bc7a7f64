"""The window around the panes: rail, status line, messages, and what is shown when."""
