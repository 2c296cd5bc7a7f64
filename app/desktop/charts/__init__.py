"""Charts: lines, sparklines, heat maps and bars, independent of what the data means."""
