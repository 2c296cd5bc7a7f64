"""How many calls a key may make: by action, by plan."""
