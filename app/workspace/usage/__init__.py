"""What the service counts: the plan, calls, storage, and how they go on."""
