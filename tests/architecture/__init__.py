"""The shape of the code: arrows between the rooms, sizes, locks."""
