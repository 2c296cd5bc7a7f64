"""The contract kept: the REST service that schedules, publishes and remembers."""
