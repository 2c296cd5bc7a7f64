"""The pane of drafts, in a window."""
