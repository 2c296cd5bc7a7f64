"""A real X server, real mouse and keys, a real file manager and a screen reader's view of the window."""
