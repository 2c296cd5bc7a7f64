"""The room of media: uploads, imports, probes, sweeps, quota, restores, and stores that are away."""
