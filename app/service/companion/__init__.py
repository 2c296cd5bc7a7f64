"""The companion API under ``/companion/v1``: what the app uses beyond the specification."""
