"""TLS on loopback: an authority of this installation's own, which clients pin and no system store holds."""
