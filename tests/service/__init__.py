"""The service: its API through real TLS, its store, and its processes."""
