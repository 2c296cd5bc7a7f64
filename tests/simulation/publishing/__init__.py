"""The room of publishing: engine, preparer, tokens, real adapters, and the practice platforms."""
