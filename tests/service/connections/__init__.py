"""Tests of connected accounts and the browser flows that connect them."""
