"""Faults of the real programs: killed processes and lost responses."""
