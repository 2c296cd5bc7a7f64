"""The panel of posting times."""
