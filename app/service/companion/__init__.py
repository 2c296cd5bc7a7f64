"""What the app uses beyond the specification, under ``/companion/v1``."""
