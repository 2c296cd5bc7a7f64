"""Tests of moving a calendar to a server and back."""
