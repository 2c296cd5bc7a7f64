"""Changes that the service has not confirmed yet."""
