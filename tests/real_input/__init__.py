"""A real X server, real mouse and keyboard, a real file manager, and a screen reader's view of the window."""
