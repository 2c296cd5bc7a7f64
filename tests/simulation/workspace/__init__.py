"""The room of the workspace: two apps with their outboxes, and the API, on one account."""
