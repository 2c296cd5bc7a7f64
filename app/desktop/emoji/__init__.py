"""The emoji picker."""
