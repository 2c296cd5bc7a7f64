"""The screen while a calendar moves to a server or back, and what runs the move."""
