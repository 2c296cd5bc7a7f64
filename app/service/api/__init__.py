"""What every endpoint shares: the application, keys, bodies, cursors, and the error envelope."""
