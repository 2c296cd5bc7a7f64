"""Health, readiness and metrics of a process, for operators."""
