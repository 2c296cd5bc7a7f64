"""The workspace's file."""
