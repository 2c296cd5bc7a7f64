"""The desktop app: the user interface, without any HTTP."""
