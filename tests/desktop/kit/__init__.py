"""Tests of what several panes are made of."""
