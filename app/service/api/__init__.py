"""The HTTP API's foundations: application, routing, keys, request parsing, cursors, and errors."""
