"""Media: uploads and imports, stored files, signed links to them, and their end."""
