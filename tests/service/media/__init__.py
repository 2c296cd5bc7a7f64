"""Media: names, links, uploads, imports, quota, and what crashes leave."""
