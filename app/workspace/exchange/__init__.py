"""Import and export of scheduled posts in other programs' formats."""
