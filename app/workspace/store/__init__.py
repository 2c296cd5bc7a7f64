"""The rows that survive a restart: tables, migrations, reads and writes."""
