"""Tests of packaging/."""
