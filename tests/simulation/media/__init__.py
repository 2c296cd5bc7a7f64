"""The room of media: uploads, imports, probes, sweeps, quota, deletion, restores, and stores that are away."""
