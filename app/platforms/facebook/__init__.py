"""Facebook Pages."""
