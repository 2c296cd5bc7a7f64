"""Media: uploads, imports, stored files, signed links, and deletion."""
