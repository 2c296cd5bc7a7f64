"""The picker of emoji."""
