"""Tests of languages and plain English."""
