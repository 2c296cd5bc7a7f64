"""TLS on loopback, with an installation's own authority that clients pin and no system store contains."""
