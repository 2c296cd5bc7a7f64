"""How published content does: sampled by a schedule, listed by day."""
