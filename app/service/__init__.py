"""The REST service: schedules posts, publishes them, and keeps their history."""
